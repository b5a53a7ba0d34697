"""Each part of an inter-token gap, in programs small enough to compute by hand (docs/stalls/simulated.md)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import serq
from serq.diagnostics import SerqError
from serq.kernel import simulate
from serq.kernel.recording import KEPT_AT_ONCE
from serq.results.report import Report
from tests.kernel.gap_programs import ADVANCE, Gap, gaps, recorded, text, together

KERNEL = {"kernel": 1.0}


def test_kernel() -> None:
    """Alone, a request waits for nothing but its own decodes: the first token at 2, then one a second."""
    assert gaps(text()) == [Gap(0, 3.0, KERNEL), Gap(0, 4.0, KERNEL), Gap(0, 5.0, KERNEL)]


def test_prefill() -> None:
    """Of an iteration with another's prefill the decode keeps what it would take without, and the rest is `prefill`."""
    found = gaps(text(sessions=2, prompt="1 + serial", late="2.5 * serial"))
    assert found[:3] == [Gap(0, 3.0, KERNEL), Gap(0, 6.0, {"kernel": 1.0, "prefill": 2.0}), Gap(0, 7.0, KERNEL)]


def test_prefill_of_its_own() -> None:
    """A second prefill in the same turn is `prefill` from end to end, for the request that does it."""
    body = "prefill (p) growing kv; decode (1) growing kv; prefill (2) growing kv; decode (1) growing kv;"
    assert gaps(text(body=body)) == [Gap(0, 3.0, KERNEL), Gap(0, 6.0, {"prefill": 3.0}), Gap(0, 7.0, KERNEL)]


def test_prefills_make_it_cheaper() -> None:
    """Where an iteration would be dearer without its prefills, all of it is the kernel's."""
    execute = "batch.prefilled > 0 ? (batch.decoding > 0 ? 2 : 1) : 5"
    assert gaps(text(sessions=2, late="2.5 * serial", execute=execute, decodes="2"))[:2] == [
        Gap(0, 6.0, {"kernel": 5.0}),
        Gap(0, 8.0, {"kernel": 2.0}),
    ]


def test_unserved_by_the_budget() -> None:
    """Two decodes, and a budget for one: the younger stands by while the older is served."""
    program = text(sessions=2, decodes="3 - serial", budget="running.decoding == 2 ? 1 : 2")
    assert gaps(program)[3:] == [Gap(1, 7.0, {"unserved": 3.0, "kernel": 1.0}), Gap(1, 8.0, KERNEL)]


def test_unserved_by_only() -> None:
    """The same, where the schedule passes the younger over; what others prefill meanwhile stays `prefill`."""
    schedule = ADVANCE.replace("running;", "running only (admission == 0);")
    program = text(sessions=2, decodes="3 - serial", schedule=schedule)
    assert gaps(program)[3:] == [Gap(1, 7.0, {"unserved": 3.0, "kernel": 1.0}), Gap(1, 8.0, KERNEL)]
    third = text(sessions=3, decodes="3 - serial", schedule=schedule, late="serial > 1 ? 4.5 : 0")
    assert gaps(third)[3] == Gap(1, 8.0, {"unserved": 3.0, "prefill": 1.0, "kernel": 1.0})


def test_unserved_by_the_granule() -> None:
    """A prefill whose chunk would be 0 gets nothing, and the request's gap goes on with what the others decode."""
    body = """
      prefill (p) growing kv; decode (1) growing kv;
      branch (d == 3) { prefill (5) growing kv; }
      decode (d) growing kv;
    """
    engine = "granule 4;"
    program = text(sessions=2, decodes="3 + 9 * serial", budget="now > 6 ? 8 : 3", body=body, engine=engine)
    # From 4 on the first request has 5 tokens to prefill and is offered 3, of which the granule leaves none; at 7 it is
    # offered 8 and takes all, in an iteration of 6 s.
    assert gaps(program)[1] == Gap(0, 13.0, {"unserved": 3.0, "prefill": 6.0})


def test_unserved_by_an_exclusive_prefill() -> None:
    """While a prefill runs alone, the decodes get no token: what it prefills is `prefill`, the rest `unserved`."""
    schedule = "exclusive prefill; admit waiting while (running.preempted == 0) taking reqs (1), kv (p);"
    found = gaps(text(sessions=2, prompt="1 + serial", late="2.5 * serial", schedule=schedule))
    assert found[1] == Gap(0, 7.0, {"unserved": 1.0, "prefill": 2.0, "kernel": 1.0})


