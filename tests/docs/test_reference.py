"""The reference names every command, option and public name, and none that does not exist."""

from __future__ import annotations

import re
from importlib import import_module

import click
import pytest

import serq
import serq.stalls
from serq.cli.main import COMMANDS
from tests.docs.pages import ROOT

PAGE = ROOT / "docs" / "reference" / "commands.md"
PYTHON = ROOT / "docs" / "reference" / "python.md"
SHARED = "Arguments of a program"
OPTION = re.compile(r"`(--?[a-zA-Z][\w-]*)(?=[ `=])")


def sections(page: str) -> dict[str, str]:
    """The text below each heading of the second level."""
    parts = re.split(r"^## (.+)\n", page, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def parameters(command: str) -> list[click.Parameter]:
    found = import_module(f"serq.cli.{command}").command
    assert isinstance(found, click.Command)
    return found.params


def options(command: str) -> set[str]:
    return {name for p in parameters(command) if isinstance(p, click.Option) for name in p.opts} - {"-h", "--help"}


SECTIONS = sections(PAGE.read_text())


@pytest.mark.parametrize("command", COMMANDS)
def test_every_option_is_told(command: str) -> None:
    told = set(OPTION.findall(SECTIONS[f"serq {command}"]))
    shared = set(OPTION.findall(SECTIONS[SHARED]))
    assert options(command) - told - (shared if {"--set"} & options(command) else set()) == set()


@pytest.mark.parametrize("command", COMMANDS)
def test_no_option_is_invented(command: str) -> None:
    table = "\n".join(line for line in SECTIONS[f"serq {command}"].splitlines() if line.startswith("| `-"))
    assert set(OPTION.findall(table)) - options(command) == set()


@pytest.mark.parametrize("command", COMMANDS)
def test_every_choice_is_told(command: str) -> None:
    for parameter in parameters(command):
        if isinstance(parameter.type, click.Choice):
            for choice in parameter.type.choices:
                assert f"`{choice}`" in SECTIONS[f"serq {command}"]


def test_commands_are_those_that_exist() -> None:
    assert [name for name in SECTIONS if name.startswith("serq ")] == sorted(
        (f"serq {name}" for name in COMMANDS), key=list(SECTIONS).index
    )


@pytest.mark.parametrize("module", [serq, serq.stalls], ids=["serq", "serq.stalls"])
def test_every_public_name_is_told(module: object) -> None:
    page = PYTHON.read_text()
    untold = [name for name in module.__all__ if not re.search(rf"`{re.escape(name)}[`(]", page)]  # type: ignore[attr-defined]
    assert untold == []
