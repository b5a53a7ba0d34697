"""The report of a run: read-only objects over what the kernel recorded.

In: a `Recording` and its `Provenance`. Out: a `Report` with its observations, client figures, gauges, claims, stages
and pools. Estimates are made once, when the report is; samples become NumPy arrays only when they are asked for, and
every access makes new ones, so nothing that a caller does changes a report. docs/semantics/figures.md defines each
figure.
"""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING, Any, Generic, NoReturn, Self, TypeVar, overload

from serq.kernel.recording import OverCap
from serq.results.estimators import summarise, summarise_gauge
from serq.results.json import report_json
from serq.sealed import Sealed

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from serq.kernel.recording import ChangePoints, GapRecords, Recording, Samples
    from serq.results.provenance import Provenance

T = TypeVar("T")


class Figure(Generic[T]):
    """A read-only attribute: the value of the same name in the owner's `_figures`."""

    __slots__ = ("doc", "name")

    def __init__(self, doc: str) -> None:
        self.doc = doc

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    @overload
    def __get__(self, instance: None, owner: type) -> Self: ...
    @overload
    def __get__(self, instance: Result, owner: type) -> T: ...
    def __get__(self, instance: Result | None, owner: type) -> Self | T:
        if instance is None:
            return self
        value: T = getattr(instance._figures, self.name)
        return value

    def __set__(self, instance: object, value: object) -> NoReturn:
        raise AttributeError(f"{type(instance).__name__}.{self.name} cannot be set: results are read-only")


class Result(Sealed):
    """What all results share: attributes of a named tuple, shown read-only."""

    __slots__ = ("_figures",)
    _figures: Any
    _made_by = "a run makes it"


class Observe(Result):
    """Samples of one observation, or of one client figure, recorded after the warm-up, and their estimates."""

    __slots__ = ("_samples",)
    _samples: Samples

    mean = Figure[float]("Mean of the samples; NaN without any.")
    ci = Figure[float]("Half-width of the 95 % interval of the mean; infinite with fewer than 40 samples.")
    cv2 = Figure[float]("Variance over squared mean; NaN with fewer than two samples.")
    p99 = Figure[float]("99th percentile, the `ceil(0.99 count)`-th smallest sample; NaN without any.")

    @classmethod
    def _of_samples(cls, samples: Samples) -> Self:
        return cls._new(_figures=summarise(samples.values), _samples=samples)

    @property
    def name(self) -> str:
        """Name of the observation."""
        return self._samples.name

    @property
    def count(self) -> int:
        """Number of samples."""
        return len(self._samples.values)

    @property
    def samples(self) -> NDArray[np.float64]:
        """The samples in order of recording, shape (count,)."""
        return floats(self._samples.values)

    @property
    def times(self) -> NDArray[np.float64]:
        """Simulated seconds at which each sample was recorded (a response: the end of its turn), shape (count,)."""
        return floats(self._samples.times)

    @property
    def sessions(self) -> NDArray[np.int64]:
        """Serial of the session that recorded each sample, shape (count,)."""
        return integers(self._samples.sessions)

    @property
    def turns(self) -> NDArray[np.int64]:
        """That session's turn number at that moment, 1 for its first turn, shape (count,)."""
        return integers(self._samples.turns)


class Gauge(Result):
    """Time averages of one gauge from the end of warm-up on, and its change points."""

    __slots__ = ("_points",)
    _points: ChangePoints

    mean = Figure[float]("Time average.")
    ci = Figure[float]("Half-width of the 95 % interval of the mean, from 20 windows of equal length.")
    min = Figure[float]("Least value.")
    max = Figure[float]("Greatest value.")

    @classmethod
    def _of_points(cls, points: ChangePoints, warmup: float, end: float) -> Self:
        return cls._new(_figures=summarise_gauge(points.times, points.values, warmup, end), _points=points)

    @property
    def name(self) -> str:
        """Name of the gauge."""
        return self._points.name

    @property
    def times(self) -> NDArray[np.float64]:
        """Simulated seconds of the change points, from 0, warm-up included, shape (n_points,)."""
        return floats(self._points.times)

    @property
    def values(self) -> NDArray[np.float64]:
        """The value from each change point until the next, shape (n_points,)."""
        return floats(self._points.values)


