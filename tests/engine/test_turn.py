"""Turns over a scripted model: the loop, tools, stop, retry, the switch in mid-turn."""

from __future__ import annotations

import pytest

from pet.engine.turn import MAX_ROUNDS
from pet.errors import TurnRunning
from pet.events import Mood, MoodSaid, ProposalAsked, RetryWaiting, TextDelta, ToolEnded, TurnEnded
from pet.model import (
    Allowed,
    OpaquePart,
    Refused,
    Request,
    StopReason,
    TextPart,
    ToolCallPart,
    ToolResultPart,
    TurnEnd,
)
from tests.engine.conftest import Core, Make
from tests.support.models.scripted import Hold, ScriptedRound, Think, call, calls, fail, say


def ended(core: Core) -> list[TurnEnded]:
    core.close()
    return [event for event in core.events if isinstance(event, TurnEnded)]


def result_texts(core: Core) -> list[str]:
    """The tool results in the last request."""
    return [
        part.text
        for message in core.provider.requests[-1].messages
        for part in message.parts
        if isinstance(part, ToolResultPart)
    ]


def test_text_streams_and_the_turn_ends_done(make_core: Make) -> None:
    core = make_core(say("Hel", "lo"))
    chat = core.app.conversations.create(memory=True)
    chat.send("hi")
    chat.wait(60)
    assert [end.end for end in ended(core)] == [TurnEnd.DONE]
    assert [event.text for event in core.events if isinstance(event, TextDelta)] == ["Hel", "lo"]
    assert chat.folded().turns[0].rounds[0].text == "Hello"


def test_write_tool_updates_file_and_emits_receipt(make_core: Make) -> None:
    core = make_core(call("write", {"path": "USER.md", "content": "Name: 小红\n"}), say("noted"))
    core.put("USER.md", "")
    chat = core.app.conversations.create(memory=True)
    chat.send("我叫小红")
    chat.wait(60)
    assert core.file("USER.md") == "Name: 小红\n"
    core.close()
    receipts = [event.receipt for event in core.events if isinstance(event, ToolEnded)]
    assert receipts[0] is not None
    assert receipts[0].file == "USER.md"
    assert receipts[0].added == 1


def test_thinking_of_claude_goes_back_unchanged_inside_the_turn_and_is_gone_in_the_next(make_core: Make) -> None:
    core = make_core(
        calls(Think("hm"), ToolCallPart(id="a", name="read", arguments='{"path":"SOUL.md"}')),
        say("one"),
        say("two"),
    )
    chat = core.app.conversations.create(memory=True)
    for text in ("first", "second"):
        chat.send(text)
        chat.wait(60)
    in_loop = [part for message in core.provider.requests[1].messages for part in message.parts]
    later = [part for message in core.provider.requests[2].messages for part in message.parts]
    assert any(isinstance(part, OpaquePart) for part in in_loop)
    assert not any(isinstance(part, OpaquePart) for part in later)


def test_soul_waits_for_the_owner_and_shows_the_whole_change(make_core: Make) -> None:
    core = make_core(call("write", {"path": "SOUL.md", "content": "I am a cat.\n" * 400}), say("thanks"))
    chat = core.app.conversations.create(memory=False)
    before = core.file("SOUL.md")
    chat.send("be a cat")
    proposal = wait_for_proposal(core)
    assert core.file("SOUL.md") == before
    assert proposal.proposal.after == "I am a cat.\n" * 400
    chat.answer(proposal.proposal.id, Allowed(text=proposal.proposal.after, edited=False))
    chat.wait(60)
    assert core.file("SOUL.md") == "I am a cat.\n" * 400


def test_refused_soul_change_is_reported_to_the_model(make_core: Make) -> None:
    core = make_core(call("write", {"path": "SOUL.md", "content": "I am a cat."}), say("ok"))
    chat = core.app.conversations.create(memory=False)
    before = core.file("SOUL.md")
    chat.send("be a cat")
    chat.answer(wait_for_proposal(core).proposal.id, Refused(why="owner"))
    chat.wait(60)
    assert core.file("SOUL.md") == before
    assert "did not want" in result_texts(core)[0]


