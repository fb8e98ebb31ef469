"""Slash commands of the terminal chat. File content is printed, never sent to a model."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from queue import Queue

from pet.access import MemoryMode
from pet.app import Pet
from pet.bridge.commands.conversations import ConversationCommands
from pet.bridge.commands.memory import MemoryCommands
from pet.bridge.commands.settings import ConnectionCommands, SettingsCommands
from pet.bridge.commands.terminal import named_or_new
from pet.cli.chat_session import PendingAttachments, find_conversation, path_of
from pet.cli.commands.connection import model_and_host, models_to_choose
from pet.cli.commands.forget import forget_text, show_outcome
from pet.cli.commands.reminders import add_reminder, change_reminder, list_reminders
from pet.cli.commands.search import show_hits
from pet.cli.format import (
    conversation_rows,
    error_text,
    memory_mode_word,
    noted_lines,
    paused_note,
    prompt_rows,
    receipt_text,
    unreadable_notes,
)
from pet.cli.terminal import Terminal, on_interrupt, revealed, safe
from pet.engine.conversation import LiveConversation
from pet.engine.receipts import save_note
from pet.engine.system_prompt import PromptView
from pet.errors import FileBroken
from pet.events import CompactionEnded, Event, ToolEnded
from pet.extra import Switch, switches
from pet.i18n import Texts
from pet.memory.store.digest import memory_overview
from pet.model import OPTIONAL_FILES, Broken, CoreFile, FileState, Missing, Present
from pet.transcripts.conversation import title_from
from pet.transcripts.request_messages import first_sent
from pet.workspace.file_names import kind_of


class Leave(Exception):
    """Raised by ``/quit``."""


@dataclass(slots=True, kw_only=True)
class ChatState:
    """State of one terminal chat."""

    app: Pet
    terminal: Terminal
    live: LiveConversation
    temporary: bool = False
    waiting: PendingAttachments = field(init=False)
    talked_in: set[str] = field(default_factory=set)  # ids of saved conversations

    def __post_init__(self) -> None:
        self.waiting = PendingAttachments(self.app, self.live)

    def go_on_with(self, live: LiveConversation) -> None:
        """Switch to another conversation, dropping pending attachments."""
        if self.waiting.discard():
            self.say("cli.chat.detached")
        self.live, self.waiting = live, PendingAttachments(self.app, live)

    @property
    def texts(self) -> Texts:
        return self.app.texts()

    def say(self, key: str, **args: object) -> None:
        self.terminal.say(self.texts(key, **args))


Slash = Callable[[ChatState, str], None]


def _help(state: ChatState, _rest: str) -> None:
    state.terminal.say_fitting(state.texts("cli.chat.help"))


def _quit(_state: ChatState, _rest: str) -> None:
    raise Leave


def _soul(state: ChatState, _rest: str) -> None:
    _show_file(state, CoreFile.SOUL)


def _memory(state: ChatState, rest: str) -> None:
    """Print profile and memory with an overview; ``on``, ``read`` or ``off`` sets the memory mode."""
    if rest:
        _memory_mode(state, rest)
        return
    _show_file(state, CoreFile.USER)
    _show_file(state, CoreFile.MEMORY)
    overview = memory_overview(state.app.store)
    state.terminal.say(state.terminal.painted(f"== {state.texts('cli.memory.all')} ==", "bold"))
    for name, each in overview.files.items():
        state.say("cli.memory.file", file=name, characters=each.characters, entries=each.entries)
    counts = {"days": overview.days, "characters": overview.logs.characters, "entries": overview.logs.entries}
    key = "cli.memory.logs" if overview.days else "cli.memory.no_logs"
    state.say(key, **counts, first=overview.first, last=overview.last)


def _memory_mode(state: ChatState, rest: str) -> None:
    if rest not in ("", *MemoryMode):
        state.say("cli.chat.memory_usage")
        return
    if state.live.gate.temporary:
        state.say("cli.chat.memory_temporary")
        return
    if rest:
        state.live.set_memory(MemoryMode(rest))
    elif state.live.gate.memory_mode is MemoryMode.OFF:
        state.app.in_flight.wait(state.live.id)  # another process may have switched it off just now
    state.say("cli.chat.memory_mode", memory=memory_mode_word(state.live.gate.memory_mode, state.texts))
    for note in unreadable_notes(state.live.folded(), state.texts):
        state.terminal.say(note)
    if state.app.conversations.paused:
        state.terminal.say(paused_note(state.app))


def _move_switch(switch: Switch, state: ChatState, rest: str) -> None:
    """Say whether an extra's switch is on in this conversation; ``on`` or ``off`` moves it."""
    if rest not in ("", "on", "off"):
        state.say(f"cli.chat.{switch.word}_usage")
        return
    if rest:
        state.live.set_switch(switch.name, rest == "on")
    on = switch.name in state.live.gate.access().switches
    state.say(f"cli.chat.{switch.word}_{'on' if on else 'off'}")


