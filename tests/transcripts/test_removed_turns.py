"""Turns that the owner removed: the conversation without them, and their restoration."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

from pet.access import ON
from pet.i18n import Texts
from pet.ids import new_id
from pet.model import TextPart, Usage
from pet.transcripts.closings import lost_closings, record_closings
from pet.transcripts.conversation import Conversation
from pet.transcripts.entries import Compacted, TurnsRemovedSet
from pet.transcripts.entry_codec import decode_entry, encode_entry
from pet.transcripts.export import to_json, to_markdown
from pet.transcripts.fold import fold
from pet.transcripts.request_messages import to_messages, usable_summary
from pet.transcripts.search import search_transcripts
from pet.transcripts.store import TranscriptStore
from tests.support.clocks import SteppingClock
from tests.transcripts.entry_builder import EntryBuilder, call


class Talk(EntryBuilder):
    def out(self, *turns: str) -> TurnsRemovedSet:
        return self._add(TurnsRemovedSet(**self._new(), turns=turns, removed=True))

    def back(self, *turns: str) -> TurnsRemovedSet:
        return self._add(TurnsRemovedSet(**self._new(), turns=turns, removed=False))

    def summed(self, upto: str, *without: str) -> None:
        self._add(
            Compacted(**self._new(), upto=upto, memory=True, text=f"upto {upto}", usage=Usage(), without=without)
        )

    def now(self) -> Conversation:
        return fold(self.entries)


def talk(*turns: str) -> Talk:
    made = Talk()
    made.memory(True)
    for turn in turns or ("a", "b", "c", "d"):
        made.said(turn, f"message {turn}", f"reply {turn}")
    return made


def ids(told: Talk) -> list[str]:
    return [turn.id for turn in told.now().turns]


def sent(told: Talk) -> list[str]:
    parts = [part for each in to_messages(told.now(), ON, "[]") for part in each.parts]
    return [part.text for part in parts if isinstance(part, TextPart)]


def test_a_removed_turn_is_neither_shown_nor_sent_and_is_restored_in_place() -> None:
    told = talk()
    told.out("b")
    assert ids(told) == ["a", "c", "d"]
    assert told.now().removed == ("b",)
    assert not any("message b" in text or "reply b" in text for text in sent(told))
    told.said("e", "message e", "reply e")
    told.back("b")
    assert ids(told) == ["a", "b", "c", "d", "e"]
    assert told.now().removed == ()


def test_the_replacement_of_a_removed_turn_takes_its_place() -> None:
    told = talk()
    told.out("b")
    told.said("b2", "message b", "other", turn_kind="edit", supersedes="b")  # on a machine that did not know of it
    assert ids(told) == ["a", "b2"]
    told.back("b")
    assert ids(told) == ["a", "b2"]
    assert told.now().removed == ()


def test_removing_the_last_of_a_chain_of_replacements_brings_none_of_them_back() -> None:
    told = talk("a")
    told.said("a2", "message a", "second", turn_kind="regenerate", supersedes="a")
    told.said("a3", "message a", "third", turn_kind="regenerate", supersedes="a2")
    told.out("a3")
    assert ids(told) == []
    assert sent(told) == []
    told.said("a4", "message a", "fourth", turn_kind="regenerate", supersedes="a3")
    assert ids(told) == ["a4"]


def test_dividers_and_the_count_of_dropped_turns_follow_the_turns_that_stand() -> None:
    told = talk("a", "b")
    told.memory(False)
    told.said("c", "message c", "reply c", memory=False)
    told.dropped()
    told.said("d", "message d", "reply d", memory=False)
    told.out("b", "c")
    now = told.now()
    assert [(each.kind, each.after_turn) for each in now.dividers] == [("memory_off", "a"), ("earlier_dropped", "a")]
    assert now.dropped == 1
    told.out("a")
    now = told.now()
    assert [each.after_turn for each in now.dividers] == [None, None]
    assert now.dropped == 0
    assert sent(told) == ["message d", "reply d"]


def test_a_summary_of_a_removed_turn_is_not_sent_until_it_is_restored() -> None:
    told = talk()
    told.summed("c")
    told.out("b")
    assert usable_summary(told.now(), ON) is None
    assert sent(told) == ["message a", "reply a", "message c", "reply c", "message d", "reply d"]
    told.back("b")
    assert usable_summary(told.now(), ON) is not None
    told.out("d")  # of which it does not tell
    summary = usable_summary(told.now(), ON)
    assert summary is not None and summary.turns == 3


def test_a_summary_without_a_removed_turn_is_used_until_it_is_restored() -> None:
    told = talk()
    told.out("b")
    told.summed("c", "b")
    summary = usable_summary(told.now(), ON)
    assert summary is not None and summary.turns == 2
    assert [(each.kind, each.after_turn) for each in told.now().dividers] == [("compacted", "c")]
    told.back("b")
    assert usable_summary(told.now(), ON) is None, "it would lose what was put back"


def test_a_summary_begun_before_the_removal_and_written_after_it_is_not_used() -> None:
    told = talk()
    told.out("b")
    told.summed("c")  # another program's, which did not know yet
    assert usable_summary(told.now(), ON) is None


def test_a_turn_with_tools_goes_whole() -> None:
    told = Talk()
    told.user("a")
    told.round("a", 1, "let me look", call("c1"))
    told.tool("a", 1, "c1", "file text")
    told.round("a", 2, "done")
    told.closed("a")
    told.said("b", "and now", "yes")
    told.out("a")
    messages = to_messages(told.now(), ON, "[]")
    assert [message.role for message in messages] == ["user", "assistant"]
    assert "c1" not in repr(messages) and "file text" not in repr(messages)


def test_the_title_the_export_and_the_lines_of_the_file() -> None:
    told = talk("a", "b")
    told.out("a")
    now = told.now()
    assert now.title == "Message b"
    assert "message a" not in to_json(now) and "reply a" not in to_markdown(now, Texts("en"), "Momo")
    assert json.loads(to_json(now))["turns"][0]["owner"] == "message b"
    assert [decode_entry(encode_entry(entry)) for entry in told.entries] == told.entries
    assert decode_entry(
        encode_entry(Compacted(id=new_id(), at="x", upto="b", memory=True, text="t", usage=Usage(), without=("a",)))
    )


def test_the_owners_search_and_the_list_know_of_it_and_an_emptied_conversation_stays_in_the_list(
    tmp_path: Path,
) -> None:
    store = TranscriptStore(tmp_path, "here", SteppingClock())
    transcript = store.create(memory=True)
    told = talk("tulip", "heron")
    for entry in told.entries[1:]:
        transcript.append(entry)
    assert [hit.turn for hit in search_transcripts(store.files(), "tulip", 9)] == ["tulip"]
    transcript.append(told.out("tulip"))
    assert search_transcripts(store.files(), "tulip", 9) == []
    assert [hit.title for hit in search_transcripts(store.files(), "heron", 9)] == ["Message heron"]
    assert [(each.title, each.turns) for each in store.list()] == [("Message heron", 1)]
    transcript.append(told.out("heron"))
    assert [(each.title, each.turns, each.removed) for each in store.list()] == [("", 0, 2)]
    transcript.append(told.back("tulip", "heron"))
    assert [hit.turn for hit in search_transcripts(store.files(), "tulip", 9)] == ["tulip"]


def test_roles_take_turns_whatever_is_taken_out() -> None:
    told = talk("a", "b", "c")
    for out in ("a", "b", "c"):
        told.out(out)
        roles = [message.role for message in to_messages(told.now(), ON, "[]")]
        assert all(one != other for one, other in pairwise(roles))
        assert roles[:1] in ([], ["user"])


def test_a_turn_that_was_removed_again_stays_removed_without_the_line_that_says_so(tmp_path: Path) -> None:
    told, file = talk(), tmp_path / "talk.jsonl"
    file.touch()
    for change in (told.out, told.back, told.out):
        before = list(told.entries)
        record_closings(file, before, change("b"))
    assert ids(told) == ["a", "c", "d"]
    damaged = before  # the last line is lost
    assert [turn.id for turn in fold([*damaged, *lost_closings(file, damaged)]).turns] == ["a", "c", "d"]
    record_closings(file, told.entries, told.back("b"))
    assert lost_closings(file, told.entries) == []
