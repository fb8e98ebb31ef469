"""Print one turn in the terminal, and confirm its changes.

The engine has its own thread; this runs on the main one, so that Ctrl+C stops the turn and prompts can block. Enter,
end of input and a missing terminal never count as consent.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from queue import Empty, Queue
from typing import TYPE_CHECKING, Literal, Protocol

from pet.cli.format import command_for, diff_rows, error_text, facts_of, noted_lines, undo_hint
from pet.cli.found import ways_to_a_model
from pet.cli.remote import notify_changed
from pet.cli.terminal import MARK, Terminal, interruptible, on_interrupt, revealed, safe
from pet.errors import EmptyContent, UnknownProposal
from pet.events import (
    CompactionStarted,
    ContextUsed,
    Event,
    ProposalAsked,
    RetryWaiting,
    RoundStarted,
    TextDelta,
    ToolEnded,
    ToolsMissing,
    ToolStarted,
    TurnEnded,
)
from pet.i18n import Texts, catalogue
from pet.model import Allowed, Decision, Proposal, Refused, TurnEnd, UsedMemory
from pet.services.offers.wording import source_words
from pet.tools.toolset import is_own
from pet.workspace.line_diff import diff_lines
from pet.workspace.text_encoding import normalize_newlines

if TYPE_CHECKING:
    from pet.app import Pet
    from pet.bridge.emitter import Subscription
    from pet.engine.conversation import LiveConversation

Answer = Literal["yes", "no"] | None
"""``--yes``, ``--no``, or None: then the owner is prompted."""
_NOBODY = {
    "forget": "cli.confirm.nobody_forgets",
    "page": "cli.confirm.nobody_reads",
    "foreign": "cli.confirm.nobody_notes",
    "call": "cli.confirm.nobody_calls",
}


_LASTING = ("once", "conversation", "always")


@dataclass(frozen=True, slots=True, kw_only=True)
class Confirmation:
    terminal: Terminal
    texts: Texts
    answer: Answer = None

    def decide(self, proposal: Proposal, today: date) -> Decision:
        # Forgetting is irreversible, what is sent away says what it says, and what others wrote may want more than
        # its owner knows of: always shown first.
        if self.answer == "yes" and proposal.reason not in _NOBODY:
            return Allowed(text=proposal.after, edited=False)
        if self.answer == "no":
            return Refused(why="owner")
        if not self.terminal.can_ask:
            self.terminal.complain(self.texts(_NOBODY.get(proposal.reason, "cli.confirm.nobody"), file=proposal.file))
            return Refused(why="no_terminal")
        try:
            with interruptible():
                match proposal.reason:
                    case "forget":
                        return self._confirm_forgetting(proposal)
                    case "page":
                        return self._confirm_page(proposal)
                    case "call":
                        return self._confirm_call(proposal)
                    case _:
                        return self._review(proposal, today)
        except KeyboardInterrupt:
            self.terminal.say()
            return Refused(why="stopped")

    def _review(self, proposal: Proposal, today: date) -> Decision:
        text = proposal.after
        self._show(proposal, text, today)
        foreign = proposal.reason == "foreign"
        question = self.texts("cli.confirm.question_foreign" if foreign else "cli.confirm.question")
        while True:
            word = self.terminal.ask(question)
            match self._meaning(word, ("allow", "edit", "refuse", *(("conversation",) if foreign else ()))):
                case "allow":
                    return Allowed(text=text, edited=text != proposal.after)
                case "conversation":
                    return Allowed(text=text, edited=text != proposal.after, lasting="conversation")
                case "refuse":
                    self.terminal.say(self.texts("cli.confirm.refused", file=proposal.file))
                    return Refused(why="owner")
                case "edit":
                    text = self._edited(proposal.file, text)
                    self._show(proposal, text, today)
                case _:
                    self.terminal.say(self.texts("cli.confirm.again"))

    def _confirm_forgetting(self, proposal: Proposal) -> Decision:
        """Require a whole word: there is no undo."""
        self.terminal.say()
        for line in proposal.before.split("\n"):
            self.terminal.say(revealed(line))
        self.terminal.say()
        word = self.terminal.ask(self.texts("cli.forget.question"))
        if word is not None and word.strip().casefold() in self.texts("cli.forget.words.yes").split():
            return Allowed(text=proposal.after, edited=False)
        return Refused(why="owner")

    def _confirm_page(self, proposal: Proposal) -> Decision:
        self.terminal.say()
        self.terminal.say(MARK + self.texts("cli.confirm.page"))
        self.terminal.say(revealed(proposal.before))
        allows = self._meaning(self.terminal.ask(self.texts("cli.confirm.page_question"))) == "allow"
        return Allowed(text=proposal.after, edited=False) if allows else Refused(why="owner")

    def _confirm_call(self, proposal: Proposal) -> Decision:
        call = proposal.call
        assert call is not None
        self.terminal.say()
        self.terminal.say(MARK + self.texts("cli.confirm.call", tool=safe(call.tool), source=safe(call.source)))
        for line in proposal.before.split("\n"):
            self.terminal.say(revealed(line))
        if call.changes:
            self.terminal.say(self.texts("ui.proposal.call_changes"))
        if call.remembered:
            self.terminal.say(self.texts("ui.proposal.call_remembered"))
            for line in call.remembered:
                self.terminal.say("  " + revealed(line))
        question = "cli.confirm.call_changes_question" if call.changes else "cli.confirm.call_question"
        lasting_words = tuple(each for each in _LASTING if each != "conversation" or not call.changes)
        match self._meaning(self.terminal.ask(self.texts(question)), lasting_words):
            case "once" | "conversation" | "always" as lasting:
                return Allowed(text=proposal.after, edited=False, lasting=lasting)
            case _:
                return Refused(why="owner")

    def _meaning(self, word: str | None, meanings: tuple[str, ...] = ("allow", "edit", "refuse")) -> str:
        if word is None:  # end of input is a refusal
            return "refuse"
        for meaning in meanings:
            if word.strip().casefold() in self.texts(f"cli.confirm.words.{meaning}").split():
                return meaning
        return ""

    def _show(self, proposal: Proposal, text: str, today: date) -> None:
        self.terminal.say()
        sources = source_words(proposal.foreign, self.texts)
        self.terminal.say(MARK + self.texts(f"cli.confirm.{proposal.reason}", file=proposal.file, sources=sources))
        for row in diff_rows(diff_lines(proposal.before, text), self.terminal):
            self.terminal.say(row)
        for fact in facts_of(proposal, self.texts, today):
            self.terminal.say(fact)

    def _edited(self, file: str, text: str) -> str:
        """Return the text from the owner's editor; unchanged if editing failed."""
        try:
            edited = edit_text(file, text)
        except (OSError, UnicodeError, ValueError, subprocess.CalledProcessError):
            self.terminal.say(self.texts("cli.confirm.editor_failed", editor=editor()))
            return text
        if not edited.strip():
            self.terminal.say(self.texts(f"error.{EmptyContent.code}", file=file))
            return text
        return edited