def test_after_edit_the_model_gets_the_text_as_saved(make_core: Make) -> None:
    core = make_core(call("write", {"path": "SOUL.md", "content": "I am a cat."}), say("ok"))
    chat = core.app.conversations.create(memory=False)
    chat.send("be a cat")
    chat.answer(wait_for_proposal(core).proposal.id, Allowed(text="I am a small cat.", edited=True))
    chat.wait(60)
    assert core.file("SOUL.md").strip() == "I am a small cat."
    assert "I am a small cat." in result_texts(core)[0]


def test_soul_changed_since_proposal_is_proposed_again(make_core: Make) -> None:
    core = make_core(call("write", {"path": "SOUL.md", "content": "I am a cat."}), say("ok"))
    chat = core.app.conversations.create(memory=False)
    chat.send("be a cat")
    first = wait_for_proposal(core).proposal
    core.put("SOUL.md", "The owner wrote this meanwhile.\n")
    chat.answer(first.id, Allowed(text=first.after, edited=False))
    second = wait_for_proposal(core, after=first.id).proposal
    assert core.file("SOUL.md") == "The owner wrote this meanwhile.\n"
    assert second.before == "The owner wrote this meanwhile.\n"
    chat.answer(second.id, Refused(why="owner"))
    chat.wait(60)
    assert core.file("SOUL.md") == "The owner wrote this meanwhile.\n"


def test_dropping_more_than_a_quarter_of_the_memory_asks_first(make_core: Make) -> None:
    core = make_core(call("write", {"path": "MEMORY.md", "content": "- one\n"}), say("ok"))
    core.put("MEMORY.md", "- one\n- two\n- three\n- four\n")
    chat = core.app.conversations.create(memory=True)
    chat.send("tidy")
    proposal = wait_for_proposal(core).proposal
    assert proposal.reason == "losing_text"
    chat.answer(proposal.id, Refused(why="owner"))
    chat.wait(60)
    assert core.file("MEMORY.md") == "- one\n- two\n- three\n- four\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("- Lives in Rome\n", "- Lives in Oslo\n"),
        ("- Name: Ana\n- Lives in Rome\n- Likes tea\n", "- Name: Anna\n- Lives in Oslo\n- Likes tea\n"),
        ("- one\n- two\n- three\n", "- three\n"),
    ],
)
def test_correction_in_a_short_file_is_written_without_asking(make_core: Make, before: str, after: str) -> None:
    core = make_core(call("write", {"path": "USER.md", "content": after}), say("ok"))
    core.put("USER.md", before)
    chat = core.app.conversations.create(memory=True)
    chat.send("that is wrong")
    chat.wait(60)
    assert core.file("USER.md") == after


def test_many_small_losses_in_one_turn_add_up(make_core: Make) -> None:
    lines = [f"- fact number {n}\n" for n in range(8)]
    core = make_core(
        *(call("edit", {"path": "MEMORY.md", "old_text": line, "new_text": ""}, call_id=line) for line in lines[:3]),
        say("ok"),
    )
    core.put("MEMORY.md", "".join(lines))
    chat = core.app.conversations.create(memory=True)
    chat.send("tidy")
    proposal = wait_for_proposal(core).proposal  # the third: 3 of 8
    assert core.file("MEMORY.md") == "".join(lines[2:])
    chat.answer(proposal.id, Refused(why="owner"))
    chat.wait(60)
    assert core.file("MEMORY.md") == "".join(lines[2:])


def test_over_its_prompt_limit_a_write_says_tidy_first(make_core: Make) -> None:
    core = make_core(call("write", {"path": "MEMORY.md", "content": "x" * 20_001}), say("ok"))
    chat = core.app.conversations.create(memory=True)
    chat.send("remember all")
    chat.wait(60)
    assert not (core.app.store.root / "MEMORY.md").exists()
    core.close()
    error = next(event.error for event in core.events if isinstance(event, ToolEnded))
    assert error is not None
    assert error.code == "file_full"


