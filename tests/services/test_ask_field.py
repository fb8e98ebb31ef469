"""Pictures, files and copied text in the field beside the pet: asked about like a selection, and gone like it."""

from __future__ import annotations

import base64
import io
import json
import threading

import pytest
from PIL import Image

from pet.bridge.command import Client
from pet.paths import Home
from pet.services.desktop_port import Selection
from pet.services.file_transfer import pieces
from pet.workspace.attachments import MAX_FILE, Attachments
from tests.extras.documents.made import pptx
from tests.services.desk import Desktop, opened
from tests.services.test_quick_ask import CANARY, QUOTE, answered, ask, conversation, on_disk, select
from tests.support.models.scripted import say

LETTER = f"Dear owner, {CANARY}-letter. " * 3


def png(color: str = "#cc2244") -> bytes:
    out = io.BytesIO()
    Image.new("RGB", (640, 400), color).save(out, "PNG")
    return out.getvalue()


def drop(desktop: Desktop, name: str, data: bytes, text: str = "") -> None:
    files = [{"name": name, "data": pieces(base64.b64encode(data).decode())}] if name else []
    desktop.ask("drop_on_pet", json.dumps({"text": text, "files": files, "refused": []}), Client.PET)


def remove(desktop: Desktop, attachment: str) -> None:
    desktop.ask("remove_from_field", json.dumps({"attachment": attachment, "number": desktop.said.number}))


def open_field(desktop: Desktop) -> None:
    desktop.ask("open_field", client=Client.PET)


def test_a_dropped_picture_joins_the_field_and_the_question(home: Home) -> None:
    with opened(home, say("A red square.")) as desktop:
        open_field(desktop)
        assert [each.text for each in desktop.said.choices] == []
        drop(desktop, "square.png", png())
        (file,) = desktop.field.files
        assert (file.name, file.note) == ("square.png", "") and file.image.startswith("data:image/")
        assert desktop.said.choices[0].text == "Explain this" and desktop.screen.views == []
        ask(desktop)
        answered(desktop, "A red square.")
        (sent,) = conversation(desktop).folded().turns[0].attachments
        assert sent.kind == "image/png" and desktop.app.conversations.saved() == []
        desktop.answer("close")
        assert desktop.app.conversations.live() == [] and desktop.app.attachments.read(sent.id) is None
    assert not list(home.data.parent.rglob(sent.id))


def test_a_document_and_a_selection_go_together_and_what_fits_is_said_first(home: Home) -> None:
    settings = "context_window = 4000\n"
    pages = [f"{CANARY} page {number}. " + "wood and water " * 300 for number in range(1, 13)]
    with opened(home, say("Twelve pages."), settings=settings) as desktop:
        select(desktop)
        drop(desktop, "long.pptx", pptx([[page] for page in pages]))
        view = desktop.field
        assert view.quoted == QUOTE and view.files[0].image == ""
        assert view.files[0].note.startswith("pages 1 to ") or view.files[0].note.startswith("one of 12")
        ask(desktop)
        answered(desktop, "Twelve pages.")
        quote, document = conversation(desktop).folded().turns[0].attachments
        assert quote.name == "Selected text.txt" and (document.pages, document.sent != "") == (12, True)
    assert CANARY not in on_disk(home)


def test_what_is_removed_is_not_sent_and_escape_leaves_nothing(home: Home) -> None:
    with opened(home, say("Nothing left.")) as desktop:
        select(desktop)
        drop(desktop, "a.png", png())
        drop(desktop, "letter.txt", LETTER.encode())
        assert [each.name for each in desktop.field.files] == ["a.png", "letter.txt"]
        remove(desktop, desktop.field.files[0].id)
        remove(desktop, "")
        view = desktop.field
        assert (view.quoted, [each.name for each in view.files]) == ("", ["letter.txt"])
        desktop.answer("close")
        assert desktop.app.conversations.live() == [] and desktop.app.attachments.read(view.files[0].id) is None
        assert desktop.provider.requests == []
    assert CANARY not in on_disk(home)


def test_a_field_without_anything_left_speaks_to_the_open_conversation(home: Home) -> None:
    with opened(home, say("Hello.")) as desktop:
        open_field(desktop)
        drop(desktop, "a.png", png())
        remove(desktop, desktop.field.files[0].id)
        ask(desktop, "Hi")
        answered(desktop, "Hello.")
        (live,) = desktop.app.conversations.live()
        assert not live.gate.temporary and live.folded().turns[0].attachments == ()


