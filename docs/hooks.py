"""What mkdocs does beyond its configuration: pages of the book that live elsewhere in the repository.

A page is read in two places, in the repository and in the built book, where it may lie in another folder. Links are
written for the repository; here they are turned to where the same file is in the book.
"""

from __future__ import annotations

import posixpath
import re
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).resolve().parent.parent

ELSEWHERE = {
    "ARCHITECTURE.md": "architecture.md",
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "benchmarks/README.md": "benchmarks/index.md",
    "examples/README.md": "examples/index.md",
    "LICENSE": "LICENSE.txt",
}
"""Files of the repository outside of docs/, and what the book calls them."""

FOLDERS = ("examples",)
"""Folders of the repository whose files readers may download from the book."""

LINK = re.compile(r"(\]\()([^)#\s]+)((?:#[^)\s]*)?\))")


def sources() -> dict[str, str]:
    """For each file of the book, as the repository calls it, its name in the book."""
    found = {name: page for name, page in ELSEWHERE.items() if (ROOT / name).exists()}
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*")):
            name = path.relative_to(ROOT).as_posix()
            if path.is_file() and path.suffix != ".py":
                found.setdefault(name, name)
    return found


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the files that are not in docs/."""
    for name, page in sources().items():
        files.append(File.generated(config, page, abs_src_path=str(ROOT / name)))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files, **_: Any) -> str:
    """Turn the links of a page."""
    in_book = sources() | {f"docs/{file.src_uri}": file.src_uri for file in files if file.generated_by is None}
    in_repository = {book: repository for repository, book in in_book.items()}
    here = posixpath.dirname(in_repository[page.file.src_uri])
    there = posixpath.dirname(page.file.src_uri)

    def turn(match: re.Match[str]) -> str:
        target = match[2]
        if "://" in target or target.startswith("mailto:"):
            return match[0]
        named = posixpath.normpath(posixpath.join(here, target))
        # A link to something that the book does not hold, such as a source, stays and shows its name.
        book = in_book.get(named) or in_book.get(f"{named}/README.md")
        return match[1] + (posixpath.relpath(book, there or ".") if book else target) + match[3]

    return LINK.sub(turn, markdown)
