"""In the real window: nothing of a reply is drawn outside its bubble, and no reply makes the page scroll."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from PIL import Image, ImageChops
from playwright.sync_api import Playwright, expect

from tests.support.desktop.xvfb import Desktop, wait_for
from tests.support.examples import at_night
from tests.support.pet_windows.windows import Chat, talking
from tests.support.servers.protocol_replies import stream
from tests.support.servers.protocol_server import ProtocolServer

pytestmark = pytest.mark.window

FAKE = r"\text{Noted in the log · View · Undo}"
TALL = r"x\\" * 60
DEEP = r"\frac{1}{" * 40 + "x" + "}" * 40
ZALGO = "".join(chr(0x300 + number % 0x6F) for number in range(120))
REPLIES = {
    "overlap": rf"One $\rlap{{\kern-12em\raisebox{{6em}}{{\colorbox{{white}}{{{FAKE}}}}}}}$ $\llap{{{FAKE}}}$ two",
    "lowered": rf"One $\raisebox{{-9em}}{{\colorbox{{yellow}}{{{FAKE}}}}}$ $\smash{{\rule{{30em}}{{30em}}}}$ two",
    "macro": rf"One $\def\x{{\hskip-20em}}\x {FAKE}$ $\htmlId{{app}}{{x}}$ two",
    "attributes": rf"One $\htmlStyle{{position:fixed}}{{{FAKE}}}$ $\htmlClass{{notice}}{{{FAKE}}}$ two",
    "squeezed": rf"One ${chr(92)}! {(chr(92) + '!') * 200}{FAKE}$ two",
    "rows": rf"$$\begin{{array}}{{l}}a\\[-20em]{FAKE}\\[40em]b\end{{array}}$$",
    "tall": rf"$$\begin{{matrix}}{TALL}\end{{matrix}}$$ and $\Huge {DEEP}$",
    "marks": f"One a{ZALGO} two\n\n| a{ZALGO} | b |\n|--|--|\n| c{ZALGO} | d |",
    "sides": "One \u202e\u2066\u202dwords\u2069 \u200b\u200b\ufeff two\n\n" + "\u202e" * 40 + "turned",
    "wide": "W" * 20_000 + "\n\n| " + "w" * 900 + " |\n|--|\n| x |\n\n```\n" + "w" * 2_000 + "\n```",
    "pictures": "\n\n".join(f"![a picture {n}](https://example.org/{n}.png)" for n in range(40)),
    "nowhere": "\n\n".join(f"![a picture {n}](file:///{n}.png)" for n in range(40)),
}
LIKE_ANOTHER = frozenset({"lowered", "macro", "squeezed", "nowhere"})
"""Only for the night: each takes two seconds of a core."""
HIDDEN = "(hidden) => { [...document.querySelectorAll('.pet-reply .md')].at(-1).style.opacity = hidden ? '0' : ''; }"
OUTSIDE = """() => {
    const at = [...document.querySelectorAll('.pet-reply .bubble')].at(-1).getBoundingClientRect();
    return [at.left, at.top, at.right, at.bottom];
}"""
SCROLLED = """() => {
    const root = document.scrollingElement;
    root.scrollTop = 500;
    document.body.scrollTop = 500;
    root.scrollLeft = 500;
    document.getElementById('app').scrollTop = 500;
    return [root.scrollTop, root.scrollLeft, document.body.scrollTop, document.getElementById('app').scrollTop];
}"""


def picture(chat: Chat) -> Image.Image:
    return Image.open(io.BytesIO(chat.page.screenshot(animations="disabled", caret="hide"))).convert("RGB")


def drawn_outside(chat: Chat) -> tuple[int, int, int, int] | None:
    """Where the window differs, outside of the last bubble, between a reply that is visible and one that is not."""

    def steady() -> Image.Image:
        pictures = [picture(chat)]

        def same() -> bool:
            pictures.append(picture(chat))
            return ImageChops.difference(*pictures[-2:]).getbbox() is None

        wait_for("the page to stand still", same)
        return pictures[-1]

    shown = steady()
    chat.page.evaluate(HIDDEN, True)
    difference = ImageChops.difference(steady(), shown)
    chat.page.evaluate(HIDDEN, False)
    left, top, right, bottom = (round(side) for side in chat.page.evaluate(OUTSIDE))
    difference.paste((0, 0, 0), (max(left - 1, 0), max(top - 1, 0), max(right + 1, 0), max(bottom + 1, 0)))
    box: tuple[int, int, int, int] | None = difference.point(lambda value: 255 if value > 8 else 0).getbbox()
    return box


def test_nothing_of_a_reply_is_drawn_outside_its_bubble(
    desktop: Desktop, home: Path, playwright: Playwright, shots: Path
) -> None:
    found: dict[str, object] = {}
    replies = {name: reply for name, reply in REPLIES.items() if at_night() or name not in LIKE_ANOTHER}
    with ProtocolServer() as server, talking(desktop, home, server, playwright) as chat:
        for name, reply in replies.items():
            server.queue(stream(reply))
            chat.send(f"Show me {name}")
            expect(chat.page.locator(".turn.last .owner .bubble")).to_have_text(f"Show me {name}")
            expect(chat.page.locator(".turn.last .pet-reply[aria-busy=false] .md")).to_be_visible()
            chat.page.wait_for_function(
                "!document.querySelector('script#math') || !document.querySelector('.formula')"
            )
            chat.shot(shots / f"reply-{name}.png")
            if (box := drawn_outside(chat)) is not None:
                found[f"{name} outside"] = box
            if (scrolled := chat.page.evaluate(SCROLLED)) != [0, 0, 0, 0]:
                found[f"{name} scrolls"] = scrolled
        expect(chat.composer).to_be_visible()
    assert found == {}
