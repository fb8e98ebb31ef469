"""The fold: replaced turns, unfinished ones, dividers, title."""

from __future__ import annotations

from pet.model import TurnEnd, Usage
from pet.transcripts.conversation import title_from
from pet.transcripts.entries import Header, TitleSet, Unknown
from pet.transcripts.fold import fold
from tests.transcripts.entry_builder import EntryBuilder, call


def ids(builder: EntryBuilder, **more: str) -> list[str]:
    return [turn.id for turn in fold(builder.entries, **more).turns]


def three() -> EntryBuilder:
    builder = EntryBuilder()
    builder.memory(True)
    for turn in ("a", "b", "c"):
        builder.said(turn, f"message {turn}", f"reply {turn}")
    return builder


def test_turns_hold_rounds_results_and_usage() -> None:
    builder = EntryBuilder()
    builder.user("t", "hi")
    builder.round("t", 1, "let me look", call("c1"))
    builder.tool("t", 1, "c1", "file text")
    builder.round("t", 2, "done")
    builder.closed("t")
    (turn,) = fold(builder.entries).turns
    assert [round_.text for round_ in turn.rounds] == ["let me look", "done"]
    assert [done.text for done in turn.tools] == ["file text"]
    assert turn.end is TurnEnd.DONE
    assert turn.usage == Usage(input_tokens=20, output_tokens=6)


def test_regenerate_and_edit_replace_the_turn_and_what_followed() -> None:
    builder = three()
    builder.said("b2", "message b", "better", turn_kind="regenerate", supersedes="b")
    assert ids(builder) == ["a", "b2"]
    builder.said("a2", "other", "reply", turn_kind="edit", supersedes="a")
    assert ids(builder) == ["a2"]


def test_continue_is_added_behind() -> None:
    builder = three()
    builder.said("d", "go on", "more", turn_kind="continue")
    assert ids(builder) == ["a", "b", "c", "d"]


def test_two_machines_that_replace_the_same_turn_leave_one() -> None:
    builder = three()
    builder.said("c2", "c", "mine", turn_kind="regenerate", supersedes="c")
    builder.said("c3", "c", "theirs", turn_kind="regenerate", supersedes="c")
    assert ids(builder) == ["a", "b", "c3"]


def test_a_turn_that_replaces_an_unknown_one_is_kept_at_the_end() -> None:
    builder = three()
    builder.said("d", "d", "reply", turn_kind="edit", supersedes="nowhere")
    assert ids(builder) == ["a", "b", "c", "d"]


def test_a_circle_of_replacements_ends() -> None:
    builder = EntryBuilder()
    builder.user("a", supersedes="b")
    builder.user("b", supersedes="a")
    builder.user("c", supersedes="a")
    assert ids(builder) == ["c"]


def test_a_turn_whose_process_died_is_cut_and_keeps_its_partial_text() -> None:
    builder = EntryBuilder()
    builder.user("t")
    builder.round("t", 1, "first", call("c1"))
    builder.partial("t", 2, "half a")
    builder.partial("t", 2, "half a sentence")
    (turn,) = fold(builder.entries).turns
    assert turn.end is TurnEnd.CUT
    assert [round_.text for round_ in turn.rounds] == ["first", "half a sentence"]
    assert turn.rounds[1].stop is None
    (running,) = fold(builder.entries, running="t").turns
    assert running.end is None


def test_a_completed_round_replaces_its_partial_text() -> None:
    builder = EntryBuilder()
    builder.user("t")
    builder.partial("t", 1, "half")
    builder.round("t", 1, "half and whole")
    builder.closed("t")
    (turn,) = fold(builder.entries).turns
    assert [round_.text for round_ in turn.rounds] == ["half and whole"]


def test_a_stopped_round_has_the_text_of_turn_finished() -> None:
    builder = EntryBuilder()
    builder.user("t")
    builder.partial("t", 1, "half")
    builder.closed("t", TurnEnd.STOPPED, cut="half and a bit")
    (turn,) = fold(builder.entries).turns
    assert turn.rounds[0].text == "half and a bit"
    assert turn.end is TurnEnd.STOPPED


