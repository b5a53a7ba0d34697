"""Reports as objects: read-only, complete, and new containers at every access."""

from __future__ import annotations

import copy
import pickle
from array import array
from typing import Any

import numpy as np
import pytest

import serq
from serq.kernel.recording import ChangePoints, OverCap
from tests.recordings import claim, pool, report, samples, stage

GAUGE = ChangePoints("g", array("d", [0.0, 50.0]), array("d", [1.0, 3.0]))


@pytest.fixture
def full() -> serq.Report:
    return report(
        observes=(samples("x", [1.0, 2.0]),),
        gauges=(GAUGE,),
        claims=(claim(),),
        stages=(stage(name="a", index=0), stage(name="a", index=1)),
        pools=(pool(name="m", index=0, over_cap=OverCap("m[0]", 7.0)), pool(name="m", index=1), pool(name="n")),
    )


@pytest.mark.parametrize("kind", ["Report", "Observe", "Gauge", "Claim", "Stage", "Pool", "Program"])
def test_no_constructor(kind: str) -> None:
    """Only a run makes results, and only `compile` a program."""
    with pytest.raises(TypeError, match=kind):
        getattr(serq, kind)()


def test_nothing_can_be_set(full: serq.Report) -> None:
    """Setting any attribute, known or not, is an AttributeError."""
    one_of_each: list[Any] = [
        full,
        full.observes["x"],
        full.gauges["g"],
        full.claims["c"],
        full.stages[0],
        full.pools[0],
    ]
    for result in one_of_each:
        public = [name for name in dir(result) if not name.startswith("_")]
        assert public
        for name in [*public, "unknown"]:
            with pytest.raises(AttributeError):
                setattr(result, name, 1)


def test_default_representation(full: serq.Report) -> None:
    """Results show as plain objects, not as their figures."""
    assert repr(full).startswith("<serq.results.report.Report object at ")


def test_every_access_builds_new_containers(full: serq.Report) -> None:
    """What a caller does to a list, a dict or an array does not reach the report."""
    full.stages.clear()
    full.observes.clear()
    full.observes["x"].samples[0] = 99.0
    assert len(full.stages) == 2
    assert full.observes["x"].samples.tolist() == [1.0, 2.0]


def test_samples_are_arrays(full: serq.Report) -> None:
    """Samples and times are float arrays, sessions and turns integer arrays, all of length `count`."""
    x = full.observes["x"]
    assert x.samples.dtype == x.times.dtype == np.float64
    assert x.sessions.dtype == x.turns.dtype == np.int64
    assert x.count == len(x.samples) == len(x.times) == len(x.sessions) == len(x.turns) == 2
    assert (x.sessions.tolist(), x.turns.tolist(), x.times.tolist()) == ([0, 1], [1, 1], [0.0, 1.0])
    gauge = full.gauges["g"]
    assert (gauge.times.tolist(), gauge.values.tolist(), gauge.mean) == ([0.0, 50.0], [1.0, 3.0], 2.0)


def test_looking_up_by_name(full: serq.Report) -> None:
    """A name finds its result, of a family the first member, and nothing gives None; client figures are apart."""
    assert full.observe("x") is not None
    assert full.observe("ttft") is None
    assert list(full.client) == ["ttft", "tpot", "response"]
    assert (full.gauge("g"), full.claim("c"), full.gauge("no"), full.claim("no")) != (None, None, None, None)
    first, member = full.stage("a"), full.pool("m")
    assert first is not None
    assert member is not None
    assert (first.index, member.index) == (0, 0)
    assert (full.stage("no"), full.pool("no")) == (None, None)
    assert [stage.index for stage in full.stages_named("a")] == [0, 1]
    assert [pool.index for pool in full.pools_named("m")] == [0, 1]
    assert member.over_cap == ("m[0]", 7.0)


def test_provenance(full: serq.Report) -> None:
    """A report says what it was made of; the digest is that of the source."""
    made = full.provenance
    assert (made.serq_version, made.seed, made.horizon, made.warmup, made.arrivals) == ("1.2.3", 1, 100.0, 0.0, None)
    assert (full.serq_version, full.seed, full.horizon, full.warmup) == ("1.2.3", 1, 100.0, 0.0)
    assert made.source_digest == "982d9e3eb996f559e633f4d194def3761d909f5a3b647d1a851fead67c32c9d1"


def test_copies_share(full: serq.Report) -> None:
    """A report is immutable, so a copy of it is the report itself; what was pickled has the same figures."""
    assert copy.copy(full) is full
    assert copy.deepcopy(full) is full
    again = pickle.loads(pickle.dumps(full))
    assert again.json() == full.json()
    assert again.observes["x"].samples.tolist() == [1.0, 2.0]
