"""Many runs at once: a function over many jobs, in processes, its results in the order of the jobs.

In: a function of a module, jobs that can be pickled, and how many processes may work. Out: the results. Which process
did a job, and when it was done, shows in nothing: jobs share no state. One process is the caller's own.

A process that dies takes one job with it, which is named; an interrupt ends all of them at once.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator, Sequence
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from typing import Generic, NamedTuple, TypeVar

Job = TypeVar("Job")
Result = TypeVar("Result")

GRACE = 5.0
"""Seconds that a process which was told to end is given."""


class Failed(Exception):  # noqa: N818 (not an error of its own)
    """A job could not be done.

    Attributes:
        job: its place among the jobs.
        cause: what it raised, or None if its process died.
        status: exit status of the process that died; negative for a signal.
    """

    def __init__(self, job: int, cause: BaseException | None, status: int | None) -> None:
        super().__init__(f"job {job}: {cause if cause is not None else f'its process ended with status {status}'}")
        self.job, self.cause, self.status = job, cause, status


def usable_cores() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def run_all(
    work: Callable[[Job], Result], jobs: Sequence[Job], *, processes: int, done: Callable[[int, Result], None]
) -> list[Result]:
    """`[work(job) for job in jobs]`, by several processes.

    Args:
        work: a function at the top of a module.
        processes: at most so many; with 1 the jobs are done here.
        done: called here with the place and the result of each job as it ends.

    Raises:
        Failed: the first job that fails, in order of time; the others are given up.
        KeyboardInterrupt: as it comes; no process is left.
    """
    found: dict[int, Result] = {}
    for place, result in completed(work, jobs, min(processes, len(jobs))):
        found[place] = result
        done(place, result)
    return [found[place] for place in range(len(jobs))]


def completed(work: Callable[[Job], Result], jobs: Sequence[Job], processes: int) -> Iterator[tuple[int, Result]]:
    """Each job's place and result, as they end."""
    if processes > 1:
        with Crew(work, jobs, processes) as crew:
            yield from crew.results()
        return
    for place, job in enumerate(jobs):
        try:
            result = work(job)
        except Exception as error:
            raise Failed(place, error, None) from error
        yield place, result


class Worker(NamedTuple):
    process: SpawnProcess
    pipe: Connection


class Crew(Generic[Job, Result]):
    """Processes that each do one job at a time, whichever is next."""

    def __init__(self, work: Callable[[Job], Result], jobs: Sequence[Job], processes: int) -> None:
        self.work, self.jobs = work, jobs
        self.next = 0
        self.workers: dict[Connection, Worker] = {}
        self.doing: dict[Connection, int] = {}
        self.count = processes

    def __enter__(self) -> Crew[Job, Result]:
        # A fresh interpreter: a fork would copy threads' locks, and differs between systems.
        context = get_context("spawn")
        for _ in range(self.count):
            here, there = context.Pipe()
            process = context.Process(target=serve, args=(self.work, there), daemon=True)
            process.start()
            there.close()
            self.workers[here] = Worker(process, here)
        return self

    def __exit__(self, *error: object) -> None:
        for worker in self.workers.values():
            worker.pipe.close()
            if error[0] is not None:
                worker.process.kill()
        for worker in self.workers.values():
            worker.process.join(GRACE)
            worker.process.kill()
            worker.process.join()

    def results(self) -> Iterator[tuple[int, Result]]:
        for pipe in self.workers:
            self.give(pipe)
        while self.doing:
            ready = set(wait(list(self.doing)))
            for pipe in [pipe for pipe in self.doing if pipe in ready]:
                yield self.take(pipe)
                self.give(pipe)

    def give(self, pipe: Connection) -> None:
        """Hand out the next job, if there is one."""
        if self.next < len(self.jobs):
            self.doing[pipe] = self.next
            self.next += 1
            try:
                pipe.send(self.jobs[self.doing[pipe]])
            except BrokenPipeError:
                raise self.died(pipe) from None

    def take(self, pipe: Connection) -> tuple[int, Result]:
        """What a process answers."""
        try:
            error, result = pipe.recv()
        except (EOFError, ConnectionResetError):
            raise self.died(pipe) from None
        place = self.doing.pop(pipe)
        if error is not None:
            raise Failed(place, error, None) from error
        return place, result

    def died(self, pipe: Connection) -> Failed:
        process = self.workers[pipe].process
        process.join(GRACE)
        return Failed(self.doing[pipe], None, process.exitcode)


def serve(work: Callable[[Job], Result], pipe: Connection) -> None:
    """What a process does: jobs, until nobody gives any more."""
    # The terminal sends an interrupt to all processes of a command; the one that began them ends them.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    while True:
        try:
            job = pipe.recv()
        except (EOFError, OSError):
            return
        answer: tuple[Exception | None, Result | None]
        try:
            answer = (None, work(job))
        except Exception as error:
            answer = (error, None)
        try:
            pipe.send(answer)
        except OSError:
            return
