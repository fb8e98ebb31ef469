"""Forgetting, place by place."""

from __future__ import annotations

import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest

from pet.errors import FileConflict, ForgetTooShort, PathRefused, VersionUnknown
from pet.events import ErrorInfo, TurnEnded
from pet.i18n import LANGUAGES, Texts
from pet.memory.search.database import index_file
from pet.memory.store.forget_plan import EntryAt, format_plan
from pet.model import MISSING, Author, NotedText, Present, Receipt, Source, TurnEnd, Usage, UsedMemory
from pet.paths import find_home
from pet.prompt.context import recall_context
from pet.transcripts.entries import Compacted, ContextFound, RoundCompleted, TitleSet, ToolCompleted, UserMessage
from pet.workspace.text_encoding import normalize_newlines
from tests.memory.forget_desk import Pet
from tests.support.files import has_mode, unreadable

WORD = "Zanzibar"


def test_it_is_listed_whole_before_anything_is_changed(pet: Pet) -> None:
    pet.save("MEMORY.md", "# Memory\n\n- Likes tea\n- Went to Zanzibar\n  with Anna\n")
    before = pet.bytes("MEMORY.md")
    plan = pet.forgetting.find("zanzibar")
    (piece,) = plan.goes
    assert (piece.where, piece.path, piece.start_line, piece.end_line) == ("file", "MEMORY.md", 4, 5)
    assert piece.text == "- Went to Zanzibar\n  with Anna"
    assert plan.stays == ()
    assert pet.bytes("MEMORY.md") == before
    assert not pet.store.forgotten.is_forgotten(WORD)


def test_entries_versions_and_logs_go_and_the_rest_stays(pet: Pet) -> None:
    pet.save("USER.md", "- Lin\n- From Zanzibar\n")
    pet.save("USER.md", "- Lin\n- From elsewhere\n")
    pet.put("memory/2026-02-24.md", "# Memory Log: 2026-02-24\n\n## [09:00:00] fact\n\nZanzibar\n")
    report = pet.forgetting.forget(pet.forgetting.find(WORD))
    assert pet.text("USER.md") == "- Lin\n- From elsewhere\n"
    assert pet.text("memory/2026-02-24.md") == "# Memory Log: 2026-02-24\n"
    assert pet.where(WORD) == []
    assert (report.entries, report.left, report.unreached) == (1, (), 0)
    assert report.versions >= 2


def test_ids_of_versions_stay_and_name_what_is_left_of_them(pet: Pet) -> None:
    pet.save("USER.md", "- Lin\n")
    pet.save("USER.md", "- Lin\n- Zanzibar\n")
    pet.save("USER.md", "- Lin\n- Zanzibar\n- tea\n")
    ids = [kept.id for kept in pet.store.history("USER.md")]
    pet.forgetting.forget(pet.forgetting.find(WORD))
    after = pet.store.history("USER.md")
    assert [kept.id for kept in after] == ids
    assert [pet.store.version_bytes("USER.md", kept.id) for kept in after] == [
        b"- Lin\n- tea\n",
        b"- Lin\n",
        b"- Lin\n",
    ]
    assert [kept.bytes for kept in after] == [12, 6, 6]
    assert [kept.current for kept in after] == [True, False, False]
    restored = pet.store.restore("USER.md", ids[2], author=Author.OWNER)
    assert restored is not None
    assert pet.bytes("USER.md") == b"- Lin\n"


def test_changes_around_it_can_still_be_undone(pet: Pet) -> None:
    """The receipt in the transcript names versions that have other names now."""
    talk = pet.talk()
    pet.save("USER.md", "- Zanzibar\n")
    turn = talk.said("I like tea")
    receipt = pet.save("USER.md", "- Zanzibar\n- tea\n", Source(conversation=talk.id, turn=turn))
    call = talk.call("edit", path="USER.md")
    talk.answered(turn, call, "saved", receipt=receipt)
    pet.forgetting.forget(pet.forgetting.find(WORD))
    (done,) = [entry for entry in talk.transcript.entries if isinstance(entry, ToolCompleted)]
    assert done.receipt is not None
    pet.store.undo(done.receipt, author=Author.OWNER)
    assert pet.bytes("USER.md") == b""


def test_undoing_what_wrote_it_does_not_bring_it_back(pet: Pet) -> None:
    pet.save("USER.md", "- tea\n")
    wrote = pet.save("USER.md", "- tea\n- Zanzibar\n")
    removed = pet.save("USER.md", "- tea\n- rice\n")
    pet.forgetting.forget(pet.forgetting.find(WORD))
    for receipt in (wrote, removed):
        with pytest.raises((VersionUnknown, FileConflict)):
            pet.store.undo(receipt, author=Author.OWNER)
    assert pet.where(WORD) == []


