"""Interactive terminal chat: each line is a message or, with a leading slash, a command.

Ctrl+C stops the reply and keeps its text; at the prompt it clears the line. Ctrl+D quits. Without a terminal each
line of standard input is a message, and nothing is prompted.
"""

from __future__ import annotations

import contextlib
from difflib import get_close_matches

from pet.app import Pet
from pet.cli.arguments import Given
from pet.cli.chat_session import (
    ask_for_key,
    choose_conversation,
    follow_memory_mode,
    prepare_recall,
    warm_local_model,
)
from pet.cli.chat_turn import Confirmation, follow_own
from pet.cli.commands.connection import model_and_host
from pet.cli.commands.reminders import ChatReminders
from pet.cli.format import command_for, complain_of_files, error_text, memory_mode_word
from pet.cli.running_pet import notify_left
from pet.cli.slash_commands import SLASHES, ChatState, Leave
from pet.cli.terminal import Terminal, interruptible, safe
from pet.errors import PetError
from pet.model import TurnEnd
from pet.settings.connections import plain_http_warning
from pet.workspace.locked_file import OwnerFiles
from pet.workspace.pet_toml import display_name, instructions_answer
from pet.workspace.skills import answer_instructions, held_back


def chat(app: Pet, given: Given) -> int:
    """Run until the owner quits. Without a terminal, return 1 if the last reply failed."""
    terminal = Terminal.standard()
    state = ChatState(app=app, terminal=terminal, live=choose_conversation(app, given), temporary=given.temporary)
    try:
        state.waiting.add_given(given)
        return _talk(state, given)
    finally:
        state.waiting.discard()
        notify_left(app.home, app.pet_id, state.talked_in)


def _talk(state: ChatState, given: Given) -> int:
    app, terminal = state.app, state.terminal
    confirmation = Confirmation.of(given, terminal, state.texts)
    ask_for_key(app, state.live, terminal, state.texts)
    if terminal.can_ask:
        _edit_lines()
        _greet(state)
        if state.waiting.files:
            SLASHES["attach"](state, "")
    if terminal.can_ask:
        _ask_about_instructions(state)
    complain_of_files(app.store, terminal, state.texts, command_for(app))
    prepare_recall(app, state.live)
    if not terminal.can_ask:
        return _lines(state, confirmation)
    warm_local_model(app, state.live)
    reminders = ChatReminders(app, terminal)
    reminders.start()
    try:
        return _lines(state, confirmation)
    finally:
        reminders.stop()


def _ask_about_instructions(state: ChatState) -> None:
    """Ask whether to use the instructions that came with a workspace of another program. Raises PetError."""
    app, texts = state.app, state.texts
    held = held_back(app.store.root)
    if not held or instructions_answer(app.store.root) != "ask":
        return
    question = texts("cli.file.held_question", files=texts("ui.list.and").join(held))
    use = state.terminal.agrees(question, texts("cli.forget.words.yes"))
    owned = OwnerFiles(root=app.store.root, locks=app.store.locks, clock=app.clock)
    answer_instructions(owned, use=use)


def _lines(state: ChatState, confirmation: Confirmation) -> int:
    """Process line by line until the owner leaves. Return the exit code."""
    terminal, failed = state.terminal, False
    while True:
        try:
            line = _read(state)
        except KeyboardInterrupt:
            terminal.say()
            terminal.say(state.texts("cli.chat.how_to_leave"))
            continue
        if line is None:
            return int(failed and not terminal.can_ask)
        if not line.strip():
            continue
        try:
            failed = not _do(state, confirmation, line)
        except Leave:
            return 0
        except PetError as error:
            terminal.complain(error_text(state.texts, error))
            failed = True


def _do(state: ChatState, confirmation: Confirmation, line: str) -> bool:
    """Run a command or send a message. Return whether it succeeded. Raises PetError, Leave."""
    if line.startswith("/") and not line.startswith("//"):
        name, _, rest = line[1:].strip().partition(" ")
        command = SLASHES.get(name.casefold())
        if command is None:
            near = get_close_matches(name.casefold(), list(SLASHES), 1)
            key = "cli.chat.near_command" if near else "cli.chat.unknown_command"
            state.terminal.complain(state.texts(key, command=f"/{name}"[:40], near=f"/{near[0]}" if near else ""))
            return False
        command(state, rest.strip())
        return True
    text = line[1:] if line.startswith("//") else line
    state.app.catch_up()
    follow_memory_mode(state.live)
    files = state.waiting.take()
    try:
        ended = follow_own(state.app, state.live, text, files, confirmation, in_chat=True)
    except PetError:  # nothing was sent
        state.waiting.give_back(files)
        raise
    if not state.live.gate.temporary:
        state.talked_in.add(state.live.id)
    return ended.end in (TurnEnd.DONE, TurnEnd.STOPPED)


def _read(state: ChatState) -> str | None:
    """Read a message: a line, continued while it ends with a backslash. Return None at the end of input."""
    lines: list[str] = []
    question = _question(state)
    while True:
        with interruptible():
            line = state.terminal.ask(question if not lines else "... ")
        if line is None:
            return "\n".join(lines) if lines else None
        if not line.endswith("\\"):
            return "\n".join([*lines, line])
        lines.append(line[:-1])


def _question(state: ChatState) -> str:
    state.app.catch_up()
    if state.live.gate.temporary:
        return state.texts("cli.chat.prompt_temporary")
    if state.app.conversations.paused:
        return state.texts("cli.chat.prompt_paused")
    return state.texts("cli.chat.prompt", memory=memory_mode_word(state.live.gate.memory_mode, state.texts))


def _greet(state: ChatState) -> None:
    texts, settings = state.texts, state.app.effective.in_use(state.live.model).settings
    model, host = model_and_host(settings, texts)
    name = safe(display_name(state.app.store.root, state.app.pet_id, texts))
    state.terminal.say(texts("cli.chat.hello", pet=name, model=safe(model), host=host))
    state.terminal.say(texts("cli.chat.host"))
    state.terminal.say(texts("ui.host.goes", host=host))
    if not (settings.local_model or settings.demo) and plain_http_warning(settings.base_url):
        state.terminal.complain(texts("cli.doctor.plain_http", host=host))


def _edit_lines() -> None:
    """Enable line editing and in-memory history, if the platform supports it; never written to a file."""
    with contextlib.suppress(ImportError):
        import readline

        readline.set_auto_history(True)
