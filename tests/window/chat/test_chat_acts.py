"""Acts on messages and conversations in the real window: delete and Undo, cost, delete and forget."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from playwright.sync_api import Playwright, expect

from pet.i18n import Texts
from tests.support.desktop.xvfb import Desktop, call_page, wait_for
from tests.support.pet_windows.windows import talking, workspace
from tests.support.servers.protocol_replies import Call, stream
from tests.support.servers.protocol_server import ProtocolServer

pytestmark = pytest.mark.window

T = Texts("en")


def test_a_message_is_deleted_and_put_back(desktop: Desktop, home: Path, playwright: Playwright, shots: Path) -> None:
    with ProtocolServer() as server:
        server.queue(stream("Tea or coffee?"), stream("Coffee it is."), stream("A clean start."))
        with talking(desktop, home, server, playwright) as chat:
            page = chat.page
            chat.send("What shall I drink?")
            chat.send("Coffee")
            expect(chat.said.last).to_have_text("Coffee it is.")
            chat.until_it_listens()
            page.get_by_role("button", name=T("ui.turn.more")).first.click()
            page.get_by_role("menuitem", name=T("ui.turn.delete")).click()
            expect(page.locator(".gone-line")).to_contain_text(T("ui.turn.deleted"))
            expect(page.get_by_role("button", name=T("ui.turn.undelete"))).to_be_focused()
            chat.shot(shots / "message-deleted.png")
            chat.send("And now?")
            expect(chat.said.last).to_have_text("A clean start.")
            sent = json.dumps(server.messages[-1].json)
            assert "What shall I drink?" not in sent and "Tea or coffee" not in sent
            assert "Coffee it is." in sent
            chat.until_it_listens()
            page.get_by_role("button", name=T("ui.turn.undelete")).click()
            expect(page.locator(".owner .bubble")).to_have_text(["What shall I drink?", "Coffee", "And now?"])

            assert call_page(page, "change_settings", {"changes": {"show_usage": True}})["ok"]
            page.locator("button.when").last.click()
            expect(page.locator(".spent-line")).to_contain_text(T("ui.turn.no_price"))


def test_a_conversation_is_deleted_with_what_was_learned_in_it(
    desktop: Desktop, home: Path, playwright: Playwright, shots: Path
) -> None:
    note = Call("memory_write", {"content": "The bicycle is called Rosinante", "category": "fact"})
    with ProtocolServer() as server:
        server.queue(stream(note), stream("Noted."))
        with talking(desktop, home, server, playwright) as chat:
            page, logs = chat.page, workspace(home) / "memory"
            chat.send("My bicycle is called Rosinante")
            expect(chat.said.last).to_contain_text("Noted.")
            expect(page.get_by_role("button", name=T("ui.stop"))).to_have_count(0)
            page.get_by_role("button", name=T("ui.menu.label"), exact=True).click()
            page.get_by_role("menuitem", name=T("ui.menu.delete")).click()
            dialog = page.get_by_role("dialog")
            expect(dialog).to_contain_text(T("ui.delete.learned_some", count=1))
            expect(dialog.get_by_role("button", name=T("ui.cancel"))).to_be_focused()
            dialog.get_by_role("checkbox").check()
            expect(dialog.locator(".pieces.goes")).to_contain_text("Rosinante")
            chat.shot(shots / "delete-and-forget.png")
            dialog.get_by_role("button", name=T("ui.delete.both")).click()
            expect(dialog).to_contain_text(T("ui.forget.nothing_left"))
            dialog.get_by_role("button", name=T("ui.close"), exact=True).last.click()
            expect(page.locator(".empty")).to_be_visible()
            conversations = workspace(home) / "conversations"
            wait_for("no transcript is left", lambda: not list(conversations.glob("*.jsonl")))
            assert all("Rosinante" not in log.read_text(encoding="utf-8") for log in logs.glob("*.md"))
