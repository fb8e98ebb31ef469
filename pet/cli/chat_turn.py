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
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any, Concatenate, Literal, ParamSpec, Protocol, TypeVar

from pet.access import MemoryMode
from pet.bridge.channel import NotListening
from pet.bridge.commands.terminal import TerminalCommands, TerminalTurn
from pet.bridge.emitter import EVENT_TYPES
from pet.cli.arguments import Given
from pet.cli.format import (
    command_for,
    complain_of_files,
    diff_rows,
    error_text,
    facts_of,
    noted_lines,
    store_of,
    undo_hint,
)
from pet.cli.found import ways_to_a_model
from pet.cli.running_pet import meant_program, say_which_runs
from pet.cli.terminal import MARK, Terminal, interruptible, on_interrupt, revealed, safe
from pet.clock import SystemClock
from pet.errors import EmptyContent, PetError, UnknownProposal
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
from pet.model import Allowed, Attachment, Decision, Proposal, Refused, TurnEnd, UsedMemory
from pet.paths import Home
from pet.serde import from_data, parse
from pet.services.offers.wording import source_words
from pet.settings.store import ENVIRONMENT
from pet.tools.toolset import is_own
from pet.workspace.line_diff import diff_lines
from pet.workspace.text_encoding import normalize_newlines

if TYPE_CHECKING:
    from pet.app import Pet
    from pet.engine.conversation import LiveConversation

Answer = Literal["yes", "no"] | None
"""``--yes``, ``--no``, or None: then the owner is prompted."""
_NOBODY = {
    "forget": "cli.confirm.nobody_forgets",
    "page": "cli.confirm.nobody_reads",
    "foreign": "cli.confirm.nobody_notes",
    "call": "cli.confirm.nobody_calls",
}


_ENVIRONMENT = (*ENVIRONMENT, "ANTHROPIC_API_KEY")
_LASTING = ("once", "conversation", "always")


@dataclass(frozen=True, slots=True, kw_only=True)
class Confirmation:
    terminal: Terminal
    texts: Texts
    answer: Answer = None

    @classmethod
    def of(cls, given: Given, terminal: Terminal, texts: Texts) -> Confirmation:
        return cls(terminal=terminal, texts=texts, answer="yes" if given.yes else "no" if given.no else None)

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


_KEY_FAULTS = frozenset({"fault_no_key", "fault_bad_key"})
P = ParamSpec("P")
R = TypeVar("R")


class Program(Protocol):
    """The program that runs a turn: this one, or the running pet."""

    def call(self, method: Callable[Concatenate[Any, P], R], *args: P.args, **kwargs: P.kwargs) -> R:
        """Call a command of ``TerminalCommands``. Raises PetError, of another program also NotListening."""
        ...


@dataclass(frozen=True, slots=True)
class OwnProgram:
    app: Pet

    def call(self, method: Callable[Concatenate[Any, P], R], *args: P.args, **kwargs: P.kwargs) -> R:
        self.app.catch_up()  # a pause set by another program
        return method(TerminalCommands(self.app), *args, **kwargs)


@dataclass(slots=True)
class FollowedTurn:
    """One turn of a program. ``send``: sends the message, returns the turn's id."""

    program: Program
    send: Callable[[], TerminalTurn]
    _turn: str = ""
    _offset: int = 0
    _rest: str = ""  # of a line
    _events: list[Event] = field(default_factory=list)

    def start(self) -> str:
        """Send the message, the first time; return the turn's id. Raises PetError, NotListening."""
        self._turn = self._turn or self.send().turn
        return self._turn

    def next_event(self) -> Event | None:
        """Return the next event of the turn or its conversation; None for now without one. Raises PetError,
        NotListening."""
        if not self._events:
            text = self.program.call(TerminalCommands.read_terminal_turn, self._turn, self._offset).text
            self._offset += len(text)
            *lines, self._rest = (self._rest + text).split("\n")
            self._events = [_event(line) for line in lines]
        return self._events.pop(0) if self._events else None

    def stop(self) -> None:
        with suppress(NotListening, PetError):  # it is over
            self.program.call(TerminalCommands.stop_terminal_turn, self._turn)

    def answer(self, proposal: str, decision: Decision) -> None:
        """Answer a proposal. Raises PetError, NotListening."""
        answer = TerminalCommands.answer_terminal_turn
        match decision:
            case Allowed(text=text, edited=edited, lasting=lasting):
                self.program.call(answer, self._turn, proposal, text, edited, lasting=lasting)
            case Refused(why=why):
                reason: Literal["owner", "no_terminal"] = "no_terminal" if why == "no_terminal" else "owner"
                self.program.call(answer, self._turn, proposal, why=reason)