class Claim(Result):
    """What became of one claim."""

    __slots__ = ()

    name = Figure[str]("Name of the claim.")
    kind = Figure[str]("`every_iteration`, `some_iteration` or `at_end`.")
    result = Figure[str]("`holds`, `fails`, `witnessed`, `not_witnessed`, `not_evaluated` or `out_of_scope`.")
    checked = Figure[int]("How many times it was read.")
    failures = Figure[int]("How many of these times it was 0.")
    first = Figure[float | None]("Simulated seconds of the first failure or, for `some_iteration`, witness; or None.")
    note = Figure[str | None]("Why it was not evaluated or is out of scope, or None.")


class Stage(Result):
    """Figures of one stage, or of one member of a family, from the end of warm-up on (iterations: from the start)."""

    __slots__ = ()

    name = Figure[str]("Name of the stage.")
    index = Figure[int | None]("Number in its family, or None.")
    mean_number = Figure[float]("Time average of the jobs present, waiting or in service.")
    utilization = Figure[float]("Share of time with a job present; where flows share it, of the capacity they carry.")
    completed = Figure[int]("Jobs finished.")
    throughput = Figure[float]("Jobs finished a second.")
    mean_wait = Figure[float]("Mean seconds from joining to the start of service; NaN without a finished job.")
    mean_service = Figure[float]("Mean seconds from the start of service to the finish; NaN without a finished job.")
    iterations = Figure[int]("Iterations started; 0 if not an engine.")
    prefill_only = Figure[float]("Share of time in iterations that only prefill; 0 if not an engine.")
    decode_only = Figure[float]("Share of time in iterations that only decode; 0 if not an engine.")
    mixed = Figure[float]("Share of time in iterations that do both; 0 if not an engine.")
    mean_decodes = Figure[float]("Time average of the decodes being served; 0 if not an engine.")
    mean_decode_batch = Figure[float]("Mean decodes an iteration, of the iterations with any; NaN without.")
    mean_decode_step = Figure[float]("Mean seconds an iteration, of the iterations with decodes; NaN without.")
    mean_itl = Figure[float]("Mean inter-token latency in seconds; NaN without a gap.")
    itl_p50 = Figure[float]("Median inter-token latency in seconds, to 1 %; NaN without a gap.")
    itl_p99 = Figure[float]("99th percentile of the inter-token latency in seconds, to 1 %; NaN without a gap.")
    idle_with_work = Figure[bool]("Whether the run ended with requests on the engine and none that it would serve.")


class Pool(Result):
    """Figures of one pool, or of one member of a family: averages from the end of warm-up on, counts from the start."""

    __slots__ = ()

    name = Figure[str]("Name of the pool.")
    index = Figure[int | None]("Number in its family, or None.")
    mean_used = Figure[float]("Time average of the units allocated.")
    mean_cached = Figure[float]("Time average of the units cached.")
    mean_queue = Figure[float]("Time average of the requests in its queue.")
    mean_holders = Figure[float]("Time average of the sessions that hold it.")
    mean_wait = Figure[float]("Mean seconds in its queue until admission; NaN without one that queued here.")
    admissions = Figure[int]("Admissions, those after a preemption included.")
    evicted_entries = Figure[int]("Cache entries evicted to nothing.")
    evicted_units = Figure[float]("Units evicted from the cache.")
    preemptions = Figure[int]("Requests preempted for its memory.")
    spills = Figure[int]("Entries spilled to another pool.")
    rejected = Figure[int]("Sessions refused because they asked for more than its capacity.")
    stuck = Figure[int]("Sessions preempted again before they had passed the position of the preemption before.")
    over_cap = Figure[OverCap | None]("At the end, the queue whose head asks for more than the capacity; or None.")
    growing_at_end = Figure[int]("Growths that waited for memory at the end.")
    growing_stalled = Figure[bool]("Whether at the end everyone who holds it waited for it to grow.")


