"""The settings in the real window: a conflict while somebody else writes, versions and the way back, files that can't
be read, and the whole way from an address to a chat."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, Playwright, expect

from pet.i18n import Texts
from tests.support.desktop.xvfb import Desktop, start_pet
from tests.support.pet_windows.menus import ready_to_click
from tests.support.pet_windows.windows import CHAT, PET, Chat, talking, workspace
from tests.support.servers.protocol_replies import error, stream
from tests.support.servers.protocol_server import ProtocolServer

pytestmark = pytest.mark.window

T = Texts("en")


def _button(place: Page | Locator, key: str) -> Locator:
    return place.get_by_role("button", name=T(key), exact=True)


def _open_file(chat: Chat, name: str = "SOUL.md") -> Locator:
    chat.page.keyboard.press("Control+,")
    _button(
        chat.page.locator("main.settings > nav"), "ui.section.me" if name == "SOUL.md" else "ui.section.us"
    ).click()
    chat.page.locator(".file-link", has_text=name).click()
    return chat.page.get_by_role("textbox", name=T("ui.file.editor", file=name))


def test_a_conflict_is_live_and_both_texts_can_be_joined(
    desktop: Desktop, home: Path, playwright: Playwright, shots: Path
) -> None:
    with ProtocolServer() as server, talking(desktop, home, server, playwright) as chat:
        soul = workspace(home) / "SOUL.md"
        before = soul.read_text(encoding="utf-8")
        editor = _open_file(chat)
        editor.press("Control+End")
        chat.page.keyboard.type("- I hum while I think.")
        expect(chat.page.locator(".file-head .unsaved")).to_be_visible()
        soul.write_text(before.replace("Mochi", "Momo"), encoding="utf-8")
        conflict = chat.page.locator(".conflict")
        expect(conflict.locator(".diff-lines")).to_contain_text("My name is Momo")
        soul.write_text(before.replace("Mochi", "Nori"), encoding="utf-8")
        expect(conflict.locator(".diff-lines")).to_contain_text("My name is Nori")
        expect(conflict.locator(".diff-lines")).not_to_contain_text("Momo")
        chat.shot(shots / "conflict.png")
        chat.page.keyboard.press("Control+s")  # while the owner has not chosen, nothing is saved
        _button(conflict, "ui.conflict.both").click()
        expect(conflict).to_have_count(0)
        expect(_button(chat.page, "ui.file.save")).to_be_enabled()
        assert soul.read_text(encoding="utf-8") == before.replace("Mochi", "Nori")
        chat.page.keyboard.press("Control+s")
        expect(_button(chat.page, "ui.file.saved")).to_be_visible()
        joined = soul.read_text(encoding="utf-8")
        assert "My name is Nori" in joined
        assert joined.endswith("- I hum while I think.")
        expect(chat.page.locator(".file-head .unsaved")).to_have_count(0)


def test_a_version_is_looked_at_and_restored_byte_for_byte(
    desktop: Desktop, home: Path, playwright: Playwright, shots: Path
) -> None:
    with ProtocolServer() as server, talking(desktop, home, server, playwright) as chat:
        chat.page.set_viewport_size({"width": 900, "height": 690})
        soul = workspace(home) / "SOUL.md"
        first = soul.read_bytes()
        editor = _open_file(chat)
        editor.press("Control+a")
        chat.page.keyboard.insert_text(somebody := "# Soul\n\n" + "I am somebody else.\n" * 60)
        _button(chat.page, "ui.file.save").click()
        expect(_button(chat.page, "ui.file.saved")).to_be_visible()
        assert soul.read_text(encoding="utf-8") == somebody
        _button(chat.page, "ui.file.versions").click()
        dialog = chat.page.get_by_role("dialog")
        versions = dialog.locator(".version")
        expect(versions.nth(1)).to_be_visible()
        expect(versions.first).to_contain_text(T("ui.author.owner"))
        versions.last.click()
        beside = _button(dialog, "settings.versions.beside")
        one_bar = "(dialog) => dialog.scrollHeight === dialog.clientHeight"
        for pressed in ("false", "true"):
            if beside.get_attribute("aria-pressed") != pressed:
                beside.click()
            expect(dialog.locator(".side-by-side" if pressed == "true" else ".diff-lines")).to_be_visible()
            chat.page.wait_for_function(one_bar, arg=dialog.element_handle())  # a long change scrolls by itself
        expect(dialog.locator(".side-by-side")).to_contain_text("I am somebody else.")
        expect(dialog.locator(".side-by-side")).to_contain_text("My name is Mochi")
        chat.shot(shots / "versions.png")
        _button(dialog, "ui.versions.restore").click()
        expect(dialog).to_have_count(0)
        expect(editor).to_contain_text("My name is Mochi")
        assert soul.read_bytes() == first


def test_files_that_can_not_be_read_say_so_and_come_back(
    desktop: Desktop, home: Path, playwright: Playwright, shots: Path
) -> None:
    with ProtocolServer() as server, talking(desktop, home, server, playwright) as chat:
        user = workspace(home) / "USER.md"
        editor = _open_file(chat, "USER.md")
        expect(editor).to_be_visible()
        broken = "主人".encode("gbk")
        user.write_bytes(broken)
        fault = chat.page.locator(".file-editor .fault")
        expect(fault).to_contain_text("USER.md can't be read")
        expect(editor).to_have_count(0)
        chat.shot(shots / "not-utf8.png")
        chat.page.keyboard.press("Control+s")
        user.write_bytes(b"x" * (1024 * 1024 + 1))
        expect(fault).to_contain_text(T("error.file_too_large", file="USER.md"))
        line = "A line of my profile, and one more word.\n"
        user.write_text(line * (1_000_000 // len(line)), encoding="utf-8")
        expect(editor).to_be_visible()
        expect(chat.page.locator(".meter.over")).to_be_visible()
        editor.press("Control+End")
        chat.page.keyboard.type("The end.")
        expect(chat.page.locator(".file-head .unsaved")).to_be_visible()
        chat.page.keyboard.press("Control+s")
        expect(chat.page.locator(".file-head .unsaved")).to_have_count(0)
        expect(_button(chat.page, "ui.file.saved")).to_be_visible()
        assert user.read_text(encoding="utf-8").endswith("The end.")


def test_from_an_address_to_a_chat(desktop: Desktop, home: Path, playwright: Playwright, shots: Path) -> None:
    """No variable decides anything here: the owner enters, tests, lists, picks and talks."""
    key = "sk-ant-none-of-your-business-4711"
    with ProtocolServer(models=("first-model", "second-model"), only="/messages") as server:
        refused = error(401, "authentication_error", "invalid x-api-key")
        server.queue(refused, stream("ok"), stream("Hello from the second model."))
        with start_pet(desktop, home, environ=_unset("ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL", "PET_MODEL")) as pet:
            browser = pet.attach(playwright)
            page = pet.page(browser, "chat.html")
            expect(page.get_by_role("textbox", name=T("ui.composer.label"))).to_be_attached()
            desktop.double_click(ready_to_click(pet, PET))
            pet.window(CHAT)
            chat = Chat(pet, page)
            page.keyboard.press("Control+,")
            _button(page.locator("main.settings > nav"), "ui.section.model").click()
            _open_the_connection(page)
            address = page.get_by_role("textbox", name=T("ui.thinking.address"))
            address.fill("http://192.0.2.7:8080")
            address.press("Enter")
            expect(page.locator(".note.warning")).to_contain_text(T("ui.thinking.plain_http"))
            address.fill(server.url)
            address.press("Enter")
            expect(page.locator(".note.warning")).to_have_count(0)
            page.locator(".key-block input[type=password]").fill(key)
            page.locator(".key-block").get_by_text(T("ui.key.keep_file"), exact=True).click()
            expect(page.locator(".key-block")).to_contain_text(T("ui.key.file_note"))
            page.locator(".key-block").get_by_text(T("ui.key.keep_session"), exact=True).click()
            _button(page.locator(".key-block"), "ui.key.save").click()
            expect(page.locator(".key-block")).to_contain_text(T("ui.key.source_session", last4="4711"))
            page.get_by_role("button", name="first-model", exact=True).click()  # another server has other models
            said = page.locator(".test [role=status]")
            _button(page, "ui.test.run").click()
            expect(said).to_have_text(T("ui.test.bad_key", host=server.url.removeprefix("http://")))
            _button(page, "ui.test.run").click()
            expect(said).to_contain_text("answered in")
            _button(page, "ui.thinking.list").click()
            page.get_by_role("button", name="second-model", exact=True).click()
            expect(page.locator(".connection-edit").get_by_label(T("ui.thinking.model"))).to_have_value(
                "second-model"
            )
            chat.shot(shots / "thinking.png")
            page.keyboard.press("Escape")
            chat.send("Are you there?")
            expect(chat.said.last).to_contain_text("Hello from the second model.")
            assert server.messages[-1].json["model"] == "second-model"
            assert server.messages[-1].headers["x-api-key"] == key
            chat.until_it_listens()
            page.keyboard.press("Control+,")
            _open_the_connection(page)
            _button(page.locator(".key-block"), "ui.key.delete").click()
            _button(page.get_by_role("dialog"), "ui.key.delete").click()
            expect(page.locator(".key-block")).to_contain_text(T("ui.key.none"))  # this server asked for one
            assert key not in page.content()
            browser.close()
            assert pet.stop() == 0
        kept = [file for file in home.rglob("*") if file.is_file() and key.encode() in file.read_bytes()]
        assert kept == []
        assert 'model = "second-model"' in (home / "config" / "settings.toml").read_text(encoding="utf-8")


def _open_the_connection(page: Page) -> None:
    """The first of the list; a list of one is open already."""
    expect(page.locator(".connection-list")).to_be_visible()
    if page.locator(".connection-edit").count() == 0:
        _button(page.locator(".connection-list"), "connections.edit").first.click()


def _unset(*names: str) -> dict[str, str]:
    """Empty counts as not set."""
    return dict.fromkeys(names, "")
