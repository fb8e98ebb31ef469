"""Generated Markdown documents as replies in the real window: the page lives on, and nothing makes it scroll."""

from __future__ import annotations

import random
import time
from pathlib import Path

from playwright.sync_api import expect, sync_playwright

from tests.support.desktop import PATIENCE, open_desktop
from tests.support.protocol_replies import stream
from tests.support.protocol_server import ProtocolServer
from tests.window.test_reply_in_its_bubble import REPLIES, SCROLLED
from tests.window.test_window_scenario import talking

_PIECES = (
    *REPLIES.values(),
    *("# Title", "- item", "1. one", "> quoted", "| a | b |\n|--|--|\n| c | d |", "```js\nlet a = 1;\n```", "---"),
    *(
        "**bold** _soft_ ~~gone~~ `code`",
        "[link](https://example.org)",
        "<b>tag</b>",
        "$x^2$",
        "$$\\sum_1^n$$",
        "&amp;",
    ),
    *("你好 שלום مرحبا", "🙂" * 5, "\u200b", "* * *", "[ ] task", "\\", "`" * 7, "a" * 500, "\t\tcode", "[x]: y"),
)


def documents(home: Path, seconds: float, seed: int, most: int = 1_000) -> tuple[int, str]:
    """How many were drawn, and what went wrong with the last one."""
    expect.set_options(timeout=PATIENCE * 1000)
    chance = random.Random(seed)
    drawn = 0
    with (
        open_desktop() as desktop,
        sync_playwright() as playwright,
        ProtocolServer() as server,
        talking(desktop, home, server, playwright) as chat,
    ):
        until = time.monotonic() + seconds  # the start of the window does not count
        while drawn < most and time.monotonic() < until:
            pieces = chance.choices(_PIECES, k=chance.randint(1, 8))
            text = chance.choice(["\n", "\n\n", " ", "\n> ", "\n  "]).join(pieces)
            server.default = stream(text, f"\n\nend {drawn}")  # also of what a compaction asks
            chat.send(f"document {drawn}")
            expect(chat.page.locator(".turn.last .pet-reply[aria-busy=false]")).to_have_count(1)
            expect(chat.page.locator(".turn.last .pet-reply .md")).to_contain_text(f"end {drawn}")
            if chat.page.evaluate(SCROLLED) != [0, 0, 0, 0]:
                return drawn, f"document {drawn} makes the page scroll: {text[:200]!r}"
            drawn += 1
    return drawn, ""
