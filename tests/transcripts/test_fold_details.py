"""Edge cases of the fold: width of titles, dates, remains of unfinished and replaced turns."""

from __future__ import annotations

import pytest

from pet.access import MemoryMode
from pet.model import Author, Receipt, TurnEnd
from pet.transcripts.conversation import title_from
from pet.transcripts.entries import Header, MemorySet, VariantSet
from pet.transcripts.fold import TurnOrder, fold
from tests.transcripts.entry_builder import EntryBuilder, call


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("x" * 48, "x" * 48),
        ("x" * 49, "x" * 48 + "…"),
        ("\u2e80" * 24, "\u2e80" * 24),  # the first of the wide ones: two columns
        ("\u2e80" * 25, "\u2e80" * 24 + "…"),
        ("\u2e7f" * 48, "\u2e7f" * 48),  # the last narrow one
        ("y" * 25 + " " + "z" * 30, "y" * 25 + "…"),  # cut at a space behind the middle
        ("y" * 24 + " " + "z" * 30, "y" * 24 + " " + "z" * 23 + "…"),  # a space in the middle is too early
        ("y" * 20 + " " + "z" * 40, "y" * 20 + " " + "z" * 27 + "…"),
    ],
)
def test_a_title_is_cut_to_its_columns(text: str, title: str) -> None:
    assert title_from(text) == title


def test_a_title_is_made_from_the_first_2000_characters() -> None:
    assert title_from(" " * 1_999 + "ab") == "a"


def header(conversation: str, at: str) -> Header:
    return Header(id="h", at=at, conversation=conversation, machine="m")


def test_the_first_header_names_the_conversation_and_dates_it_until_a_message() -> None:
    assert fold([header("one", "2026-01-01T00:00:00+00:00")]).updated_at == "2026-01-01T00:00:00+00:00"
    two = [header("one", "2026-01-01T00:00:00+00:00"), header("two", "2026-01-02T00:00:00+00:00")]
    assert (fold(two).id, fold(two).updated_at) == ("one", "2026-01-01T00:00:00+00:00")


def test_entries_of_a_running_turn_date_the_conversation_and_later_ones_do_not() -> None:
    builder = EntryBuilder()
    said = builder.user("t")
    assert fold(builder.entries).updated_at == said.at
    partial = builder.partial("t", 1, "so f")
    assert fold(builder.entries).updated_at == partial.at
    closed = builder.closed("t")
    builder.partial("t", 1, "late")
    assert fold(builder.entries).updated_at == closed.at


def test_the_position_of_the_switch_is_told_apart() -> None:
    for memory_mode in MemoryMode:
        found = fold([MemorySet.of(memory_mode, "2026-01-01T00:00:00+00:00")])
        assert (found.memory, found.read_only) == (memory_mode is MemoryMode.ON, memory_mode is MemoryMode.READ_ONLY)
    assert fold([]).read_only is False


def test_only_off_marks_later_text_of_a_running_turn() -> None:
    for memory in (False, True):
        builder = EntryBuilder()
        builder.memory(True)
        builder.user("t")
        builder.memory(memory)
        builder.round("t", 1, "words")
        builder.closed("t")
        (turn,) = fold(builder.entries).turns
        assert [each.off for each in turn.rounds] == [not memory]


def test_a_broken_off_round_is_marked_by_its_own_words_alone() -> None:
    builder = EntryBuilder()
    builder.user("t")
    builder.round("t", 1, "said while ON")
    builder.memory(False)
    builder.partial("t", 2, "said while OFF")
    (turn,) = fold(builder.entries).turns
    assert [each.off for each in turn.rounds] == [False, True]
    plain = EntryBuilder()
    plain.user("t")
    plain.partial("t", 1, "said while ON")
    assert [each.off for each in fold(plain.entries).turns[0].rounds] == [False]


def replaced(first_reply: str) -> EntryBuilder:
    builder = EntryBuilder()
    builder.said("a", "tea?", first_reply)
    builder.said("b", "tea?", "second", turn_kind="regenerate", supersedes="a")
    return builder


def test_variants_are_offered_from_two_on_and_only_with_a_reply() -> None:
    alone = EntryBuilder()
    alone.said("a", "tea?", "first")
    assert fold(alone.entries).turns[0].variants == ()
    assert fold(replaced("first").entries).turns[0].variants == ("a", "b")
    assert fold(replaced(" ").entries).turns[0].variants == ()  # the first failed at once: nothing to go back to
    three = replaced("first")
    three.said("c", "tea?", "third", turn_kind="regenerate", supersedes="b")
    assert fold(three.entries).turns[0].variants == ("a", "b", "c")


def test_a_running_variant_is_offered_before_its_first_text() -> None:
    builder = EntryBuilder()
    builder.said("a", "tea?", "first")
    builder.user("b", "tea?", turn_kind="regenerate", supersedes="a")
    (turn,) = fold(builder.entries, running="b").turns
    assert (turn.id, turn.end, turn.variants) == ("b", None, ("a", "b"))
    (turn,) = fold(builder.entries).turns
    assert turn.end is TurnEnd.CUT


def test_a_chosen_variant_shows_the_others_beside_it() -> None:
    builder = replaced("first")
    builder.entries.append(VariantSet(id="v", at=builder.clock.now().isoformat(), turn="a"))
    (turn,) = fold(builder.entries).turns
    assert (turn.id, turn.variants) == ("a", ("a", "b"))


RECEIPT = Receipt(file="MEMORY.md", history_id="h", before="a", after="b", added=1, removed=0, author=Author.PET)


def test_writes_of_a_replaced_turn_belong_to_the_turn_in_its_place() -> None:
    builder = EntryBuilder()
    builder.user("failed")
    builder.closed("failed", TurnEnd.FAILED)
    builder.user("wrote")
    builder.round("wrote", 1, call("c"))
    builder.tool("wrote", 1, "c", receipt=RECEIPT)
    builder.closed("wrote")
    builder.said("again", "hello", "Hi.", supersedes="failed")
    (turn,) = fold(builder.entries).turns
    assert turn.variants == ()
    assert [each.id for each in turn.left] == ["wrote"]


def test_a_turn_that_was_cut_and_replaced_is_not_taken_for_a_running_one() -> None:
    builder = EntryBuilder()
    builder.user("cut")
    builder.round("cut", 1, call("c"))
    builder.tool("cut", 1, "c", receipt=RECEIPT)
    builder.said("again", "hello", "Hi.", supersedes="cut")
    for running in (None, "again"):
        (turn,) = fold(builder.entries, running=running).turns
        assert [each.end for each in turn.left] == [TurnEnd.CUT]


def test_inactive_turns_of_a_long_conversation_are_found_in_one_pass() -> None:
    class Counted(dict[str, str | None]):
        looked = 0

        def __getitem__(self, turn: str) -> str | None:
            Counted.looked += 1
            return super().__getitem__(turn)

    order = TurnOrder(parent=Counted())
    for number in range(300):
        order.add(f"t{number}", None)
    order.add("edited", "t0")
    assert dict(order.inactive()) == {f"t{number}": "edited" for number in range(300)}
    assert Counted.looked <= 300