def editor() -> str:
    return os.environ.get("VISUAL") or os.environ.get("EDITOR") or ("notepad" if os.name == "nt" else "vi")


def edit_text(file: str, text: str) -> str:
    """Open the editor on a file in a private temporary folder, and return its text."""
    with tempfile.TemporaryDirectory(prefix="soulpet-") as folder:
        path = Path(folder, file)
        path.write_text(text, encoding="utf-8", newline="\n")
        subprocess.run([*shlex.split(editor()), str(path)], check=True)  # noqa: S603  the owner's editor
        return normalize_newlines(path.read_text(encoding="utf-8-sig"))


_POLL_SECONDS = 0.3  # for a pause set by another program
_KEY_FAULTS = frozenset({"fault_no_key", "fault_bad_key"})


class TurnLost(Exception):
    """A turn ended without a ``TurnEnded`` event, a bug."""


class TurnSource(Protocol):
    """One turn, run by this process or by the running pet."""

    def start(self) -> str:
        """Send the message; return the turn's id. Raises PetError."""
        ...

    def next_event(self) -> Event | None:
        """Return the next event of the turn or its conversation; None for now without one. Raises TurnLost."""
        ...

    def stop(self) -> None: ...

    def answer(self, proposal: str, decision: Decision) -> None:
        """Answer a proposal. Raises UnknownProposal."""
        ...

    def close(self, changed: Sequence[str]) -> None:
        """Call once, after the end or a failure. ``changed``: the files that the turn wrote."""
        ...


@dataclass(slots=True)
class OwnTurn:
    """A turn of this process. ``send``: sends the message, returns the turn's id."""

    app: Pet
    live: LiveConversation
    send: Callable[[], str]
    _events: Queue[Event] = field(default_factory=Queue)
    _subscription: Subscription | None = None
    _turn: str = ""
    _gone: bool = False

    def start(self) -> str:
        self._subscription = self.app.emitter.subscribe(self._events.put, name="terminal")
        self._turn = self.send()
        return self._turn

    def next_event(self) -> Event | None:
        try:
            event = self._events.get(timeout=_POLL_SECONDS)
        except Empty:
            if self._gone:
                raise TurnLost from None
            self._gone = self.live.running_turn != self._turn  # poll once more for queued events
            self.app.catch_up()
            return None
        return event if getattr(event, "conversation", None) == self.live.id else None

    def stop(self) -> None:
        self.live.stop()

    def answer(self, proposal: str, decision: Decision) -> None:
        self.live.answer(proposal, decision)

    def close(self, changed: Sequence[str]) -> None:
        if self._turn:
            self.live.wait(timeout=10)
        if self._subscription is not None:
            self._subscription.close()
        notify_changed(self.app.home, self.app.pet_id, changed)


