"""The main job in the real program: double-click, talk in Chinese and English, flip the switch, quit, start again.

Everything is real but the model: window, pages, engine, files, SDK; the model is the scripted protocol server.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Playwright, expect

from tests.support.desktop.xvfb import Desktop, Running, start_pet, wait_for
from tests.support.pet_windows.windows import PET, T, allow, talking, workspace
from tests.support.servers.protocol_replies import Call, Hold, error, stream
from tests.support.servers.protocol_server import ProtocolServer

pytestmark = pytest.mark.window


def test_the_whole_first_day(desktop: Desktop, home: Path, playwright: Playwright, shots: Path) -> None:
    with ProtocolServer() as server:
        server.queue(stream("Hello, ", Hold("half"), "nice to meet you!"), stream("你好，", "很高兴认识你。"))
        with talking(desktop, home, server, playwright) as chat:
            expect(chat.composer).to_be_focused()
            desktop.type("Hi there")  # real keys, into what has the focus
            expect(chat.composer).to_have_value("Hi there")
            told = chat.page.get_by_role("button", name=T("ui.host.understood"))
            expect(told).to_be_visible()  # who gets the memory, above the message that is sent there first
            desktop.key("Return")
            server.reached("half")
            expect(chat.said.last).to_contain_text("Hello,")  # while the reply is still coming
            expect(chat.said.last).not_to_contain_text("nice")
            chat.shot(shots / "streaming.png")
            server.release("half")
            expect(chat.said.last).to_contain_text("nice to meet you!")
            chat.until_it_listens()

            chat.composer.focus()
            chat.page.keyboard.insert_text("你好，你叫什么名字？")
            chat.composer.press("Enter")
            expect(chat.said.last).to_contain_text("很高兴认识你。")
            assert server.messages[-1].last_text().endswith("你好，你叫什么名字？")

            chat.until_it_listens()
            expect(told).to_have_count(0)
            expect(chat.memory_mode).to_have_attribute("aria-pressed", "true")
            chat.memory_mode.click()
            expect(chat.memory_mode).to_have_attribute("aria-pressed", "false")
            expect(chat.page.get_by_text(T("ui.divider.off"))).to_be_visible()
            chat.shot(shots / "memory-off.png")
            assert chat.running.stop() == 0
        with talking(desktop, home, server, playwright) as chat:
            expect(chat.memory_mode).to_have_attribute("aria-pressed", "false")
            expect(chat.said).to_have_count(2)
            expect(chat.said.last).to_contain_text("很高兴认识你。")
            chat.shot(shots / "started-again.png")
            assert chat.running.stop() == 0


def test_the_soul_changes_only_after_the_owner_allowed_it(
    desktop: Desktop, home: Path, playwright: Playwright, shots: Path
) -> None:
    new = "# Soul\n\nI am Biscuit now.\n"
    with ProtocolServer() as server:
        server.queue(
            stream("I would like to change. ", Call("write", {"path": "SOUL.md", "content": new})),
            stream("Thank you!"),
        )
        with talking(desktop, home, server, playwright) as chat:
            soul = workspace(home) / "SOUL.md"
            before = soul.read_bytes()
            chat.send("Who do you want to be?")
            card = chat.page.locator(".proposal")
            expect(card).to_contain_text("I am Biscuit now.")
            for line in before.decode().splitlines():
                expect(card).to_contain_text(line)  # the whole change: also every line that goes
            chat.shot(shots / "soul.png")
            chat.page.keyboard.press("Enter")
            expect(card).to_be_visible()
            assert soul.read_bytes() == before
            allow(card)
            expect(chat.said.last).to_contain_text("Thank you!")
            assert soul.read_text(encoding="utf-8") == new
            assert chat.running.stop() == 0


def test_a_remembered_name_is_in_the_file_and_gone_from_requests_with_memory_off(
    desktop: Desktop, home: Path, playwright: Playwright, shots: Path
) -> None:
    canary = "Zephyrine Quartermain"
    with ProtocolServer() as server:
        server.queue(
            stream(Call("write", {"path": "MEMORY.md", "content": f"# Memory\n\n- The owner is {canary}.\n"})),
            stream("I'll remember."),
            stream("Who knows?"),
        )
        with talking(desktop, home, server, playwright) as chat:
            chat.send("Please keep my name.")
            expect(chat.said.last).to_contain_text("I'll remember.")
            assert canary in (workspace(home) / "MEMORY.md").read_text(encoding="utf-8")
            chat.until_it_listens()
            chat.shot(shots / "receipt.png")
            chat.memory_mode.click()
            expect(chat.memory_mode).to_have_attribute("aria-pressed", "false")
            chat.send("What is my name?")
            expect(chat.said.last).to_contain_text("Who knows?")
            assert canary.encode() in server.messages[1].body
            assert canary.encode() not in server.messages[2].body
            assert chat.running.stop() == 0


def test_a_refused_key_has_a_sentence_and_a_retry(
    desktop: Desktop, home: Path, playwright: Playwright, shots: Path
) -> None:
    with ProtocolServer(only="/messages") as server:
        server.queue(error(401, "authentication_error", "invalid x-api-key"), stream("Now it works."))
        with talking(desktop, home, server, playwright) as chat:
            chat.send("Hello?")
            alert = chat.page.locator(".fault")
            expect(alert).to_be_visible()
            chat.shot(shots / "bad-key.png")
            assert "sk-test-0000" not in chat.page.content()
            alert.get_by_role("button", name=T("ui.turn.retry")).click()
            expect(chat.said.last).to_contain_text("Now it works.")
            assert chat.running.stop() == 0


def test_the_sdk_is_loaded_only_when_the_chat_is_used(desktop: Desktop, home: Path, playwright: Playwright) -> None:
    """It takes a second and 80 MB: the pet must not wait for it."""
    with ProtocolServer(stream("Hello.")) as server, talking(desktop, home, server, playwright, anew=True) as chat:
        assert not loaded(chat.running)
        chat.send("Hello?")
        expect(chat.said.last).to_contain_text("Hello.")
        assert loaded(chat.running)


def loaded(running: Running) -> bool:
    """By the SDK's parser, a library of its own."""
    return "jiter" in Path(f"/proc/{running.pid}/maps").read_text()


def test_nothing_listens_on_tcp(desktop: Desktop, home: Path) -> None:
    with start_pet(desktop, home, debug=False) as running:
        running.window(PET)
        wait_for("the log", (home / "log" / "soulpet.log").exists)
        assert running.listening() == set()


def test_what_the_chats_page_may_load_is_nothing(desktop: Desktop, home: Path, playwright: Playwright) -> None:
    with start_pet(desktop, home) as running:
        browser = running.attach(playwright)
        page = running.page(browser, "chat.html")
        page.wait_for_function("typeof window.pywebview?.api?.invoke === 'function'")
        for url in ("file:///etc/hostname", "https://127.0.0.1:9/", "http://127.0.0.1:9/"):
            fetched = page.evaluate("(url) => fetch(url).then(() => 'came', () => 'refused')", url)
            assert fetched == "refused"
        page.evaluate("() => { location.href = 'https://127.0.0.1:9/' }")
        assert page.evaluate("typeof window.pywebview.api.invoke") == "function"
        browser.close()