def test_a_version_that_is_no_text_goes_as_a_whole(pet: Pet) -> None:
    pet.save("USER.md", "- tea\n")
    pet.put("USER.md", "- 桑给巴尔".encode("utf-16"))
    pet.store.observe("USER.md")
    pet.put("USER.md", "- tea\n- rice\n")
    pet.store.observe("USER.md")
    pet.forgetting.forget(pet.forgetting.find("桑给巴尔"))
    assert [pet.store.version_bytes("USER.md", kept.id) for kept in pet.store.history("USER.md")] == [
        b"- tea\n- rice\n",
        b"- tea\n",
    ]
    assert pet.where("桑给巴尔") == []


def test_a_file_that_is_no_text_now_is_left_and_said_so(pet: Pet) -> None:
    data = "- 桑给巴尔".encode("utf-16")
    pet.put("USER.md", data)
    plan = pet.forgetting.find("桑给巴尔")
    assert [piece.path for piece in plan.stays] == ["USER.md"]
    report = pet.forgetting.forget(plan)
    assert pet.bytes("USER.md") == data
    assert [piece.path for piece in report.left] == ["USER.md"]


@pytest.mark.parametrize("size", [2 << 20, pytest.param(17 << 20, marks=pytest.mark.nightly)])
def test_a_log_too_large_to_be_changed_is_left_and_said_so(pet: Pet, size: int) -> None:
    name = "memory/2026-02-24.md"
    begin = "# Memory Log: 2026-02-24\n"
    lines = f"\n- {'nothing ' * 1_000}\n" * (size // 8_000)
    pet.put(name, begin + lines + "\n## [10:00:00] fact\n\nOwner: to Zanzibar\n")
    plan = pet.forgetting.find(WORD)
    assert [(piece.where, piece.path, piece.text) for piece in plan.stays] == [("log", name, "Owner: to Zanzibar")]
    assert plan.goes == ()
    assert [piece.path for piece in pet.forgetting.forget(plan).left] == [name]


def test_backups_and_what_other_programs_did_are_versions_too(pet: Pet) -> None:
    pet.put("MEMORY.md", "- Zanzibar\n- tea\n")
    pet.store.backup()
    pet.put("MEMORY.md", "- tea\n- rice\n")
    pet.store.backup()
    pet.forgetting.forget(pet.forgetting.find(WORD))
    assert pet.where(WORD) == []
    assert pet.bytes("MEMORY.md") == b"- tea\n- rice\n"


@pytest.mark.parametrize("file", ["SOUL.md", "IDENTITY.md"])
def test_persona_texts_are_the_owners_and_stay_with_their_history(pet: Pet, file: str) -> None:
    pet.save(file, "# Who I am\n\n- Born in Zanzibar\n")
    pet.save(file, "# Who I am\n\n- Born in Zanzibar\n- Loves tea\n")
    plan = pet.forgetting.find(WORD)
    assert plan.goes == ()
    assert [(piece.path, piece.text) for piece in plan.stays] == [(file, "- Born in Zanzibar")]
    pet.forgetting.forget(plan)
    assert "Zanzibar" in pet.text(file)
    assert [b"Zanzibar" in pet.store.version_bytes(file, kept.id) for kept in pet.store.history(file)] == [True, True]


def test_what_the_owner_took_out_of_the_soul_goes_from_its_history(pet: Pet) -> None:
    pet.save("SOUL.md", "- Born in Zanzibar\n- Loves tea\n")
    pet.save("SOUL.md", "- Loves tea\n")
    plan = pet.forgetting.find(WORD)
    assert [(piece.where, piece.text) for piece in plan.goes] == [("history", "- Born in Zanzibar")]
    pet.forgetting.forget(plan)
    assert pet.where(WORD) == []
    assert pet.bytes("SOUL.md") == b"- Loves tea\n"


@pytest.mark.parametrize(
    "copy",
    [
        "MEMORY.sync-conflict-20260224-143000-ABCDEFG.md",
        "MEMORY (conflicted copy 2026-02-24 143000).md",
        "MEMORY (2).md",
        "MEMORY.md~",
        "MEMORY.md.bak",
        "MEMORY.md.~2~",
        "#MEMORY.md#",
        "memory/2026-02-24 (conflicted copy 2026-02-24 143000).md",
    ],
)
def test_copies_beside_the_gated_files_lose_it_too(pet: Pet, copy: str) -> None:
    pet.put(copy, "- Zanzibar\r\n- tea")
    (pet.root / copy).chmod(0o640)
    report = pet.forgetting.forget(pet.forgetting.find(WORD))
    assert pet.bytes(copy) == b"- tea"
    assert has_mode(pet.root / copy, 0o640)
    assert report.left == ()


@pytest.mark.parametrize(
    "own",
    [
        "MEMORY-palace.txt",
        "notes.md",
        "#notes.md#",
        ".MEMORY.md.swp",
        "skills/sail/SKILL.md",
        "card.json",
        "attachments/ab",
    ],
)
def test_the_owners_own_files_are_left_and_said_so(pet: Pet, own: str) -> None:
    pet.put(own, "- Zanzibar\n- tea\n")
    report = pet.forgetting.forget(pet.forgetting.find(WORD))
    assert [(piece.path, piece.text) for piece in report.left] == [(own, "- Zanzibar")]
    assert pet.text(own) == "- Zanzibar\n- tea\n"


def test_a_draft_is_the_owners_and_said_so(pet: Pet) -> None:
    pet.home.tabs_file.parent.mkdir(parents=True, exist_ok=True)
    pet.home.tabs_file.write_text('{"draft": "about Zanzibar"}', encoding="utf-8")
    assert [piece.path for piece in pet.forgetting.find(WORD).stays] == ["tabs.json"]


@pytest.mark.parametrize("both", [True, False])
def test_versions_that_only_another_machines_history_names_go(pet: Pet, both: bool) -> None:
    pet.save("MEMORY.md", "- tea\n- Zanzibar\n")
    log = pet.root / ".history" / "MEMORY.md.jsonl"
    pet.store.history("MEMORY.md")
    log.rename(log.with_name("MEMORY.md.sync-conflict-20260224-143000-ABCDEFG.jsonl"))
    pet.put("MEMORY.md", "- tea\n")
    if both:
        pet.store.observe("MEMORY.md")
    plan = pet.forgetting.find(WORD)
    assert [(piece.where, piece.text) for piece in plan.goes] == [("history", "- Zanzibar")]
    report = pet.forgetting.forget(plan)
    assert (report.left, report.unreached) == ((), 0)
    assert pet.where(WORD) == []


def test_leavings_of_killed_writers_go(pet: Pet) -> None:
    pet.save("MEMORY.md", "- tea\n")
    pet.put(".soulpet~MEMORY.md~01m7yhgwv4j6k8brgmp8vyhz3b.tmp", "- tea\n- Zanzibar\n")
    pet.put(".soulpet~USER.md~01m7yhgwv4j6k8brgmp8vyhz3b.tmp", "- Zanzibar\n")
    pet.put(".history/objects/.01m7yhgwv4j6k8brgmp8vyhz3b.tmp", "- Zanzibar\n")
    pet.put(f".history/objects/{'0' * 64}", "- Zanzibar\n")
    report = pet.forgetting.forget(pet.forgetting.find(WORD))
    assert pet.where(WORD) == []
    assert report.unreached == 0
    assert pet.bytes("MEMORY.md") == b"- tea\n"


def test_what_a_transcript_holds_besides_words_said_goes(pet: Pet) -> None:
    talk = pet.talk()
    turn = talk.said("Where did I go?", recalled="2026-02-20: Zanzibar")
    talk.found(turn, "You went to Zanzibar")
    call = talk.call("memory_write", content="Zanzibar again", category="fact")
    other = talk.call("read", path="MEMORY.md")
    talk.replied(turn, "To the sea.", thought="That was Zanzibar", calls=(call, other))
    talk.answered(turn, call, "saved: Zanzibar again")
    talk.answered(
        turn, other, "nothing", error=ErrorInfo(code="edit_not_found", args={"text": WORD, "file": "MEMORY.md"})
    )
    talk.closed(turn)
    talk.titled("Off to Zanzibar")
    talk.summed_up(turn, "They spoke of Zanzibar")
    report = pet.forgetting.forget(pet.forgetting.find(WORD))
    entries = talk.transcript.entries
    assert pet.where(WORD) == []
    assert report.left == ()
    assert report.messages == 8
    assert not [entry for entry in entries if isinstance(entry, TitleSet | Compacted)]
    (user,) = [entry for entry in entries if isinstance(entry, UserMessage)]
    assert (user.text, user.context) == ("Where did I go?", ())
    (found,) = [entry for entry in entries if isinstance(entry, ContextFound)]
    assert (found.context, found.used) == ((), ())
    (round_,) = [entry for entry in entries if isinstance(entry, RoundCompleted)]
    marker = Texts("en")("forget.marker")
    assert [type(part).__name__ for part in round_.parts] == ["TextPart", "ToolCallPart", "ToolCallPart"]
    assert round_.parts[1] == replace(call, arguments=call.arguments.replace("Zanzibar again", marker))
    assert round_.parts[2] == other
    first, second = (entry for entry in entries if isinstance(entry, ToolCompleted))
    assert (first.text, second.text) == (marker, "nothing")
    assert second.error is not None
    assert second.error.args == {"text": marker, "file": "MEMORY.md"}


def test_what_a_receipt_quotes_goes_and_the_rest_of_the_receipt_stays(pet: Pet) -> None:
    talk = pet.talk()
    turn = talk.said("Remember two things")
    call = talk.call("edit", path="MEMORY.md")
    noted = (
        NotedText(text="Went to Zanzibar"),
        NotedText(text="Likes tea"),
        NotedText(text="Lives in Oslo", earlier="Lives in Zanzibar"),
    )
    receipt = Receipt(
        file="SOUL.md", history_id="h", before="a", after="b", added=2, removed=0, author=Author.PET, noted=noted
    )
    talk.answered(turn, call, "saved", receipt=receipt)
    talk.closed(turn)
    pet.forgetting.forget(pet.forgetting.find(WORD))
    (done,) = [entry for entry in talk.transcript.entries if isinstance(entry, ToolCompleted)]
    assert pet.where(WORD) == []
    assert done.receipt == replace(receipt, noted=noted[1:2])


def test_the_thoughts_of_a_turn_that_had_to_do_with_it_go_unread(pet: Pet) -> None:
    talk = pet.talk()
    turn, after = talk.said("Where?"), talk.said("And then?")
    call = talk.call("memory_search", query="where")
    talk.replied(turn, "Let me see.", thought="nothing of it", calls=(call,))
    talk.answered(turn, call, "Zanzibar")
    talk.replied(after, "Home.", thought="nothing of it either")
    pet.forgetting.forget(pet.forgetting.find(WORD))
    first, second = (entry for entry in talk.transcript.entries if isinstance(entry, RoundCompleted))
    assert [type(part).__name__ for part in first.parts] == ["TextPart", "ToolCallPart"]
    assert [type(part).__name__ for part in second.parts] == ["OpaquePart", "TextPart"]


def test_what_was_said_aloud_stays_and_is_named_with_its_turn(pet: Pet) -> None:
    talk = pet.talk()
    turn = talk.said("I went to Zanzibar")
    talk.replied(turn, "Zanzibar is warm.", thought="ok")
    talk.closed(turn, cut_text="Zanzi… Zanzibar!")
    before = talk.transcript.entries
    plan = pet.forgetting.find(WORD)
    assert plan.goes == ()
    assert [(piece.where, piece.turn, piece.path) for piece in plan.stays] == [
        ("said", turn, f"conversations/{talk.id}.jsonl")
    ] * 3
    report = pet.forgetting.forget(plan)
    assert talk.transcript.entries == before
    assert report.left == plan.stays
    assert report.conversations == ()


def test_fields_of_a_later_version_survive_and_its_kinds_of_lines_are_left(pet: Pet) -> None:
    talk = pet.talk()
    turn = talk.said("x")
    file = pet.root / "conversations" / f"{talk.id}.jsonl"
    done = '{"kind":"tool_done","id":"1","at":"","turn":"TURN","text":"Zanzibar","glow":[1, 2]}'.replace("TURN", turn)
    strange = '{"kind":"danced","id":"2","at":"","what":"Zanzibar"}'
    with file.open("a", encoding="utf-8") as out:
        out.write(f"{done}\n{strange}\n")
    report = pet.forgetting.forget(pet.forgetting.find(WORD))
    lines = file.read_text(encoding="utf-8").splitlines()
    assert '"glow":[1,2]' in lines[-2]
    assert lines[-1] == strange
    assert [(piece.where, piece.text) for piece in report.left] == [("said", WORD)]


def test_the_pets_own_call_to_forget_is_no_place_to_list_but_goes(pet: Pet) -> None:
    talk = pet.talk()
    turn = talk.said("Forget where I went")
    talk.replied(turn, "", thought="they mean Zanzibar", calls=(talk.call("memory_forget", query="Zanzibar"),))
    plan = pet.forgetting.find(WORD)
    assert [piece.text for piece in plan.goes] == ["they mean Zanzibar"]
    pet.forgetting.forget(plan)
    assert pet.where(WORD) == []


def test_what_a_turn_under_way_writes_down_afterwards_goes_when_it_ends(pet: Pet) -> None:
    talk = pet.talk()
    turn = talk.said("Forget where I went")
    pet.save("MEMORY.md", "- Zanzibar\n")
    pet.forgetting.forget(pet.forgetting.find(WORD))
    talk.replied(turn, "Done.", thought="Zanzibar is gone")
    pet.forgetting.on_event(TurnEnded(conversation=talk.id, turn=turn, end=TurnEnd.DONE, error=None, usage=Usage()))
    assert pet.where(WORD) == []


def test_names_of_files_in_calls_are_no_texts(pet: Pet) -> None:
    talk = pet.talk()
    turn = talk.said("x")
    call = talk.call("read", path="memory/2026-02-24.md")
    talk.replied(turn, "", calls=(call,))
    before = talk.transcript.entries
    pet.forgetting.forget(pet.forgetting.find("2026-02-24"))
    assert talk.transcript.entries == before


def test_an_entry_named_by_its_lines_goes_wherever_the_same_stands(pet: Pet) -> None:
    pet.save("MEMORY.md", "- tea\n- From Zanzibar\n")
    pet.put("memory/2026-02-24.md", "## [09:00:00] fact\n\nfrom  zanzibar\n\n## [10:00:00] fact\n\nZanzibar\n")
    plan = pet.forgetting.find(EntryAt(file="MEMORY.md", start_line=2, end_line=2))
    assert plan.texts == ("From Zanzibar",)
    pet.forgetting.forget(plan)
    assert pet.text("MEMORY.md") == "- tea\n"
    assert pet.text("memory/2026-02-24.md") == "## [10:00:00] fact\n\nZanzibar\n"


def test_an_entry_that_is_not_there_any_more_is_nothing_to_forget(pet: Pet) -> None:
    pet.save("MEMORY.md", "- tea\n- ab\n")
    with pytest.raises(FileConflict):
        pet.forgetting.find(EntryAt(file="MEMORY.md", start_line=7, end_line=7))
    with pytest.raises(ForgetTooShort):
        pet.forgetting.find(EntryAt(file="MEMORY.md", start_line=2, end_line=2))
    for file in ("SOUL.md", "../x", "pet.toml"):
        with pytest.raises(PathRefused):
            pet.forgetting.find(EntryAt(file=file, start_line=1, end_line=1))


def test_a_receipt_names_what_it_added(pet: Pet) -> None:
    pet.save("MEMORY.md", "- tea\n")
    receipt = pet.save("MEMORY.md", "- tea\n- Zanzibar\n- Lisbon trip\n")
    plan = pet.forgetting.find(receipt)
    assert plan.texts == (WORD, "Lisbon trip")
    pet.forgetting.forget(plan)
    assert pet.text("MEMORY.md") == "- tea\n"


def test_what_was_learned_in_a_conversation_is_found_by_its_source(pet: Pet) -> None:
    pet.save("USER.md", "- Lin\n", Source(conversation="one", turn="t"))
    pet.save("USER.md", "- Lin\n- Zanzibar\n", Source(conversation="two", turn="t"))
    pet.save("MEMORY.md", "- Lisbon\n- ab\n", Source(conversation="two", turn="u"))
    pet.save("MEMORY.md", "- Lisbon\n- ab\n- Faro\n", Source(conversation="two", turn="v"))
    pet.save("MEMORY.md", "- Lisbon\n- ab\n")
    plan = pet.forgetting.find_learned("two")
    assert set(plan.texts) == {WORD, "Lisbon"}
    assert pet.forgetting.find_learned("nobody").texts == ()
    pet.forgetting.forget(plan)
    assert pet.text("USER.md") == "- Lin\n"
    assert pet.text("MEMORY.md") == "- ab\n"


def test_it_may_be_said_again_until_nothing_is_left_and_is_known_as_begun(pet: Pet) -> None:
    pet.save("MEMORY.md", "- Zanzibar\n")
    assert not pet.forgetting.find(WORD).begun
    pet.forgetting.forget(pet.forgetting.find(WORD))
    plan = pet.forgetting.find("ZANZIBAR")
    assert (plan.goes, plan.begun) == ((), True)
    pet.save("MEMORY.md", "- Zanzibar\n")  # the owner's own later edit is never refused
    assert pet.forgetting.forget(pet.forgetting.find(WORD)).entries == 1


def test_a_file_that_can_not_be_written_is_reported_and_the_rest_goes(pet: Pet) -> None:
    pet.save("MEMORY.md", "- Zanzibar\n")
    pet.save("USER.md", "- Zanzibar\n- tea\n")
    (pet.root / "MEMORY.md").chmod(0o400)
    report = pet.forgetting.forget(pet.forgetting.find(WORD))
    assert pet.text("USER.md") == "- tea\n"
    assert [piece.path for piece in report.left if piece.where == "file"] == ["MEMORY.md"]
    assert report.unreached >= 1
    (pet.root / "MEMORY.md").chmod(0o600)
    pet.forgetting.forget(pet.forgetting.find(WORD))
    assert pet.where(WORD) == []


@pytest.mark.parametrize("what", ["log", "object"])
def test_a_history_that_can_not_be_read_for_a_moment_is_reported_and_goes_the_next_time(
    pet: Pet, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    pet.save("MEMORY.md", "- Zanzibar\n")
    held = pet.save("MEMORY.md", "- tea\n")
    assert held is not None
    plan = pet.forgetting.find(WORD)
    with unreadable(monkeypatch, "MEMORY.md.jsonl" if what == "log" else held.before):
        report = pet.forgetting.forget(plan)
        assert ([piece.path for piece in report.left], report.unreached) == (["MEMORY.md"], 1)
    assert pet.forgetting.forget(plan).left == ()
    assert pet.where(WORD) == []


@pytest.mark.parametrize("name", ["MEMORY.md", "MEMORY.md~"])
def test_a_file_that_can_not_be_read_for_a_moment_is_reported_and_goes_the_next_time(
    pet: Pet, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    pet.put(name, "- Zanzibar\n- tea\n")
    plan = pet.forgetting.find(WORD)
    with unreadable(monkeypatch, name):
        monkeypatch.setattr("pet.memory.store.forget_plan._read", lambda _path: b"")
        report = pet.forgetting.forget(plan)
        assert ([piece.path for piece in report.left], report.unreached) == ([name], 1)
    monkeypatch.undo()
    assert pet.forgetting.forget(plan).left == ()
    assert pet.text(name) == "- tea\n"


def test_who_tells_other_programs_hears_of_each_wish(pet: Pet) -> None:
    heard: list[tuple[tuple[str, ...], tuple[str, ...]]] = []
    pet.forgetting.follow(lambda plan, report: heard.append((plan.texts, report.files)))
    pet.save("MEMORY.md", "- Zanzibar\n")
    pet.forgetting.forget(pet.forgetting.find(WORD))
    assert heard == [((WORD,), ("MEMORY.md",))]


def test_forget_emits_changed_conversations(pet: Pet) -> None:
    talk, other = pet.talk(), pet.talk()
    talk.found(talk.said("x"), WORD)
    other.said("y")
    pet.forgetting.forget(pet.forgetting.find(WORD))
    assert [told.conversations for told in pet.told] == [[talk.id]]


def test_pets_know_nothing_of_each_other(pet: Pet) -> None:
    other = Pet(find_home(Path(pet.home.data.parent.parent, "other")))
    other.save("MEMORY.md", "- Zanzibar\n")
    pet.save("MEMORY.md", "- Zanzibar\n")
    pet.forgetting.forget(pet.forgetting.find(WORD))
    assert other.text("MEMORY.md") == "- Zanzibar\n"
    assert not other.store.forgotten.is_forgotten(WORD)


def test_what_another_program_saves_meanwhile_is_not_lost(pet: Pet) -> None:
    """An editor that saved a moment ago, unknown to the pet: its text is a version, and is cut like the others."""
    pet.save("MEMORY.md", "- tea\n- Zanzibar\n")
    pet.put("MEMORY.md", "- tea\n- Zanzibar\n- from outside\n")
    pet.forgetting.forget(pet.forgetting.find(WORD))
    assert pet.text("MEMORY.md") == "- tea\n- from outside\n"
    state = pet.store.read("MEMORY.md")
    assert isinstance(state, Present)
    assert normalize_newlines(state.text) == "- tea\n- from outside\n"


def test_a_pet_without_a_history_can_forget(pet: Pet) -> None:
    plan = pet.forgetting.find(WORD)
    assert (plan.goes, plan.stays, plan.begun) == ((), (), False)
    report = pet.forgetting.forget(plan)
    assert (report.entries, report.versions, report.messages, report.left) == (0, 0, 0, ())
    assert pet.store.history("MEMORY.md") == []
    assert MISSING not in report.files


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_list_for_the_owners_eyes_is_worded_whole(pet: Pet, language: str) -> None:
    texts = Texts("zh" if language == "zh" else "en")
    pet.save("MEMORY.md", "- Zanzibar\n  and more\n")
    talk = pet.talk()
    turn = talk.said("Zanzibar aloud")
    talk.found(turn, "recalled Zanzibar")
    shown = format_plan(pet.forgetting.find(WORD), texts)
    for part in ("MEMORY.md:1-2", "\n  Zanzibar and more", "recalled Zanzibar", "Zanzibar aloud"):
        assert part in shown
    assert texts("forget.goes") in shown
    assert texts("forget.stays") in shown


def test_of_a_recalled_piece_the_owner_sees_the_words_without_the_frame_for_the_model(pet: Pet) -> None:
    used = UsedMemory(path="memory/2026-02-20.md", start_line=3, end_line=4, source="log", snippet="Owner: Zanzibar")
    part = recall_context([used], Texts("en"))
    assert "<pet-file" in part.text
    talk = pet.talk()
    turn = talk.said("Where did I go?", recalled=part.text)
    talk.found(turn, 'say "<b>Zanzibar</b>" aloud')
    pieces = [piece.text for piece in pet.forgetting.find(WORD).goes if piece.where == "recall"]
    assert pieces == ["2026-02-20 Zanzibar", 'say "<b>Zanzibar</b>" aloud']
    assert "pet-file" not in format_plan(pet.forgetting.find(WORD), Texts("en"))
    pet.forgetting.forget(pet.forgetting.find(WORD))
    assert b"Zanzibar" not in b"".join(each.read_bytes() for each in (pet.store.root / "conversations").iterdir())


def test_of_a_recalled_block_only_what_is_forgotten_is_listed(pet: Pet) -> None:
    pet.save("memory/2026-02-20.md", "# Memory Log: 2026-02-20\n\n## [14:00:00] fact\n\nOwner: Zanzibar\n")
    talk = pet.talk()
    turn = talk.said("What do I like?", recalled="- likes tea\n- was in Zanzibar\n- rows on Mondays")
    talk.answered(
        turn,
        talk.call("memory_search", query="me"),
        '{"results": [{"snippet": "likes tea\\nwas in Zanzibar"}, {"snippet": "rows on Mondays"}]}',
    )
    shown = format_plan(pet.forgetting.find(WORD), Texts("en"))
    assert (
        shown
        == """This will be forgotten for good:
  Zanzibar  (log memory/2026-02-20.md:3-5)
  was in Zanzibar  (recalled in a conversation)
  was in Zanzibar  (read or written in a conversation)"""
    )


def test_a_recalled_fact_is_listed_once_for_its_conversation(pet: Pet) -> None:
    used = UsedMemory(path="memory/2026-02-20.md", start_line=3, end_line=4, source="log", snippet="Owner: Zanzibar")
    sent = recall_context([used], Texts("en")).text
    talks = pet.talk(), pet.talk()
    for talk in talks:
        for question in ("Where did I go?", "Where was it?"):
            talk.found(talk.said(question), "Owner: Zanzibar", sent=sent)
    found = [(piece.path, piece.text) for piece in pet.forgetting.find(WORD).goes if piece.where == "recall"]
    assert sorted(found) == sorted((f"conversations/{talk.id}.jsonl", "2026-02-20 Zanzibar") for talk in talks)
    assert pet.forgetting.forget(pet.forgetting.find(WORD)).messages == 4
    assert b"Zanzibar" not in b"".join(each.read_bytes() for each in (pet.store.root / "conversations").iterdir())


def test_what_only_names_a_recalled_fact_is_listed_where_nothing_was_sent(pet: Pet) -> None:
    talk = pet.talk()
    talk.found(talk.said("Where did I go?"), "Zanzibar", sent="a section from which it is gone")
    assert [piece.text for piece in pet.forgetting.find(WORD).goes] == ["Zanzibar"]


def test_an_index_that_another_program_reads_is_reported_as_left(pet: Pet) -> None:
    pet.save("MEMORY.md", "- Zanzibar\n")
    pet.index.refresh()
    other = sqlite3.connect(index_file(pet.root, pet.home.cache), isolation_level=None)
    other.execute("BEGIN")
    other.execute("SELECT * FROM entries").fetchall()
    report = pet.forgetting.forget(pet.forgetting.find(WORD))
    assert report.unreached == 1
    assert "search index" in report.left[-1].path
    other.close()
    assert pet.forgetting.forget(pet.forgetting.find(WORD)).unreached == 0


def test_what_the_pet_asked_a_tool_for_is_listed_in_plain_words(pet: Pet) -> None:
    talk = pet.talk()
    turn = talk.said("Remind me")
    call = talk.call("memory_write", content="给阳台的蕨浇水", due="2026-11-21", number=1)
    talk.replied(turn, "好。", thought="", calls=(call,))
    assert "\\u" in call.arguments  # some servers write so
    assert [piece.text for piece in pet.forgetting.find("阳台的蕨").goes] == ["给阳台的蕨浇水"]


HARBOUR = (
    "We went to the old harbour and Anna told me about her years at sea, how the ship was called and who cooked. "
    "Later it rained, we sat in the small café behind the church until it closed, and talked about moving away."
)
HARBOUR_ZH = (
    "今天和安娜去了老港口，她讲了很多年前在海上的日子，船叫什么名字，谁在船上做饭，后来怎么回到岸上。"
    "后来下雨了，我们在教堂后面的小咖啡馆坐到关门，一直在聊搬家的事情，还有明年春天要不要养一只猫。"
)


@pytest.mark.parametrize("entry", [HARBOUR, HARBOUR_ZH], ids=["en", "zh"])
def test_a_long_entry_goes_also_where_only_a_part_of_it_was_looked_up(pet: Pet, entry: str) -> None:
    pet.save("MEMORY.md", f"# Memory\n\n- {entry}\n- Likes tea\n")
    part, other = "…" + entry[30 : len(entry) - 20] + "…", entry[: len(entry) // 2]
    talk = pet.talk()
    turn = talk.said("The harbour?", recalled=part)
    talk.found(turn, part)
    call = talk.call("memory_search", query="harbour")
    talk.replied(turn, "Nice, the old harbour.", thought="x", calls=(call,))
    talk.answered(turn, call, f"1. MEMORY.md:3 {other}")
    talk.summed_up(turn, f"They spoke of it: {other}")
    plan = pet.forgetting.find(EntryAt(file="MEMORY.md", start_line=3, end_line=3))
    assert {piece.where for piece in plan.goes} == {"file", "recall", "tool_result", "summary"}
    report = pet.forgetting.forget(plan)
    assert report.unreached == 0
    for probe in (entry[40:60], entry[10:30]):
        assert pet.where(probe) == []
    assert pet.text("MEMORY.md") == "# Memory\n\n- Likes tea\n"
    assert pet.said_aloud() == ["The harbour?", "Nice, the old harbour."]


def test_what_only_has_a_few_words_in_common_with_a_long_entry_stays(pet: Pet) -> None:
    entry = (
        "We went to the old harbour and Anna told me about her years at sea, how the ship was called and who cooked."
    )
    pet.save("MEMORY.md", f"- {entry}\n- Anna lives near the old harbour\n")
    talk = pet.talk()
    turn = talk.said("Where does Anna live?", recalled="Anna lives near the old harbour")
    talk.replied(turn, "Near the old harbour.")
    pet.forgetting.forget(pet.forgetting.find(EntryAt(file="MEMORY.md", start_line=1, end_line=1)))
    (said,) = [each for each in talk.transcript.entries if isinstance(each, UserMessage)]
    assert [part.text for part in said.context] == ["Anna lives near the old harbour"]


@pytest.mark.parametrize("way", ["restored by a sync program", "copied beside", "merged from another machine"])
def test_a_forgotten_text_that_comes_back_from_outside_is_listed_and_goes_again(pet: Pet, way: str) -> None:
    pet.save("MEMORY.md", "- tea\n- Zanzibar\n")
    before = pet.bytes("MEMORY.md")
    pet.forgetting.forget(pet.forgetting.find(WORD))
    if way == "restored by a sync program":
        pet.put("MEMORY.md", before)
    elif way == "copied beside":
        pet.put("MEMORY.sync-conflict-20260101-101010-ABCDEFG.md", before)
    else:
        pet.save("MEMORY.md", "- tea\n- cake\n- Zan-\n  zibar\n")
    assert pet.store.forgotten.is_forgotten("to zanzibar")
    plan = pet.forgetting.find(WORD)
    assert plan.begun
    assert plan.goes
    report = pet.forgetting.forget(plan)
    assert (report.unreached, report.left) == (0, ())
    assert pet.where(WORD) == []
    assert b"zibar" not in pet.bytes("MEMORY.md")
