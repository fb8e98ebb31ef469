"""The chat page in the real window: pictures, formulas, a very long conversation, search, tabs that are dragged."""

from __future__ import annotations

import base64
import contextlib
import io
from pathlib import Path

import pytest
from PIL import Image
from playwright.sync_api import FilePayload, Playwright, expect

from pet.i18n import Texts
from tests.support.desktop.xvfb import Desktop, wait_for
from tests.support.pet_windows.windows import Chat, talking, workspace
from tests.support.program.transcripts import write_conversation
from tests.support.servers.protocol_replies import Call, stream
from tests.support.servers.protocol_server import ProtocolServer
from tests.support.servers.web_server import Server, sends

pytestmark = pytest.mark.window

T = Texts("en")


def test_a_picture_goes_with_the_message_and_stays_in_it(
    desktop: Desktop, home: Path, playwright: Playwright, shots: Path
) -> None:
    picture = io.BytesIO()
    Image.new("RGB", (2400, 1200), "#98c8a8").save(picture, "PNG")
    with ProtocolServer() as server:
        server.queue(stream("A green field!"))
        with talking(desktop, home, server, playwright) as chat:
            chosen: FilePayload = {"name": "field.png", "mimeType": "image/png", "buffer": picture.getvalue()}
            chat.page.locator("input[type=file]").set_input_files([chosen])
            expect(chat.page.locator(".tray img")).to_be_visible()
            chat.send("What is this?")
            expect(chat.said.last).to_contain_text("green field")
            expect(chat.page.locator(".tray")).to_have_count(0)
            parts = server.messages[-1].json["messages"][-1]["content"]
            sent = next(part["source"] for part in parts if part["type"] == "image")
            assert max(Image.open(io.BytesIO(base64.b64decode(sent["data"]))).size) == 1568
            chat.page.locator(".owner .attachment").click()
            expect(chat.page.locator("dialog img")).to_be_visible()
            shown = "document.querySelector('dialog img').naturalWidth"
            assert wait_for("the whole picture", lambda: chat.page.evaluate(shown)) == 1568
            chat.shot(shots / "picture.png")


def test_a_picture_that_a_reply_points_to_is_loaded_by_a_click_alone(
    desktop: Desktop, home: Path, playwright: Playwright, shots: Path
) -> None:
    picture = io.BytesIO()
    Image.new("RGB", (2400, 1200), "#98c8a8").save(picture, "PNG")
    with ProtocolServer() as server, contextlib.closing(Server()) as web:
        web.answers["/field.png?who=Mochi"] = sends(picture.getvalue())
        server.queue(stream(f"Here it is: ![a green field]({web.at('/field.png?who=Mochi')})"))
        with talking(desktop, home, server, playwright, program="tests.window.programs.near_pet") as chat:
            chat.send("Show me a field")
            expect(chat.page.locator(".no-image")).to_contain_text("a green field")
            expect(chat.page.locator(".no-image .address")).to_have_text(f"127.0.0.1:{web.port}")
            chat.until_it_listens()
            assert web.asked == []
            chat.shot(shots / "remote-picture.png")
            chat.page.get_by_role("button", name=T("ui.md.image_load")).click()
            shown = chat.page.get_by_role("button", name=T("ui.attach.open", name="a green field"))
            expect(shown).to_be_focused()
            chat.page.wait_for_function("document.querySelector('.remote-image img').naturalWidth === 1568")
            chat.shot(shots / "remote-picture-loaded.png")
            chat.page.keyboard.press("Enter")
            expect(chat.page.locator("dialog img")).to_be_visible()
            assert len(web.asked) == 1
            chat.page.keyboard.press("Escape")
            expect(chat.page.locator("dialog")).to_have_count(0)
            (talk,) = (workspace(home) / "conversations").glob("*.jsonl")
            tabs = home / "state" / "tabs.json"
            wait_for("its tab is kept", lambda: tabs.exists() and talk.stem in tabs.read_text(encoding="utf-8"))
            assert chat.running.stop() == 0
        with talking(desktop, home, server, playwright, program="tests.window.programs.near_pet") as chat:
            expect(chat.page.locator(".no-image")).to_contain_text("a green field")
            assert len(web.asked) == 1


def test_formulas_are_set_with_their_own_fonts_under_the_page_s_policy(
    desktop: Desktop, home: Path, playwright: Playwright, shots: Path
) -> None:
    with ProtocolServer() as server:
        server.queue(stream("Since $a \\ne 0$:\n\n$$x = {-b \\pm \\sqrt{b^2-4ac} \\over 2a}$$\n\nIt costs $5."))
        with talking(desktop, home, server, playwright) as chat:
            assert chat.page.evaluate("typeof window.__soulpetMath") == "undefined"
            chat.send("Solve it.")
            expect(chat.page.locator(".formula .katex")).to_have_count(2)
            expect(chat.said.last).to_contain_text("It costs $5.")
            chat.page.wait_for_function("document.fonts.check('16px KaTeX_Main')")
            chat.shot(shots / "formula.png")


