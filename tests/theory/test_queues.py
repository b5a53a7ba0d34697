"""Runs against closed formulas of queueing theory, with fixed seeds.

Each test takes several independent replications, and asks that their mean be within four standard errors of the exact
value: with the seeds fixed this is no matter of luck, and a wrong discipline, law or average is far outside.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest

import serq
from serq.results.report import Report

REPLICATIONS = 10
STANDARD_ERRORS = 4.0


def reports(text: str, horizon: float = 20000.0) -> list[Report]:
    warmup = horizon / 10
    return [
        serq.run(serq.compile(source=text, horizon=horizon, warmup=warmup, seed=seed))
        for seed in range(1, REPLICATIONS + 1)
    ]


def check(found: list[Report], figure: Callable[[Report], float], exact: float) -> None:
    """The replications' mean is within a few standard errors of `exact`, and the standard error is small."""
    values = [figure(report) for report in found]
    mean = sum(values) / len(values)
    error = math.sqrt(sum((v - mean) ** 2 for v in values) / (len(values) - 1) / len(values))
    assert error < 0.05 * abs(exact)
    assert abs(mean - exact) < STANDARD_ERRORS * error, f"mean {mean}, exact {exact}, standard error {error}"


def single(stage: str, service: str, rate: float) -> str:
    return f"""fn main() {{
  stage s : {stage};
  workload {{ arrive poisson({rate}); turn {{ set w = {service}; }} }}
  server {{ run s (cost(s, w)); }}
}}"""


def response(report: Report) -> float:
    return report.client["response"].mean


def number(report: Report) -> float:
    return report.stages[0].mean_number


def erlang_c(servers: int, offered: float) -> float:
    """Probability that an arrival to M/M/c waits; `offered` is rate times mean service."""
    last = offered**servers / math.factorial(servers) * servers / (servers - offered)
    return last / (sum(offered**k / math.factorial(k) for k in range(servers)) + last)


@pytest.mark.parametrize("rho", [0.5, 0.8])
def test_mm1(rho: float) -> None:
    """M/M/1: mean response 1 / (mu - lambda), utilization rho, mean number rho / (1 - rho)."""
    found = reports(single("fifo", "~exp(1)", rho))
    check(found, response, 1 / (1 - rho))
    check(found, number, rho / (1 - rho))
    check(found, lambda report: report.stages[0].utilization, rho)


@pytest.mark.parametrize(("servers", "rate"), [(2, 1.5), (4, 3.0)])
def test_mmc(servers: int, rate: float) -> None:
    """M/M/c: mean wait C(c, a) / (c mu - lambda), by Erlang's formula."""
    wait = erlang_c(servers, rate) / (servers - rate)
    found = reports(single(f"fifo({servers})", "~exp(1)", rate))
    check(found, lambda report: report.stages[0].mean_wait, wait)
    check(found, response, wait + 1)


LAWS = [
    ("~det(1)", 1.0),
    ("~uniform(0, 2)", 4 / 3),
    ("~erlang(4, 1)", 1.25),
    ("~h2(1, 3)", 4.0),
    ("1 + ~bernoulli(0.5) - 0.5", 1.25),
]


@pytest.mark.parametrize(("service", "second_moment"), LAWS)
def test_mg1(service: str, second_moment: float) -> None:
    """M/G/1: mean wait lambda E[S^2] / (2 (1 - rho)), Pollaczek and Khinchine."""
    rate = 0.6
    found = reports(single("fifo", service, rate))
    check(found, lambda report: report.stages[0].mean_wait, rate * second_moment / (2 * (1 - rate)))


@pytest.mark.parametrize("service", ["~det(1)", "~exp(1)", "~h2(1, 4)"])
def test_processor_sharing_is_insensitive(service: str) -> None:
    """M/G/1 processor sharing: mean response E[S] / (1 - rho) for every law of service."""
    check(reports(single("ps(1)", service, 0.6)), response, 1 / (1 - 0.6))


def test_limited_processor_sharing() -> None:
    """Capacity min(present, c) with exponential work has the number in system of M/M/c."""
    rate, servers = 1.5, 2
    found = reports(single(f"ps(min(present, {servers}))", "~exp(1)", rate))
    check(found, number, rate + rate * erlang_c(servers, rate) / (servers - rate))


