"""A turn with a small model: what is asked, what the program writes, and what the reply is told. The model is
scripted, everything else is real."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Sequence

import pytest

from pet.access import MemoryMode
from pet.engine.conversation import LiveConversation
from pet.engine.turn_context import TurnContext
from pet.engine.usage import spent_on
from pet.errors import FileConflict, UnknownReceipt
from pet.events import ProposalAsked, TextDelta, ToolEnded, ToolStarted, TurnEnded
from pet.extras.small_models.decisions import NO_EVIDENCE, Decision, Evidence, settle
from pet.extras.small_models.prompts import Line
from pet.i18n import Texts
from pet.model import Allowed, Author, Proposal, Refused, Request, TextPart, TurnEnd
from pet.tools.tool import ToolContext
from tests.engine.conftest import Core, Make
from tests.support.models.scripted import Hold, Scripted, call, fail, say

MEMORY = "# Memory\n\n- Owner: I live in Lyon (2026-01-02)\n- Owner: my cat is called Miso (2026-02-03)\n"


def answer(kind: str, **fields: object) -> Scripted:
    return say(json.dumps({"is": kind, **fields}))


def soul_line(**fields: object) -> Scripted:
    return say(json.dumps(fields))


def small(make_core: Make, *script: Scripted, memory: str = MEMORY) -> Core:
    core = make_core(*script)
    core.app.settings.change({"notebook": "on", "context_window": 4096, "language": "en"})
    if memory:
        core.put("MEMORY.md", memory)
    return core


def turn(core: Core, text: str, *, memory: bool | MemoryMode = True) -> TurnEnded:
    """One message in a conversation of its own, to its end."""
    chat = core.app.conversations.create(memory=memory)
    chat.send(text)
    ended = core.wait_for(lambda event: isinstance(event, TurnEnded))
    chat.wait(60)
    assert isinstance(ended, TurnEnded)
    core.events.clear()
    return ended


def sent_text(request: Request) -> str:
    return "\n".join(part.text for part in request.messages[-1].parts if isinstance(part, TextPart))


def today(core: Core) -> str:
    return core.app.clock.now().date().isoformat()


def log(core: Core) -> str:
    """Today's log; "" without one."""
    name = f"memory/{today(core)}.md"
    return core.file(name) if (core.app.store.root / name).exists() else ""


def test_note_adds_the_owners_own_sentence_to_todays_log_with_a_receipt(make_core: Make) -> None:
    core = small(make_core, say("How lovely."), answer("fact"))
    chat = core.app.conversations.create(memory=True)
    chat.send("My sister Anna is allergic to peanuts.")
    ended = core.wait_for(lambda event: isinstance(event, ToolEnded))
    assert isinstance(ended, ToolEnded) and ended.receipt is not None
    assert (ended.receipt.file, ended.receipt.author) == (f"memory/{today(core)}.md", Author.PET)
    assert [(each.text, each.earlier) for each in ended.receipt.noted] == [
        ("My sister Anna is allergic to peanuts.", "")
    ]
    core.wait_for(lambda event: isinstance(event, TurnEnded))
    assert "fact\n\nOwner: My sister Anna is allergic to peanuts.\n" in log(core)
    assert core.file("MEMORY.md") == MEMORY
    core.app.store.undo(ended.receipt, author=Author.OWNER)
    assert log(core) == ""


def test_reply_is_told_what_was_written_and_has_no_tools(make_core: Make) -> None:
    core = small(make_core, say("Noted."), say("How nice."), answer("fact"))
    turn(core, "Please remember that I start my new job on Monday.")
    (reply,) = core.provider.requests
    turn(core, "My boss is called Ada.")
    asked = core.provider.requests[-1]
    assert asked.schema is not None and asked.temperature == 0.0 and asked.tools == ()
    assert reply.tools == () and reply.max_tokens == 300
    assert "[You have just noted this.]" in sent_text(reply)
    assert "<pet-" not in reply.system[0].text + sent_text(reply)


