"""The reference names every command, option and public name, and none that does not exist.

docs/reference/commands.md has a section for each command, under its name. A table row there is an option: its form, its
default, what it does. Options that commands share stand once, in a section to which the command's own links.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from importlib import import_module
from typing import NamedTuple

import click
import pytest

import serq
from serq.cli.main import COMMANDS
from tests.docs.pages import ROOT

PAGE = ROOT / "docs/reference/commands.md"
PYTHON = ROOT / "docs/reference/python.md"

NO_EXAMPLE = {"lsp", "nano"}
"""Commands that an editor calls, or whose result is the machine's."""


class Row(NamedTuple):
    """What the page says of an option: the placeholder of its value, and the cell of its default."""

    metavar: str
    default: str


def sections() -> dict[str, str]:
    """The text below each heading of the second level."""
    parts = re.split(r"^## (.+)\n", PAGE.read_text(), flags=re.MULTILINE)
    titles = parts[1::2]
    assert len(set(titles)) == len(titles)
    return dict(zip(titles, parts[2::2], strict=True))


SECTIONS = sections()


def table(section: str) -> dict[str, Row]:
    """The options in the table of a section."""
    rows = re.findall(r"^\| `(--[\w-]+)(?: ([^`]+))?` \| (.*?) ?\|", SECTIONS[section], re.MULTILINE)
    return {name: Row(metavar, default) for name, metavar, default in rows}


def told(name: str) -> dict[str, Row]:
    """The options that the section of a command tells: its own, and those of the sections to which it links."""
    found = table(f"serq {name}")
    for title in SECTIONS:
        if f"](#{title.lower().replace(' ', '-')})" in SECTIONS[f"serq {name}"] and not title.startswith("serq "):
            found |= table(title)
    return found


def parameters(command: click.Command) -> list[click.Parameter]:
    """The parameters of a command, and of those below it."""
    below = command.commands.values() if isinstance(command, click.Group) else ()
    return [*command.params, *(parameter for one in below for parameter in parameters(one))]


def command(name: str) -> click.Command:
    found = import_module(f"serq.cli.{name}").command
    assert isinstance(found, click.Command)
    return found


def options(name: str) -> dict[str, click.Option]:
    """The options of a command by their long names."""
    found = [p for p in parameters(command(name)) if isinstance(p, click.Option)]
    return {word: option for option in found for word in option.opts if word.startswith("--") and word != "--help"}


def default(option: click.Option) -> str:
    """The default of an option, as its help says it or as it is set; empty if there is none."""
    if option.is_flag:
        return "off"
    said = re.search(r"\[default: (.*?)\]", option.help or "")
    if said is not None:
        return said[1]
    return str(option.default) if isinstance(option.default, str | int | float) else ""


def test_commands() -> None:
    """The page has a section for every command, and for no other."""
    assert {title for title in SECTIONS if title.startswith("serq ")} == {f"serq {name}" for name in COMMANDS}


@pytest.mark.parametrize("name", COMMANDS)
def test_options(name: str) -> None:
    """The section of a command names its options, each with its value and default, and no others."""
    expected = {
        word: Row(
            (option.metavar or "") if isinstance(option.metavar, str) else told(name)[word].metavar, default(option)
        )
        for word, option in options(name).items()
    }
    assert {word: Row(row.metavar, row.default.replace("`", "")) for word, row in told(name).items()} == expected


@pytest.mark.parametrize("name", COMMANDS)
def test_choices(name: str) -> None:
    """The section of a command names every value of those that are chosen from a list."""
    choices = [p.type.choices for p in parameters(command(name)) if isinstance(p.type, click.Choice)]
    assert [c for listed in choices for c in listed if f"`{c}`" not in SECTIONS[f"serq {name}"]] == []


def test_no_option_is_invented() -> None:
    """Every option that the page shows as code, in prose too, is one of some command or of a program after `--`."""
    known = {word for name in COMMANDS for word in options(name)} | {"--help", "--version", "--NAME"}
    prose = re.sub(r"^```.*?^```$", "", PAGE.read_text(), flags=re.MULTILINE | re.DOTALL)
    shown = {word for code in re.findall(r"`([^`]+)`", prose) for word in re.findall(r"(?<!\S)--\w[\w-]*", code)}
    assert len(shown) > 20
    assert shown - known == set()


@pytest.mark.parametrize("name", [name for name in COMMANDS if name not in NO_EXAMPLE])
def test_examples(name: str) -> None:
    """The section of a command shows one that is run."""
    shown = "".join(re.findall(r"^```sh\n(.*?)^```$", SECTIONS[f"serq {name}"], re.MULTILINE | re.DOTALL))
    assert re.search(rf"\bserq {name}\b", shown)


def cells() -> list[str]:
    """The first cells of the tables of the page on Python."""
    return re.findall(r"^\| (`.*?) \|", PYTHON.read_text(), re.MULTILINE)


@pytest.mark.parametrize("module", ["serq", "serq.stalls"])
def test_public_names(module: str) -> None:
    """Every public name has a row of a table."""
    described = {word for cell in cells() for word in re.findall(r"`(\w+)[`(]", cell)}
    assert [name for name in import_module(module).__all__ if name not in described] == []


@pytest.mark.parametrize("module", ["serq", "serq.stalls"])
def test_signatures(module: str) -> None:
    """A row that shows parameters shows those of the function, in order."""
    shown = {name: words for cell in cells() for name, words in re.findall(r"`(\w+)\((.*?)\)`", cell)}
    found = import_module(module)
    # A compiled class has no signature to compare with.
    public = {name: getattr(found, name) for name in found.__all__ if name in shown and name != "Rng"}
    assert len(public) >= 3
    assert {name: shown[name] for name in public} == {name: parameters_of(value) for name, value in public.items()}


def parameters_of(function: Callable[..., object]) -> str:
    """The parameters of a function as the page shows them."""
    words: list[str] = []
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind is parameter.KEYWORD_ONLY and "*" not in words:
            words.append("*")
        words.append("**" * (parameter.kind is parameter.VAR_KEYWORD) + parameter.name)
    return ", ".join(words)


def attributes(result: str) -> set[str]:
    """The attributes of a result that the page names: a table of their own for `Report`, else a row."""
    page = PYTHON.read_text()
    if result == "Report":
        table = page[page.index("| Of a `Report` |") :].partition("\n\n")[0]
        text = " ".join(row.split(" | ")[0] for row in table.splitlines()[2:])
    else:
        (text,) = re.findall(rf"^\| `{result}` \| (.*) \|$", page, re.MULTILINE)
    return set(re.findall(r"`(\w+)[`(]", text))


@pytest.mark.parametrize("result", ["Report", "Observe", "Gauge", "Claim", "Stage", "Pool"])
def test_attributes(result: str) -> None:
    """The page names every attribute of a report and of what it holds, and no others."""
    assert attributes(result) == {name for name in dir(getattr(serq, result)) if not name.startswith("_")}
