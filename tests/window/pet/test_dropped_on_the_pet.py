"""Real drags from another program onto the pet: what arrives in the composer, and the words for what can't."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from PIL import Image
from playwright.sync_api import Playwright, expect

from pet.extras.imports.card import png_with
from pet.i18n import Texts
from tests.extras.imports.test_cards import V2
from tests.extras.skins.drawing import blot
from tests.support.desktop.xvfb import Desktop, call_page
from tests.support.models.gguf_bytes import chat_model, gguf
from tests.support.pet_windows.windows import CHAT, PET, Chat, talking
from tests.support.servers.protocol_replies import stream
from tests.support.servers.protocol_server import ProtocolServer
from tests.window.programs.dragging import drag_onto

pytestmark = pytest.mark.window

T = Texts("en")


def drop_on_pet(chat: Chat, *files: Path) -> None:
    """From another program's window, with the mouse; let go when the pet says that it would take it."""
    drag_to_pet(chat, *files)
    expect(chat.page.locator(".tray li, .notice").first).to_be_attached()
    expect(chat.page.locator(".tray .coming")).to_have_count(0)


def drag_to_pet(chat: Chat, *files: Path) -> None:
    assert call_page(chat.page, "hide_chat")["ok"] is True
    chat.running.no_window(CHAT)
    desktop = chat.running.desktop
    drag_onto(desktop, desktop.box(chat.running.window(PET)).centre, [*files])


def noise(file: Path) -> Path:
    """A picture of about seven megabytes."""
    Image.frombytes("RGB", (1560, 1500), os.urandom(1560 * 1500 * 3)).save(file, compress_level=0)
    return file


def test_files_dropped_on_the_pet_are_in_the_composer(
    desktop: Desktop, home: Path, playwright: Playwright, shots: Path, tmp_path: Path
) -> None:
    notes = tmp_path / "notes.txt"
    notes.write_text("read me")

    with ProtocolServer() as server, talking(desktop, home, server, playwright) as chat:
        # Together they are more than one message to the core may carry.
        drop_on_pet(chat, noise(tmp_path / "a.png"), noise(tmp_path / "b.png"), notes)
        chat.running.window(CHAT)
        expect(chat.page.locator(".tray li")).to_have_count(3)
        expect(chat.page.locator(".tray img")).to_have_count(2)
        expect(chat.page.locator(".tray")).to_contain_text("notes.txt")
        expect(chat.page.locator(".notice")).to_have_count(0)
        chat.shot(shots / "dropped.png")
        server.queue(stream("Two pictures and a note."))
        chat.send("look")
        expect(chat.said.last).to_contain_text("Two pictures")
        kinds = [part["type"] for part in server.messages[-1].json["messages"][-1]["content"]]
        assert kinds.count("image") == 2


def test_what_the_pet_cannot_take_is_said_in_the_chat(
    desktop: Desktop, home: Path, playwright: Playwright, shots: Path, tmp_path: Path
) -> None:
    film, book, folder = tmp_path / "film.png", tmp_path / "book.txt", tmp_path / "photos"
    folder.mkdir()
    for file, megabytes in ((film, 300), (book, 3)):
        with file.open("wb") as out:
            out.truncate(megabytes * 1024 * 1024)
    small = [tmp_path / f"{number}.txt" for number in range(11)]
    for number, file in enumerate(small):
        file.write_text(f"number {number}")

    with ProtocolServer() as server, talking(desktop, home, server, playwright) as chat:
        drop_on_pet(chat, film, book, folder)
        for words in (  # the newest first, one at a time
            T("error.attachment_unreadable", name="photos"),
            T("error.attachment_text_too_large", name="book.txt", limit=2),
            T("error.attachment_too_large", name="film.png", limit=20),
        ):
            expect(chat.page.locator(".notice")).to_have_text([words])
            chat.page.locator(".notice button").click()
        expect(chat.page.locator(".notice")).to_have_count(0)
        drop_on_pet(chat, *small)
        expect(chat.page.locator(".tray li")).to_have_count(10)
        expect(chat.page.locator(".notice")).to_have_text([T("error.attachment_too_many", limit=10)])
        apart = """() => document.querySelector('.notice').getBoundingClientRect().bottom
            <= document.querySelector('.tray').getBoundingClientRect().top"""
        chat.page.wait_for_function(apart)  # what was taken is still in sight


def test_a_model_file_dropped_on_the_pet_is_offered_or_refused_from_its_header(
    desktop: Desktop, home: Path, playwright: Playwright, shots: Path, tmp_path: Path
) -> None:
    good, bad = tmp_path / "my model.gguf", tmp_path / "page.gguf"
    with good.open("wb") as out:
        out.write(gguf(chat_model()))
        out.truncate(400_000_000)
    bad.write_bytes(b"<html>not a model</html>" * 20)

    with ProtocolServer() as server, talking(desktop, home, server, playwright) as chat:
        offer = chat.page.get_by_role("dialog")
        drag_to_pet(chat, bad)
        chat.running.window(CHAT)
        expect(offer).to_contain_text(T("error.local_model_not_gguf", file=bad.name))
        chat.shot(shots / "refused-model.png")
        offer.get_by_role("button").last.click()
        expect(offer).to_have_count(0)
        drag_to_pet(chat, good)
        expect(offer).to_contain_text(T("local_models.offer_title", name="Test Chat"))  # as its header says
        chat.shot(shots / "offered-model.png")
        expect(chat.page.locator(".tray li")).to_have_count(0)  # it is no attachment, and no page reads it
        chosen = home / "config" / "settings.toml"
        assert not chosen.exists() or "mind =" not in chosen.read_text("utf-8")  # nothing without a click


def test_a_character_card_dropped_on_the_pet_can_become_a_pet(
    desktop: Desktop, home: Path, playwright: Playwright, shots: Path, tmp_path: Path
) -> None:
    file = tmp_path / "momo.png"
    file.write_bytes(png_with(blot((300, 200)), {b"chara": V2}))
    with ProtocolServer() as server, talking(desktop, home, server, playwright) as chat:
        offer = chat.page.get_by_role("dialog")
        drag_to_pet(chat, file)
        chat.running.window(CHAT)
        expect(offer).to_contain_text(T("card.offer_title", name="Momo"))
        chat.shot(shots / "offered-card.png")
        offer.get_by_role("button", name=T("card.offer_new")).click()
        expect(chat.page.locator(".pet-row")).to_have_count(2)
        chat.shot(shots / "made-of-a-card.png")


def test_a_very_long_text_dropped_on_the_pet_is_a_file_to_its_last_word(
    desktop: Desktop, home: Path, playwright: Playwright
) -> None:
    text = "once upon a time " * 2_500 + "the end"
    with ProtocolServer() as server, talking(desktop, home, server, playwright) as chat:
        server.queue(stream("A long one."))
        chat.running.ask(f"drop_text({text!r})")
        expect(chat.page.locator(".tray li")).to_have_count(1)
        expect(chat.composer).to_have_value("")
        chat.send("read it")
        expect(chat.said.last).to_contain_text("A long one.")
        parts = server.messages[-1].json["messages"][-1]["content"]
        sent = "".join(part.get("text", "") for part in parts)
        assert sent.count("once upon a time") == 2_500
        assert "the end" in sent