def _event(line: str) -> Event:
    data = parse(line)
    assert isinstance(data, dict)
    event: Event = from_data(EVENT_TYPES[str(data.pop("type"))], data)
    return event


@dataclass(slots=True, kw_only=True)
class Follower:
    """Prints one turn. ``command``: the start of a command for this pet."""

    turn: FollowedTurn
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
    _used: list[UsedMemory] = field(default_factory=list)
    _interrupted: bool = False

    def follow(self) -> TurnEnded:
        """Start a turn and print it to its end. Ctrl+C stops it; partial text is kept."""
        with on_interrupt(self._interrupt):
            ended = self._print_until_end(self.turn.start())
            self._break_line()
            self._print_end(ended)
        return ended

    def _interrupt(self, _number: int, _frame: object) -> None:
        self._interrupted = True  # a handler takes no lock that this thread may hold

    def _print_until_end(self, turn: str) -> TurnEnded:
        while True:
            if self._interrupted:
                self._interrupted = False
                self.turn.stop()
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
        except PetError as error:
            if error.error_code != UnknownProposal.code:
                raise
            self.terminal.say(self.texts("error.unknown_proposal"))  # the turn ended while the owner was reading

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
    app: Pet,
    live: LiveConversation,
    text: str,
    files: Sequence[Attachment],
    confirmation: Confirmation,
    *,
    in_chat: bool,
) -> TurnEnded:
    """Run a turn in this process, and print it to its end."""
    program, ids, pages = OwnProgram(app), tuple(each.id for each in files), tuple(each.sent for each in files)

    def send() -> TerminalTurn:
        start = TerminalCommands.start_terminal_turn
        return program.call(start, text, conversation=live.id, attachments=ids, pages=pages)

    follower = Follower(
        turn=FollowedTurn(program, send),
        command=command_for(app),
        today=lambda: app.clock.now().date(),
        terminal=confirmation.terminal,
        texts=confirmation.texts,
        confirmation=confirmation,
        in_chat=in_chat,
        ways=lambda host: ways_to_a_model(app.local_models, host, confirmation.texts),
    )
    try:
        return follower.follow()
    finally:
        live.wait(timeout=10)


def once_running(home: Home, given: Given) -> int | None:
    """Send one message through the running pet, and print the reply; no engine is started. Return the exit code; None
    without a running pet, for what only this process can do, and with a model or key in this shell's environment."""
    if given.attach or given.temporary or any(os.environ.get(name, "").strip() for name in _ENVIRONMENT):
        return None
    program = meant_program(home, given)
    if program is None:
        return None
    running, status = program
    texts = Texts(status.language)
    terminal, clock = Terminal.standard(answer_only=True), SystemClock()
    command = f"pet --pet {status.pet}" if status.has_others else "pet"
    start, text = TerminalCommands.start_terminal_turn, given.once or ""
    turn = FollowedTurn(running, lambda: running.call(start, text, given.memory, given.conversation))
    follower = Follower(
        turn=turn,
        command=command,
        today=lambda: clock.now().date(),
        terminal=terminal,
        texts=texts,
        confirmation=Confirmation.of(given, terminal, texts),
        in_chat=False,
    )
    try:
        turn.start()
    except NotListening:
        return None
    say_which_runs(status, given, texts)
    if status.paused and given.memory is not MemoryMode.OFF:
        key = "cli.paused_note_named" if status.has_others else "cli.paused_note"
        terminal.complain(texts(key, name=safe(status.pet_name), id=status.pet))
    complain_of_files(store_of(home, home.workspace(status.pet)), terminal, texts, command)
    try:
        return 0 if follower.follow().end is TurnEnd.DONE else 1
    except NotListening:
        terminal.complain(texts("error.not_answering"))
        return 1
