"""``/search``, ``/remember`` and ``/compact`` in the terminal chat: the owner's acts on memory."""

from __future__ import annotations

from queue import Queue
from typing import TYPE_CHECKING

from pet.cli.commands.search import show_hits
from pet.cli.format import error_text, noted_lines
from pet.cli.remote import tell_changed
from pet.cli.terminal import on_interrupt
from pet.engine.conversation.owner_notes import save_note
from pet.events import CompactionEnded, Event, ToolEnded

if TYPE_CHECKING:
    from pet.cli.chat.slash_commands import ChatState


def search_in_chat(state: ChatState, text: str) -> None:
    """Search notes, and messages sent while memory was on; results are not sent to the model."""
    if not text:
        state.say("cli.chat.search_usage")
        return
    settings = state.app.effective.current()
    index = state.app.index.get()
    today = state.app.clock.now().date()
    hits = index.search(text, settings.search_count, today, min_score=settings.search_min_score, conversations=True)
    if not hits:
        state.say("cli.search.nothing")
    show_hits(state.terminal, state.texts, hits, text)


def remember_in_chat(state: ChatState, text: str) -> None:
    """Append the owner's text to today's log. Raises ConversationTemporary."""
    state.live.gate.check_keeps()
    if not text:
        state.say("cli.chat.remember_usage")
        return
    receipt = save_note(state.app.store, state.app.clock, text)
    tell_changed(state.app.home, state.app.pet_id, [receipt.file])
    state.terminal.say(noted_lines(receipt, state.texts, state.app.clock.now().date()))


def compact_in_chat(state: ChatState, wish: str) -> None:
    """Compact the conversation, the summary as the owner's words want it; Ctrl+C cancels without any change."""
    events: Queue[Event] = Queue()
    live = state.live
    subscription = state.app.emitter.subscribe(events.put, CompactionEnded, ToolEnded, name="compact")
    changed: list[str] = []
    try:
        with on_interrupt(lambda _number, _frame: live.stop()):
            live.compact(wish)
            state.say("cli.chat.compacting")
            ended = _wait(state, events, changed)
    finally:
        subscription.close()
        tell_changed(state.app.home, state.app.pet_id, changed)
    if ended.error is not None:
        state.terminal.complain(error_text(state.texts, ended.error))
    else:
        state.say("cli.chat.compacted" if ended.after_turn else "cli.chat.not_compacted")


def _wait(state: ChatState, events: Queue[Event], changed: list[str]) -> CompactionEnded:
    while True:
        event = events.get()
        if isinstance(event, CompactionEnded) and event.conversation == state.live.id:
            return event
        if isinstance(event, ToolEnded) and event.conversation == state.live.id and event.receipt is not None:
            changed.append(event.receipt.file)
            noted = noted_lines(event.receipt, state.texts, state.app.clock.now().date())
            state.terminal.say(state.terminal.painted(noted, "dim"))