def _memory_mode_now(state: ChatState) -> MemoryMode:
    """Return the effective memory mode: OFF while the pet is paused."""
    return state.live.gate.memory_mode if state.live.gate.access().memory else MemoryMode.OFF


def _model(state: ChatState, rest: str) -> None:
    """Show or choose the model of this conversation: by number, or by a connection's id and a model."""
    choices = models_to_choose(state.app)
    if rest:
        ConnectionCommands(state.app).choose_model(state.live.id, *_chosen(state, rest, choices))
    used = state.app.effective.in_use(state.live.model)
    if used.problem is not None:
        state.terminal.complain(error_text(state.texts, used.problem))
    else:
        model, host = model_and_host(used.settings, state.texts)
        key = "cli.chat.model" if state.live.model else "cli.chat.model_default"
        state.say(key, model=safe(model), host=safe(host))
    if not rest:
        for place, (_, model, title) in enumerate(choices, start=1):
            state.terminal.say(f"  {place}  {safe(title)}  {safe(model)}")
        state.say("cli.chat.model_usage")


def _chosen(state: ChatState, rest: str, choices: list[tuple[str, str, str]]) -> tuple[str, str]:
    """Return connection and model, "" for the pet's own connection and for the connection's own model."""
    if rest.casefold() in state.texts("cli.chat.words.default").split():
        return "", ""
    word, _, model = rest.partition(" ")
    if word.isascii() and word.isdigit() and 1 <= int(word) <= len(choices):
        connection, own, _ = choices[int(word) - 1]
        return connection, model.strip() or own
    return word, model.strip()


def _prompt(state: ChatState, _rest: str) -> None:
    for row in prompt_rows(_preview(state), state.texts, state.terminal):
        state.terminal.say(row)


def _preview(state: ChatState) -> PromptView:
    mode = _memory_mode_now(state)
    commands, read_only = SettingsCommands(state.app), mode is MemoryMode.READ_ONLY
    return commands.preview_prompt(mode is MemoryMode.ON, read_only, state.live.id)


def _bootstrap(state: ChatState, _rest: str) -> None:
    """List the files of this conversation's prompt and their problems."""
    allowed = state.live.gate.access().in_prompt
    cuts = {section.name: section.cut for section in _preview(state).sections}
    for name in (*CoreFile, *OPTIONAL_FILES):
        if kind_of(name) in allowed:
            words = _file_words(state, state.app.store.read(name), cuts.get(name, 0))
        else:
            words = state.texts("cli.file.not_read")
        state.terminal.say(f"  {name:<14}{words}")


def _file_words(state: ChatState, file: FileState, cut: int) -> str:
    match file:
        case Missing():
            return state.texts("cli.file.missing")
        case Broken(name=name, problem=problem):
            return error_text(state.texts, FileBroken(file=name, problem=problem))
        case Present(text=text):
            size = state.texts("cli.file.present", characters=len(text))
            return size + (state.texts("cli.prompt.cut", cut=cut) if cut else "")