def test_notes_leave_the_bytes_of_the_prompt_as_they_were(make_core: Make) -> None:
    core = small(make_core, say("Oh."), answer("fact"), say("Ah."), answer("fact"), say("Ok."), answer("chat"))
    chat = core.app.conversations.create(memory=True)
    for text in ("I start my new job on Monday.", "My boss is called Ada.", "The weather is strange in this town."):
        chat.send(text)
        core.wait_for(lambda event: isinstance(event, TurnEnded))
        chat.wait(60)
        core.events.clear()
    replies = [request for request in core.provider.requests if request.schema is None]
    assert len({request.system for request in replies}) == 1
    first, second, third = (request.messages for request in replies)
    assert second[: len(first)] == first and third[: len(second)] == second
    assert "My boss is called Ada." in log(core)


def test_question_is_the_same_bytes_up_to_the_notebook(make_core: Make) -> None:
    core = small(make_core, say("a"), answer("chat"), say("b"), answer("chat"))
    turn(core, "The weather is strange in this town.")
    turn(core, "And the trains are late again.")
    _, first, _, second = core.provider.requests
    assert first.system == second.system
    assert first.messages[:-1] == second.messages[:-1]
    assert first.schema == second.schema


MOVED = "We moved from Lyon, it's Marseille now."


def test_a_change_is_added_and_names_the_line_that_it_may_replace(make_core: Make) -> None:
    core = small(make_core, say("Oh!"), answer("change", line=1, new="I live in Marseille (2020-01-01)"))
    chat = core.app.conversations.create(memory=True)
    chat.send(MOVED)
    ended = core.wait_for(lambda event: isinstance(event, ToolEnded))
    assert isinstance(ended, ToolEnded) and ended.receipt is not None
    assert [(each.text, each.earlier) for each in ended.receipt.noted] == [(MOVED, "I live in Lyon")]
    core.wait_for(lambda event: isinstance(event, TurnEnded))
    assert f"Owner: {MOVED} (earlier: I live in Lyon)\n" in log(core)
    assert core.file("MEMORY.md") == MEMORY


def noted(core: Core, chat: LiveConversation, text: str) -> str:
    """Say the text; return the id of the call that noted it."""
    chat.send(text)
    core.wait_for(lambda event: isinstance(event, TurnEnded))
    chat.wait(60)
    return chat.folded().turns[-1].besides[-1].call_id


def test_the_owner_replaces_the_older_line_by_one_click_and_takes_that_back(make_core: Make) -> None:
    core = small(make_core, say("Oh!"), answer("change", line=1, new="I live in Marseille"))
    chat = core.app.conversations.create(memory=True)
    call = noted(core, chat, MOVED)
    turn = chat.folded().turns[-1].id
    receipt = chat.receipts.replace_earlier(turn, call)
    assert receipt is not None and receipt.author is Author.OWNER
    replaced = MEMORY.replace("I live in Lyon (2026-01-02)", f"{MOVED} ({today(core)})")
    assert core.file("MEMORY.md") == replaced
    assert MOVED in log(core)
    with pytest.raises(FileConflict):  # it is gone
        chat.receipts.replace_earlier(turn, call)
    (written,) = [done for done in chat.folded().turns[-1].besides if done.tool == "replace_earlier"]
    chat.receipts.undo(turn, written.call_id)
    assert core.file("MEMORY.md") == MEMORY


def test_a_line_or_note_that_was_changed_meanwhile_is_not_replaced(make_core: Make) -> None:
    core = small(make_core, say("Oh!"), answer("change", line=1, new="x"), say("Ah!"), answer("fact"))
    chat = core.app.conversations.create(memory=True)
    call = noted(core, chat, MOVED)
    turn = chat.folded().turns[-1].id
    core.put("MEMORY.md", MEMORY.replace("Lyon", "Lille"))
    with pytest.raises(FileConflict):
        chat.receipts.replace_earlier(turn, call)
    core.put("MEMORY.md", MEMORY)
    core.put(f"memory/{today(core)}.md", log(core).replace("Marseille", "Nice"))
    with pytest.raises(FileConflict):
        chat.receipts.replace_earlier(turn, call)
    assert core.file("MEMORY.md") == MEMORY
    plain = noted(core, chat, "My sister is called Runa.")
    with pytest.raises(UnknownReceipt):  # it names no older line
        chat.receipts.replace_earlier(chat.folded().turns[-1].id, plain)


