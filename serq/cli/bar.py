"""The progress bar of a run, on standard error; it disappears when the run ends."""

from __future__ import annotations

from time import perf_counter

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn


class Bar:
    """Shows simulated time out of `horizon` seconds and the pace since `started` (a reading of perf_counter)."""

    def __init__(self, horizon: float, started: float) -> None:
        self.horizon, self.started = horizon, started
        self.progress = Progress(
            BarColumn(),
            TaskProgressColumn(),
            TextColumn("{task.fields[pace]}"),
            TimeRemainingColumn(),
            console=Console(stderr=True),
            transient=True,
            auto_refresh=False,
        )
        self.task = self.progress.add_task("", total=horizon, pace="")
        self.progress.start()

    def show(self, now: float, events: int) -> None:
        """Draw the bar for `now` simulated seconds and `events` handled so far."""
        rate = events / (perf_counter() - self.started)
        pace = f"{now:.6g} of {self.horizon:.6g} s simulated, {rate / 1e6:.2f} M events/s"
        self.show_text(now, pace)

    def show_text(self, done: float, text: str) -> None:
        """Draw the bar for `done` out of `horizon`, whatever they count, and say `text` beside it."""
        self.progress.update(self.task, completed=min(done, self.horizon), pace=text, refresh=True)

    def close(self) -> None:
        self.progress.stop()


class CountBar:
    """Shows how many of `total` things are done; it disappears when it is closed."""

    def __init__(self, total: int, what: str) -> None:
        self.progress = Progress(
            BarColumn(),
            TaskProgressColumn(),
            TextColumn(f"{{task.completed}} of {{task.total}} {what}"),
            TimeRemainingColumn(),
            console=Console(stderr=True),
            transient=True,
        )
        self.task = self.progress.add_task("", total=total)
        self.progress.start()

    def show(self, done: int) -> None:
        self.progress.update(self.task, completed=done, refresh=True)

    def close(self) -> None:
        self.progress.stop()
