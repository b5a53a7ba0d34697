"""Words on lines.

In: `Words` and `Marks`. Out: `Lines`. A statement, or whatever else ends with a semicolon or a brace, begins a line.
Braces stand on one line if the author wrote them so and the line is not too long; otherwise what is in them is
indented by two blanks. Within a statement, line breaks are the author's where one makes sense, and more are made where
a line is too long: outside of brackets first, before clauses and operators and after commas, and so that the line is
filled. Hence a second layout finds nothing to change: the breaks that it makes are those that the first one left.
"""

from __future__ import annotations

from collections.abc import Iterator
from heapq import heapify, heappop, heappush

from serq.fmt.lines import Lines
from serq.fmt.rules import BY_AUTHOR, NEVER, Marks
from serq.fmt.words import Words

WIDTH = 100
INDENT = 2


class Layout:
    """The layout of one program.

    Attributes:
        starts, ends: where each word would begin and end if the whole program stood on one line.
        indents: for each opening bracket the indentation of its line.
        at_top: nothing has been written yet between the present braces.
    """

    def __init__(self, words: Words, marks: Marks) -> None:
        self.words, self.marks = words, marks
        self.lines = Lines()
        self.starts: list[int] = []
        self.ends: list[int] = []
        self.indents: dict[int, int] = {}
        self.at_top = True
        end = 0
        for i, text in enumerate(words.texts):
            between = 0 if marks.tight[i] else 1
            if i in words.comments:
                between = sum([len(comment.text) + 1 for comment in words.comments[i]]) + 1
            self.starts.append(end + between)
            end += between + len(text)
            self.ends.append(end)

    def run(self) -> Lines:
        self.units(0, len(self.words.texts) - 1, 0)
        return self.lines

    # ------------------------------------------------------------ statements and blocks

    def units(self, first: int, last: int, indent: int) -> None:
        """Lay out what stands between braces, or the whole program, each unit on lines of its own."""
        start = first
        while start < last:
            end = self.end_of_unit(start, last)
            if not self.begin_unit(start, indent, at_top=start == first):
                self.lines.begin(indent, self.words.after_blank[start] and not self.at_top)
            self.unit(start, end, indent)
            start = end
        self.begin_unit(last, indent, at_top=first == last)

    def end_of_unit(self, start: int, last: int) -> int:
        partner, ends = self.marks.partner, self.marks.ends
        i = start
        while i < last:
            if self.words.texts[i] == "{":
                i = partner[i]
            if ends[i]:
                return i + 1
            i += 1
        return last

    def begin_unit(self, word: int, indent: int, at_top: bool) -> bool:
        """Write the comments before a unit or a closing brace; whether the word then goes on with their line.

        Args:
            at_top: nothing stands before it within its braces, so there is no empty line either.
        """
        goes_on = False
        self.at_top = at_top
        for comment in self.words.comments.get(word, ()):
            if comment.own_line:
                self.lines.begin_with_comment(comment, indent, comment.after_blank and not self.at_top)
                goes_on, self.at_top = True, False
            else:
                self.lines.put_comment(comment)
            if comment.is_line:
                goes_on = False
        if goes_on and not self.words.new_line[word]:
            self.lines.put(" ")
            return True
        return False

    def unit(self, first: int, last: int, indent: int) -> None:
        """Lay out a statement, the line of which has been begun."""
        breaks = self.breaks(first, last)
        blocks = [word for word in self.outer(first, last) if self.words.texts[word] == "{"]
        opened = [word for word in blocks if self.is_open(word)]
        if len(opened) < len(blocks) and not self.fits(first, last, indent, breaks, opened):
            opened = [word for word in blocks if self.words.texts[word + 1] != "}" or self.is_open(word)]
        start = first
        for word in opened:
            # What goes on after the header stands out from what is in the block.
            self.segment(start, word + 1, indent, indent + 2 * INDENT, breaks)
            close = self.marks.partner[word]
            self.units(word + 1, close, indent + INDENT)
            self.lines.begin(indent)
            start = close
        self.segment(start, last, indent, indent + INDENT, breaks)

    def is_open(self, brace: int) -> bool:
        """Whether the author wrote something between braces on several lines."""
        close = self.marks.partner[brace]
        empty = close == brace + 1 and close not in self.words.comments
        return not empty and self.words.lines[brace] != self.words.lines[close]

    def outer(self, first: int, last: int) -> Iterator[int]:
        """The words from `first` to `last` that are not within braces among them."""
        i = first
        while i < last:
            yield i
            if self.words.texts[i] == "{":
                i = self.marks.partner[i]
                if i < last:
                    yield i
            i += 1

    def fits(self, first: int, last: int, indent: int, breaks: list[int], opened: list[int]) -> bool:
        """Whether no line with braces would be too long if only those in `opened` were laid out on several lines."""
        start = first
        for word in [*opened, last]:
            end = min(word + 1, last)
            for a, b, at in self.cut(start, end, indent, indent + INDENT, breaks, fill=False):
                if at + self.ends[b - 1] - self.starts[a] > WIDTH and self.has_closed_block(a, b):
                    return False
            start = self.marks.partner[word] if word < last else last
        return True

    def has_closed_block(self, first: int, last: int) -> bool:
        texts, partner = self.words.texts, self.marks.partner
        return any(texts[i] == "{" and i + 1 < partner[i] < last for i in self.outer(first, last))

    # ------------------------------------------------------------ lines of a statement

    def breaks(self, first: int, last: int) -> list[int]:
        """The words of a statement that begin a line because the author or a comment says so."""
        words, marks = self.words, self.marks
        forced, found = set(), set()
        for i in self.outer(first, last):
            if i == first:
                continue
            if any(comment.own_line or comment.is_line for comment in words.comments.get(i, ())):
                forced.add(i)
            elif words.new_line[i] and marks.level[i] != NEVER:
                found.add(i)
            elif words.new_line[i] and i - 1 > first and marks.operator[i - 1]:
                found.add(i - 1)
        for i in [*forced, *found]:
            opener = i - 1
            if words.texts[opener] in ("(", "[") and opener >= first:
                found.add(marks.partner[opener])
        return sorted(forced | found)

    def cut(
        self, first: int, last: int, indent: int, further: int, breaks: list[int], *, fill: bool
    ) -> Iterator[tuple[int, int, int]]:
        """The lines of a part of a statement: first and last word, and indentation.

        Args:
            further: indentation of its further lines, outside of brackets.
            fill: break lines that are too long.
        """
        waiting = [word for word in breaks if first < word < last]
        heapify(waiting)
        start = first
        while start < last:
            while waiting and waiting[0] <= start:
                heappop(waiting)
            end = waiting[0] if waiting else last
            at = indent if start == first else self.indent(start, further)
            if fill and at + self.ends[end - 1] - self.starts[start] > WIDTH:
                end = self.fill(start, end, at)
                if self.marks.partner[end - 1] > end and self.words.texts[end - 1] == "(":
                    heappush(waiting, self.marks.partner[end - 1])
            for word in range(start, end):
                if self.marks.partner[word] > word:
                    self.indents[word] = at
            yield start, end, at
            start = end

    def indent(self, word: int, further: int) -> int:
        """The indentation of a further line, by the word that it begins with."""
        opener = self.marks.within[word]
        if opener < 0:
            return further
        return self.indents[opener] + (0 if self.marks.partner[opener] == word else INDENT)

    def fill(self, start: int, end: int, indent: int) -> int:
        """Where to break a line that is too long; its end if there is no place."""
        level = self.marks.level
        best = end
        for word in self.outer(start, end):
            fits = indent + self.ends[word - 1] - self.starts[start] <= WIDTH
            if not fits and best < end:
                break
            if word > start and level[word] not in (NEVER, BY_AUTHOR) and (best == end or level[word] <= level[best]):
                best = word
            if not fits and best < end:
                break
        return best

    def segment(self, first: int, last: int, indent: int, further: int, breaks: list[int]) -> None:
        """Write a part of a statement, the first line of which has been begun."""
        for start, end, at in self.cut(first, last, indent, further, breaks, fill=True):
            for word in range(start, end):
                if word == start:
                    if start > first:
                        self.begin_line(word, at)
                else:
                    self.put_blank(word)
                self.lines.put(self.words.texts[word])

    def begin_line(self, word: int, indent: int) -> None:
        """Begin a further line of a statement, the comments before it first."""
        goes_on = False
        for comment in self.words.comments.get(word, ()):
            if comment.own_line:
                self.lines.begin_with_comment(comment, indent, after_blank=False)
                goes_on = not comment.is_line
            else:
                self.lines.put_comment(comment)
                goes_on = goes_on and not comment.is_line
        if goes_on and not self.words.new_line[word]:
            self.lines.put(" ")
        else:
            self.lines.begin(indent)

    def put_blank(self, word: int) -> None:
        """Write what stands between a word and the one before it on its line."""
        comments = self.words.comments.get(word)
        if comments:
            behind_opener = self.words.texts[word - 1] in ("(", "[")
            for number, comment in enumerate(comments):
                self.lines.put(comment.text if behind_opener and not number else " " + comment.text)
            if self.words.texts[word] not in (",", ";", ")", "]"):
                self.lines.put(" ")
        elif not self.marks.tight[word]:
            self.lines.put(" ")
