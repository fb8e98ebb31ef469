"""A conversation that begins with the pet's question: stored, folded, exported, and forgotten."""

from __future__ import annotations

import json
from pathlib import Path

from pet.i18n import Texts
from pet.transcripts.entries import Header, OpenerAsked, UserMessage
from pet.transcripts.entry_codec import decode_entry, encode_entry
from pet.transcripts.export import to_json, to_markdown
from pet.transcripts.fold import fold
from pet.transcripts.redact import RedactionRule, conversations_in, find_matches, redact_file
from pet.transcripts.search import search_transcripts

AT = "2026-11-21T12:00:00+01:00"
ID = "01jd00000000000000000000aa"
ASKED = "“the driving test”: how did it go?"
ENTRIES = (
    Header(id="h1", at=AT, conversation=ID, machine="00aa11bb"),
    OpenerAsked(id="e1", at=AT, text=ASKED, about="Had the driving test. Nervous."),
    UserMessage(id="e2", at=AT, turn="t1", text="I passed!", memory=True),
)


def test_it_survives_its_file() -> None:
    lines = [encode_entry(entry) for entry in ENTRIES]
    assert tuple(map(decode_entry, lines)) == ENTRIES
    assert lines[1].startswith('{"kind":"pet_opened",')


def test_it_is_no_turn_and_no_title() -> None:
    conversation = fold(ENTRIES)
    assert conversation.opening == ASKED
    assert [turn.text for turn in conversation.turns] == ["I passed!"]
    assert conversation.title == "I passed"
    assert fold(ENTRIES[:2]).title == ""


def test_it_goes_out_with_the_conversation() -> None:
    told = to_markdown(fold(ENTRIES), Texts("en"), "Mochi")
    assert told.index("## Mochi") < told.index(ASKED) < told.rindex("I passed!")
    assert json.loads(to_json(fold(ENTRIES)))["opening"] == ASKED
    assert "opening" not in json.loads(to_json(fold((ENTRIES[0], ENTRIES[2]))))


def test_forgetting_removes_the_opening_and_keeps_messages(tmp_path: Path) -> None:
    file = tmp_path / f"{ID}.00aa11bb.jsonl"
    file.write_text("".join(encode_entry(entry) + "\n" for entry in ENTRIES), encoding="utf-8")
    (conversation,) = conversations_in(tmp_path)
    wanted = RedactionRule(holds=lambda text: "driving test" in text, marker="[gone]")
    assert [spot.place for spot in find_matches(conversation, wanted)] == ["summary"]
    assert redact_file(conversation, wanted).messages == 1
    assert "driving" not in file.read_text()
    assert "I passed!" in file.read_text()


def test_history_search_finds_only_visible_text(tmp_path: Path) -> None:
    file = tmp_path / f"{ID}.jsonl"
    file.write_text("".join(encode_entry(entry) + "\n" for entry in ENTRIES), encoding="utf-8")
    assert [
        "".join(piece.text for piece in hit.snippet) for hit in search_transcripts([(ID, [file])], "passed", 5)
    ] == ["I passed!"]
