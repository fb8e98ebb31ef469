"""Generated Markdown documents as replies in the real window: the page lives on, and nothing makes it scroll.

They are written as conversations of many replies, opened from the history and walked through, since a turn for each
would be mostly waiting; the last document of each conversation is streamed by a turn.
"""

from __future__ import annotations

import random
import time
from pathlib import Path

from playwright.sync_api import expect, sync_playwright

from tests.support.desktop.xvfb import open_desktop
from tests.support.pet_windows.windows import Chat, talking, workspace
from tests.support.program.transcripts import write_conversation
from tests.support.servers.protocol_replies import stream
from tests.support.servers.protocol_server import ProtocolServer
from tests.window.pet.test_reply_in_its_bubble import REPLIES, SCROLLED

_BATCH = 40
_PATIENCE = 600.0
"""A limit, not a delay: beside other jobs the first turn of a program waits longest."""
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
_WALK = (
    """async ([count, patience]) => {
    const scrolled = """
    + SCROLLED
    + """;
    const list = document.querySelector('.messages');
    const painted = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
    const drawn = new Set(), faults = [];
    const slots = () => [...document.querySelectorAll('[data-slot]')];
    list.scrollTop = 0;
    for (let grew = Date.now(); drawn.size < count && Date.now() - grew < patience; ) {
        await painted();
        const before = drawn.size;
        for (const reply of document.querySelectorAll('.pet-reply .md')) {
            const end = /end (\\d+)/.exec(reply.textContent);
            if (end) drawn.add(Number(end[1]));
        }
        if (drawn.size > before) grew = Date.now();
        if (scrolled().some((by) => by !== 0)) faults.push(`scrolls: ${slots().at(-1)?.textContent.slice(0, 200)}`);
        slots().at(-1)?.scrollIntoView({ block: 'end' });
    }
    return [[...drawn], faults];
}"""
)


def documents(home: Path, seconds: float, seed: int, most: int = 1_000) -> tuple[int, str]:
    """How many were drawn, and what went wrong with the last ones."""
    expect.set_options(timeout=_PATIENCE * 1000)
    chance = random.Random(seed)
    drawn = 0
    with (
        open_desktop() as desktop,
        sync_playwright() as playwright,
        ProtocolServer() as server,
        talking(desktop, home, server, playwright) as chat,
    ):
        chat.page.set_default_timeout(_PATIENCE * 1000)
        until = time.monotonic() + seconds  # the start of the window does not count
        while drawn < most and time.monotonic() < until:
            batch = [f"{_document(chance)}\n\nend {drawn + number}" for number in range(_BATCH)]
            write_conversation(workspace(home) / "conversations", batch[:-1], asked=f"batch {drawn} document")
            server.default = stream(batch[-1])
            if problem := _walk(chat, drawn):
                return drawn, problem
            drawn += _BATCH
    return drawn, ""


def _document(chance: random.Random) -> str:
    pieces = chance.choices(_PIECES, k=chance.randint(1, 8))
    return chance.choice(["\n", "\n\n", " ", "\n> ", "\n  "]).join(pieces)


def _walk(chat: Chat, first: int) -> str:
    """Open the conversation with these documents, have the last one streamed, and look at each."""
    chat.page.keyboard.press("Control+h")
    chat.page.locator("main.history").get_by_text(f"batch {first} document 0", exact=False).first.click()
    expect(chat.page.locator(".messages")).to_contain_text(f"batch {first} document")
    chat.send("the last one")
    expect(chat.page.locator(".turn.last .pet-reply[aria-busy=false] .md")).to_contain_text(
        f"end {first + _BATCH - 1}"
    )
    drawn, faults = chat.page.evaluate(_WALK, [_BATCH, _PATIENCE * 1000])
    missing = sorted(set(range(first, first + _BATCH)) - set(drawn))
    return "; ".join([*faults[:3], *([f"never drawn: {missing}"] if missing else [])])