def test_a_long_conversation_is_drawn_where_it_is_read(
    desktop: Desktop, home: Path, playwright: Playwright, shots: Path
) -> None:
    with ProtocolServer() as server, talking(desktop, home, server, playwright) as chat:
        write_conversation(workspace(home) / "conversations", [f"reply {number}" for number in range(800)])
        chat.page.keyboard.press("Control+h")
        chat.page.get_by_text("message 0", exact=False).first.click()
        expect(chat.said.last).to_have_text("reply 799")
        slots = chat.page.locator("[data-slot]")
        assert slots.count() < 60
        chat.page.locator("section.messages").hover()
        read = [top_slot(chat)]
        for _ in range(8):
            wait_for("another turn on top", lambda: turned_up(chat) != read[-1])
            read.append(top_slot(chat))
        assert read == sorted(read, reverse=True)
        chat.page.keyboard.press("Control+f")
        chat.page.keyboard.insert_text("message 123")
        chat.page.keyboard.press("Enter")
        expect(chat.page.locator(".turn-slot.found")).to_contain_text("message 123")
        expect(chat.page.locator(".turn-slot.found")).to_be_in_viewport()
        chat.page.wait_for_function("CSS.highlights.get('found-here')?.size === 1")
        chat.shot(shots / "found.png")
        chat.page.keyboard.press("Escape")
        chat.page.get_by_role("button", name=T("ui.to_end")).click()
        expect(chat.said.last).to_have_text("reply 799")
        expect(chat.said.last).to_be_in_viewport()


def test_what_is_left_after_forgetting_is_drawn_wherever_it_is_scrolled(
    desktop: Desktop, home: Path, playwright: Playwright, shots: Path
) -> None:
    note = Call("memory_write", {"content": "The bicycle is in the cellar", "category": "fact"})
    with ProtocolServer() as server:
        long = [stream(f"Reply {number}. " + "More words. " * 40) for number in range(3)]
        server.queue(stream(note), stream("Noted."), *long)
        with talking(desktop, home, server, playwright) as chat:
            chat.send("Note the bicycle")
            expect(chat.said.last).to_contain_text("Noted.")
            for number in range(3):
                chat.send(f"Turn {number}")
                expect(chat.said.last).to_contain_text(f"Reply {number}.")
                expect(chat.page.get_by_role("button", name=T("ui.stop"))).to_have_count(0)
            slots = chat.page.locator("[data-slot]")
            chat.page.get_by_role("button", name=T("ui.receipt.forget")).click()
            dialog = chat.page.get_by_role("dialog")
            dialog.get_by_role("button", name=T("ui.forget.do"), exact=True).click()
            expect(dialog).to_contain_text(T("ui.forget.done"))
            dialog.get_by_role("button", name=T("ui.close"), exact=True).last.click()
            expect(dialog).to_have_count(0)
            chat.page.locator("section.messages").hover()
            wait_for("its top", lambda: scrolled_up(chat) == 0)
            expect(slots).to_have_count(4)
            expect(slots.first).to_be_in_viewport()
            chat.page.set_viewport_size({"width": 380, "height": 420})
            expect(slots.first).to_be_in_viewport()
            chat.shot(shots / "forgotten-top.png")


def test_what_was_said_is_found_from_the_list_and_tabs_are_dragged(
    desktop: Desktop, home: Path, playwright: Playwright, shots: Path
) -> None:
    with ProtocolServer() as server:
        server.queue(stream("松茸很香。"), stream("Rain again."))
        with talking(desktop, home, server, playwright) as chat:
            chat.send("今天吃了松茸")
            expect(chat.said.last).to_contain_text("松茸很香")
            chat.page.keyboard.press("Control+t")
            expect(chat.said).to_have_count(0)
            chat.send("How is the weather?")
            expect(chat.said.last).to_contain_text("Rain")
            chat.page.keyboard.press("Control+h")
            chat.page.get_by_role("searchbox", name=T("ui.history.search")).fill("松茸")
            expect(chat.page.locator(".hit-row mark").first).to_have_text("松茸")
            chat.shot(shots / "searched.png")
            chat.page.locator(".hit-row button").first.click()
            expect(chat.page.locator(".turn-slot.found")).to_contain_text("松茸")
            titles, before = chat.page.locator(".tab .title"), ["今天吃了松茸", "Weather"]
            expect(titles).to_have_text(before)
            first, second = titles.first.bounding_box(), titles.last.bounding_box()
            assert first is not None and second is not None
            chat.page.mouse.move(first["x"] + 10, first["y"] + 5)
            chat.page.mouse.down()
            chat.page.mouse.move(second["x"] + second["width"] - 5, second["y"] + 5, steps=8)
            chat.page.mouse.up()
            expect(titles).to_have_text(before[::-1])


def scrolled_up(chat: Chat) -> int:
    """A turn of the wheel, and how far from the top the list is then."""
    chat.page.mouse.wheel(0, -2000)
    return int(chat.page.locator("section.messages").evaluate("(list) => Math.round(list.scrollTop)"))


def turned_up(chat: Chat) -> int:
    """The number of the first turn in sight after a turn of the wheel. One that comes while earlier turns are being
    put above, with the list at its end, is lost: it is repeated, as an owner does."""
    chat.page.mouse.wheel(0, -700)
    return top_slot(chat)


def top_slot(chat: Chat) -> int:
    """The number of the first turn in sight."""
    return int(
        chat.page.evaluate(
            """() => {
                const edge = document.querySelector('.messages').getBoundingClientRect().top;
                const slots = [...document.querySelectorAll('[data-slot]')];
                const first = slots.find((slot) => slot.getBoundingClientRect().bottom > edge);
                return first.querySelector('.owner .bubble').textContent.split(' ')[1];
            }"""
        )
    )