@pytest.mark.parametrize("line", ["- Owner: I live in Lyon (since 2024-01-01)", "- [x] I live in Lyon"])
def test_an_older_line_is_found_again_with_its_date_and_box(make_core: Make, line: str) -> None:
    memory = MEMORY.replace("- Owner: I live in Lyon (2026-01-02)", line)
    core = small(make_core, say("Oh!"), answer("change", line=1, new="x"))
    core.put("MEMORY.md", memory)
    chat = core.app.conversations.create(memory=True)
    call = noted(core, chat, MOVED)
    assert chat.receipts.replace_earlier(chat.folded().turns[-1].id, call) is not None
    assert MOVED in core.file("MEMORY.md") and "Lyon" not in core.file("MEMORY.md").replace(MOVED, "")


def test_a_line_that_stands_twice_is_not_replaced(make_core: Make) -> None:
    core = small(make_core, say("Oh!"), answer("change", line=1, new="x"))
    chat = core.app.conversations.create(memory=True)
    call = noted(core, chat, MOVED)
    core.put("MEMORY.md", twice := f"{MEMORY}- I live in Lyon!\n")
    with pytest.raises(FileConflict):
        chat.receipts.replace_earlier(chat.folded().turns[-1].id, call)
    assert core.file("MEMORY.md") == twice


def test_only_the_one_line_that_was_shown_is_written(make_core: Make) -> None:
    core = small(make_core, say("Oh!"), answer("change", line=1, new="x"))
    chat = core.app.conversations.create(memory=True)
    call = noted(core, chat, MOVED)
    name = f"memory/{today(core)}.md"
    core.put(name, log(core).replace("Lyon, it's", "Lyon,\n\n  it's"))
    assert chat.receipts.replace_earlier(chat.folded().turns[-1].id, call) is not None
    assert f"- Owner: {MOVED} ({today(core)})\n" in core.file("MEMORY.md")


PROFILE = "# About my owner\n\n## Name\n- Name: Jonas\n\n## Habits\n-\n"


@pytest.mark.parametrize(
    "given",
    [
        answer("change", line=1, new="Name: Jon"),
        answer("change", line=2, new="I am a pilot from Peru"),
        answer("change", line=3, new=""),
        answer("change"),
        answer("fact"),
        say('{"is":"change","line":1,"new":"' + "x" * 121 + '"}'),
        call("write", {"path": "MEMORY.md", "content": "gone"}),
    ],
)
@pytest.mark.parametrize("message", ["Jon and my cat Miso left Lyon.", "Remember that Miso is Jon's, not mine."])
def test_whatever_a_small_model_answers_no_line_is_lost(make_core: Make, given: Scripted, message: str) -> None:
    core = small(make_core, say("I see."), given, given)
    core.put("USER.md", PROFILE)
    turn(core, message)
    assert (core.file("USER.md"), core.file("MEMORY.md")) == (PROFILE, MEMORY)


@pytest.mark.parametrize(
    "broken",
    [
        say("I noted that for you!"),
        say('{"is":"wipe"}'),
        say('{"is":["fact"]}'),
        say("[" * 5000),
        call("write", {"path": "MEMORY.md", "content": "gone"}),
    ],
)
def test_answer_that_can_not_be_read_is_asked_once_more_and_then_nothing(make_core: Make, broken: Scripted) -> None:
    core = small(make_core, say("Hello there."), broken, broken)
    assert turn(core, "The neighbours paint their house.").end is TurnEnd.DONE
    assert core.file("MEMORY.md") == MEMORY
    assert len(core.provider.requests) == 3


def test_explicit_wish_to_remember_is_noted_without_asking_the_model(make_core: Make) -> None:
    core = small(make_core, say("Sure."))
    turn(core, "Please remember that the spare key is under the blue pot.")
    assert "Owner: The spare key is under the blue pot." in log(core)
    assert len(core.provider.requests) == 1


@pytest.mark.parametrize("message", ["When is my exam?", "我的考试是哪天？"])
def test_questions_are_never_noted(make_core: Make, message: str) -> None:
    core = small(make_core, say("Hm."), answer("fact"))
    turn(core, message)
    assert log(core) == ""


