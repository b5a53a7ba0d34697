"""A layout changes blanks and line ends only, whatever the program and wherever its comments stand."""

from __future__ import annotations

import random
import re
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from serq.diagnostics import SerqError
from serq.fmt import format_text
from serq.source import Source
from serq.syntax.lexer import tokenize
from tests.fmt.checks import PROGRAMS, ROOT, check, meaning, tree, well_formed, words
from tests.syntax.mutations import mutants

CASES = well_formed(PROGRAMS)
NAMES = [name for name, _ in CASES]
TEXTS = [text for _, text in CASES]


def test_the_corpus_is_there() -> None:
    assert len(CASES) > 200


@pytest.mark.parametrize("text", TEXTS, ids=NAMES)
def test_programs(text: str) -> None:
    """A program of the corpus keeps its words, its comments and its tree, and its layout is final."""
    assert tree(check(text)) == tree(text)


@pytest.mark.parametrize("text", TEXTS, ids=NAMES)
def test_same_representation(text: str) -> None:
    """It is compiled to the same representation, or refused in the same words."""
    assert meaning(format_text(text)) == meaning(text)


FORMS = [" /*{}*/", " // {}\n", "\n// {}\n", "\n\n/* {}\n   more */ ", " /*{}*/ //\n"]


def gaps(text: str) -> list[str]:
    """A text cut before every token: each piece is a token with what follows it, the first what precedes all."""
    starts = tokenize(Source("test", text)).starts
    return [text[a:b] for a, b in zip([0, *starts], [*starts, len(text)], strict=True)]


@pytest.mark.parametrize("text", TEXTS, ids=NAMES)
@pytest.mark.parametrize("first", [1, 2])
def test_comments_between_all_words(text: str, first: int) -> None:
    """A comment between any two words stays between them, of whatever form."""
    pieces = gaps(text)
    forms = [FORMS[(first * number + first) % len(FORMS)].format(number) for number in range(len(pieces) - 1)]
    commented = "".join([piece + form for piece, form in zip(pieces, [*forms, ""], strict=True)])
    assert tree(check(commented)) == tree(text)


COMMENTS = ["/* c */", "/* d\n   e */", "// line\n", "/**/", "//\n", "/* \u00e9\U0001f600 */"]
BLANKS = [" ", "  ", "\t", "\n", "\n\n\n", "\r\n", "\u2003", "\n      "]


@st.composite
def relaid(draw: st.DrawFn) -> str:
    """A program of the corpus with other blanks and comments between its words."""
    text = draw(st.sampled_from(TEXTS))
    rng = random.Random(draw(st.integers(0, 1 << 32)))
    breaks, comments = draw(st.floats(0, 1)), draw(st.floats(0, 0.3))
    written = []
    for word in words(text):
        between = [rng.choice(BLANKS) if rng.random() < breaks else " "]
        if rng.random() < comments:
            between += [rng.choice(COMMENTS), rng.choice(BLANKS)]
        written.append("".join(between) + word)
    return "".join(written)


@settings(deadline=None, derandomize=True, max_examples=400)
@given(relaid())
def test_any_blanks_and_comments(text: str) -> None:
    """Whatever the author's layout, words, comments and tree stay, and a second layout finds nothing to do."""
    assert tree(check(text)) == tree(text)


@pytest.mark.parametrize("seed", range(4))
def test_mangled(seed: int) -> None:
    """A text that is no program is refused with its place, or it keeps its words like any other."""
    endless = mutants(TEXTS, seed)
    for _ in range(150):
        text = next(endless)
        with suppress(SerqError):
            check(text)


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("front", ["", "\ufeff"])
def test_line_ends_and_byte_order_mark(newline: str, front: str) -> None:
    """A file keeps its kind of line ends and its byte order mark."""
    text = (ROOT / "docs/tutorial/programs/05-engine.sq").read_text()
    messy = text.replace("  ", "   ")
    formatted = format_text(front + messy.replace("\n", newline))
    assert formatted == front + format_text(messy).replace("\n", newline)
    assert formatted.startswith(front)
    assert set(re.findall(r"\r?\n", formatted)) == {newline}


@pytest.mark.parametrize("text", ["", "\n", "// only a comment\n", "/* and\nanother */", "\ufeff", "   \t"])
def test_no_program(text: str) -> None:
    """A text without a program is refused."""
    with pytest.raises(SerqError, match="no `fn main"):
        format_text(text)


@pytest.mark.parametrize("name", ["docs/tutorial/programs/05-engine.sq", "examples/chat.sq"])
def test_fixed_points(name: str) -> None:
    """The programs that the documents show first are laid out already."""
    text = (ROOT / name).read_text()
    assert format_text(text) == text
