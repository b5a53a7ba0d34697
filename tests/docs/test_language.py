"""The language reference has everything that the language has."""

from __future__ import annotations

import re

from serq.semantics.meanings import all_meanings
from tests.docs import words
from tests.docs.pages import ROOT, blocks

PAGES = [path for path in sorted(ROOT.glob("docs/language/*.md")) if path != words.PAGE]


def test_table_of_words() -> None:
    """The page with all words is what the compiler's tables say (`python -m tests.docs.rewrite`)."""
    assert words.PAGE.read_text() == words.page()


def test_every_word_is_explained() -> None:
    """Every word of the language stands as code on a page of the reference written by hand, outside of examples."""
    code = ""
    for path in PAGES:
        outputs = {block.output for block in blocks(path)}
        code += " ".join(b.text for b in blocks(path) if b.language == "text" and (b.start, b.end) not in outputs)
        prose = re.sub(r"^```.*?^```$", "", path.read_text(), flags=re.MULTILINE | re.DOTALL)
        code += " ".join(re.findall(r"`([^`]+)`", prose))
    named = {part for meaning in all_meanings() for part in meaning.name.split()}
    assert len(named) > 150
    assert not sorted(named - set(re.findall(r"\w+(?:\.\w+)*", code)) - set(re.findall(r"\w+", code)))