def test_stop_keeps_what_was_said_and_ends_at_once(make_core: Make) -> None:
    hold = Hold()
    core = make_core(say("I was say", hold, "ing"))
    chat = core.app.conversations.create(memory=True)
    chat.send("tell me")
    hold.wait_reached()
    chat.stop()
    chat.wait(60)
    turn = chat.folded().turns[0]
    assert turn.end is TurnEnd.STOPPED
    assert turn.rounds[-1].text == "I was say"


def test_stop_refuses_an_open_proposal(make_core: Make) -> None:
    core = make_core(call("write", {"path": "SOUL.md", "content": "I am a cat."}))
    chat = core.app.conversations.create(memory=True)
    before = core.file("SOUL.md")
    chat.send("be a cat")
    wait_for_proposal(core)
    chat.stop()
    chat.wait(60)
    assert core.file("SOUL.md") == before
    assert chat.folded().turns[0].end is TurnEnd.STOPPED
    assert chat.folded().turns[0].tools[0].is_error


def test_off_between_two_tool_calls_refuses_the_second_and_ends_the_turn(make_core: Make) -> None:
    core = make_core()
    chat = core.app.conversations.create(memory=True)

    def flip_then_write(_request: Request) -> ScriptedRound:
        chat.set_memory(False)
        return call("write", {"path": "USER.md", "content": "second"}, call_id="b")

    core.provider.queue(
        call("write", {"path": "MEMORY.md", "content": "first"}, call_id="a"),
        flip_then_write,
        say("never sent"),
    )
    user = core.file("USER.md")
    chat.send("remember")
    chat.wait(60)
    assert core.file("MEMORY.md").strip() == "first"
    assert core.file("USER.md") == user
    assert core.provider.left == 1
    assert chat.folded().turns[0].end is TurnEnd.MEMORY_OFF


def test_off_refuses_a_memory_proposal_that_is_open(make_core: Make) -> None:
    core = make_core(call("write", {"path": "MEMORY.md", "content": "- one\n"}), say("never sent"))
    core.put("MEMORY.md", "- one\n- two\n- three\n- four\n")
    chat = core.app.conversations.create(memory=True)
    chat.send("tidy")
    wait_for_proposal(core)
    chat.set_memory(False)
    chat.wait(60)
    assert core.file("MEMORY.md") == "- one\n- two\n- three\n- four\n"
    assert len(core.provider.requests) == 1
    assert chat.folded().turns[0].end is TurnEnd.MEMORY_OFF


def test_a_retry_after_off_is_never_sent(make_core: Make) -> None:
    core = make_core(fail("overloaded", retryable=True, retry_after=30.0), say("never sent"))
    chat = core.app.conversations.create(memory=True)
    chat.send("hi")
    core.wait_for(lambda event: isinstance(event, RetryWaiting))
    chat.set_memory(False)
    chat.wait(60)
    assert len(core.provider.requests) == 1
    assert chat.folded().turns[0].end is TurnEnd.MEMORY_OFF


def test_a_fault_that_passes_is_tried_again_and_shown(make_core: Make) -> None:
    core = make_core(fail("overloaded", retryable=True, retry_after=0.0), say("there"))
    chat = core.app.conversations.create(memory=True)
    chat.send("hi")
    chat.wait(60)
    assert [end.end for end in ended(core)] == [TurnEnd.DONE]
    assert [event.error.code for event in core.events if isinstance(event, RetryWaiting)] == ["fault_overloaded"]


def test_a_fault_after_words_is_not_tried_again_and_the_words_stay(make_core: Make) -> None:
    core = make_core(fail("overloaded", "half a sen", retryable=True), say("never sent"))
    chat = core.app.conversations.create(memory=True)
    chat.send("hi")
    chat.wait(60)
    turn = chat.folded().turns[0]
    assert turn.end is TurnEnd.FAILED
    assert turn.error is not None
    assert turn.error.code == "fault_overloaded"
    assert turn.rounds[-1].text == "half a sen"