def test_preempt_and_recompute() -> None:
    """From the preemption to the readmission, then the prefill anew; what the engine did meanwhile is context."""
    program = text(sessions=2, decodes="3 - serial", kv="4")
    # Both have their first token at 3 and the next at 4. Then the older takes the last block of the younger, which is
    # admitted when the older has ended, at 6, and prefills until 8: that is its next token.
    found = [gap for gap in gaps(program) if gap.session == 1]
    assert found == [
        Gap(1, 4.0, KERNEL),
        Gap(1, 8.0, {"preempt": 2.0, "recompute": 2.0}),
        Gap(1, 9.0, KERNEL),
        Gap(1, 10.0, KERNEL),
    ]
    recording, _ = recorded(program)
    assert recording.gaps is not None
    assert recording.pools[0].preemptions == 1
    assert recording.gaps.engines[0].context == (2.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


def test_context_is_by_cause() -> None:
    """Context has the engine's prefills and stalls by their labels, too."""
    program = text(sessions=3, decodes="serial > 1 ? 1 : 3 - serial", kv="4", late="serial > 1 ? 4.5 : 0")
    stalled = program.replace("tokens cap 100;", "tokens cap 100; stall gc (now >= 5 && now < 6 ? 0.5 : 0);")
    recording, _ = recorded(stalled)
    assert recording.gaps is not None
    context = dict(zip(recording.gaps.labels, recording.gaps.engines[0].context, strict=True))
    assert context["gc"] == 0.5
    assert context["kernel"] == 2.0
    assert context["preempt"] == 0.0


def test_preempting_iteration() -> None:
    """An iteration that served nobody because the first to be served had to give way: `preempt` for who runs on."""
    schedule = ADVANCE.replace("running;", "running by (-admission);")
    program = text(sessions=2, decodes="3", kv="4", schedule=schedule)
    # At 4 the newer is looked at first, finds no block and gives way itself: a second without a token. At 5 it is
    # admitted again and prefills, at 7 it gives way again.
    assert [gap for gap in gaps(program) if gap.session == 0] == [
        Gap(0, 4.0, KERNEL),
        Gap(0, 7.0, {"preempt": 1.0, "prefill": 1.0, "kernel": 1.0}),
        Gap(0, 9.0, {"preempt": 1.0, "kernel": 1.0}),
    ]


def test_blocked() -> None:
    """A growth waits for memory that a session outside of the engine holds, and the engine stands idle."""
    server = "branch (serial == 0) { llm (p, d); } else { hold kv (cost(kv, 98)) { run link (cost(link, 10)); } }"
    program = text(sessions=2, decodes="2", server=server, pool="")
    assert gaps(program) == [Gap(0, 3.0, KERNEL), Gap(0, 11.0, {"blocked": 7.0, "kernel": 1.0})]


def test_blocked_without_a_budget() -> None:
    """An engine without a budget stands idle, too: for a steady decode, which shares its parts, and for one that the
    budget has left out since."""
    budget = "now < 3.5 || now > 10 ? 100 : 0"
    program = text(sessions=2, budget=budget, server="branch (serial == 0) { llm (p, d); }", late="10.5 * serial")
    assert gaps(program) == [
        Gap(0, 3.0, KERNEL),
        Gap(0, 4.0, KERNEL),
        Gap(0, 11.5, {"blocked": 6.5, "kernel": 1.0}),
    ]
    assert together(program) == {"kernel": 3.0, "blocked": 6.5}


def test_away() -> None:
    """Between its tokens a request may be elsewhere."""
    body = "prefill (p) growing kv; decode (1) growing kv; run link (cost(link, 5)); decode (1) growing kv;"
    assert gaps(text(body=body)) == [Gap(0, 3.0, KERNEL), Gap(0, 9.0, {"away": 5.0, "kernel": 1.0})]
    assert together(text(body=body)) == {"away": 5.0, "kernel": 2.0}


def test_joins_on_the_way() -> None:
    """Of an iteration under way when a request comes back, the rest counts, by time."""
    body = """
      prefill (p) growing kv; decode (1) growing kv;
      branch (d == 1) { run link (cost(link, 1.5)); } decode (d) growing kv;
    """
    program = text(sessions=3, decodes="serial == 0 ? 1 : 9", late="serial == 2 ? 4.5 : 0", body=body)
    # It comes back at 5.5, half a second into an iteration of 2 s, one of which is prefill.
    found = [gap for gap in gaps(program) if gap.session == 0]
    assert found == [Gap(0, 4.0, KERNEL), Gap(0, 8.0, {"away": 1.5, "prefill": 0.75, "unserved": 0.75, "kernel": 1.0})]


def test_stall_of_the_engine() -> None:
    """Read once an iteration, and a part of its own for everyone in it, whoever else waits."""
    program = text(sessions=2, engine="stall gc (now == 4 ? 2 : 0); stall tok (now == 4 ? 0.5 : 0);")
    for session in (0, 1):
        found = [gap for gap in gaps(program) if gap.session == session]
        assert found == [
            Gap(session, 4.0, KERNEL),
            Gap(session, 7.5, {"kernel": 1.0, "gc": 2.0, "tok": 0.5}),
            *found[2:],
        ]
        assert found[2].parts == KERNEL


def test_stall_of_a_request() -> None:
    """The engine owes it from then on, and its next iteration pays."""
    body = "prefill (p) growing kv; stall tok (2); decode (d) growing kv;"
    assert gaps(text(body=body, decodes="2")) == [Gap(0, 5.0, {"kernel": 1.0, "tok": 2.0}), Gap(0, 6.0, KERNEL)]


def test_stall_starts_an_idle_engine() -> None:
    """With nobody to serve it pays at once, with an empty batch; a request that comes meanwhile waits for its end."""
    body = (
        "prefill (p) growing kv; decode (1) growing kv; stall tok (2); run link (cost(link, 1)); decode (1) growing kv;"
    )
    assert gaps(text(body=body)) == [Gap(0, 3.0, KERNEL), Gap(0, 6.0, {"away": 1.0, "tok": 1.0, "kernel": 1.0})]


def test_removed_cause() -> None:
    """Without a cause the iterations are shorter by it, and nothing else about them changes."""
    program = text(sessions=2, prompt="1 + serial", late="2.5 * serial", engine="stall gc (batch.decoding);")
    with_all, no_gc, no_prefill = gaps(program), gaps(program, without=["gc"]), gaps(program, without=["prefill"])
    assert Gap(0, 4.0, {"kernel": 1.0, "gc": 1.0}) in with_all
    assert all("gc" not in gap.parts for gap in no_gc)
    assert any("prefill" in gap.parts for gap in no_gc)
    assert any("gc" in gap.parts for gap in no_prefill)
    assert all("prefill" not in gap.parts for gap in no_prefill)
    both = gaps(program, without=["gc", "prefill"])
    assert [gap.parts for gap in both] == [KERNEL] * len(both)


def test_removed_prefill_is_a_cost_without_it() -> None:
    """Removing `prefill` is the same run, to the last byte, as one whose `execute` leaves the prefills out by hand."""
    path = Path(__file__).resolve().parents[2] / "docs" / "tutorial" / "programs" / "05-engine.sq"
    settings: dict[str, Any] = {"horizon": 400, "warmup": 40, "sets": {"Lambda": 1.8, "blocks": 2500}}
    whole = serq.compile(path, **settings)
    cost = "execute (max(hbm(batch.kv_decode + batch.kv_prefill), compute(batch.tokens)));"
    assert cost in path.read_text()
    by_hand = path.read_text().replace(
        cost, "execute (max(hbm(batch.kv_decode), compute(batch.tokens - batch.prefilled)));"
    )
    other = serq.compile(source=by_hand, **settings)
    reports = [
        Report._of_recording(simulate(program.ir, without=without), whole.provenance).json()
        for program, without in ((whole, ["prefill"]), (other, []), (whole, []))
    ]
    assert reports[0] == reports[1] != reports[2]


def test_kept_in_bounded_memory() -> None:
    """Gaps are handed out whenever so many have gathered, at most an iteration's more; none is lost between."""
    program = text(sessions=8, decodes="40000", kv="400000", execute="1e-3")
    recording, kept = recorded(program, horizon=50, checked=False)
    assert recording.gaps is not None
    sizes = [len(chunk.gaps) for chunk in kept]
    assert sum(sizes) == sum(bucket.count for bucket in recording.gaps.engines[0].buckets) == 8 * 40000
    assert len(sizes) == 5
    assert all(KEPT_AT_ONCE <= size < KEPT_AT_ONCE + 8 for size in sizes[:-1])


@pytest.mark.parametrize("value", ["-1", "0 / 0", "1 / 0"])
@pytest.mark.parametrize("where", ["engine", "request"])
def test_no_such_time(value: str, where: str) -> None:
    """A stall that is negative, infinite or no number stops the run with a sentence that names it."""
    wrong = f"(now > 2.5 ? {value} : 0)"
    if where == "engine":
        program = text(engine=f"stall gc {wrong};")
    else:
        program = text(body=f"prefill (p) growing kv; decode (1) growing kv; stall gc {wrong}; decode (d) growing kv;")
    for options in ({}, {"divide_gaps": True}):
        with pytest.raises(SerqError, match=r"stall `gc` of engine `llm` is .* seconds at time 3") as stopped:
            simulate(serq.compile(source=program, horizon=100).ir, **options)  # type: ignore[arg-type]
        assert stopped.value.diagnostic.hint == "a stall must be finite and not negative: max(0, x)"
