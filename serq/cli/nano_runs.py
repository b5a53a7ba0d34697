"""Runs of the demonstrator engine, each in a process of its own, in sight of the user.

In: jobs. Out: logs in files. The process gets one thread for NumPy's products, which must be told before NumPy is
imported, and a process group of its own, so that Ctrl-C reaches it from here and once.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from time import perf_counter
from typing import IO, TYPE_CHECKING, Any

import serq
from serq.diagnostics import Diagnostic, SerqError

if TYPE_CHECKING:
    from serq.cli.bar import Bar

GRACE = 30.0
"""Seconds that an interrupted run is given to write its log in."""

ONE_THREAD = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")


class Interrupted(Exception):  # noqa: N818 (no error)
    """The user ended the run; the text says what is left of it."""


def need_tokenizers() -> None:
    """Refuse to go on without the optional part of the installation.

    Raises:
        SerqError: it is not installed.
    """
    if find_spec("tokenizers") is None:
        message = "the engine needs a part that is not installed: pip install 'serq[nano]'"
        raise SerqError(Diagnostic("nano", message))


def folder(path: str) -> Path:
    """The folder that logs go to, made if it is not there.

    Raises:
        SerqError: it cannot be made.
    """
    try:
        Path(path).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        message = f"`--out`: the folder `{path}` cannot be made: {(error.strerror or str(error)).lower()}"
        raise SerqError(Diagnostic("file", message)) from None
    return Path(path)


def environment() -> dict[str, str]:
    package = str(Path(serq.__file__).parent.parent)
    path = os.pathsep.join(filter(None, (package, os.environ.get("PYTHONPATH"))))
    return {**os.environ, **dict.fromkeys(ONE_THREAD, "1"), "TOKENIZERS_PARALLELISM": "false", "PYTHONPATH": path}


def make_run(job: dict[str, Any], title: str = "") -> dict[str, Any]:
    """Make a run, with a bar on a terminal; what its process says at the end.

    Args:
        job: fields of serq.nano.process.Job.
        title: what the bar is called.

    Raises:
        Interrupted: by Ctrl-C; the log holds what was served until then, if serving had begun.
        SerqError: the run could not be made.
    """
    words = [sys.executable, "-m", "serq.nano.process", json.dumps(job)]
    process = subprocess.Popen(
        words, env=environment(), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, process_group=0
    )
    assert process.stdout is not None
    last: dict[str, Any] = {}
    interrupted = False
    try:
        try:
            last = watch(process.stdout, job, title)
        except KeyboardInterrupt:
            interrupted = True
            process.send_signal(signal.SIGINT)
            rest, _ = process.communicate(timeout=GRACE)
            last = ([{}, *messages(rest.splitlines())])[-1]
    except (KeyboardInterrupt, subprocess.TimeoutExpired):
        pass  # a second Ctrl-C, or no end in sight: without a log
    finally:
        process.kill()
        process.wait()
    if "error" in last:
        raise SerqError(Diagnostic("nano", last["error"]))
    if interrupted or last.get("done", {}).get("interrupted"):
        raise Interrupted(left(last, job))
    if "done" not in last:
        raise SerqError(
            Diagnostic("nano", f"the engine's process ended without a log (exit code {process.returncode})")
        )
    done: dict[str, Any] = last["done"]
    return done


def left(last: dict[str, Any], job: dict[str, Any]) -> str:
    if "done" not in last:
        return "interrupted before anything was served; there is no log"
    done = last["done"]
    return f"interrupted after {done['seconds']:.1f} s, {done['served']} requests served; `{job['out']}` has them"


def messages(lines: list[str]) -> Iterator[dict[str, Any]]:
    """What the lines say; a line that is cut off says nothing."""
    for line in lines:
        try:
            yield json.loads(line)
        except ValueError:
            continue


def watch(lines: IO[str], job: dict[str, Any], title: str) -> dict[str, Any]:
    """Follow a run to its end; its last message."""
    last: dict[str, Any] = {}
    bar: Bar | None = None
    shows = sys.stderr is not None and sys.stderr.isatty()
    started = perf_counter()
    try:
        for line in lines:
            last = ([last, *messages([line])])[-1]
            if shows and "progress" in last:
                seconds, served, requests = last["progress"]
                if bar is None:
                    # Here because rich takes 60 ms to import, and only a terminal shows what it does.
                    from serq.cli.bar import Bar

                    bar = Bar(float(requests), started)
                left = "" if seconds < job["duration"] else ", nothing more arrives"
                bar.show_text(served, f"{title}{seconds:.0f} s, {served} of {requests} requests served{left}")
    finally:
        if bar is not None:
            bar.close()
    return last