def test_notes_that_nobody_asked_for_follow_the_reply(make_core: Make) -> None:
    """The question and the receipt come after the text, and what they cost counts for the turn."""
    core = small(make_core, say("How lovely."), answer("fact"))
    chat = core.app.conversations.create(memory=True)
    chat.send("My sister Anna is allergic to peanuts.")
    ended = core.wait_for(lambda event: isinstance(event, TurnEnded))
    kinds = [type(event) for event in core.events if isinstance(event, TextDelta | ToolStarted | ToolEnded)]
    assert kinds == [TextDelta, ToolStarted, ToolEnded]
    reply, question = core.provider.requests
    assert (reply.schema is None, question.schema is None) == (True, False)
    spent = spent_on(chat.transcript.entries)
    assert (spent.usage.input_tokens, spent.uncounted) == (20, 0)
    assert isinstance(ended, TurnEnded) and ended.usage == spent.usage
    assert chat.folded().turns[-1].reply == "How lovely."


@pytest.mark.parametrize("end", ["fault", "stop", "off"])
def test_reply_is_whole_whatever_becomes_of_the_question_after_it(make_core: Make, end: str) -> None:
    hold = Hold()
    core = small(make_core, say("How lovely."), fail("refused_connection") if end == "fault" else say(hold, "{"))
    chat = core.app.conversations.create(memory=True)
    chat.send("My sister Anna is allergic to peanuts.")
    if end != "fault":
        hold.wait_reached()
        chat.stop() if end == "stop" else chat.set_memory(False)
    ended = core.wait_for(lambda event: isinstance(event, TurnEnded))
    assert isinstance(ended, TurnEnded) and (ended.end, ended.error) == (TurnEnd.DONE, None)
    chat.wait(60)
    assert core.file("MEMORY.md") == MEMORY
    (last,) = chat.folded().turns
    assert (last.reply, last.end) == ("How lovely.", TurnEnd.DONE)


def test_small_talk_asks_no_question(make_core: Make) -> None:
    core = small(make_core, say("Good morning!"))
    turn(core, "Good morning")
    assert len(core.provider.requests) == 1


def test_same_sentence_is_noted_once(make_core: Make) -> None:
    core = small(make_core, say("a"), answer("fact"), say("b"), answer("fact"))
    turn(core, "I play the cello.")
    once = log(core)
    turn(core, "I play the cello.")
    assert once and log(core) == once


def test_secrets_are_masked_in_notes(make_core: Make) -> None:
    core = small(make_core, say("ok"))
    turn(core, "Remember, my password: hunter2secret!")
    assert log(core) and "hunter2secret" not in log(core)


def test_nothing_is_asked_or_written_while_memory_is_off(make_core: Make) -> None:
    core = small(make_core, say("I can't remember that now."))
    turn(core, "Remember that I play the cello.", memory=False)
    assert core.file("MEMORY.md") == MEMORY
    (reply,) = core.provider.requests
    assert "Lyon" not in str(reply) and "Miso" not in str(reply)


def test_read_only_memory_is_seen_and_nothing_is_asked_or_written(make_core: Make) -> None:
    core = small(make_core, say("You live in Lyon."))
    turn(core, "Remember that I play the cello.", memory=MemoryMode.READ_ONLY)
    (reply,) = core.provider.requests
    assert "Lyon" in reply.system[0].text and "read only" in reply.system[0].text
    assert core.file("MEMORY.md") == MEMORY


def test_soul_changes_only_after_the_whole_diff_was_allowed(make_core: Make) -> None:
    soul = "# Soul\n\nMy name is Mochi. I am small.\n- I like rain.\n"
    core = small(
        make_core, answer("pet"), soul_line(line=1, how="replace", new="My name is Pip. I am small."), say("Pip!")
    )
    core.put("SOUL.md", soul)
    chat = core.app.conversations.create(memory=True)
    chat.send("From now on your name is Pip.")
    asked = core.wait_for(lambda event: isinstance(event, ProposalAsked))
    assert isinstance(asked, ProposalAsked)
    proposal: Proposal = asked.proposal
    assert (proposal.file, proposal.reason, proposal.before) == ("SOUL.md", "soul", soul)
    assert proposal.after == soul.replace("Mochi", "Pip")
    assert core.file("SOUL.md") == soul
    chat.answer(proposal.id, Allowed(text=proposal.after, edited=False))
    core.wait_for(lambda event: isinstance(event, TurnEnded))
    assert core.file("SOUL.md") == soul.replace("Mochi", "Pip")


