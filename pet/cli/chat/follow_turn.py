"""Follow one turn in the terminal: streamed text, waits, receipts, prompts, the end.

The engine has its own thread; this runs on the main one, so that Ctrl+C stops the turn and prompts can block.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from queue import Empty, Queue

from pet.app import App
from pet.cli.chat.confirm import Confirmation
from pet.cli.format import error_text, noted_lines, undo_hint
from pet.cli.pet_notices import command_for
from pet.cli.remote import tell_changed
from pet.cli.terminal import Terminal, on_interrupt, safe
from pet.engine.conversation import LiveConversation
from pet.errors import UnknownProposal
from pet.events import (
    CompactionStarted,
    ContextUsed,
    Event,
    ProposalAsked,
    RetryWaiting,
    TextDelta,
    ToolEnded,
    ToolStarted,
    TurnEnded,
)
from pet.i18n import Texts
from pet.model import Proposal, Refused, TurnEnd

_POLL_SECONDS = 0.3  # for a pause set by another program
_KEY_FAULTS = frozenset({"fault_no_key", "fault_bad_key"})


class TurnLost(Exception):
    """A turn ended without a ``TurnEnded`` event, a bug."""


@dataclass(slots=True, kw_only=True)
class Follower:
    """Prints one turn; ``ended`` is its result."""

    app: App
    live: LiveConversation
    terminal: Terminal
    texts: Texts
    confirmation: Confirmation
    in_chat: bool  # /undo is available
    _round: int = 0
    _printed: str = ""  # the last piece of the answer, for line breaks
    _calls: dict[str, tuple[str, str]] = field(default_factory=dict)
    _changed: list[str] = field(default_factory=list)

    def follow(self, start: Callable[[], str]) -> TurnEnded:
        """Start a turn and print it to its end. Ctrl+C stops it; partial text is kept."""
        events: Queue[Event] = Queue()
        subscription = self.app.emitter.subscribe(events.put, name="terminal")
        try:
            with on_interrupt(lambda _number, _frame: self.live.stop()):
                turn = start()
                ended = self._print_until_end(events, turn)
                self._break_line()
                self._print_end(ended)
                self.live.wait(timeout=10)
        finally:
            subscription.close()
            tell_changed(self.app.home, self.app.pet_id, self._changed)
        return ended

    def _print_until_end(self, events: Queue[Event], turn: str) -> TurnEnded:
        gone = False
        while True:
            try:
                event = events.get(timeout=_POLL_SECONDS)
            except Empty:
                if gone:
                    raise TurnLost from None
                gone = self.live.running_turn != turn  # poll once more for queued events
                self.app.catch_up()
                continue
            if isinstance(event, CompactionStarted) and event.conversation == self.live.id:
                self._note(self.texts("cli.chat.compacting"))
            if getattr(event, "turn", None) != turn:
                continue
            if isinstance(event, TurnEnded):
                return event
            self._print(event)

    def _print(self, event: Event) -> None:
        match event:
            case TextDelta(round=number, text=text):
                self._print_text(number, text)
            case ContextUsed(used=used):
                places = ", ".join(f"{each.path}:{each.start_line}" for each in used)
                self._note(self.texts("cli.used", places=safe(places)))
            case ToolStarted(call=call, tool=tool, file=file):
                self._calls[call] = (tool, file or "")
            case ToolEnded():
                self._print_tool(event)
            case RetryWaiting(error=error, seconds=seconds):
                words = self.texts("cli.waiting", error=error_text(self.texts, error), seconds=f"{seconds:.0f}")
                self._note(words, complain=True)
            case ProposalAsked(proposal=proposal):
                self._break_line()
                self._confirm(proposal)
            case _:
                return

    def _print_text(self, number: int, text: str) -> None:
        if number != self._round:
            self._break_line()
            self._round = number
        self.terminal.answer(text)
        self._printed = text or self._printed

    def _print_tool(self, event: ToolEnded) -> None:
        tool, file = self._calls.get(event.call, ("", ""))
        if event.receipt is not None:
            self._changed.append(event.receipt.file)
            self._note(noted_lines(event.receipt, self.texts, self.app.clock.now().date()))
            slash = self.texts("cli.receipt.slash_undo")
            self._note(slash if self.in_chat else undo_hint(event.receipt, self.texts, command_for(self.app)))
        elif event.error is not None:
            action = f"{safe(tool[:40])} {safe(file)}".rstrip()
            self._note(self.texts("cli.tool_failed", action=action))

    def _confirm(self, proposal: Proposal) -> None:
        decision = self.confirmation.decide(proposal)
        if isinstance(decision, Refused) and decision.why == "stopped":
            self.live.stop()  # also refuses the proposal; answering first would start the next round
            return
        try:
            self.live.answer(proposal.id, decision)
        except UnknownProposal:  # the turn ended while the owner was reading
            self.terminal.say(self.texts("error.unknown_proposal"))

    def _print_end(self, ended: TurnEnded) -> None:
        if ended.error is not None:
            self.terminal.complain(error_text(self.texts, ended.error))
            if ended.error.code in _KEY_FAULTS:
                self.terminal.complain(self.texts("cli.key.hint"))
        elif ended.end is not TurnEnd.DONE:
            self.terminal.complain(self.texts(f"cli.end.{ended.end}"))
        if ended.claim is not None:
            self._note(self.texts(f"cli.claim.{ended.claim.kind}"), complain=True)

    def _note(self, text: str, *, complain: bool = False) -> None:
        self._break_line()
        if complain:
            self.terminal.complain(text)
        else:
            self.terminal.say(self.terminal.painted(text, "dim"))

    def _break_line(self) -> None:
        """End the answer's line before other output or the next round."""
        if self._printed and not self._printed.endswith("\n"):
            self.terminal.answer("\n")
        self._printed = ""
