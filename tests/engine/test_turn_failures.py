"""Turns end for the page whatever happens to the disk, the conversation or the arguments of a call."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial

import pytest

from pet.bridge.emitter import Emitter
from pet.errors import EmptyContent, PetError, TurnRunning, UnknownConversation
from pet.events import Event, MemorySwitched, RoundStarted, ToolEnded, TurnEnded, TurnStarted
from pet.model import Allowed, Request, ToolCallPart, ToolResultPart, TurnEnd
from tests.bridge.commands.test_commands import ask
from tests.engine.conftest import Core, Make
from tests.engine.test_turn import result_texts, wait_for_proposal
from tests.support.models.scripted import Hold, ScriptedRound, call, calls, say


def ends(core: Core) -> list[TurnEnded]:
    return [event for event in core.events if isinstance(event, TurnEnded)]


def test_a_turn_whose_conversation_was_deleted_elsewhere_still_ends_for_the_page(make_core: Make) -> None:
    hold = Hold()
    core = make_core(say("half", hold, " and half"))
    chat = core.app.conversations.create(memory=True)
    chat.send("hi")
    hold.wait_reached()
    for file in (core.app.store.root / "conversations").iterdir():
        file.unlink()
    hold.release()
    core.wait_for(lambda event: isinstance(event, TurnEnded))
    chat.wait(60)
    assert chat.running_turn is None
    core.close()
    assert [each.end for each in ends(core)] == [TurnEnd.FAILED]
    assert ends(core)[0].error is not None


def test_after_the_end_of_a_turn_the_next_message_is_taken_at_once(make_core: Make) -> None:
    """Who hears TurnEnded may send: the event must not come before the conversation is free."""
    core = make_core(*(say("ok") for _ in range(30)))
    chat = core.app.conversations.create(memory=False)
    refused: list[PetError] = []
    done = threading.Event()

    def on_event(event: Event) -> None:
        if not isinstance(event, TurnEnded):
            return
        try:
            if core.provider.left:
                chat.send("next")
            else:
                done.set()
        except PetError as error:
            refused.append(error)
            done.set()

    core.app.emitter.subscribe(on_event, name="test")
    chat.send("first")
    assert done.wait(60)
    assert not refused


@pytest.mark.parametrize(
    "arguments",
    [
        '{"path": "SOUL.md", "lines": 1e999}',
        '{"path": "SOUL.md", "lines": NaN}',
        '{"path": "SOUL.md", "from_line": -Infinity}',
        "[" * 100_000,
        '{"path": "SOUL.md", "\\ud800": 1}',
        '{"path": {"a": 1}}',
        '{"path": "SOUL.md", "lines": ' + "9" * 5_000 + "}",
    ],
)
def test_arguments_of_any_kind_are_the_models_mistake_and_no_bug(make_core: Make, arguments: str) -> None:
    core = make_core(call("read", arguments), say("sorry"))
    chat = core.app.conversations.create(memory=True)
    chat.send("read")
    chat.wait(60)
    assert chat.folded().turns[-1].end is TurnEnd.DONE
    assert "don't fit" in result_texts(core)[0]


def test_a_stop_before_the_request_sends_nothing(make_core: Make) -> None:
    core = make_core(say("never"))
    chat = core.app.conversations.create(memory=True)
    with core.busy():
        chat.send("hi")
        chat.stop()
    chat.wait(60)
    assert chat.folded().turns[-1].end is TurnEnd.STOPPED
    assert core.provider.requests == []
    core.close()
    assert not any(isinstance(event, RoundStarted) for event in core.events)


def test_a_deleted_conversation_is_not_brought_back_by_who_still_holds_it(make_core: Make) -> None:
    core = make_core(say("hi"))
    chat = core.app.conversations.create(memory=True)
    core.app.conversations.delete(chat.id)
    for act in (
        lambda: chat.send("hello"),
        chat.keep,
        lambda: chat.set_memory(False),
        lambda: chat.record.rename("x"),
    ):
        with pytest.raises(UnknownConversation):
            act()
    folder = core.app.store.root / "conversations"
    assert not folder.exists() or not list(folder.iterdir())


def test_send_stop_switch_and_delete_from_many_threads_leave_order(make_core: Make) -> None:
    """Whatever wins: no lost lock, one TurnEnded for each TurnStarted, nothing left of what was deleted."""
    core = make_core(*(say("some", " words") for _ in range(200)))
    chats = [core.app.conversations.create(memory=True) for _ in range(6)]
    acts: list[Callable[[], object]] = []
    for number, chat in enumerate(chats):
        for memory in (False, True, False):
            acts += [
                partial(chat.send, "hello"),
                chat.stop,
                partial(chat.set_memory, memory),
                partial(chat.snapshot, core.app.emitter.fence),
                chat.keep,
                chat.record.drop_earlier,
            ]
        if number % 2:
            acts.append(partial(core.app.conversations.delete, chat.id))

    def run(act: Callable[[], object]) -> None:
        with suppress(TurnRunning, UnknownConversation):
            act()

    with ThreadPoolExecutor(12) as pool:
        list(pool.map(run, acts, timeout=60))
    for chat in chats:
        chat.wait(60)
    core.close()
    started = [event.turn for event in core.events if isinstance(event, TurnStarted)]
    assert sorted(started) == sorted(event.turn for event in ends(core))
    live = {each.id for each in core.app.conversations.live()}
    on_disk = {file.name.split(".")[0] for file in (core.app.store.root / "conversations").glob("*.jsonl")}
    assert on_disk <= live


def test_a_write_based_on_an_older_text_does_not_drop_what_another_tab_wrote(make_core: Make) -> None:
    """The model wrote the whole file from what its turn began with; the line that came in between stays."""
    lines = [f"- fact {n}\n" for n in range(8)]
    core = make_core()
    core.put("MEMORY.md", "".join(lines))
    chat = core.app.conversations.create(memory=True)

    def meanwhile(_request: Request) -> ScriptedRound:
        core.put("MEMORY.md", "".join(["- from another tab\n", *lines]))
        return call("write", {"path": "MEMORY.md", "content": "".join([*lines, "- new\n"])})

    core.provider.queue(meanwhile, say("done"))
    chat.send("remember")
    chat.wait(60)
    assert core.file("MEMORY.md") == "".join(["- from another tab\n", *lines, "- new\n"])


def test_a_write_that_overlaps_with_another_tabs_is_a_conflict_until_the_file_was_read(make_core: Make) -> None:
    core = make_core()
    core.put("MEMORY.md", "- one\n- two\n- three\n- four\n- five\n")
    chat = core.app.conversations.create(memory=True)

    def meanwhile(_request: Request) -> ScriptedRound:
        core.put("MEMORY.md", "- one\n- TWO, said another tab\n- three\n- four\n- five\n")
        return call("write", {"path": "MEMORY.md", "content": "- one\n- zwei\n- three\n- four\n- five\n"})

    both = "- one\n- TWO and zwei\n- three\n- four\n- five\n"
    core.provider.queue(
        meanwhile,
        call("read", {"path": "MEMORY.md"}, call_id="b"),
        call("write", {"path": "MEMORY.md", "content": both}, call_id="c"),
        say("done"),
    )
    chat.send("remember")
    chat.wait(60)
    core.close()
    errors = [event.error.code if event.error else None for event in core.events if isinstance(event, ToolEnded)]
    assert errors == ["file_conflict", None, None]
    assert core.file("MEMORY.md") == both


def test_lines_are_what_ends_with_a_line_end_and_nothing_else(make_core: Make) -> None:
    core = make_core(call("read", {"path": "MEMORY.md", "from_line": 2, "lines": 1}), say("ok"))
    core.put("MEMORY.md", "- a\u2028b\x0cc\x85d\n- second\n- third\n")
    chat = core.app.conversations.create(memory=True)
    chat.send("read")
    chat.wait(60)
    assert result_texts(core)[0] == "- second\n"


def test_closing_goes_on_after_a_part_that_fails_to_close(make_core: Make) -> None:
    before = set(threading.enumerate())
    core = make_core()

    def broken() -> None:
        raise OSError("no")

    core.app.closing.callback(broken)
    with pytest.raises(OSError, match="no"):
        core.app.close()
    assert "engine" not in {thread.name for thread in set(threading.enumerate()) - before}


def test_an_empty_edit_and_resend_is_refused_before_anything_is_stored(make_core: Make) -> None:
    core = make_core(say("a"))
    chat = core.app.conversations.create(memory=True)
    turn = chat.send("hi")
    chat.wait(60)
    with pytest.raises(EmptyContent):
        chat.resend(turn, " \n")
    assert [each.text for each in chat.folded().turns] == ["hi"]


def test_the_page_sees_a_divider_once(make_core: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    """A view holds the divider or the event comes after it; never both."""
    switched: list[int] = []
    emit = Emitter.emit

    def noted(emitter: Emitter, event: Event) -> int:
        number = emit(emitter, event)
        if isinstance(event, MemorySwitched):
            switched.append(number)
        return number

    monkeypatch.setattr(Emitter, "emit", noted)  # before the program is put together with it
    core = make_core(say("hi"))
    chat = core.app.conversations.create(memory=True)
    chat.send("hi")
    chat.wait(60)
    emitter: Emitter = core.app.emitter
    looks: list[tuple[int, int]] = []
    stop = threading.Event()

    def look() -> None:
        while not stop.is_set():
            seen = chat.snapshot(emitter.fence)
            looks.append((seen.seq, len(seen.conversation.dividers)))

    looking = threading.Thread(target=look)
    looking.start()
    for n in range(40):
        chat.set_memory(n % 2 == 1)
    stop.set()
    looking.join(60)
    core.close()
    assert len(switched) == 40
    for seq, dividers in looks:
        assert dividers == sum(1 for each in switched if each <= seq)


def test_two_calls_with_one_id_each_get_their_own_answer(make_core: Make) -> None:
    """Some servers number calls anew, or not at all; page, transcript and API tell them apart by id."""
    soul, user = (
        ToolCallPart(id="0", name="read", arguments=json.dumps({"path": path})) for path in ("SOUL.md", "USER.md")
    )
    core = make_core(calls(soul, user), calls(soul), say("done"), say("and again"))
    core.put("SOUL.md", "I am a cat.\n")
    core.put("USER.md", "Name: Ann\n")
    chat = core.app.conversations.create(memory=True)
    for text in ("read", "well?"):
        chat.send(text)
        chat.wait(60)
    for request in core.provider.requests[2:]:
        parts = [part for message in request.messages for part in message.parts]
        ids = [part.id for part in parts if isinstance(part, ToolCallPart)]
        assert len(set(ids)) == 3
        answers = [(part.call_id, part.text) for part in parts if isinstance(part, ToolResultPart)]
        assert answers == list(zip(ids, ["I am a cat.\n", "Name: Ann\n", "I am a cat.\n"], strict=True))
    core.close()
    assert len({event.call for event in core.events if isinstance(event, ToolEnded)}) == 3


def test_a_tab_that_was_just_deleted_does_not_keep_the_others_from_being_saved(make_core: Make) -> None:
    core = make_core()
    kept = ask(core, "new_conversation")["info"]["id"]
    secret = ask(core, "new_conversation", temporary=True)["info"]["id"]
    gone = ask(core, "new_conversation")["info"]["id"]
    for each in (secret, gone):
        ask(core, "delete_conversation", conversation=each)
    tabs = [{"conversation": each, "draft": f"draft of {each}", "scroll": 0.0} for each in (secret, gone, kept)]
    ask(core, "save_tabs", tabs=tabs, active=gone)
    core.close()
    state = ask(make_core(), "get_app_state")
    assert [tab["conversation"] for tab in state["tabs"]] == [kept]
    assert state["active_tab"] is None
    for path in core.home.state.parent.rglob("*"):
        assert not path.is_file() or secret.encode() not in path.read_bytes()


def test_what_the_owner_made_of_a_change_is_shown_again_when_the_file_changed_meanwhile(make_core: Make) -> None:
    core = make_core(call("write", {"path": "SOUL.md", "content": "I am a cat.\n"}), say("ok"))
    chat = core.app.conversations.create(memory=True)
    chat.send("be a cat")
    first = wait_for_proposal(core).proposal
    core.put("SOUL.md", first.before + "\nAdded in another editor.\n")
    chat.answer(first.id, Allowed(text="I am a small cat.\n", edited=True))
    second = wait_for_proposal(core, after=first.id).proposal
    assert "I am a small cat." in second.after
    assert "Added in another editor." in second.before
    chat.answer(second.id, Allowed(text=second.after, edited=False))
    chat.wait(60)
    assert core.file("SOUL.md") == second.after
    assert "I am a small cat." in result_texts(core)[0]
