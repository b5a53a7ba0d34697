"""What a user at a terminal sees: styled tables, a progress bar, and an end at Ctrl-C."""

from __future__ import annotations

import os
import re
import select
import signal
import sys
import time
from collections.abc import Callable, Sequence
from typing import NamedTuple

import pytest

from tests.cli.serq_command import COMMAND, ENGINE, ENVIRONMENT, ROOT

if sys.platform == "win32":
    pytest.skip("needs a pseudo-terminal", allow_module_level=True)

import pty

LONG = ("run", ENGINE, "--horizon", "1e8")
"""Minutes of simulation on any machine."""

PATIENCE = 60.0


class Session(NamedTuple):
    """What a terminal showed, the exit code, and the seconds from Ctrl-C to the end."""

    shown: str
    code: int
    seconds: float


def on_terminal(
    *words: str, interrupt: Callable[[str], bool] = lambda _: False, command: Sequence[str] = COMMAND
) -> Session:
    """Run `serq words...` on a terminal of its own, and press Ctrl-C once `interrupt` says so of what it showed.

    A command that has not ended after `PATIENCE` seconds is killed.
    """
    pid, terminal = pty.fork()
    if pid == 0:
        os.execve(sys.executable, [*command, *words], {**ENVIRONMENT, "TERM": "xterm", "COLUMNS": "120"})
    shown, pressed, deadline = b"", 0.0, time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        if select.select([terminal], [], [], 0.05)[0]:
            try:
                data = os.read(terminal, 65536)
            except OSError:  # what Linux says at the end
                break
            if not data:
                break
            shown += data
        if not pressed and interrupt(shown.decode(errors="replace")):
            os.write(terminal, b"\x03")
            pressed = time.monotonic()
    else:
        os.kill(pid, signal.SIGKILL)
    ended = time.monotonic()
    _, state = os.waitpid(pid, 0)
    os.close(terminal)
    return Session(shown.decode(errors="replace"), os.waitstatus_to_exitcode(state), ended - pressed)


def test_report_on_a_terminal() -> None:
    """On a terminal the same cells stand in styled tables, in full however narrow it is."""
    session = on_terminal("run", ENGINE, "--horizon", "20000", "--warmup", "2000")
    assert session.code == 0
    assert "\x1b[" in session.shown
    plain = re.sub(r"\x1b\[[0-9;]*m", "", session.shown)
    printed = (ROOT / "tests/golden/reports/05-engine.txt").read_text()
    cells = [line.split() for line in plain.splitlines() if "─" not in line]
    assert cells == [line.split() for line in printed.splitlines() if not line.startswith("---")]


def test_progress_and_interrupt() -> None:
    """After a second a bar shows simulated time and pace; Ctrl-C then ends the run within a second, in one line."""
    session = on_terminal(*LONG, interrupt=lambda shown: shown.count("s simulated") > 3)
    assert re.search(r"[\d.e+]+ of 1e\+08 s simulated, [\d.]+ M events/s", session.shown)
    assert session.code == 130
    assert session.seconds < 1.0
    after = session.shown[session.shown.rindex("serq: interrupted") :]
    assert re.fullmatch(r"serq: interrupted after [\d.e+]+ of 1e\+08 simulated seconds\r\n", after)
    assert "Traceback" not in session.shown


@pytest.mark.parametrize(
    "loaded", ["serq.cli", "click.types", "serq.cli.options", "serq.kernel", "serq.report", "serq.compiler"]
)
def test_interrupt_while_loading(loaded: str) -> None:
    """Ctrl-C once the command has begun, while it loads, compiles or begins to run, ends it as quietly."""
    python = [COMMAND[0], "-X", "importtime", *COMMAND[1:]]
    session = on_terminal(*LONG, command=python, interrupt=lambda shown: bool(re.search(rf"\| +{loaded}\r", shown)))
    assert session.code == 130
    assert session.seconds < 1.0
    assert "Traceback" not in session.shown
    assert re.search(r"(\n|\^C)serq: interrupted( after .* simulated seconds)?\r\n$", session.shown)


def test_no_bar_for_short_runs() -> None:
    """A run that ends within a second shows no bar."""
    assert "simulated" not in on_terminal("run", ENGINE, "--horizon", "100").shown
