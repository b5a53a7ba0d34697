"""A report as JSON: one object on one line, its keys in a fixed order (docs/semantics/figures.md).

In: a `Report`. Out: text. Numbers are the shortest decimals that read back to the same doubles, without exponent and
without a trailing `.0`; NaN and infinities are null.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import isfinite
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from serq.results.report import Claim, Gauge, Observe, Pool, Report, Stage

RUN_KEYS = ("serq_version", "horizon", "end", "warmup", "seed", "events", "arrivals", "ended", "turns", "mean_live")
OBSERVE_KEYS = ("count", "mean", "ci", "cv2", "p99")
GAUGE_KEYS = ("mean", "ci", "min", "max")
CLAIM_KEYS = ("name", "kind", "result", "checked", "failures", "first", "note")
STAGE_KEYS = (
    *("name", "index", "mean_number", "utilization", "completed", "throughput", "mean_wait", "mean_service"),
    *("iterations", "prefill_only", "decode_only", "mixed", "mean_decodes", "mean_decode_batch", "mean_decode_step"),
    *("mean_itl", "itl_p50", "itl_p99", "idle_with_work"),
)
POOL_KEYS = (
    *("name", "index", "mean_used", "mean_cached", "mean_queue", "mean_holders", "mean_wait", "admissions"),
    *("evicted_entries", "evicted_units", "preemptions", "spills", "rejected", "stuck", "over_cap"),
    *("growing_at_end", "growing_stalled"),
)
OVER_CAP_KEYS = ("queue", "need")

ESCAPES = {code: f"\\u{code:04x}" for code in range(32)} | {ord('"'): '\\"', ord("\\"): "\\\\"}


def report_json(report: Report, more: Mapping[str, str] = {}) -> str:
    """The report as one line of JSON; the key `claims` is there only if the program makes any.

    Args:
        more: further members by key, as JSON; they come last.
    """
    members = [
        *(f'"{key}":{scalar(getattr(report, key))}' for key in RUN_KEYS),
        f'"observes":{by_name(report.observes, OBSERVE_KEYS)}',
        f'"client":{by_name(report.client, OBSERVE_KEYS)}',
        f'"gauges":{by_name(report.gauges, GAUGE_KEYS)}',
    ]
    claims = report.claims.values()
    if claims:
        members.append(f'"claims":{in_order(claims, CLAIM_KEYS)}')
    members.append(f'"stages":{in_order(report.stages, STAGE_KEYS)}')
    members.append(f'"pools":{in_order(report.pools, POOL_KEYS)}')
    members += [f"{text(key)}:{value}" for key, value in more.items()]
    return "{" + ",".join(members) + "}"


def by_name(results: dict[str, Observe] | dict[str, Gauge], keys: tuple[str, ...]) -> str:
    return "{" + ",".join(f"{text(name)}:{attributes(result, keys)}" for name, result in results.items()) + "}"


def in_order(results: Iterable[Claim | Stage | Pool], keys: tuple[str, ...]) -> str:
    return "[" + ",".join(attributes(result, keys) for result in results) + "]"


def attributes(value: object, keys: tuple[str, ...]) -> str:
    """An object of the attributes `keys` of `value`."""
    return "{" + ",".join(f'"{key}":{scalar(getattr(value, key))}' for key in keys) + "}"


def scalar(value: object) -> str:
    """A figure as JSON; what is none of JSON's scalars is a pool's `over_cap`, an object."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return number(value) if isfinite(value) else "null"
    if isinstance(value, str):
        return text(value)
    return attributes(value, OVER_CAP_KEYS)


def number(value: float) -> str:
    """The shortest decimal that reads back to the finite double `value`, without exponent: `20000`, `0.0000001`."""
    shortest = repr(value)
    mantissa, _, exponent = shortest.partition("e")
    if not exponent:
        return shortest.removesuffix(".0")
    sign = "-" if mantissa.startswith("-") else ""
    whole, _, fraction = mantissa.lstrip("-").partition(".")
    digits, point = whole + fraction, len(whole) + int(exponent)
    if point <= 0:
        return f"{sign}0.{'0' * -point}{digits}"
    return f"{sign}{digits.ljust(point, '0')}"


def text(value: str) -> str:
    """A string of JSON."""
    return f'"{value.translate(ESCAPES)}"'
