"""Labels: values beside their names, lines that are broken, letters that would break a label."""

from __future__ import annotations

import xml.etree.ElementTree as Xml

import pytest

from serq.draw.labels import WIDTH, beneath, columns_of, escape, heading, heading_width, paragraph, row, table, wrap
from serq.draw.metrics import text_width
from serq.draw.model import Row
from serq.draw.style import LIGHT, SIZE
from serq.draw.text import number, seconds
from tests.unit.draw.pictures import facts, picture, rows, steps

ENGINE = """\
use "std/args";
let bs = 16;
fn main() {{
  let blocks = {blocks};
  device gpu {{ t(n) = n * 1e-3; kv cap blocks * bs; }}
  pool kv on gpu {{ block bs; }}
  engine llm on gpu {{
    reqs cap 8; tokens cap {tokens};
    request (prompt, output) {{ prefill (prompt) growing kv; decode (output) growing kv; cache (0); }}
    schedule {{ advance running; admit waiting taking reqs (1), kv (0); }}
    execute (t(batch.tokens));
  }}
  pool reqs on llm {{ queue fifo; }}
  workload {{ arrive poisson({rate}); }}
  server {{ llm (100, 10); }}
}}
"""


def test_values_stand_beside_their_names() -> None:
    """What the text calls `blocks * bs` is told so, with its value; a plain number is told once."""
    shown = picture(ENGINE.format(blocks=4000, tokens="2 * 1024", rate="3 / 2"))
    assert facts(shown, "kv")["capacity"] == ("blocks * bs = 64000",)
    assert facts(shown, "kv")["block"] == ("bs = 16",)
    assert facts(shown, "reqs")["capacity"] == ("8",)
    assert facts(shown, "llm")["budget"] == ("2 * 1024 = 2048 tokens an iteration",)
    assert shown.cards[0].title == "Poisson, 3 / 2 = 1.5 a second"
    assert "blocks = 4000" in shown.notes


def test_arguments_change_the_values_alone() -> None:
    shown = picture(ENGINE.format(blocks='args.number("blocks", 4000)', tokens=64, rate=1), sets={"blocks": 10})
    assert facts(shown, "kv")["capacity"] == ("blocks * bs = 160",)
    assert "blocks = 10" in shown.notes


@pytest.mark.parametrize(
    ("value", "told"),
    [
        (64000.0, "64000"),
        (1e7, "1e7"),
        (12345678.0, "12345678"),
        (1.606e10, "1.606e10"),
        (2e-5, "2e-5"),
        (0.1 + 0.2, "0.3"),
        (-4.0, "-4"),
        (float("inf"), "inf"),
    ],
)
def test_numbers(value: float, told: str) -> None:
    assert number(value) == told


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("0.01", "0.01 s"),
        ("p * slow", "p * slow s"),
        ("a + b", "(a + b) s"),
        ("max(a + b, c ? 1 : 2)", "max(a + b, c ? 1 : 2) s"),
        ("x > 8 ? f(x) : 0", "(x > 8 ? f(x) : 0) s"),
        ("f(a) - g(b - c)", "(f(a) - g(b - c)) s"),
        ("(a + b) * c", "(a + b) * c s"),
        ("a + 1 = 3", "a + 1 = 3 s"),
    ],
)
def test_times(text: str, told: str) -> None:
    """The unit belongs to the whole of an expression."""
    assert seconds(text) == told


@pytest.mark.parametrize(
    "text", ["", "short", "a " * 200, "x" * 500, "min(" + "long_name + " * 30 + "1)", "  in " * 60]
)
def test_wrapped_lines_fit(text: str) -> None:
    """Every line fits, no letter is lost, and the lines after the first are set in."""
    lines = wrap(text)
    assert "".join("".join(lines).split()) == "".join(text.split())
    assert all(text_width(line, SIZE) <= WIDTH for line in lines)
    margin = len(text) - len(text.lstrip(" "))
    assert all(len(line) - len(line.lstrip(" ")) > margin for line in lines[1:])


def test_a_narrow_column_still_takes_a_letter() -> None:
    assert "".join(wrap("abc", 1.0)).replace(" ", "") == "abc"


@pytest.mark.parametrize("text", ["a < b && c > d", "\"'", "<B>&amp;</B>", "tab\tnul\0 end", "π × 2"])
def test_labels_are_well_formed(text: str) -> None:
    """Whatever a text holds is shown as it is; letters that no font has are replaced."""
    made = table([heading(text, text, LIGHT), row(Row(text, (text, text)), LIGHT)], line="#000000", fill="#ffffff")
    shown = "".join(Xml.fromstring(made).itertext())
    plain = "".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in text)
    assert shown.count(plain) + shown.count(" ".join(plain.split())) >= 5
    assert escape(text) in made


def test_columns_are_wide_enough() -> None:
    """The columns of rows below a heading are as wide as it, and hold their words and lines."""
    told = [Row("capacity", ("64",)), Row("block", ("a longer line than the others",))]
    first, second = columns_of(told)
    assert first > text_width("capacity", 10)
    assert second > text_width("a longer line than the others", SIZE)
    wide = heading_width("a_very_long_name_of_a_pool_that_goes_on_and_on_and_on", "pool")
    assert sum(beneath(told, wide)) >= wide > first + second
    assert beneath(told, 1.0) == (first, second)


def test_lines_are_broken_to_the_left() -> None:
    assert paragraph(["a", "b"]) == 'a<BR ALIGN="LEFT"/>b<BR ALIGN="LEFT"/>'


def test_what_a_request_does() -> None:
    """The rows of a request's card, in order."""
    shown = picture(ENGINE.format(blocks=4, tokens=64, rate=1))
    assert steps(shown, "server") == [
        ["admission: 1 of reqs / 0 of kv", "prefill: 100, growing kv", "decode: 10, growing kv", "give back: reqs, kv"]
    ]
    assert rows(shown.cards[1]) == ["turn: a request"]
