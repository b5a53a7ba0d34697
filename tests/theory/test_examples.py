"""The gallery's theory programs against the formulas that they quote.

One run each, with the seed of the gallery. The report's interval is 2.093 standard errors wide to each side; the exact
value is asked to be within twice that, about four standard errors, and the interval to be narrow, so that a wrong
formula, law or discipline is far outside.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest

import serq
from serq.results.report import Report

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


def run(name: str, horizon: float, **settings: Any) -> Report:
    return serq.run(serq.compile(EXAMPLES / f"{name}.sq", horizon=horizon, warmup=horizon / 100, **settings))


def check(report: Report, exact: float, narrow: float = 0.1) -> None:
    """The mean response agrees with the exact one."""
    response = report.client["response"]
    assert response.ci < narrow * exact
    assert abs(response.mean - exact) < 2 * response.ci, f"{response.mean} ± {response.ci}, exact {exact}"


LAWS = {"~exp(4)": 32.0, "4": 16.0, "~erlang(4, 4)": 20.0, "~h2(4, 4)": 80.0, "~uniform(0, 8)": 64 / 3}
"""Laws of mean 4 with their second moments."""


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("rate", [0.1, 0.15, 0.2])
def test_mg1(law: str, rate: float) -> None:
    """M/G/1: a service and the wait of Pollaczek and Khinchine."""
    report = run("mg1", 400000.0, sets={"rate": rate}, defs={"service": law})
    check(report, 4 + rate * LAWS[law] / (2 * (1 - 4 * rate)), 0.15)


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("rate", [0.1, 0.15])
def test_processor_sharing(law: str, rate: float) -> None:
    """M/G/1 with processor sharing: a mean that depends on the load alone."""
    check(run("processor-sharing", 400000.0, sets={"rate": rate}, defs={"service": law}), 4 / (1 - 4 * rate))


@pytest.mark.parametrize(("width", "rate"), [(2, 0.4), (8, 1.2), (8, 1.8)])
def test_limited_processor_sharing(width: int, rate: float) -> None:
    """Capacity min(present, c), exponential durations: the response of M/M/c, by Erlang's formula."""
    offered = 4 * rate
    last = offered**width / math.factorial(width) * width / (width - offered)
    waits = last / (sum(offered**k / math.factorial(k) for k in range(width)) + last)
    report = run("processor-sharing", 100000.0, sets={"rate": rate, "width": width})
    check(report, 4 + waits / (width / 4 - rate))


@pytest.mark.parametrize("users", [1, 5, 10, 20, 40])
def test_closed_users(users: int) -> None:
    """The machine repair model, by mean value analysis."""
    queue = response = 0.0
    for n in range(1, users + 1):
        response = 2 * (1 + queue)
        queue = n / (18 + response) * response
    check(run("closed-users", 100000.0, sets={"users": users}), response)


@pytest.mark.parametrize(("rate", "size"), [(300, 8), (300, 7), (300, 16), (350, 8), (25, 1)])
def test_batch_service(rate: float, size: int) -> None:
    """Exponential passes for up to `size`: the number that waits is geometric, by a root of the balance equation."""
    passes = 50.0
    low, high = 0.0, 1 - 1e-9
    while high - low > 1e-12:
        root = (low + high) / 2
        low, high = (root, high) if passes * root ** (size + 1) - (rate + passes) * root + rate > 0 else (low, root)
    load = rate / passes
    weight = load / (1 + load / (1 - low))
    wait = weight * low / (1 - low) ** 2 / rate
    check(run("batch-service", 1000.0, sets={"rate": rate, "max_batch_size": size}), wait + 1 / passes, 0.15)


@pytest.mark.parametrize(("law", "rate"), [("~exp(0.1)", 6), ("~exp(0.1)", 8), ("0.1", 6)])
def test_pd_tandem(law: str, rate: float) -> None:
    """The first station is M/M/1 or M/D/1 by itself; at the second nobody waits, and 4 s of arrivals are under way."""
    second_moment = 0.02 if law.startswith("~") else 0.01
    report = run("pd-tandem", 40000.0, sets={"rate": rate}, defs={"prompt_time": law})
    first = report.observes["first_token"]
    exact = 0.1 + rate * second_moment / (2 * (1 - 0.1 * rate))
    assert first.ci < 0.1 * exact
    assert abs(first.mean - exact) < 2 * first.ci
    assert math.isclose(report.stages[1].mean_number, 4 * rate, rel_tol=0.02)
    check(report, exact + 4)