def _new(state: ChatState, rest: str) -> None:
    temporary = rest.casefold() in state.texts("cli.chat.words.temporary").split()
    state.go_on_with(named_or_new(state.app, None, None, temporary=temporary))
    state.say("cli.chat.new_temporary" if temporary else "cli.chat.new")


def _branch(state: ChatState, rest: str) -> None:
    """Continue in a copy of this conversation without its last N messages."""
    turns = state.live.folded().turns
    if (rest and not rest.isdecimal()) or int(rest or 0) >= len(turns):
        state.say("cli.chat.branch_usage")
        return
    last = turns[-1 - int(rest or 0)]
    made = ConversationCommands(state.app).branch_conversation(state.live.id, last.id)
    state.go_on_with(state.app.conversations.open(made.info.id))
    state.say("cli.chat.branched", text=safe(title_from(last.text)))


def _switch(state: ChatState, rest: str) -> None:
    if not rest:
        _tabs(state, rest)
        return
    state.go_on_with(find_conversation(state.app, rest))
    conversation = state.live.folded()
    memory = memory_mode_word(state.live.gate.memory_mode, state.texts)
    title = safe(conversation.title or state.texts("cli.tabs.untitled"))
    state.say("cli.chat.switched", title=title, memory=memory, turns=len(conversation.turns))
    for note in unreadable_notes(conversation, state.texts):
        state.terminal.say(note)
    if conversation.turns:
        last = conversation.turns[-1]
        state.terminal.say(f"> {safe(last.text)}")
        state.terminal.say(safe("\n".join(each.text for each in last.rounds if each.text)))


def _attach(state: ChatState, rest: str) -> None:
    """Attach a file to the next message, or choose the last document's pages; without a name, list what waits."""
    name, _, ranges = rest.partition(" ")
    if name == "pages" and ranges:
        chosen = state.waiting.choose_pages(ranges)
        if chosen is None:
            state.say("cli.chat.attach_usage")
        else:
            state.say("cli.chat.attached_some", name=safe(chosen.name), pages=chosen.sent or f"1-{chosen.pages}")
    elif rest:
        attachment = state.waiting.add(path_of(rest))
        fitting = state.waiting.live.documents.fitting(attachment)
        key = "cli.chat.attached" if fitting == attachment.pages else "cli.chat.attached_pages"
        state.say(key, name=safe(attachment.name), count=attachment.pages, fitting=fitting)
    elif state.waiting.files:
        names = state.texts("ui.list.and").join(safe(each.name) for each in state.waiting.files)
        state.say("cli.chat.attach_list", names=names)
    else:
        state.say("cli.chat.attach_usage")


def _detach(state: ChatState, _rest: str) -> None:
    state.say("cli.chat.detached" if state.waiting.discard() else "cli.chat.attach_usage")


def _tabs(state: ChatState, _rest: str) -> None:
    saved = ConversationCommands(state.app).list_conversations().conversations
    if not saved:
        state.say("cli.tabs.none")
    for row in conversation_rows(saved, state.live.id, state.texts):
        state.terminal.say(row)


def _context(state: ChatState, _rest: str) -> None:
    """Show the size of this conversation's requests."""
    conversation = state.live.folded()
    view = _preview(state)
    sent = conversation.turns[first_sent(conversation, state.live.gate.access()) :]
    characters = sum(len(turn.text) + sum(len(each.text) for each in turn.rounds) for turn in sent)
    state.say(
        "cli.chat.context",
        turns=len(sent),
        characters=characters,
        prompt_characters=view.characters,
        prompt_tokens=view.tokens,
    )
    used = next((turn.usage.input_tokens for turn in reversed(sent) if turn.usage.input_tokens is not None), None)
    if used is not None:
        state.say("cli.chat.context_last", tokens=used)


def _undo(state: ChatState, _rest: str) -> None:
    """Undo the latest change of this conversation that is not undone; repeatable."""
    receipt = state.live.receipts.undo_last()
    if receipt is None:
        state.say("cli.chat.nothing_to_undo")
        return
    noted = "\n".join(revealed(each.text) for each in receipt.noted)
    state.say("cli.chat.undone", change=noted or receipt_text(receipt, state.texts))


