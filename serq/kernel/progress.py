"""How far a run has come, and a wish that it stop: read and written by other threads while the kernel runs."""


class Progress:
    """Attributes:
    now: simulated seconds, updated every few thousand events.
    events: events taken so far.
    stop: set it to 1 to end the run soon; it then raises `Interrupted`.
    """

    def __init__(self) -> None:
        self.now = 0.0
        self.events = 0
        self.stop = 0
