"""One layout for every program: text to text with the same tokens and the same comments.

`format_text` is the door. `words` reads a text with everything that it holds, `rules` says what the grammar's rules ask
of blanks and breaks, `layout` puts statements and blocks on lines, `lines` collects the lines and aligns the comments
behind them.
"""

from serq.fmt.text import format_text

__all__ = ["format_text"]