class Report(Result):
    """Everything that a run found out."""

    __slots__ = ("_claims", "_client", "_gauges", "_observes", "_pools", "_provenance", "_stages")
    _provenance: Provenance
    _observes: tuple[Observe, ...]
    _client: tuple[Observe, ...]
    _gauges: tuple[Gauge, ...]
    _claims: tuple[Claim, ...]
    _stages: tuple[Stage, ...]
    _pools: tuple[Pool, ...]

    end = Figure[float](
        "Simulated seconds at which the run ended: the horizon, or the last event where arrivals ended it."
    )
    events = Figure[int]("Events handled, from the start.")
    arrivals = Figure[int]("Sessions that arrived, from the start.")
    ended = Figure[int]("Sessions that ended after the warm-up.")
    turns = Figure[int]("Turns begun after the warm-up.")
    mean_live = Figure[float]("Time average of the live sessions, after the warm-up.")

    @classmethod
    def _of_recording(cls, recording: Recording, provenance: Provenance) -> Self:
        return cls._new(
            _figures=recording,
            _provenance=provenance,
            _observes=tuple(Observe._of_samples(samples) for samples in recording.observes),
            _client=tuple(Observe._of_samples(samples) for samples in recording.client),
            _gauges=tuple(Gauge._of_points(points, provenance.warmup, recording.end) for points in recording.gauges),
            _claims=tuple(Claim._new(_figures=claim) for claim in recording.claims),
            _stages=tuple(Stage._new(_figures=stage) for stage in recording.stages),
            _pools=tuple(Pool._new(_figures=pool) for pool in recording.pools),
        )

    @property
    def provenance(self) -> Provenance:
        """What the run was made of: version, source, arguments and settings."""
        return self._provenance

    @property
    def serq_version(self) -> str:
        """Version of the package that ran the program."""
        return self._provenance.serq_version

    @property
    def seed(self) -> int:
        """Seed of the run."""
        return self._provenance.seed

    @property
    def horizon(self) -> float:
        """Simulated seconds that the run might last."""
        return self._provenance.horizon

    @property
    def warmup(self) -> float:
        """Simulated seconds left out of the figures."""
        return self._provenance.warmup

    @property
    def deadlocked(self) -> int:
        """Sessions and legs that wait for each other at the end, and would for ever."""
        count: int = self._figures.deadlocked
        return count

    @property
    def deadlock_pool(self) -> tuple[str, int] | None:
        """A pool that is held by those who wait for it, and how many hold it."""
        pool: tuple[str, int] | None = self._figures.deadlock_pool
        return pool

    @property
    def gaps(self) -> GapRecords | None:
        """The inter-token gaps by cause, if the run was asked to divide them."""
        gaps: GapRecords | None = self._figures.gaps
        return gaps

    @property
    def observes(self) -> dict[str, Observe]:
        """Observations by name, in program order."""
        return {observe.name: observe for observe in self._observes}

    @property
    def client(self) -> dict[str, Observe]:
        """`ttft`, `tpot` and `response`, in this order."""
        return {observe.name: observe for observe in self._client}

    @property
    def gauges(self) -> dict[str, Gauge]:
        """Gauges by name, in program order."""
        return {gauge.name: gauge for gauge in self._gauges}

    @property
    def claims(self) -> dict[str, Claim]:
        """Claims by name, in program order."""
        return {claim.name: claim for claim in self._claims}

    @property
    def stages(self) -> list[Stage]:
        """Stages in program order, members of a family one after the other."""
        return list(self._stages)

    @property
    def pools(self) -> list[Pool]:
        """Pools in program order, members of a family one after the other."""
        return list(self._pools)

    def observe(self, name: str) -> Observe | None:
        """The observation `name` (no client figure), or None."""
        return first_named(self._observes, name)

    def gauge(self, name: str) -> Gauge | None:
        """The gauge `name`, or None."""
        return first_named(self._gauges, name)

    def claim(self, name: str) -> Claim | None:
        """The claim `name`, or None."""
        return first_named(self._claims, name)

    def stage(self, name: str) -> Stage | None:
        """The stage `name`, of a family its first member, or None."""
        return first_named(self._stages, name)

    def pool(self, name: str) -> Pool | None:
        """The pool `name`, of a family its first member, or None."""
        return first_named(self._pools, name)

    def stages_named(self, name: str) -> list[Stage]:
        """All members of the stage family `name`."""
        return [stage for stage in self._stages if stage.name == name]

    def pools_named(self, name: str) -> list[Pool]:
        """All members of the pool family `name`."""
        return [pool for pool in self._pools if pool.name == name]

    def json(self) -> str:
        """The figures as one line of JSON (docs/semantics/figures.md): every figure, no samples."""
        return report_json(self)


Named = TypeVar("Named", Observe, Gauge, Claim, Stage, Pool)


def first_named(results: tuple[Named, ...], name: str) -> Named | None:
    """The first of `results` with this name, or None."""
    return next((result for result in results if result.name == name), None)


def floats(values: array[float]) -> NDArray[np.float64]:
    """A new NumPy array of the doubles in `values`."""
    # Here because a run that only prints its report needs no NumPy, which takes longer to import than most runs take.
    import numpy as np

    return np.array(values, dtype=np.float64)


def integers(values: array[int]) -> NDArray[np.int64]:
    """A new NumPy array of the integers in `values`."""
    import numpy as np

    return np.array(values, dtype=np.int64)