def test_refused_soul_stays_and_the_reply_knows(make_core: Make) -> None:
    soul = "# Soul\n\nMy name is Mochi.\n"
    core = small(make_core, answer("pet"), soul_line(line=1, new="I am gentle."), say("All right."))
    core.put("SOUL.md", soul)
    chat = core.app.conversations.create(memory=True)
    chat.send("Be a bit more gentle, please.")
    asked = core.wait_for(lambda event: isinstance(event, ProposalAsked))
    assert isinstance(asked, ProposalAsked)
    chat.answer(asked.proposal.id, Refused(why="owner"))
    core.wait_for(lambda event: isinstance(event, TurnEnded))
    assert core.file("SOUL.md") == soul
    assert "not allowed" in sent_text(core.provider.requests[2])


def test_context_that_is_parroted_is_not_shown_and_the_reply_is_asked_for_again(make_core: Make) -> None:
    core = small(make_core, say("[2026-11-22 Sunday]\n"), say("The sea is ", "calm."), answer("chat"))
    chat = core.app.conversations.create(memory=True)
    chat.send("Tell me how the sea looks in winter, dear one.")
    ended = core.wait_for(lambda event: isinstance(event, TurnEnded))
    assert chat.folded().turns[-1].reply == "The sea is calm."
    # The question and the reply that was not shown took tokens too; 10 and 5 each.
    spent = spent_on(chat.transcript.entries).usage
    assert (spent.input_tokens, spent.output_tokens) == (30, 15)
    assert isinstance(ended, TurnEnded) and ended.usage == spent


def test_model_that_only_parrots_says_a_sentence_of_the_catalogue(make_core: Make) -> None:
    core = small(make_core, say("<pet-file>"), say('{"name": "write"}'), answer("chat"))
    chat = core.app.conversations.create(memory=True)
    chat.send("The leaves are falling early this year.")
    core.wait_for(lambda event: isinstance(event, TurnEnded))
    assert chat.folded().turns[-1].reply == "Sorry, I lost my thread. Could you say that again?"


def test_fault_of_a_question_before_the_reply_ends_the_turn_with_its_words(make_core: Make) -> None:
    core = small(make_core, fail("refused_connection"))
    ended = turn(core, "Please be more cheerful from now on.")
    assert ended.end is TurnEnd.FAILED
    assert ended.error is not None and ended.error.code == "fault_refused_connection"


def test_long_conversation_leaves_out_the_oldest_and_stays_within_the_window(make_core: Make) -> None:
    script: list[Scripted] = []
    for _ in range(14):
        script += [say("word " * 200), answer("chat")]
    core = small(make_core, *script)
    chat = core.app.conversations.create(memory=True)
    for number in range(14):
        chat.send(f"Story number {number} is about a long and winding road.")
        core.wait_for(lambda event: isinstance(event, TurnEnded))
        chat.wait(60)
        core.events.clear()
    last = core.provider.requests[-2]
    text = "\n".join(part.text for message in last.messages for part in message.parts if isinstance(part, TextPart))
    assert "Story number 13" in text and "Story number 0" not in text
    assert len(text) / 4 < 4096 - 300


def test_off_in_between_takes_the_memory_out_of_the_reply(make_core: Make) -> None:
    core = small(make_core, say("Noted."), answer("fact"), say("I don't know."))
    chat = core.app.conversations.create(memory=True)
    chat.send("My brother is called Emil.")
    core.wait_for(lambda event: isinstance(event, TurnEnded))
    chat.wait(60)
    core.events.clear()
    chat.set_memory(False)
    chat.send("What is the name of my cat?")
    core.wait_for(lambda event: isinstance(event, TurnEnded))
    last = str(core.provider.requests[-1])
    assert len(core.provider.requests) == 3
    assert "Miso" not in last and "just noted this" not in last