@pytest.mark.parametrize(
    ("stop", "end"),
    [
        (StopReason.MAX_TOKENS, TurnEnd.MAX_TOKENS),
        (StopReason.REFUSAL, TurnEnd.REFUSED),
        (StopReason.CUT, TurnEnd.CUT),
        (StopReason.WINDOW_EXCEEDED, TurnEnd.FAILED),
    ],
)
def test_each_stop_reason_has_its_end(make_core: Make, stop: StopReason, end: TurnEnd) -> None:
    core = make_core(say("some words", stop=stop))
    chat = core.app.conversations.create(memory=True)
    chat.send("hi")
    chat.wait(60)
    assert chat.folded().turns[0].end is end


def test_rounds_are_capped(make_core: Make) -> None:
    core = make_core(*(call("read", {"path": "SOUL.md", "lines": n + 1}, call_id=str(n)) for n in range(40)))
    chat = core.app.conversations.create(memory=True)
    chat.send("loop")
    chat.wait(60)
    assert chat.folded().turns[0].end is TurnEnd.MAX_ROUNDS
    assert len(core.provider.requests) == MAX_ROUNDS


def test_the_same_failing_call_is_not_run_twice(make_core: Make) -> None:
    wrong = {"path": "USER.md", "old_text": "not in there", "new_text": "x"}
    core = make_core(call("edit", wrong, call_id="a"), call("edit", wrong, call_id="b"), say("I give up"))
    chat = core.app.conversations.create(memory=True)
    chat.send("edit")
    chat.wait(60)
    assert "just failed" in result_texts(core)[-1]


def test_broken_arguments_go_back_to_the_model(make_core: Make) -> None:
    core = make_core(call("read", '{"path": '), say("sorry"))
    chat = core.app.conversations.create(memory=True)
    chat.send("read")
    chat.wait(60)
    assert "don't fit" in result_texts(core)[0]


def test_one_turn_at_a_time_in_a_conversation_but_several_conversations_at_once(make_core: Make) -> None:
    first, second = Hold(), Hold()
    core = make_core(say(first, "one"), say(second, "two"))
    one, two = (core.app.conversations.create(memory=True) for _ in range(2))
    one.send("a")
    first.wait_reached()
    two.send("b")
    second.wait_reached()
    with pytest.raises(TurnRunning):
        one.send("again")
    first.release()
    second.release()
    one.wait(60)
    two.wait(60)
    assert [chat.folded().turns[0].rounds[0].text for chat in (one, two)] == ["one", "two"]


def test_regenerate_replaces_and_edit_and_resend_says_it_anew(make_core: Make) -> None:
    core = make_core(say("bad"), say("good"), say("other"))
    chat = core.app.conversations.create(memory=True)
    turn = chat.send("question")
    chat.wait(60)
    again = chat.resend(turn, None)
    chat.wait(60)
    assert [each.rounds[0].text for each in chat.folded().turns] == ["good"]
    chat.resend(again, "better question")
    chat.wait(60)
    assert [each.text for each in chat.folded().turns] == ["better question"]
    spoken = [part.text for part in core.provider.requests[-1].messages[-1].parts if isinstance(part, TextPart)]
    assert spoken == ["better question"]


def test_continue_asks_to_go_on_and_keeps_the_first_half(make_core: Make) -> None:
    core = make_core(say("first half", stop=StopReason.MAX_TOKENS), say("second half"))
    chat = core.app.conversations.create(memory=True)
    turn = chat.send("long story")
    chat.wait(60)
    chat.continue_turn(turn)
    chat.wait(60)
    roles = [message.role for message in core.provider.requests[-1].messages]
    assert roles == ["user", "assistant", "user"]


