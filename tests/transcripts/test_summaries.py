"""Choice of the summary that replaces older turns, and writes outside of rounds."""

from __future__ import annotations

from dataclasses import dataclass

from pet.access import OFF, ON, Access
from pet.ids import new_id
from pet.model import Author, ContextPart, Message, Receipt, TextPart, Usage
from pet.transcripts.entries import Compacted
from pet.transcripts.entry_codec import decode_entry, encode_entry
from pet.transcripts.fold import fold
from pet.transcripts.request_messages import first_sent, replay_parts, to_messages, usable_summary
from tests.transcripts.entry_builder import EntryBuilder

MARKER = "[memory]"
RECEIPT = Receipt(file="MEMORY.md", history_id="h", before="a", after="b", added=1, removed=0, author=Author.PET)


@dataclass
class Talk(EntryBuilder):
    def turns(self, *names: str, memory: bool = True) -> None:
        for name in names:
            self.said(name, f"say {name}", f"reply {name}", memory=memory)

    def summed(self, upto: str, text: str, *, memory: bool) -> None:
        self._add(Compacted(**self._new(), upto=upto, memory=memory, text=text, usage=Usage()))


def sent(talk: Talk, access: Access, upto: str | None = None) -> tuple[Message, ...]:
    return to_messages(fold(talk.entries), access, MARKER, upto)


def words(messages: tuple[Message, ...]) -> list[str]:
    return [part.text for each in messages for part in each.parts if isinstance(part, TextPart | ContextPart)]


def test_a_summary_starts_the_first_message() -> None:
    talk = Talk()
    talk.turns("a", "b", "c")
    talk.summed("b", "They talked.", memory=True)
    messages = sent(talk, ON)
    assert words(messages) == ["They talked.", "say c", "reply c"]
    assert [each.role for each in messages] == ["user", "assistant"]
    assert isinstance(messages[0].parts[0], ContextPart)
    assert messages[0].parts[0].gated


def test_off_sends_turns_instead_of_a_summary_made_on() -> None:
    talk = Talk()
    talk.turns("a", "b", "c")
    talk.summed("b", "They talked.", memory=True)
    assert words(sent(talk, OFF)) == ["say a", "reply a", "say b", "reply b", "say c", "reply c"]
    assert first_sent(fold(talk.entries), OFF) == 0


def test_on_prefers_a_summary_made_on() -> None:
    talk = Talk()
    talk.turns("a", "b", "c", "d")
    talk.summed("b", "made on", memory=True)
    talk.summed("c", "made off", memory=False)
    assert words(sent(talk, ON))[0] == "made on"
    assert words(sent(talk, OFF))[0] == "made off"
    assert len(words(sent(talk, OFF))) == 3


def test_on_makes_do_with_one_made_off() -> None:
    talk = Talk()
    talk.turns("a", "b")
    talk.summed("a", "made off", memory=False)
    assert words(sent(talk, ON)) == ["made off", "say b", "reply b"]


def test_a_later_summary_takes_over() -> None:
    talk = Talk()
    talk.turns("a", "b", "c")
    talk.summed("a", "first", memory=True)
    talk.summed("b", "second", memory=True)
    assert words(sent(talk, ON)) == ["second", "say c", "reply c"]


def test_all_may_be_summed_up_before_the_running_turn() -> None:
    talk = Talk()
    talk.turns("a")
    talk.summed("a", "first", memory=True)
    talk.user("now", "and now?")
    assert words(sent(talk, ON, "now")) == ["first", "and now?"]


def test_a_replaced_turn_takes_its_summary_along() -> None:
    talk = Talk()
    talk.turns("a", "b")
    talk.summed("b", "tells of b", memory=True)
    talk.user("b2", "say b otherwise", supersedes="b", turn_kind="edit")
    assert usable_summary(fold(talk.entries), ON) is None
    assert words(sent(talk, ON, "b2")) == ["say a", "reply a", "say b otherwise"]


def test_dropped_turns_do_not_return_in_a_summary() -> None:
    talk = Talk()
    talk.turns("a", "b")
    talk.summed("a", "tells of a", memory=True)
    talk.dropped()
    talk.turns("c")
    assert words(sent(talk, ON)) == ["say c", "reply c"]


def test_an_empty_summary_replaces_no_turn() -> None:
    talk = Talk()
    talk.turns("a", "b")
    talk.summed("a", " \n", memory=True)
    assert len(words(sent(talk, ON))) == 4


def test_a_summary_that_does_not_say_how_it_was_made_is_left_out_while_off() -> None:
    talk = Talk()
    talk.turns("a", "b")
    made = Compacted(id=new_id(), at=talk.clock.now().isoformat(), upto="a", memory=False, text="x", usage=Usage())
    read = decode_entry(encode_entry(made).replace('"memory":false,', ""))
    assert isinstance(read, Compacted)
    assert read.memory


def test_the_dividers_stand_in_the_order_of_the_chat() -> None:
    talk = Talk()
    talk.turns("a", "b", "c")
    talk.memory(True)
    talk.memory(False)
    talk.summed("a", "first", memory=True)
    found = [(each.after_turn, each.kind) for each in fold(talk.entries).dividers]
    assert found == [("a", "compacted"), ("c", "memory_off")]


def test_writes_outside_rounds_are_shown_and_never_sent() -> None:
    talk = Talk()
    talk.turns("a")
    talk.tool("a", 0, "remember_1", tool="remember", file="MEMORY.md", receipt=RECEIPT)
    (turn,) = fold(talk.entries).turns
    assert [done.receipt for done in turn.besides] == [RECEIPT]
    assert turn.tools == turn.besides
    assert words(sent(talk, ON)) == ["say a", "reply a"]
    assert replay_parts(turn, ON, MARKER) == [TextPart(text="say a"), TextPart(text="reply a")]


def test_a_result_of_a_round_does_not_count_after_the_end() -> None:
    talk = Talk()
    talk.turns("a")
    talk.tool("a", 1, "late")
    assert fold(talk.entries).turns[0].tools == ()


def test_a_summary_of_just_the_turns_that_were_left_behind_is_not_sent() -> None:
    talk = Talk()
    talk.turns("a", "b")
    talk.summed("b", "They talked.", memory=True)
    talk.dropped()
    talk.turns("c")
    found = fold(talk.entries)
    assert (found.dropped, [made.turns for made in found.summaries]) == (2, [2])
    assert usable_summary(found, ON) is None
    assert words(sent(talk, ON)) == ["say c", "reply c"]