@dataclass(slots=True, kw_only=True)
class Follower:
    """Prints one turn. ``command``: the start of a command for this pet."""

    turn: TurnSource
    command: str
    today: Callable[[], date]
    terminal: Terminal
    texts: Texts
    confirmation: Confirmation
    in_chat: bool  # /undo is available
    ways: Callable[[str], list[str]] | None = None  # the ways to a model, for the host that needs a key
    _round: int = 0
    _printed: str = ""  # the last piece of the answer, for line breaks
    _calls: dict[str, tuple[str, str]] = field(default_factory=dict)
    _changed: list[str] = field(default_factory=list)
    _used: list[UsedMemory] = field(default_factory=list)

    def follow(self) -> TurnEnded:
        """Start a turn and print it to its end. Ctrl+C stops it; partial text is kept."""
        try:
            with on_interrupt(lambda _number, _frame: self.turn.stop()):
                ended = self._print_until_end(self.turn.start())
                self._break_line()
                self._print_end(ended)
        finally:
            self.turn.close(self._changed)
        return ended

    def _print_until_end(self, turn: str) -> TurnEnded:
        while True:
            event = self.turn.next_event()
            if isinstance(event, CompactionStarted):
                self._note(self.texts("cli.chat.compacting"))
            if getattr(event, "turn", None) != turn:
                continue
            if isinstance(event, TurnEnded):
                return event
            if event is not None:
                self._print(event)

    def _print(self, event: Event) -> None:
        match event:
            case TextDelta(round=number, text=text):
                self._print_text(number, text)
            case RoundStarted(round=number) if number == self._round and self._printed:
                self._note(self.texts("cli.was_thinking"))
            case ContextUsed(used=used) if used != self._used:
                self._used = used
                places = self.texts("ui.list.and").join(f"{each.path}:{each.start_line}" for each in used)
                self._note(self.texts("cli.used", places=safe(places)))
            case ToolStarted(call=call, tool=tool, file=file):
                self._calls[call] = (tool, file or "")
            case ToolEnded():
                self._print_tool(event)
            case ToolsMissing(error=error):
                self._note(error_text(self.texts, error), complain=True)
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
            self._note(noted_lines(event.receipt, self.texts, self.today()))
            slash = self.texts("cli.receipt.slash_undo")
            self._note(slash if self.in_chat else undo_hint(event.receipt, self.texts, self.command))
        elif event.error is None and (key := f"cli.tool.{tool}") in catalogue(self.texts.language):
            self._note(self.texts(key, what=safe(file)))
        elif event.error is None and tool and not is_own(tool):
            self._note(self.texts("cli.tool.other", tool=safe(tool), what=safe(file)))
        elif event.error is not None:
            action = f"{safe(tool[:40])} {safe(file)}".rstrip()
            self._note(self.texts("cli.tool_failed", action=action))

    def _confirm(self, proposal: Proposal) -> None:
        decision = self.confirmation.decide(proposal, self.today())
        if isinstance(decision, Refused) and decision.why == "stopped":
            self.turn.stop()  # also refuses the proposal; answering first would start the next round
            return
        try:
            self.turn.answer(proposal.id, decision)
        except UnknownProposal:  # the turn ended while the owner was reading
            self.terminal.say(self.texts("error.unknown_proposal"))

    def _print_end(self, ended: TurnEnded) -> None:
        if ended.error is not None:
            self.terminal.complain(MARK + error_text(self.texts, ended.error))
            if ended.error.code in _KEY_FAULTS:
                self._print_ways(str(ended.error.args.get("host", "")), missing=ended.error.code == "fault_no_key")
        elif ended.end is not TurnEnd.DONE:
            self.terminal.complain(MARK + self.texts(f"cli.end.{ended.end}"))
        if ended.claim is not None:
            self._note(self.texts(f"cli.claim.{ended.claim.kind}"), complain=True)
            if ended.claim.never_calls:
                self._note(self.texts("cli.claim.small_way"), complain=True)

    def _print_ways(self, host: str, *, missing: bool) -> None:
        lines = self.ways(host) if missing and self.ways is not None and not self.terminal.can_ask else []
        for line in lines or [self.texts("cli.key.hint")]:
            self.terminal.complain(MARK + line)

    def _note(self, text: str, *, complain: bool = False) -> None:
        self._break_line()
        if complain:
            self.terminal.complain(MARK + text)
        else:
            self.terminal.note(text)

    def _break_line(self) -> None:
        """End the answer's line before other output or the next round."""
        if self._printed and not self._printed.endswith("\n"):
            self.terminal.answer("\n")
        self._printed = ""


def follow_own(
    app: Pet, live: LiveConversation, send: Callable[[], str], confirmation: Confirmation, *, in_chat: bool
) -> TurnEnded:
    """Run a turn in this process, and print it to its end."""
    return Follower(
        turn=OwnTurn(app, live, send),
        command=command_for(app),
        today=lambda: app.clock.now().date(),
        terminal=confirmation.terminal,
        texts=confirmation.texts,
        confirmation=confirmation,
        in_chat=in_chat,
        ways=lambda host: ways_to_a_model(app.local_models, host, confirmation.texts),
    ).follow()
