"""Compiled programs: from a file or a text and the settings of a run to a `Program`.

In: a path or a text, arguments, definitions and settings. Out: a `Program`, which holds the intermediate
representation and remembers what it was made of. `compile` checks what callers from Python may give; `build` does
the work for it and for the command line.

The compiler and the JSON reader are imported where they are used: a program needs one or the other, and each takes
its share of every start.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from operator import index
from typing import NamedTuple, NoReturn, SupportsFloat, SupportsIndex

from serq.diagnostics import Diagnostic, SerqError
from serq.files import read_text
from serq.ir.captions import Captions
from serq.ir.nodes import Ir
from serq.ir.settings import check_settings
from serq.results.provenance import Provenance
from serq.sealed import Sealed
from serq.trace import TraceRow, inline_trace
from serq.version import __version__


class Settings(NamedTuple):
    """What is given beside a program; None where the program's own setting, or the default, holds.

    Attributes:
        sets: program arguments, a number or the text of a constant expression.
        defs: bodies that replace those of expression `def`s.
        seed: 0 to 2^64 - 1.
        horizon: simulated seconds.
        warmup: simulated seconds, less than the horizon.
        arrivals: number of sessions after which the run ends.
        trace: path of a trace instead of the program's, relative to the current directory.
    """

    sets: Mapping[str, float | str] = {}
    defs: Mapping[str, str] = {}
    seed: int | None = None
    horizon: float | None = None
    warmup: float | None = None
    arrivals: int | None = None
    trace: str | None = None


class Program(Sealed):
    """A compiled program, ready to run: immutable, and may be run again and from several threads at once."""

    __slots__ = ("_directory", "_from_text", "_ir", "_settings", "_source")
    _ir: Ir
    _source: str
    _from_text: bool
    _settings: Settings
    _directory: str

    _made_by = "use serq.compile or Program.from_json"

    @property
    def ir(self) -> Ir:
        """The intermediate representation (serq.ir.nodes)."""
        return self._ir

    @property
    def trace_path(self) -> str | None:
        """Where the trace is read when the program runs, or None."""
        return None if self._ir.trace is None else os.path.join(self._directory, self._ir.trace)

    @property
    def provenance(self) -> Provenance:
        """What the program was made of.

        Raises:
            SerqError: the program has no horizon.
        """
        ir, settings = self._ir, self._settings
        if ir.horizon is None:
            refuse(
                "a run needs a horizon, and none is given", "say how many simulated seconds it lasts: `horizon=1000`"
            )
        return Provenance(
            serq_version=__version__,
            source=self._source,
            arguments=tuple(settings.sets.items()),
            definitions=tuple(settings.defs.items()),
            trace=settings.trace,
            seed=ir.seed,
            horizon=ir.horizon,
            warmup=ir.warmup,
            arrivals=ir.arrivals,
        )

    def with_sessions(self, sessions: list[list[TraceRow]]) -> Program:
        """This program with `sessions`, those of its ordered trace, written into its representation.

        Raises:
            SerqError: the trace is not ordered, or the sessions do not all arrive at the start.
        """
        ir = inline_trace(self._ir, sessions)
        return Program._new(
            _ir=ir,
            _source=self._source,
            _from_text=self._from_text,
            _settings=self._settings,
            _directory=self._directory,
        )

    def with_seed(self, seed: int) -> Program:
        """This program with another seed."""
        return Program._new(
            _ir=self._ir._replace(seed=seed),
            _source=self._source,
            _from_text=self._from_text,
            _settings=self._settings._replace(seed=seed),
            _directory=self._directory,
        )

    def captioned(self) -> tuple[Ir, Captions | None]:
        """The representation, and how the program's text spells what is folded in it; None if there was no text.

        The text is compiled again, so that programs which nobody draws need not remember its tree.
        """
        if not self._from_text:
            return self._ir, None
        from serq.compiler import caption_source

        _, captions = caption_source(self._source, sets=self._settings.sets, defs=self._settings.defs)
        return self._ir, captions

    def to_json(self) -> str:
        """The intermediate representation as JSON, indented by two blanks (docs/ir.md)."""
        from serq.ir.json import dump

        return dump(self._ir)

    @staticmethod
    def from_json(s: str) -> Program:
        """The program in a JSON document that `to_json` or another tool wrote.

        A relative trace in it is read from the current directory.

        Raises:
            SerqError: `s` is not JSON, lacks a field, has another version, or refers to something it does not have.
        """
        return build(s, Settings(), is_ir=True)


def compile(  # noqa: A001 (the name is the public one, `serq.compile`)
    path: str | os.PathLike[str] | None = None,
    *,
    source: str | None = None,
    sets: Mapping[str, float | str] = {},
    defs: Mapping[str, str] = {},
    seed: int | None = None,
    horizon: float | None = None,
    warmup: float | None = None,
    arrivals: int | None = None,
    trace: str | os.PathLike[str] | None = None,
) -> Program:
    """Compile a program text, or read an intermediate representation from a `.json` file.

    Args:
        path: file to compile; either this or `source`.
        source: text of the program.
        sets: values of program arguments (`args.number`), numbers or constant expressions such as `"1/2"`.
        defs: new bodies of expression `def`s.
        seed: 0 to 2^64 - 1; 1 if not given.
        horizon: simulated seconds; a text needs one, a representation has its own.
        warmup: simulated seconds left out of the figures, less than the horizon; 0 if not given.
        arrivals: sessions after which the run ends (open arrivals only).
        trace: trace to replay instead of the program's, relative to the current directory; opened by the run.

    Raises:
        SerqError: (a ValueError) the program is refused, the file cannot be read, or a value makes no sense.
        TypeError: a value has the wrong type.
        OverflowError: `seed` or `arrivals` is negative or too large.
    """
    if (path is None) == (source is None):
        refuse("give either a path or a source text", '`compile("program.sq", ...)` or `compile(source=text, ...)`')
    settings = Settings(
        sets=checked_sets(sets),
        defs=checked_definitions(defs),
        seed=None if seed is None else unsigned(seed, "seed"),
        horizon=None if horizon is None else real(horizon, "horizon"),
        warmup=None if warmup is None else real(warmup, "warmup"),
        arrivals=None if arrivals is None else unsigned(arrivals, "arrivals"),
        trace=None if trace is None else os.fspath(trace),
    )
    is_ir = path is not None and names_ir(path)
    if not is_ir and horizon is None:
        refuse("a program text needs a horizon", "say how many simulated seconds it lasts: `horizon=1000`")
    if path is None:
        return build(checked_text(source, "source"), settings)
    return build(read_program(path), settings, is_ir=is_ir, directory=os.path.dirname(os.fspath(path)))


def build(text: str, settings: Settings, *, is_ir: bool = False, directory: str = "") -> Program:
    """The program of `text`, a program text or the JSON of a representation, with `settings`.

    Args:
        directory: where a relative trace named by the program is; the trace in `settings` does not depend on it.

    Raises:
        SerqError: the program or a setting is refused.
    """
    make = load_ir if is_ir else compile_text
    ir = make(text, settings)
    check_settings(ir)
    return Program._new(
        _ir=ir,
        _source=text,
        _from_text=not is_ir,
        _settings=settings,
        _directory=directory if settings.trace is None else "",
    )


def compile_text(text: str, settings: Settings) -> Ir:
    """The representation of a program text, compiled with the settings."""
    from serq.compiler import compile_source

    return compile_source(text, **settings._asdict())


def load_ir(text: str, settings: Settings) -> Ir:
    """The representation in the JSON `text`, with the settings given in place of its own."""
    from serq.ir.json import load

    if settings.sets:
        refuse("program arguments cannot be set in an IR, whose constants are folded", "compile the program text again")
    if settings.defs:
        refuse("definitions cannot be replaced in an IR, where none are left", "compile the program text again")
    ir = load(text)
    given = {name: getattr(settings, name) for name in ("seed", "horizon", "warmup", "arrivals", "trace")}
    return ir._replace(**{name: value for name, value in given.items() if value is not None})


def names_ir(path: str | os.PathLike[str]) -> bool:
    """Whether a path names an intermediate representation rather than a program text."""
    return os.fspath(path).endswith(".json")


def read_program(path: str | os.PathLike[str]) -> str:
    """The text of the program file at `path`, without a byte-order mark.

    Raises:
        SerqError: it cannot be read, or is not UTF-8.
    """
    return read_text(path).removeprefix("\ufeff")


# ---------------------------------------------------------------- checks of what Python callers give


def refuse(message: str, hint: str) -> NoReturn:
    raise SerqError(Diagnostic("settings", message, hint=hint))


def checked(mapping: object, what: str) -> list[tuple[object, object]]:
    if not isinstance(mapping, Mapping):
        raise TypeError(f"{what} must be a dict, not {type(mapping).__name__}")
    return list(mapping.items())


def checked_sets(sets: object) -> dict[str, float | str]:
    return {checked_text(name, "a name in sets"): checked_value(value, name) for name, value in checked(sets, "sets")}


def checked_definitions(defs: object) -> dict[str, str]:
    return {checked_text(name, "a name in defs"): checked_text(body, "defs") for name, body in checked(defs, "defs")}


def checked_text(value: object, what: str) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{what} must be a str, not {type(value).__name__}")
    return value


def checked_value(value: object, name: object) -> float | str:
    return value if isinstance(value, str) else real(value, f"the value of {name}")


def real(value: object, what: str) -> float:
    """`value` as a float, if it is a number of any kind."""
    if isinstance(value, (SupportsFloat, SupportsIndex)):
        return float(value)
    raise TypeError(f"{what} must be a number, not {type(value).__name__}")


def unsigned(value: object, what: str) -> int:
    """`value` as an integer from 0 to 2^64 - 1."""
    try:
        number = index(value)  # type: ignore[arg-type]
    except TypeError:
        raise TypeError(f"{what} must be an integer, not {type(value).__name__}") from None
    if not 0 <= number < 1 << 64:
        raise OverflowError(f"{what} must be between 0 and 2^64 - 1")
    return number