def test_nothing_is_added_to_a_closed_turn() -> None:
    builder = EntryBuilder()
    builder.said("t", "hi", "reply")
    builder.round("t", 2, "a ghost")
    builder.closed("t", TurnEnd.FAILED)
    (turn,) = fold(builder.entries).turns
    assert len(turn.rounds) == 1
    assert turn.end is TurnEnd.DONE


def test_dividers_stand_where_the_switch_was_flipped() -> None:
    builder = EntryBuilder()
    builder.memory(True)
    builder.said("a", "a", "a")
    builder.memory(False)
    builder.memory(False)
    builder.said("b", "b", "b", memory=False)
    builder.dropped()
    conversation = fold(builder.entries)
    assert [(divider.after_turn, divider.kind) for divider in conversation.dividers] == [
        ("a", "memory_off"),
        ("b", "earlier_dropped"),
    ]
    assert not conversation.memory
    assert conversation.dropped == 2


def test_a_divider_before_the_first_message() -> None:
    builder = EntryBuilder()
    builder.memory(True)
    builder.memory(False)
    builder.said("a", "a", "a", memory=False)
    (divider,) = fold(builder.entries).dividers
    assert (divider.after_turn, divider.kind) == (None, "memory_off")


def test_dropped_turns_stay_dropped_when_a_turn_is_replaced() -> None:
    builder = three()
    builder.dropped()
    builder.said("b2", "b", "again", turn_kind="regenerate", supersedes="b")
    conversation = fold(builder.entries)
    assert conversation.dropped == 1
    assert conversation.dividers[0].after_turn == "a"


def test_memory_is_off_where_nothing_says_otherwise() -> None:
    assert not fold([]).memory


def test_titles() -> None:
    builder = three()
    assert fold(builder.entries).title == "Message"
    builder.entries.append(TitleSet(id="x", at="2026-02-24T15:00:00+00:00", title="Tea"))
    assert fold(builder.entries).title == "Tea"
    assert title_from("  two\n lines ") == "two lines"
    assert title_from(r"Why is $\frac{1}{2} < x^2$, and \(\alpha\)?") == "Why is 1/2 < x², and α?"
    assert title_from("$5 or $10, and `$`") == "$5 or $10, and `$`"
    assert (
        title_from("今天天气很好我们一起去公园散步然后回家吃饭好不好呀小家伙")
        == "今天天气很好我们一起去公园散步然后回家吃饭好不好…"
    )
    assert title_from("could you please tell me what the weather will be tomorrow") == (
        "could you please tell me what the weather will…"
    )


def test_the_title_is_of_the_first_message_that_is_no_greeting() -> None:
    builder = EntryBuilder()
    builder.said("a", "hi Mochi!", "Hello!")
    assert fold(builder.entries).title == "hi Mochi!"
    builder.said("b", "Can you help me plan a week in Lisbon?", "Of course.")
    builder.said("c", "And one in Porto?", "Also.")
    assert fold(builder.entries).title == "Plan a week in Lisbon"


def test_unknown_kinds_and_a_second_header_change_nothing() -> None:
    builder = three()
    before = fold(builder.entries)
    builder.entries.append(Unknown(id="u", at="2027-01-01T00:00:00+00:00", kind="summary", line="{}"))
    builder.entries.append(Header(id="h", at="2027-01-01T00:00:00+00:00", conversation="other", machine="m"))
    assert fold(builder.entries).turns == before.turns
    assert fold(builder.entries).updated_at == before.updated_at


def test_a_round_is_marked_off_when_only_the_switch_was_recorded() -> None:
    """Another process flipped the switch, or the program was killed before it recorded the state."""
    builder = EntryBuilder()
    builder.memory(True)
    builder.user("t", "hi")
    builder.round("t", 1, "before")
    builder.memory(False)
    builder.memory(True)
    builder.round("t", 2, "after")
    builder.closed("t")
    builder.said("later", "hello", "on again")
    turn, later = fold(builder.entries).turns
    assert [round_.off for round_ in turn.rounds] == [False, True]
    assert [round_.off for round_ in later.rounds] == [False]