def _search(state: ChatState, text: str) -> None:
    """Search notes, and messages sent while memory was on; results are not sent to the model."""
    if not text:
        state.say("cli.chat.search_usage")
        return
    if not show_hits(state.terminal, state.texts, MemoryCommands(state.app).search_memory(text).hits):
        state.say("cli.search.nothing")


def _remember(state: ChatState, text: str) -> None:
    """Append the owner's text to today's log. Raises ConversationTemporary."""
    state.live.gate.check_keeps()
    if not text:
        state.say("cli.chat.remember_usage")
        return
    receipt = save_note(state.app.store, state.app.clock, text)
    state.live.receipts.keep_own(receipt)
    state.terminal.note(noted_lines(receipt, state.texts, state.app.clock.now().date()))


def _forget(state: ChatState, text: str) -> None:
    if not text:
        state.say("cli.forget.usage")
        return
    _, report = forget_text(state.app, state.terminal, text, ask=True)
    if report is not None:
        show_outcome(state.app, state.terminal, report)


def _remind(state: ChatState, rest: str) -> None:
    action, _, words = rest.partition(" ")
    if action == "add" and words.strip():
        state.live.gate.check_keeps()
        receipt = add_reminder(state.app, state.terminal, words.strip())
        if receipt is not None:
            state.live.receipts.keep_own(receipt)
        return
    number, _, when = words.strip().partition(" ")
    action = action or "list"
    if len([word for word in (number, when) if word]) != {"list": 0, "done": 1, "later": 2}.get(action):
        state.say("cli.remind.usage")
    elif change_reminder(
        state.app,
        state.terminal,
        action,
        number,
        when,
        keep=state.live.receipts.keep_own,
    ):
        list_reminders(state.app, state.terminal)


def _compact(state: ChatState, instructions: str) -> None:
    """Compact the conversation; Ctrl+C cancels without any change. ``instructions``: for the summary."""
    events: Queue[Event] = Queue()
    live = state.live
    subscription = state.app.emitter.subscribe(events.put, CompactionEnded, ToolEnded, name="compact")
    try:
        with on_interrupt(lambda _number, _frame: live.stop()):
            live.compact(instructions)
            state.say("cli.chat.compacting")
            ended = _wait_compaction(state, events)
    finally:
        subscription.close()
    if ended.error is not None:
        state.terminal.complain(error_text(state.texts, ended.error))
    else:
        state.say("cli.chat.compacted" if ended.after_turn else "cli.chat.not_compacted")


def _wait_compaction(state: ChatState, events: Queue[Event]) -> CompactionEnded:
    """Print changes until the compaction ends."""
    while True:
        event = events.get()
        if isinstance(event, CompactionEnded) and event.conversation == state.live.id:
            return event
        if isinstance(event, ToolEnded) and event.conversation == state.live.id and event.receipt is not None:
            noted = noted_lines(event.receipt, state.texts, state.app.clock.now().date())
            state.terminal.note(noted)


def _show_file(state: ChatState, name: str) -> None:
    file = state.app.store.read(name)
    state.terminal.say(state.terminal.painted(f"== {name} ==", "bold"))
    match file:
        case Present(text=text):
            state.terminal.say(safe(text.strip("\n")) or state.texts("cli.file.empty"))
        case _:
            state.terminal.say(_file_words(state, file, 0))


SLASHES: Mapping[str, Slash] = {
    "soul": _soul,
    "memory": _memory,
    **{each.word: partial(_move_switch, each) for each in switches().values()},
    "brain": _memory_mode,
    "model": _model,
    "prompt": _prompt,
    "bootstrap": _bootstrap,
    "new": _new,
    "branch": _branch,
    "switch": _switch,
    "tabs": _tabs,
    "attach": _attach,
    "detach": _detach,
    "context": _context,
    "compact": _compact,
    "search": _search,
    "remember": _remember,
    "forget": _forget,
    "remind": _remind,
    "undo": _undo,
    "help": _help,
    "quit": _quit,
    "exit": _quit,
}
