"""Colours of a picture, light and dark.

Each colour has a role. No two roles share a colour within a style, so that a drawing made in the light style can be
turned into the dark one colour by colour (a stylesheet for both, serq.draw.svg).
"""

from __future__ import annotations

from typing import NamedTuple

FONT = "Helvetica"
SIZE, SMALL, LARGE = 11, 10, 13
"""Sizes of text in points: plain, what is said beside it, titles."""


class Style(NamedTuple):
    """Colours by role, as `#rrggbb`: `ink` is text, `line` the border of a card, `quiet` words beside the text."""

    page: str
    ink: str
    quiet: str
    line: str
    card: str
    client: str
    client_line: str
    server: str
    server_line: str
    frame: str
    frame_line: str
    engine: str
    engine_line: str
    pool: str
    pool_line: str
    cache: str
    stage: str
    stage_line: str
    choice: str
    choice_line: str
    pill: str
    way: str
    back: str
    leg: str
    tie: str
    copy: str


LIGHT = Style(
    page="#ffffff",
    ink="#1c2430",
    quiet="#66707d",
    line="#9aa5b1",
    card="#fefefe",
    client="#faf6ee",
    client_line="#d9cba9",
    server="#f4f6f8",
    server_line="#c9d1d9",
    frame="#e7edf5",
    frame_line="#8fa6c4",
    engine="#cfe0f7",
    engine_line="#4f7fbf",
    pool="#fbe6c5",
    pool_line="#c98f2d",
    cache="#f6d08a",
    stage="#d3ece2",
    stage_line="#4a9a7c",
    choice="#e9e1f7",
    choice_line="#8b6cc0",
    pill="#dfe5ec",
    way="#2f3a48",
    back="#7a5230",
    leg="#b0468f",
    tie="#b07d20",
    copy="#2f6fc4",
)

DARK = Style(
    page="#14181d",
    ink="#e6eaef",
    quiet="#9aa6b3",
    line="#56616e",
    card="#1d2229",
    client="#221f19",
    client_line="#5c523c",
    server="#191e24",
    server_line="#3a444f",
    frame="#202a36",
    frame_line="#4d6583",
    engine="#23436b",
    engine_line="#6f9fe0",
    pool="#4c3817",
    pool_line="#d9a441",
    cache="#6d4f1a",
    stage="#1e4437",
    stage_line="#5fb896",
    choice="#38295a",
    choice_line="#a98be0",
    pill="#2c3641",
    way="#c4ccd6",
    back="#d3a172",
    leg="#e07cc0",
    tie="#c2964a",
    copy="#79aef2",
)

STYLES = {"light": LIGHT, "dark": DARK}
