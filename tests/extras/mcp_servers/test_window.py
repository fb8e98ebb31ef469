"""A tool server in the real window: pasted, allowed, switched on, asked about and used."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Playwright, expect

from pet.i18n import Texts
from tests.extras.mcp_servers.conftest import SERVER
from tests.support.desktop.xvfb import Desktop, call_page
from tests.support.pet_windows.windows import talking
from tests.support.servers.protocol_replies import Call, stream
from tests.support.servers.protocol_server import ProtocolServer
from tests.support.waiting import wait_for
from tests.window.chat.sticking_out import sticking_out
from tests.window.conftest import home, shots

__all__ = ["home", "shots"]

pytestmark = pytest.mark.window


@pytest.fixture
def log(tmp_path: Path) -> Iterator[Path]:
    file = tmp_path / "calls.jsonl"
    yield file
    rows = map(json.loads, file.read_text().splitlines()) if file.exists() else ()
    processes = [Path(f"/proc/{row['pid']}") for row in rows if "pid" in row]
    wait_for("the end of the server with the pet", lambda: not any(each.exists() for each in processes))


def test_a_pasted_server_is_allowed_and_its_calls_are_asked_about(
    desktop: Desktop, home: Path, playwright: Playwright, shots: Path, log: Path
) -> None:
    pasted = {"mcpServers": {"odd": {"command": sys.executable, "args": [str(SERVER), str(log)]}}}
    with ProtocolServer() as server, talking(desktop, home, server, playwright) as chat:
        page = chat.page
        page.keyboard.press("Control+,")
        for key in ("ui.section.privacy", "ui.settings.advanced"):
            page.get_by_role("button", name=Texts("en")(key), exact=True).click()
        page.locator("details.advanced > summary").first.click()
        page.get_by_role("button", name="Add a server").click()
        page.locator("#mcp-paste").fill(json.dumps(pasted))
        page.get_by_text("until I quit").last.click()
        chat.shot(shots / "mcp-add.png")
        page.get_by_role("button", name="Add", exact=True).click()
        card = page.locator(".mcp-server")
        expect(card).to_contain_text("This will be run on your computer")
        expect(card).to_contain_text(str(log))
        assert not log.exists()
        chat.shot(shots / "mcp-allow.png")
        card.get_by_role("button", name="Allow and test").click()
        expect(card).to_contain_text("is running")
        card.locator("summary").click()
        expect(card.get_by_text("echo", exact=True)).to_be_visible()
        assert sticking_out(page) == []
        chat.shot(shots / "mcp-server.png")
        page.keyboard.press("Escape")

        page.locator(".memory-menu").click()
        page.get_by_role("menuitemcheckbox", name="Use my tool servers").click()
        server.queue(stream(Call("odd__pictures", {}), Call("odd__echo", {"text": "tea"})), stream("There it is."))
        chat.send("please look")
        question = page.locator(".proposal")
        expect(question).to_contain_text("May I use pictures of odd?")
        question.get_by_role("button", name="Always").click()
        expect(question).to_contain_text('"text": "tea"')
        for look, language in (("light", "en"), ("dark", "en"), ("dark", "zh")):
            assert call_page(page, "change_settings", {"changes": {"theme": look, "language": language}})["ok"]
            expect(page.locator("html")).to_have_attribute("lang", "zh-CN" if language == "zh" else "en")
            assert sticking_out(page) == []
            chat.shot(shots / f"mcp-question-{look}-{language}.png")
        assert call_page(page, "change_settings", {"changes": {"theme": "light", "language": "en"}})["ok"]
        question.get_by_role("button", name="Only this time").click()
        expect(chat.said.last).to_have_text("There it is.")
        page.locator("details.tools summary").click()
        expect(page.locator(".foreign").first).to_be_visible()
        expect(page.get_by_text("echo: tea")).to_be_visible()
        expect(page.locator("details.tools img")).to_be_visible()
        chat.shot(shots / "mcp-result.png")
        page.set_viewport_size({"width": 380, "height": 420})
        assert sticking_out(page) == []
        chat.shot(shots / "mcp-small.png")
