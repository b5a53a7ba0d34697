"""The report as one HTML page that needs nothing else: tables, and pictures as SVG. Light or dark as its reader is.

In: measured runs and the longest of their gaps. Out: text.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape

from serq.stalls.bars import added
from serq.stalls.colours import colours
from serq.stalls.drawings import histogram_svg, legend_html, shares_svg, worst_svg
from serq.stalls.figures import CLEAN, StallFigures
from serq.stalls.ladder import Rung, composition_table, ladder_table, rungs
from serq.stalls.lines import Table
from serq.stalls.runs import MeasuredRun
from serq.stalls.text import called, cause_table, engine_table, reconciliation, remarks, tail_table
from serq.stalls.worst import WorstGap
from serq.version import __version__

STYLE = """
:root { color-scheme: light dark; --ground: #fff; --ink: #1c2733; --soft: #5b6875; --rule: #d5dae0; }
@media (prefers-color-scheme: dark) { :root { --ground: #14181d; --ink: #dde3ea; --soft: #94a0ad; --rule: #343c45; } }
body { background: var(--ground); color: var(--ink); font: 15px/1.5 system-ui, sans-serif; max-width: 62rem;
       margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.15rem; margin: 2.2rem 0 .4rem; }
h3 { font-size: 1rem; margin: 1.2rem 0 .2rem; } p { margin: .4rem 0; color: var(--soft); }
div.wide { overflow-x: auto; }
table { border-collapse: collapse; font-size: 13px; font-variant-numeric: tabular-nums; white-space: nowrap; }
th, td { padding: .15rem .6rem; text-align: right; border-bottom: 1px solid var(--rule); }
th.left, td.left { text-align: left; } th { color: var(--soft); font-weight: 600; }
svg { width: 100%; height: auto; display: block; margin: .5rem 0; }
.text { fill: var(--ink); font-size: 12px; } .small { font-size: 10px; fill: var(--soft); } .group { font-weight: 600; }
.inside { fill: #fff; font-size: 11px; text-anchor: middle; paint-order: stroke; stroke: #0006; stroke-width: 2px; }
.grid { stroke: var(--rule); stroke-width: .6; } .axis { stroke: var(--soft); }
.lane { fill: none; stroke: var(--rule); }
.legend { display: flex; flex-wrap: wrap; gap: .2rem 1.1rem; font-size: 13px; }
.key i { display: inline-block; width: .8em; height: .8em; margin-right: .4em; border-radius: 2px; }
"""


def page(runs: Sequence[MeasuredRun], worst: Sequence[WorstGap]) -> str:
    """The whole page.

    Args:
        runs: at least one, all with the same causes.
        worst: gaps to show in detail.
    """
    stalls = runs[0].stalls
    shades = colours(stalls.labels)
    ladder = rungs(runs)
    sections = [
        ("Inter-token latency", "Milliseconds, a row a run.", [table_html(tail_table(runs))]),
        (
            "Tokens by gap and primary cause",
            "Height: tokens, on a logarithmic scale. Colours: shares of the column.",
            [legend_html(stalls.classes, shades), *histograms(ladder, shades)],
        ),
        (
            "The tail by tokens and by time",
            "The tail is the gaps at or above p99. A cause of few gaps may take most of the time.",
            [legend_html((*stalls.labels, CLEAN), shades), shares_svg(list(shares(ladder)), shades)],
        ),
        (
            "The longest gaps of each cause",
            "What the engine ran from one token to the next. The strip above a lane: the request was evicted.",
            [legend_html(stalls.labels, shades), worst_svg(worst, stalls.labels, shades)] if worst else [],
        ),
        ("Count against time", "", [table_html(cause_table(runs)), table_html(engine_table(runs))]),
    ]
    if len(runs) > 1:
        tables = [table_html(ladder_table(ladder)), "<p>Share of the tail's time, %: median.</p>"]
        tables.append(table_html(composition_table(ladder)))
        sections.insert(0, ("The ladder", "Milliseconds: median [least-greatest] of a rung's runs.", tables))
    notes = [*reconciliation(runs), *(note for run in runs for note in remarks(run))]
    body = [section(*one) for one in sections if one[2]]
    body += [f"<p>{escape(note)}</p>" for note in [*notes, f"serq {__version__}"]]
    title = "Stalls: " + (called(runs[0]) if len(runs) == 1 else f"{len(runs)} runs, {len(ladder)} rungs")
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<h1>{escape(title)}</h1>\n"
        + "\n".join(body)
        + "\n</body>\n</html>\n"
    )


def section(title: str, caption: str, parts: Sequence[str]) -> str:
    head = f"<h2>{escape(title)}</h2>" + (f"<p>{escape(caption)}</p>" if caption else "")
    return f"<section>{head}{''.join(parts)}</section>"


def histograms(ladder: Sequence[Rung[MeasuredRun]], shades: dict[str, str]) -> Iterator[str]:
    for rung in ladder:
        stalls = [run.stalls for run in rung.runs]
        if len(ladder) > 1 or len(stalls) > 1:
            together = f", {len(stalls)} runs together" if len(stalls) > 1 else ""
            yield f"<h3>{escape(rung.name)}{together}</h3>"
        yield histogram_svg(stalls[0].classes, added([one.histogram for one in stalls]), shades)


def shares(ladder: Sequence[Rung[MeasuredRun]]) -> Iterator[tuple[str, list[tuple[str, float]]]]:
    """For each run three bars: the tail's tokens by primary cause, the tail's time, all time."""
    for rung in ladder:
        for run in rung.runs:
            if run.stalls.n_gaps:
                yield called(run), []
                yield from shares_of(run.stalls)


def shares_of(stalls: StallFigures) -> Iterator[tuple[str, list[tuple[str, float]]]]:
    tail = sum(stalls.tail_count)
    by_count = [count / tail for count in stalls.tail_count]
    yield f"{tail} gaps of the tail", list(zip(stalls.classes, by_count, strict=True))
    yield f"{stalls.tail_time / 1e3:.1f} s of the tail", list(zip(stalls.labels, stalls.tail_share, strict=True))
    yield "all time", list(zip(stalls.labels, stalls.all_share, strict=True))


def table_html(table: Table) -> str:
    def row(cells: Sequence[str], kind: str) -> str:
        marked = (
            f"<{kind}{' class=left' if column < table.left else ''}>{escape(cell)}</{kind}>"
            for column, cell in enumerate(cells)
        )
        return f"<tr>{''.join(marked)}</tr>"

    rows = "".join(row(cells, "td") for cells in table.rows)
    return f'<div class="wide"><table><thead>{row(table.header, "th")}</thead><tbody>{rows}</tbody></table></div>'
