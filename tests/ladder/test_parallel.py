"""Many jobs in processes: their results are those of a loop, whatever happens."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from serq.diagnostics import SerqError
from serq.parallel import Failed, run_all
from tests.ladder import jobs

ROOT = Path(__file__).resolve().parents[2]


def ignore(_place: int, _result: object) -> None:
    pass


@pytest.mark.parametrize("processes", [1, 2, 3, 50])
def test_order(processes: int) -> None:
    """Results come in the order of the jobs, though later ones end sooner; each is told of once."""
    told: dict[int, int] = {}
    found = run_all(jobs.square, range(8), processes=processes, done=lambda place, result: told.update({place: result}))
    assert found == [x * x for x in range(8)]
    assert told == dict(enumerate(found))


def test_no_jobs() -> None:
    assert run_all(jobs.square, [], processes=4, done=ignore) == []


def test_processes_share_the_jobs() -> None:
    found = set(run_all(jobs.process, range(8), processes=2, done=ignore))
    assert len(found) == 2
    assert os.getpid() not in found
    assert set(run_all(jobs.process, range(2), processes=1, done=ignore)) == {os.getpid()}


@pytest.mark.parametrize("processes", [1, 2])
def test_a_fault_is_told_as_it_was(processes: int) -> None:
    """The job is named, and its fault has message, place and hint."""
    with pytest.raises(Failed) as failed:
        run_all(jobs.refuse_three, range(6), processes=processes, done=ignore)
    assert failed.value.job == 3
    cause = failed.value.cause
    assert isinstance(cause, SerqError)
    assert (cause.message, cause.hint, cause.line, cause.column) == ("three is refused", "two", 1, 1)


def test_a_dead_process_is_named() -> None:
    with pytest.raises(Failed) as failed:
        run_all(jobs.die_at_three, range(6), processes=2, done=ignore)
    assert (failed.value.job, failed.value.cause, failed.value.status) == (3, None, -signal.SIGKILL)


def is_gone(group: int) -> bool:
    """Whether a group of processes ends within seconds."""
    for _ in range(100):
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.1)
    return False


@pytest.mark.skipif(sys.platform == "win32", reason="signals are sent")
def test_an_interrupt_ends_all() -> None:
    """Ctrl-C, which a terminal sends to all processes, ends them at once."""
    code = "from serq.parallel import *; from tests.ladder import jobs; "
    code += "print('on', flush=True); run_all(jobs.sleep_long, range(4), processes=2, done=lambda p, r: None)"
    begun = subprocess.Popen(
        [sys.executable, "-c", code],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert begun.stdout is not None
    begun.stdout.readline()
    time.sleep(1.5)
    os.killpg(begun.pid, signal.SIGINT)
    _, said = begun.communicate(timeout=30)
    assert "KeyboardInterrupt" in said
    assert is_gone(begun.pid)
