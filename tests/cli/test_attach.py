"""Pictures and text files from the terminal: to the model, with the window's own checks, and nothing left behind."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from PIL import Image

from tests.cli.conftest import PetCommand
from tests.extras.documents.made import pdf
from tests.support.servers.protocol_replies import stream
from tests.support.servers.protocol_server import ProtocolServer


@pytest.fixture
def cat(tmp_path: Path) -> Path:
    file = tmp_path / "my cat.png"
    Image.new("RGB", (2000, 1000), "#98c8a8").save(file)
    return file


def kinds(server: ProtocolServer) -> list[str]:
    """Of the parts of the newest message."""
    return [part["type"] for part in server.messages[-1].json["messages"][-1]["content"]]


def kept(pet: PetCommand) -> list[str]:
    folder = pet.workspace / "attachments"
    return sorted(file.name for file in folder.iterdir()) if folder.exists() else []


def test_once_with_a_picture_and_a_text(pet: PetCommand, server: ProtocolServer, cat: Path, tmp_path: Path) -> None:
    notes = tmp_path / "notes.md"
    notes.write_text("the canary sings")
    server.queue(stream("A cat, and a note."))
    ended = pet("chat", "--once", "look", "--attach", str(cat), f"--attach={notes}")
    assert (ended.code, ended.out) == (0, "A cat, and a note.\n")
    assert kinds(server).count("image") == 1
    assert "the canary sings" in json.dumps(server.messages[-1].json)
    assert len(kept(pet)) == 2


def test_a_file_of_the_chat_goes_with_the_next_message_only(
    pet: PetCommand, server: ProtocolServer, cat: Path
) -> None:
    server.queue(stream("Nice."), stream("Yes?"))
    lines = [f"/attach '{cat}'", "/attach", "look", "/attach", "and now"]
    ended = pet("chat", typed="\n".join(lines) + "\n")
    assert ended.code == 0
    assert "my cat.png is sent with your next message." in ended.out + ended.err
    assert "With your next message: my cat.png" in ended.out + ended.err
    assert "Nothing is attached" in ended.out + ended.err
    first, second = [request.json["messages"] for request in server.messages[-2:]]
    assert [part["type"] for part in first[-1]["content"]].count("image") == 1
    assert "image" not in [part["type"] for part in second[-1]["content"]]


@pytest.mark.parametrize(
    "leave", [["/detach"], ["/new"], []], ids=["taken out", "another conversation", "never said anything"]
)
def test_what_goes_with_no_message_is_not_kept(
    pet: PetCommand, server: ProtocolServer, cat: Path, leave: list[str]
) -> None:
    server.queue(stream("Hello."))
    said = ["hello"] if leave else []
    ended = pet("chat", typed="\n".join([f"/attach {cat}", *leave, *said]) + "\n")
    assert ended.code == 0
    if said:
        assert "image" not in kinds(server)
    assert kept(pet) == []


def test_a_temporary_chat_leaves_no_file(pet: PetCommand, server: ProtocolServer, cat: Path) -> None:
    server.queue(stream("Nice."))
    assert pet("chat", "--once", "look", "--temporary", "--attach", str(cat)).code == 0
    assert kinds(server).count("image") == 1
    assert kept(pet) == []


def test_what_cannot_go_along_is_refused_with_words_and_nothing_is_sent(
    pet: PetCommand, server: ProtocolServer, cat: Path, tmp_path: Path
) -> None:
    huge, letter = tmp_path / "film.mkv", tmp_path / "letter.docx"
    with huge.open("wb") as out:
        out.truncate(2 * 1024**3)
    letter.write_bytes(b"PK\x03\x04\0\0\0")
    pipe, book = tmp_path / "pipe.pdf", tmp_path / "book.pdf"
    if hasattr(os, "mkfifo"):
        os.mkfifo(pipe)
    with book.open("wb") as out:
        out.write(b"%PDF-1.7\n")
        out.truncate(2 * 1024**3)
    for path, words in (
        (huge, "film.mkv is larger than 20 MB"),
        (letter, "letter.docx is damaged"),
        (book, "book.pdf is larger than 20 MB"),
        *([(pipe, "Choose a file")] if pipe.exists() else ()),
        (tmp_path, "Choose a file"),
        *([(Path("/dev/zero"), "Choose a file")] if Path("/dev/zero").exists() else ()),
        (tmp_path / "missing.png", "missing.png is a folder, or isn't there"),
    ):
        ended = pet("chat", "--once", "look", "--attach", str(cat), "--attach", str(path))
        assert (ended.code, ended.out) == (1, "")
        assert words in ended.err, path
    assert server.messages == []
    assert kept(pet) == []


def test_files_named_at_the_start_go_with_the_first_message(
    pet: PetCommand, server: ProtocolServer, cat: Path
) -> None:
    server.queue(stream("Nice."))
    assert pet("chat", "--attach", str(cat), typed="look\n").code == 0
    assert kinds(server).count("image") == 1


def test_ten_at_most(pet: PetCommand, server: ProtocolServer, tmp_path: Path) -> None:
    files = [tmp_path / f"{number}.txt" for number in range(11)]
    for file in files:
        file.write_text(file.name)
    arguments = [part for file in files for part in ("--attach", str(file))]
    ended = pet("chat", "--once", "look", *arguments)
    assert ended.code == 1
    assert "at most 10" in ended.err
    assert server.messages == []


@pytest.fixture
def manual(tmp_path: Path) -> Path:
    file = tmp_path / "manual.pdf"
    file.write_bytes(pdf([f"This is sheet {number}." for number in range(1, 31)]))
    return file


def test_the_pages_of_a_document_are_chosen(pet: PetCommand, server: ProtocolServer, manual: Path) -> None:
    server.queue(stream("Three."), stream("Two."))
    assert pet("chat", "--once", "what?", "--attach", str(manual), "--pages", "10-11, 28").out == "Three.\n"
    sent = json.dumps(server.messages[-1].json)
    assert all(f"This is sheet {number}." in sent for number in (10, 11, 28)) and "This is sheet 12." not in sent
    ended = pet("chat", typed=f"/attach {manual}\n/attach pages 4-5\nwhat?\n")
    assert "Pages 4-5 of manual.pdf are sent with your next message." in ended.out + ended.err
    sent = json.dumps(server.messages[-1].json)
    assert "This is sheet 5." in sent and "This is sheet 6." not in sent


@pytest.mark.parametrize("ranges", ["31", "x", "0"])
def test_pages_that_are_not_there_are_refused(
    pet: PetCommand, server: ProtocolServer, manual: Path, ranges: str
) -> None:
    ended = pet("chat", "--once", "what?", "--attach", str(manual), "--pages", ranges)
    assert ended.code == 1 and "manual.pdf has pages 1 to 30" in ended.err
    assert not server.messages and kept(pet) == []


def test_pages_need_a_document(pet: PetCommand, server: ProtocolServer, cat: Path) -> None:
    assert pet("chat", "--once", "what?", "--pages", "2").code == 2
    ended = pet("chat", "--once", "what?", "--attach", str(cat), "--pages", "2")
    assert ended.code == 1 and not server.messages