def test_infinite_server() -> None:
    """M/G/infinity: the number present is Poisson with mean rate times E[S]."""
    check(reports(single("delay", "~uniform(1, 3)", 2.0)), number, 4.0)


def test_closed_network() -> None:
    """The machine repairman: n sessions think for Z and queue at one exponential server of mean 1 (exact by MVA)."""
    n, think = 5, 4.0
    queue = throughput = 0.0
    for population in range(1, n + 1):
        answer = 1 + queue
        throughput = population / (think + answer)
        queue = throughput * answer
    text = f"""fn main() {{
  stage s : fifo;
  workload {{ arrive closed({n}); turn {{ set w = ~exp(1); }} session {{ loop {{ turn; tool (~exp({think})); }} }} }}
  server {{ run s (cost(s, w)); }}
}}"""
    found = reports(text)
    check(found, lambda report: report.stages[0].throughput, throughput)
    check(found, number, queue)
    check(found, response, n / throughput - think)


def test_tandem_is_a_product() -> None:
    """Two exponential servers in a row: each behaves as M/M/1 (Burke, Jackson)."""
    text = """fn main() {
  stage first : fifo;
  stage second : fifo;
  workload { arrive poisson(0.5); turn { set v = ~exp(1); set w = ~exp(1.4); } }
  server { run first (cost(first, v)); run second (cost(second, w)); }
}"""
    found = reports(text)
    check(found, number, 0.5 / 0.5)
    check(found, lambda report: report.stages[1].mean_number, 0.7 / 0.3)


def test_pool_as_servers() -> None:
    """A pool of c units held during a delay is an M/M/c queue: its wait is Erlang's."""
    rate, servers = 1.5, 2
    text = f"""fn main() {{
  pool slots {{ cap {servers}; }}
  stage s : delay;
  workload {{ arrive poisson({rate}); turn {{ set w = ~exp(1); }} }}
  server {{ hold slots (cost(slots, 1)) {{ run s (cost(s, w)); }} }}
}}"""
    found = reports(text)
    check(found, lambda report: report.pools[0].mean_wait, erlang_c(servers, rate) / (servers - rate))
    check(found, lambda report: report.pools[0].mean_used, rate)


ENGINE = """fn main() {
  device gpu { kv cap 400; }
  pool kv on gpu { block 4; preempt lifo; }
  engine llm on gpu {
    reqs cap 8;
    tokens cap 32;
    request (prompt, output) {
      prefill (prompt - cached) growing kv;
      decode (output) growing kv;
      cache (0);
    }
    schedule { advance running; admit waiting while (running.preempted == 0) taking reqs (1), kv (prompt); }
    execute (0.02 + 0.001 * batch.tokens);
  }
  pool reqs on llm { }
  workload { arrive poisson(2); turn { set n = ~uniform(5, 30); set o = ~exp(10); } }
  server { llm (n, o); }
}"""


def test_littles_law_of_an_engine() -> None:
    """Mean number in the system is arrival rate times mean response; of waiting, rate times mean wait."""
    for report in reports(ENGINE, horizon=5000.0):
        rate = report.turns / (report.end - report.warmup)
        # Exact but for the sessions that straddle an end of the window: a few of some ten thousand.
        assert math.isclose(report.mean_live, rate * response(report), rel_tol=2e-3)
        slots = report.pool("reqs")
        assert slots is not None
        assert math.isclose(slots.mean_queue, rate * slots.mean_wait, rel_tol=1e-2, abs_tol=1e-4)


def test_batching_engine_is_an_infinite_server_when_iterations_are_constant() -> None:
    """With room for all and iterations of 1 s, a request of `o` tokens runs o iterations: M/D/infinity on a grid."""
    text = """fn main() {
  device gpu { }
  engine llm on gpu {
    tokens cap inf;
    request (output) { decode (output); }
    schedule { advance running; }
    execute (1);
  }
  workload { arrive poisson(0.8); turn { set o = 5; } }
  server { llm (o); }
}"""
    found = reports(text)
    check(found, lambda report: report.stages[0].mean_decode_batch * report.stages[0].decode_only, 0.8 * 5)
    # An arrival inside an iteration waits for its end, on average half of it while the engine is busy.
    for report in found:
        assert 5 <= response(report) <= 5.5
