"""Lines being written, and the comments behind them.

A comment behind a line stands two blanks after it. Where the author aligned several, on lines without an empty one
between them, they stay aligned, and as far from the longest line as they were.
"""

from __future__ import annotations

from serq.fmt.words import Comment

GAP = 2


class Line:
    """A line: its code, and the comment that ends it, if any. A `text` with line ends in it is several."""

    __slots__ = ("after_blank", "comment", "text")

    def __init__(self, text: str, after_blank: bool) -> None:
        self.text = text
        self.comment: Comment | None = None
        self.after_blank = after_blank

    @property
    def width(self) -> int:
        return len(self.text) - self.text.rfind("\n") - 1


class Lines:
    """The lines of a text, the last of which is being written."""

    def __init__(self) -> None:
        self.lines: list[Line] = []

    def begin(self, indent: int, after_blank: bool = False) -> None:
        """Begin a line, if wanted after an empty one."""
        self.lines.append(Line(" " * indent, after_blank))

    def put(self, text: str) -> None:
        self.lines[-1].text += text

    def put_comment(self, comment: Comment) -> None:
        """Write a comment behind what the line has."""
        if comment.is_line:
            self.lines[-1].comment = comment
        else:
            self.put(" " + comment.text)

    def begin_with_comment(self, comment: Comment, indent: int, after_blank: bool) -> None:
        """Write a comment on a line of its own."""
        last = self.lines[-1].comment if self.lines else None
        if last is not None and not after_blank and comment.is_line and comment.column == last.column > indent:
            # It goes on with the one behind the line above.
            self.lines.append(Line("", False))
            self.lines[-1].comment = comment
            return
        self.begin(indent, after_blank)
        first, *more = comment.text.split("\n")
        self.put("\n".join([first, *[_moved(line, indent - comment.column) for line in more]]))

    def text(self) -> str:
        """All of it."""
        self._align()
        written: list[str] = []
        for line in self.lines:
            if line.after_blank:
                written.append("")
            written.append(line.text.rstrip(" ") if line.comment is None else line.text + line.comment.text)
        return "\n".join([*written, ""]) if written else ""

    def _align(self) -> None:
        """Put blanks between code and comment."""
        group: list[Line] = []
        for line in self.lines:
            if group and (line.after_blank or (line.comment and line.comment.column != _column(group))):
                _align(group)
                group = []
            if line.comment is not None:
                group.append(line)
        _align(group)


def _column(group: list[Line]) -> int:
    comment = group[0].comment
    assert comment is not None
    return comment.column


def _align(group: list[Line]) -> None:
    code = [line for line in group if line.text]
    gap = GAP
    if len(code) > 1:
        gap = max(gap, min([line.comment.gap for line in code if line.comment is not None]))
    column = max([line.width for line in code], default=0) + gap
    for line in group:
        line.text += " " * (column - line.width)


def _moved(line: str, by: int) -> str:
    """A line of a comment with its blanks in front made more or fewer."""
    bare = line.lstrip(" \t")
    front = len(line[: len(line) - len(bare)].expandtabs(8))
    return " " * max(0, front + by) + bare if bare else ""