def test_refusals_are_the_chats_own(home: Home) -> None:
    with opened(home) as desktop:
        select(desktop)
        for name, data, words in (
            ("a.zip", b"PK\x03\x04" + b"x" * 99, "a.zip"),
            ("old.doc", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"x" * 99, "old.doc"),
            ("broken.png", b"\x89PNG\r\n\x1a\n" + b"x" * 99, "broken.png"),
        ):
            drop(desktop, name, data)
            assert words in desktop.field.notice and desktop.field.files == ()
        refused = [{"problem": "too_large", "name": f"film{'x' * 300}.mkv"}]
        desktop.ask("drop_on_pet", json.dumps({"text": "", "files": [], "refused": refused}), Client.PET)
        assert f"{MAX_FILE // 1024 // 1024} MB" in desktop.field.notice and len(desktop.field.notice) < 300
        drop(desktop, "a.png", png())
        assert desktop.field.notice == "" and len(desktop.field.files) == 1
        for number in range(12):
            drop(desktop, f"{number}.png", png(f"#0000{number:02x}"))
        assert len(desktop.field.files) == 9 and "10" in desktop.field.notice
        assert desktop.field.quoted == QUOTE and desktop.provider.requests == []


def test_without_the_field_what_is_dropped_opens_the_chat(home: Home) -> None:
    with opened(home) as desktop:
        drop(desktop, "a.png", png())
        assert desktop.screen.views == ["chat"] and desktop.said.kind == "none"


def test_a_dropped_text_takes_the_place_of_the_quoted_one(home: Home) -> None:
    with opened(home) as desktop:
        select(desktop)
        drop(desktop, "a.png", png())
        drop(desktop, "", b"", text="Another text.")
        assert (desktop.field.quoted, len(desktop.field.files)) == ("Another text.", 1)


@pytest.mark.parametrize("field", [True, False])
def test_a_part_of_the_screen_joins_the_field(home: Home, field: bool) -> None:
    with opened(home, say("A red square.")) as desktop:
        desktop.screen.picture = png()
        if field:
            select(desktop)
        desktop.ask("take_screenshot", json.dumps({"area": "region", "ask": True}))
        desktop.wait_for(lambda: desktop.said.field and desktop.said.field.files)
        assert desktop.field.capture and desktop.screen.views == []
        assert desktop.field.quoted == (QUOTE if field else "")
        ask(desktop)
        answered(desktop, "A red square.")


def test_with_the_chat_open_it_goes_to_the_composer(home: Home) -> None:
    with opened(home) as desktop:
        desktop.screen.picture, desktop.screen.chat_shown = png(), True
        desktop.ask("take_screenshot", json.dumps({"area": "region", "ask": True}))
        desktop.wait_for(lambda: desktop.screen.views == ["chat"])
        assert desktop.said.kind == "none"


def test_a_file_that_is_read_when_the_field_closes_is_held_nowhere(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    reading, go_on = threading.Event(), threading.Event()
    real = Attachments.add_file

    def slow(self: Attachments, name: str, content: bytes, *, temporary: str | None = None) -> object:
        reading.set()
        assert go_on.wait(60)
        return real(self, name, content, temporary=temporary)

    monkeypatch.setattr(Attachments, "add_file", slow)
    with opened(home) as desktop:
        select(desktop)
        thread = threading.Thread(target=drop, args=(desktop, "letter.txt", LETTER.encode()))
        thread.start()
        assert reading.wait(60)
        assert desktop.field.notice == "Reading letter.txt"
        desktop.answer("close")
        go_on.set()
        thread.join()
        assert desktop.said.kind == "none" and desktop.app.conversations.live() == []
        assert desktop.app.attachments._held == {}
    assert CANARY not in on_disk(home)


def test_where_only_the_clipboard_can_be_read_the_field_says_so(home: Home) -> None:
    with opened(home, say("At four.")) as desktop:
        about = json.dumps({"text": "", "copied": True})
        desktop.ask("ask_about", about, Client.PET)  # a window without the keyboard was shown none
        view = desktop.said
        assert (view.kind, desktop.field.quoted, desktop.field.awaits_copy, view.choices) == ("field", "", True, ())
        read = json.dumps({"number": view.number})
        desktop.ask("read_copied", read)
        assert desktop.field.quoted == ""
        desktop.screen.selection = Selection(text=QUOTE, copied=True)
        desktop.ask("read_copied", read)
        assert (desktop.field.quoted, desktop.field.above) == (QUOTE, "From the clipboard")
        desktop.screen.selection = Selection(text="something else", copied=True)
        desktop.ask("read_copied", read)  # what the owner sees stays
        assert desktop.field.quoted == QUOTE
        ask(desktop)
        answered(desktop, "At four.")
        assert QUOTE in str(desktop.provider.requests[0].messages)


def test_the_clipboard_is_read_for_no_other_field(home: Home) -> None:
    with opened(home) as desktop:
        desktop.screen.selection = Selection(text=QUOTE, copied=True)
        open_field(desktop)
        desktop.ask("read_copied", json.dumps({"number": desktop.said.number}))
        assert desktop.field.quoted == ""


@pytest.mark.parametrize("after", ["closed", "sent"])
def test_the_reply_of_another_conversation_waits_for_what_the_owner_writes(home: Home, after: str) -> None:
    with opened(home, say("The other talk's words."), say("Seven.")) as desktop:
        open_field(desktop)
        desktop.talk()
        assert desktop.said.kind == "field"
        if after == "closed":
            desktop.answer("close")
            assert "The other talk's words." in desktop.said.text
        else:
            ask(desktop, "How many?")
            answered(desktop, "Seven.")