@pytest.mark.parametrize("memory", [True, False])
def test_preview_shows_the_very_prompt_of_the_reply(make_core: Make, memory: bool) -> None:
    core = small(make_core, say("Hm."), *([answer("chat")] if memory else []))
    shown = core.app.preview_prompt(memory=memory)
    turn(core, "The neighbours paint their house.", memory=memory)
    assert shown.blocks == [core.provider.requests[0].system[0].text]
    assert "".join(section.text for section in shown.sections) == shown.blocks[0]
    assert shown.tools == []
    assert ("Lyon" in shown.blocks[0]) is memory


@pytest.mark.parametrize(("decision", "marked"), [("fact", False), ("chat", True)])
def test_reply_that_says_it_noted_something_is_marked_only_if_nothing_was_written(
    make_core: Make, monkeypatch: pytest.MonkeyPatch, decision: str, marked: bool
) -> None:
    monkeypatch.setattr(
        "pet.extras.small_models.small_model.weigh", lambda *_: NO_EVIDENCE
    )  # the model alone decides
    core = small(make_core, say("I've noted that down for you."), answer(decision))
    assert (turn(core, "The neighbours paint their house blue.").claim is not None) is marked


MANY = "# Memory\n\n" + "".join(
    f"- Owner: note {number} about pebble {number} (2026-01-02)\n" for number in range(90)
)


def test_many_lines_show_the_first_and_those_that_fit_with_numbers_that_stay(make_core: Make) -> None:
    memory = MANY + "- Owner: my locker is number 418 (2026-01-02)\n"
    core = small(make_core, say("a"), answer("chat"), say("b"), memory=memory)
    core.provider.queue(answer("change", line=92, new="my locker is number 77"))
    core.put("USER.md", "# About my owner\n\n- Name: Ann\n")
    turn(core, "The weather is strange in this town.")
    turn(core, "My locker is number 77 now.")
    _, first, _, second = core.provider.requests
    shown, later = (request_text(request) for request in (first, second))
    assert "1. - Name: Ann" in shown and "53. - Owner: note 51 about" in shown
    assert "92. - Owner: my locker is number 418" in later and "92. " not in shown
    common = shown.index("54. ")
    assert later[:common] == shown[:common]
    assert "My locker is number 77 now." in log(core) and core.file("MEMORY.md") == memory


def request_text(request: Request) -> str:
    return "\n".join(
        part.text for message in request.messages for part in message.parts if isinstance(part, TextPart)
    )


def test_added_note_changes_no_byte_of_the_lines_that_are_shown(make_core: Make) -> None:
    core = small(make_core, say("a"), answer("fact"), say("b"), answer("chat"), memory=MANY)
    turn(core, "I start my new job on Monday.")
    turn(core, "The trains were strange in this town.")
    _, first, _, second = core.provider.requests
    assert [request.messages[:-1] for request in (first, second)] == [first.messages[:-1]] * 2


@pytest.mark.parametrize("allowed", [True, False])
def test_wish_to_forget_shows_forgets_own_list(make_core: Make, allowed: bool) -> None:
    core = small(make_core, say("All right."))
    chat = core.app.conversations.create(memory=True)
    chat.send("Please forget what I told you about my cat.")
    asked = core.wait_for(lambda event: isinstance(event, ProposalAsked))
    assert isinstance(asked, ProposalAsked)
    assert asked.proposal.reason == "forget" and "my cat is called Miso" in asked.proposal.before
    assert core.file("MEMORY.md") == MEMORY
    answered = Allowed(text="", edited=False) if allowed else Refused(why="owner")
    chat.answer(asked.proposal.id, answered)
    core.wait_for(lambda event: isinstance(event, TurnEnded))
    chat.wait(60)
    assert ("Miso" in core.file("MEMORY.md")) is not allowed and "Lyon" in core.file("MEMORY.md")
    (reply,) = core.provider.requests
    assert ("erased from your notes" if allowed else "nothing was forgotten") in sent_text(reply)
    assert not allowed or "Miso" not in reply.system[0].text


def test_wish_to_forget_what_is_nowhere_asks_nobody(make_core: Make) -> None:
    core = small(make_core, say("All right."))
    turn(core, "Please forget what I told you about my boat.")
    assert not [event for event in core.events if isinstance(event, ProposalAsked)]
    assert "Nothing in your notes" in sent_text(core.provider.requests[0])
    assert core.file("MEMORY.md") == MEMORY


