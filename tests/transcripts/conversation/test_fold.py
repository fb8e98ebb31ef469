"""What stands of a conversation: replaced turns, unfinished ones, dividers, title."""

from __future__ import annotations

from pet.model import TurnEnd, Usage
from pet.transcripts.conversation.fold import fold
from pet.transcripts.records.entries import Header, TitleSet, Unknown
from pet.transcripts.title import title_from
from tests.transcripts.telling import Telling, call


def ids(telling: Telling, **more: str) -> list[str]:
    return [turn.id for turn in fold(telling.entries, **more).turns]


def three() -> Telling:
    telling = Telling()
    telling.memory(True)
    for turn in ("a", "b", "c"):
        telling.said(turn, f"message {turn}", f"reply {turn}")
    return telling


def test_turns_hold_rounds_results_and_usage() -> None:
    telling = Telling()
    telling.user("t", "hi")
    telling.round("t", 1, "let me look", call("c1"))
    telling.tool("t", 1, "c1", "file text")
    telling.round("t", 2, "done")
    telling.closed("t")
    (turn,) = fold(telling.entries).turns
    assert [round_.text for round_ in turn.rounds] == ["let me look", "done"]
    assert [done.text for done in turn.tools] == ["file text"]
    assert turn.end is TurnEnd.DONE
    assert turn.usage == Usage(input_tokens=20, output_tokens=6)


def test_regenerate_and_edit_replace_the_turn_and_what_followed() -> None:
    telling = three()
    telling.said("b2", "message b", "better", turn_kind="regenerate", supersedes="b")
    assert ids(telling) == ["a", "b2"]
    telling.said("a2", "other", "reply", turn_kind="edit", supersedes="a")
    assert ids(telling) == ["a2"]


def test_continue_is_added_behind() -> None:
    telling = three()
    telling.said("d", "go on", "more", turn_kind="continue")
    assert ids(telling) == ["a", "b", "c", "d"]


def test_two_machines_that_replace_the_same_turn_leave_one() -> None:
    telling = three()
    telling.said("c2", "c", "mine", turn_kind="regenerate", supersedes="c")
    telling.said("c3", "c", "theirs", turn_kind="regenerate", supersedes="c")
    assert ids(telling) == ["a", "b", "c3"]


def test_a_turn_that_replaces_an_unknown_one_is_kept_at_the_end() -> None:
    telling = three()
    telling.said("d", "d", "reply", turn_kind="edit", supersedes="nowhere")
    assert ids(telling) == ["a", "b", "c", "d"]


def test_a_circle_of_replacements_ends() -> None:
    telling = Telling()
    telling.user("a", supersedes="b")
    telling.user("b", supersedes="a")
    telling.user("c", supersedes="a")
    assert ids(telling) == ["c"]


def test_a_turn_whose_process_died_is_cut_and_keeps_its_partial_text() -> None:
    telling = Telling()
    telling.user("t")
    telling.round("t", 1, "first", call("c1"))
    telling.partial("t", 2, "half a")
    telling.partial("t", 2, "half a sentence")
    (turn,) = fold(telling.entries).turns
    assert turn.end is TurnEnd.CUT
    assert [round_.text for round_ in turn.rounds] == ["first", "half a sentence"]
    assert turn.rounds[1].stop is None
    (running,) = fold(telling.entries, running="t").turns
    assert running.end is None


def test_a_partial_text_counts_no_more_once_its_round_is_told() -> None:
    telling = Telling()
    telling.user("t")
    telling.partial("t", 1, "half")
    telling.round("t", 1, "half and whole")
    telling.closed("t")
    (turn,) = fold(telling.entries).turns
    assert [round_.text for round_ in turn.rounds] == ["half and whole"]


def test_the_text_of_a_stopped_round_is_what_the_close_says() -> None:
    telling = Telling()
    telling.user("t")
    telling.partial("t", 1, "half")
    telling.closed("t", TurnEnd.STOPPED, cut="half and a bit")
    (turn,) = fold(telling.entries).turns
    assert turn.rounds[0].text == "half and a bit"
    assert turn.end is TurnEnd.STOPPED


def test_nothing_is_added_to_a_closed_turn() -> None:
    telling = Telling()
    telling.said("t", "hi", "reply")
    telling.round("t", 2, "a ghost")
    telling.closed("t", TurnEnd.FAILED)
    (turn,) = fold(telling.entries).turns
    assert len(turn.rounds) == 1
    assert turn.end is TurnEnd.DONE


def test_dividers_stand_where_the_switch_was_flipped() -> None:
    telling = Telling()
    telling.memory(True)
    telling.said("a", "a", "a")
    telling.memory(False)
    telling.memory(False)
    telling.said("b", "b", "b", memory=False)
    telling.dropped()
    conversation = fold(telling.entries)
    assert [(divider.after_turn, divider.kind) for divider in conversation.dividers] == [
        ("a", "memory_off"),
        ("b", "earlier_dropped"),
    ]
    assert not conversation.memory
    assert conversation.dropped == 2


def test_a_divider_before_the_first_message() -> None:
    telling = Telling()
    telling.memory(True)
    telling.memory(False)
    telling.said("a", "a", "a", memory=False)
    (divider,) = fold(telling.entries).dividers
    assert (divider.after_turn, divider.kind) == (None, "memory_off")


def test_what_was_dropped_stays_dropped_when_a_turn_is_replaced() -> None:
    telling = three()
    telling.dropped()
    telling.said("b2", "b", "again", turn_kind="regenerate", supersedes="b")
    conversation = fold(telling.entries)
    assert conversation.dropped == 1
    assert conversation.dividers[0].after_turn == "a"


def test_memory_is_off_where_nothing_says_otherwise() -> None:
    assert not fold([]).memory


def test_titles() -> None:
    telling = three()
    assert fold(telling.entries).title == "message a"
    telling.entries.append(TitleSet(id="x", at="2026-02-24T15:00:00+00:00", title="Tea"))
    assert fold(telling.entries).title == "Tea"
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


def test_unknown_kinds_and_a_second_header_change_nothing() -> None:
    telling = three()
    before = fold(telling.entries)
    telling.entries.append(Unknown(id="u", at="2027-01-01T00:00:00+00:00", kind="summary", line="{}"))
    telling.entries.append(Header(id="h", at="2027-01-01T00:00:00+00:00", conversation="other", machine="m"))
    assert fold(telling.entries).turns == before.turns
    assert fold(telling.entries).updated_at == before.updated_at


def test_a_reply_is_marked_as_said_while_off_where_only_the_switch_tells_of_it() -> None:
    """Another process flipped it, or the program was killed before it noted that itself."""
    telling = Telling()
    telling.memory(True)
    telling.user("t", "hi")
    telling.round("t", 1, "before")
    telling.memory(False)
    telling.memory(True)
    telling.round("t", 2, "after")
    telling.closed("t")
    telling.said("later", "hello", "on again")
    turn, later = fold(telling.entries).turns
    assert [round_.off for round_ in turn.rounds] == [False, True]
    assert [round_.off for round_ in later.rounds] == [False]
