"""What a stage tells of its completed jobs, where it can be worked out by hand."""

import pytest

import serq

PROGRAM = """
fn main() {
  stage s : fifo;
  workload { arrive renewal(2); }
  server {
    observe rate = est_lambda(s); observe load = est_rho(s); observe delay_before = est_wait(s);
    observe p = price(s, 1, 0.5);
    run s (cost(s, 1));
  }
}
"""


def test_a_regular_stage() -> None:
    """A job of 1 s every 2 s: rate and load are a half; 0.5 s of work begun in 1 s delay 0.625 s of it.

    The first two jobs come before there is a gap between completed ones.
    """
    report = serq.run(serq.compile(source=PROGRAM, horizon=20))
    assert list(report.observes["rate"].samples) == [0, 0] + [0.5] * 8
    assert list(report.observes["load"].samples) == [0, 0] + [0.5] * 8
    assert list(report.observes["delay_before"].samples) == [0] * 10
    assert list(report.observes["p"].samples) == pytest.approx([0.5, 0.5] + [0.5 + 0.5 / 0.5 * 0.625] * 8)