def test_another_reply_to_a_request_to_go_on_puts_no_words_into_the_owners_mouth(make_core: Make) -> None:
    core = make_core(say("first half", stop=StopReason.MAX_TOKENS), say("bad half"), say("good half"))
    chat = core.app.conversations.create(memory=True)
    turn = chat.send("long story")
    chat.wait(60)
    on = chat.continue_turn(turn)
    chat.wait(60)
    chat.resend(on, None)
    chat.wait(60)
    assert [(each.kind, each.rounds[0].text) for each in chat.folded().turns] == [
        ("message", "first half"),
        ("continue", "good half"),
    ]


def test_the_switch_survives_a_restart(make_core: Make) -> None:
    core = make_core(say("hi"))
    chat = core.app.conversations.create(memory=True)
    chat.send("hello")
    chat.wait(60)
    chat.set_memory(False)
    core.close()
    again = make_core()
    assert not again.app.conversations.open(chat.id).gate.switched_on


def test_a_message_is_on_disk_before_the_request_leaves(make_core: Make) -> None:
    core = make_core()
    chat = core.app.conversations.create(memory=True)

    def look(_request: Request) -> ScriptedRound:
        on_disk = (core.app.store.root / "conversations" / f"{chat.id}.jsonl").read_text(encoding="utf-8")
        assert "remember this line" in on_disk
        return say("ok")

    core.provider.queue(look)
    chat.send("remember this line")
    chat.wait(60)
    assert chat.folded().turns[0].end is TurnEnd.DONE


def test_a_temporary_conversation_leaves_nothing_on_disk(make_core: Make) -> None:
    core = make_core(say("whisper back"))
    before = {path for path in core.home.data.rglob("*") if path.is_file()}
    chat = core.app.conversations.create(memory=True, temporary=True)
    chat.send("a secret")
    chat.wait(60)
    core.close()
    after = {path for path in core.home.data.rglob("*") if path.is_file()}
    assert after == before
    for path in core.home.state.parent.rglob("*"):
        assert not path.is_file() or b"a secret" not in path.read_bytes()


def wait_for_proposal(core: Core, after: str = "") -> ProposalAsked:
    event = core.wait_for(lambda each: isinstance(each, ProposalAsked) and each.proposal.id != after)
    assert isinstance(event, ProposalAsked)
    return event


def test_a_bug_in_a_turn_ends_it_with_words_and_the_next_turn_works(make_core: Make) -> None:
    def bug(_request: Request) -> ScriptedRound:
        raise ZeroDivisionError("the secret words")

    core = make_core(bug, say("fine"))
    chat = core.app.conversations.create(memory=True)
    chat.send("hi")
    chat.wait(60)
    turn = chat.folded().turns[-1]
    assert turn.end is TurnEnd.FAILED
    assert turn.error is not None
    assert turn.error.code == "internal"
    chat.send("again")
    chat.wait(60)
    assert chat.folded().turns[-1].end is TurnEnd.DONE


def test_replacing_untouched_template_needs_no_consent(make_core: Make) -> None:
    core = make_core(call("write", {"path": "USER.md", "content": "- Name: Anna\n"}), say("noted"))
    chat = core.app.conversations.create(memory=True)
    chat.send("I am Anna")
    chat.wait(60)
    assert core.file("USER.md").strip() == "- Name: Anna"


def test_reply_mood_is_emitted_and_tag_is_stripped(make_core: Make) -> None:
    core = make_core(say("Hooray! [mo", "od:happy]"), say("ok"))
    chat = core.app.conversations.create(memory=True)
    for text in ("we won", "really"):
        chat.send(text)
        chat.wait(60)
    core.close()
    assert [event.mood for event in core.events if isinstance(event, MoodSaid)] == [Mood.HAPPY]
    assert "".join(event.text for event in core.events if isinstance(event, TextDelta)) == "Hooray! ok"
    assert chat.folded().turns[0].rounds[0].text == "Hooray! "
    assert "mood:" not in str(core.provider.requests[1].messages)
