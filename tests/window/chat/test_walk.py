"""A walk through the chat in the real window: earlier replies, a branch, Escape by Escape, tooltips, Save."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Page, Playwright, expect

from pet.i18n import Texts
from tests.support.desktop.xvfb import Desktop, wait_for
from tests.support.pet_windows.windows import talking, workspace
from tests.support.servers.protocol_replies import stream
from tests.support.servers.protocol_server import ProtocolServer
from tests.window.chat.sticking_out import sticking_out

pytestmark = pytest.mark.window

T = Texts("en")


def within_window(page: Page, selector: str) -> bool:
    inside = "(box) => box.left >= 0 && box.top >= 0 && box.right <= innerWidth && box.bottom <= innerHeight"
    script = f"(selector) => ({inside})(document.querySelector(selector).getBoundingClientRect())"
    return bool(page.evaluate(script, selector))


def resting_place(page: Page) -> float:
    """How far the editor is scrolled, once it has measured what it drew and moves no more."""
    frames = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
    places = [-1.0]

    def rests() -> bool:
        page.evaluate(frames)
        places.append(page.locator(".cm-scroller").evaluate("(box) => box.scrollTop"))
        return places[-1] == places[-2]

    wait_for("the editor to rest", rests)
    return places[-1]


def test_earlier_replies_come_back_and_a_branch_begins_with_them(
    desktop: Desktop, home: Path, playwright: Playwright, shots: Path
) -> None:
    with ProtocolServer() as server:
        server.queue(*map(stream, ("Green.", "Honey.", "Black.", "Lemon.")))
        with talking(desktop, home, server, playwright) as chat:
            page = chat.page
            chat.send("Which tea?")
            expect(chat.said.last).to_have_text("Green.")
            chat.until_it_listens()
            page.get_by_role("button", name=T("ui.turn.again")).click()
            expect(chat.said.last).to_have_text("Honey.")
            expect(page.locator(".variants")).to_have_text("2/2")
            chat.until_it_listens()
            page.get_by_role("button", name=T("ui.turn.variant_before")).click()
            expect(chat.said.last).to_have_text("Green.")
            expect(page.get_by_role("button", name=T("ui.turn.variant_next"))).to_be_focused()
            chat.shot(shots / "earlier-reply.png")
            chat.send("And in it?")
            expect(chat.said.last).to_have_text("Black.")
            sent = repr(server.messages[-1].json["messages"])
            assert "Green." in sent and "Honey." not in sent
            chat.until_it_listens()
            page.get_by_role("button", name=T("ui.turn.more")).first.click()
            page.get_by_role("menuitem", name=T("ui.turn.branch")).click()
            expect(chat.said).to_have_text(["Green."])
            expect(page.get_by_role("tab", selected=True)).to_contain_text("Which tea (2)")
            chat.send("And in this one?")
            expect(chat.said.last).to_have_text("Lemon.")
            assert len(list((workspace(home) / "conversations").glob("*.jsonl"))) == 2


def test_escape_goes_back_by_one_and_commits_nothing(
    desktop: Desktop, home: Path, playwright: Playwright, shots: Path
) -> None:
    with ProtocolServer() as server:
        server.queue(stream("Hello."))
        with talking(desktop, home, server, playwright) as chat:
            page = chat.page
            chat.send("Hi")
            expect(chat.said.last).to_have_text("Hello.")
            page.keyboard.press("Control+h")
            page.get_by_role("button", name=T("ui.history.rename_of", title="Hi")).click()
            page.keyboard.type("Something else")
            page.keyboard.press("Escape")  # the field goes with the focus in it: a blur, and no commit
            expect(page.locator(".card-row .title").first).to_have_text("Hi")
            page.keyboard.press("Escape")
            expect(page.locator("main.chat")).to_be_visible()
            page.keyboard.press("F2")
            page.keyboard.type("Something else")
            page.keyboard.press("Escape")
            expect(page.get_by_role("tab", selected=True)).to_contain_text("Hi")
            page.keyboard.press("Control+f")
            page.keyboard.insert_text("hello")
            page.get_by_role("button", name=T("ui.menu.label"), exact=True).click()
            expect(page.get_by_role("menu")).to_be_visible()
            wait_for("it within the window", lambda: within_window(page, "[role=menu]"))
            page.keyboard.press("Escape")
            expect(page.get_by_role("menu")).to_have_count(0)
            expect(page.locator(".find-bar")).to_be_visible()
            page.keyboard.press("Escape")
            expect(page.locator(".find-bar")).to_have_count(0)
            page.keyboard.press("F1")
            expect(page.get_by_role("dialog")).to_be_visible()
            page.keyboard.press("Escape")
            expect(page.get_by_role("dialog")).to_have_count(0)
            page.keyboard.press("Control+,")
            page.get_by_role("button", name=T("ui.back_to_chat")).click()
            expect(chat.composer).to_be_focused()
            assert sticking_out(page) == []


def test_a_tooltip_names_a_button_within_the_window(
    desktop: Desktop, home: Path, playwright: Playwright, shots: Path
) -> None:
    with ProtocolServer() as server, talking(desktop, home, server, playwright) as chat:
        page = chat.page
        page.get_by_role("button", name=T("ui.view.settings")).hover()
        expect(page.get_by_role("tooltip")).to_have_text(T("ui.view.settings"))
        wait_for("it within the window", lambda: within_window(page, ".tooltip"))
        chat.shot(shots / "tooltip.png")
        page.keyboard.press("Shift")
        expect(page.get_by_role("tooltip")).to_have_count(0)


def test_save_keeps_its_place(desktop: Desktop, home: Path, playwright: Playwright, shots: Path) -> None:
    with ProtocolServer() as server, talking(desktop, home, server, playwright) as chat:
        page = chat.page
        soul = workspace(home) / "SOUL.md"
        soul.write_text("# Soul\n\n" + "".join(f"line {at}\n\n" for at in range(300)), encoding="utf-8")
        page.keyboard.press("Control+,")
        page.locator(".file-link", has_text="SOUL.md").click()
        editor = page.locator(".cm-content")
        expect(editor).to_contain_text("line 1")
        page.locator(".cm-scroller").evaluate("(box) => { box.scrollTop = 4000; }")
        resting_place(page)
        line = page.locator(".cm-line", has_text="line ").nth(12)
        line.click()
        page.keyboard.type("mine: ")
        expect(page.locator(".file-head .unsaved")).to_be_visible()
        top = resting_place(page)
        page.keyboard.press("Control+s")
        expect(page.locator(".file-head .unsaved")).to_have_count(0)
        expect(page.get_by_role("button", name=T("ui.file.saved"))).to_be_disabled()
        assert "mine: " in soul.read_text(encoding="utf-8")
        assert abs(resting_place(page) - top) < 2
        page.keyboard.type("again ")  # where the cursor was
        expect(page.locator(".cm-line", has_text="mine: again ")).to_be_visible()