@pytest.mark.parametrize("memory", [False, MemoryMode.READ_ONLY])
def test_wish_to_forget_shows_no_list_unless_memory_is_on(make_core: Make, memory: bool | MemoryMode) -> None:
    core = small(make_core, say("I can't."))
    turn(core, "Please forget what I told you about my cat.", memory=memory)
    assert core.file("MEMORY.md") == MEMORY and len(core.provider.requests) == 1
    assert "forgotten" not in sent_text(core.provider.requests[0])
    assert not [event for event in core.events if isinstance(event, ProposalAsked)]


@pytest.mark.parametrize(
    "given", [soul_line(line=1, new="- I love strawberries."), soul_line(line=1, new="I like rain."), say("Hm.")]
)
def test_copied_line_of_the_character_gives_way_to_the_owners_words(make_core: Make, given: Scripted) -> None:
    """Of an example, of SOUL.md, or none: what is proposed is one line more, in the owner's words."""
    soul = "# Soul\n\nMy name is Mochi.\n- I like rain.\n"
    core = small(make_core, answer("pet"), given, given, say("All right."))
    core.put("SOUL.md", soul)
    chat = core.app.conversations.create(memory=True)
    chat.send("Please keep your answers shorter.")
    asked = core.wait_for(lambda event: isinstance(event, ProposalAsked))
    assert isinstance(asked, ProposalAsked)
    before, after = asked.proposal.before.split("\n"), asked.proposal.after.split("\n")
    assert [line for line in after if line not in before] == [
        next(line for line in after if "answers shorter" in line)
    ]
    assert all(line in after for line in before)
    chat.answer(asked.proposal.id, Refused(why="owner"))
    core.wait_for(lambda event: isinstance(event, TurnEnded))


LONG_LINE = "I am a small fox, and I tell my owner of the woods, the moon and the mice, and of how I sleep by day."


@pytest.mark.parametrize(
    "copy",
    [
        "- Owner: my cat is called Miso (2026-02-03)",
        "my cat is called Miso",
        "What is my cat called, do you know?",
        "- I like rain.",
        LONG_LINE,
        Texts("en")("notebook.reply").splitlines()[1],
    ],
)
def test_reply_that_only_copies_the_prompt_or_the_message_is_asked_for_again(make_core: Make, copy: str) -> None:
    core = small(make_core, say(copy), say("Miso, of course!"), answer("question"))
    core.put("SOUL.md", f"# Soul\n\nMy name is Mochi.\n{LONG_LINE}\n- I like rain.\n")
    ended = turn(core, "What is my cat called, do you know?")
    chat = core.app.conversations.open(ended.conversation)
    assert chat.folded().turns[-1].reply == "Miso, of course!"


@pytest.mark.parametrize(
    ("message", "reply"),
    [
        ("Who are you?", "My name is Mochi."),
        ("Good morning!", "Good morning!"),
        ("Thank you very much!", "I like rain."),
    ],
)
def test_short_sentence_of_the_character_and_a_greeting_are_no_copies(
    make_core: Make, message: str, reply: str
) -> None:
    core = small(make_core, say(reply), answer("chat"))
    core.put("SOUL.md", "# Soul\n\nMy name is Mochi.\n- I like rain.\n")
    ended = turn(core, message)
    assert core.app.conversations.open(ended.conversation).folded().turns[-1].reply == reply


def test_fact_that_the_profile_has_is_not_noted_again(make_core: Make) -> None:
    core = small(make_core, say("I know!"), answer("fact"))
    core.put("USER.md", "# About my owner\n\n- I play the violin.\n")
    turn(core, "I play the violin.")
    assert (core.file("MEMORY.md"), log(core)) == (MEMORY, "")


@pytest.mark.parametrize("again", [False, True], ids=["stop", "regenerate"])
def test_an_explicit_wish_is_noted_before_the_reply_that_is_stopped(make_core: Make, again: bool) -> None:
    """Nothing is asked before it is written: the first byte of the reply comes after the note."""
    hold = Hold()
    core = small(make_core, say(hold, "Gladly, noted."), say("Noted."))
    chat = core.app.conversations.create(memory=True)
    chat.send("Remember that my locker number is 418.")
    hold.wait_reached()
    chat.stop()
    ended = core.wait_for(lambda event: isinstance(event, TurnEnded))
    assert isinstance(ended, TurnEnded) and ended.end is TurnEnd.STOPPED
    chat.wait(60)
    if again:
        chat.resend(ended.turn, None)
        chat.wait(60)
    assert log(core).count("My locker number is 418") == 1


LOCKER = "Remember that my locker number is 418."


def hold_recall(monkeypatch: pytest.MonkeyPatch) -> threading.Event:
    """Let recall never end on its own; the returned event is set once it has begun."""
    begun = threading.Event()

    async def never(context: TurnContext, _tools: ToolContext) -> None:
        begun.set()
        await context.scope.run(asyncio.Event().wait())

    monkeypatch.setattr("pet.extras.small_models.small_model.add_recall", never)
    return begun


@pytest.mark.parametrize("memory", [MemoryMode.ON, MemoryMode.READ_ONLY, MemoryMode.OFF])
@pytest.mark.parametrize("when", ["at once", "recall"])
def test_explicit_wish_is_noted_though_the_turn_is_stopped_before(
    make_core: Make, monkeypatch: pytest.MonkeyPatch, when: str, memory: MemoryMode
) -> None:
    begun = hold_recall(monkeypatch)
    core = small(make_core)
    chat = core.app.conversations.create(memory=memory)
    if when == "recall":
        chat.send(LOCKER)
        assert begun.wait(60)
        chat.stop()
    else:
        with core.busy():
            chat.send(LOCKER)
            chat.stop()
    chat.wait(60)
    notes = memory is MemoryMode.ON
    assert (core.file("MEMORY.md"), log(core).count("My locker number is 418.")) == (MEMORY, notes)
    (last,) = chat.folded().turns
    assert (last.end, last.reply, core.provider.requests) == (TurnEnd.STOPPED, "", [])
    core.close()
    receipts = [event.receipt for event in core.events if isinstance(event, ToolEnded)]
    assert [receipt.file for receipt in receipts if receipt] == ([f"memory/{today(core)}.md"] if notes else [])


@pytest.mark.parametrize("act", ["stop", "off"])
def test_explicit_wish_that_is_being_noted(make_core: Make, monkeypatch: pytest.MonkeyPatch, act: str) -> None:
    """A stop between the decision and the write drops nothing; memory switched off then does."""
    core = small(make_core, say("Never seen."))
    chat = core.app.conversations.create(memory=True)

    def interrupted(decision: Decision | None, message: str, lines: Sequence[Line], evidence: Evidence) -> Decision:
        chat.stop() if act == "stop" else chat.gate.switch(False)
        return settle(decision, message, lines, evidence)

    monkeypatch.setattr("pet.extras.small_models.small_model.settle", interrupted)
    chat.send(LOCKER)
    chat.wait(60)
    assert log(core).count("My locker number is 418") == (act == "stop")
    assert core.file("MEMORY.md") == MEMORY
    assert act == "off" or (chat.folded().turns[-1].end, core.provider.requests) == (TurnEnd.STOPPED, [])


@pytest.mark.parametrize("message", ["My sister Anna is allergic to peanuts.", "Please forget that I live in Lyon."])
def test_nothing_else_is_written_after_a_stop(make_core: Make, monkeypatch: pytest.MonkeyPatch, message: str) -> None:
    begun = hold_recall(monkeypatch)
    core = small(make_core)
    chat = core.app.conversations.create(memory=True)
    chat.send(message)
    assert begun.wait(60)
    chat.stop()
    chat.wait(60)
    core.close()
    assert (core.file("MEMORY.md"), log(core), core.provider.requests) == (MEMORY, "", [])
    assert not [event for event in core.events if isinstance(event, ProposalAsked | ToolStarted)]


def test_memory_switched_off_during_recall_notes_no_wish(make_core: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    begun = hold_recall(monkeypatch)
    core = small(make_core)
    chat = core.app.conversations.create(memory=True)
    chat.send(LOCKER)
    assert begun.wait(60)
    chat.set_memory(False)
    chat.stop()
    chat.wait(60)
    assert (core.file("MEMORY.md"), log(core), core.provider.requests) == (MEMORY, "", [])
