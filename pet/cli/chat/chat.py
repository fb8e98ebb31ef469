"""``pet chat``: which conversation, a key where one is missing, and ``--once``."""

from __future__ import annotations

from pet.app import App
from pet.cli.arguments import Given, UsageProblem
from pet.cli.chat.attachments import PendingAttachments, path_of
from pet.cli.chat.confirm import Answer, Confirmation
from pet.cli.chat.follow_turn import Follower
from pet.cli.format import error_text
from pet.cli.terminal import Terminal, argument_text
from pet.engine.conversation.conversation import LiveConversation
from pet.errors import KeyStoreFailed, PetError, UnknownConversation
from pet.i18n import Texts
from pet.model import TurnEnd
from pet.settings.api_keys import is_loopback, origin_of


def check_chat(given: Given) -> None:
    """What the grammar alone can't see. Raises UsageProblem."""
    text = given.value("--once")
    if text is not None and not text.strip():
        raise UsageProblem("empty_text", command="chat")
    if given.has("--temporary") and given.value("--memory") == "on":
        raise UsageProblem("together", command="chat", one="--temporary", other="--memory on")


def choose_conversation(app: App, given: Given) -> LiveConversation:
    """The named one, its switch as asked for, or a new one. Raises UnknownConversation."""
    memory = given.on_off("--memory")
    named = given.value("--conversation")
    if named is not None:
        live = find_conversation(app, named)
        if memory is not None:
            live.set_memory(memory)
        return live
    shown = app.effective.current().memory_default if memory is None else memory
    return app.conversations.create(memory=shown, temporary=given.has("--temporary"))


def find_conversation(app: App, named: str) -> LiveConversation:
    """By its id, or by its number in the list. Raises UnknownConversation."""
    if named.isascii() and named.isdigit() and len(named) < 6:
        saved = app.conversations.saved()
        if not 1 <= int(named) <= len(saved):
            raise UnknownConversation()
        named = saved[int(named) - 1].id
    live = app.conversations.open(named)
    follow_switch(live)
    return live


def follow_switch(live: LiveConversation) -> None:
    """The switch may have been flipped by the pet's window, which writes the same transcript."""
    live.gate.switch(live.folded().memory)


def answer_of(given: Given) -> Answer:
    return "yes" if given.has("--yes") else "no" if given.has("--no") else None


def ask_for_key(app: App, terminal: Terminal, texts: Texts) -> None:
    """For this session, where the endpoint wants a key, none is kept, and somebody can type one."""
    base_url = app.effective.current().base_url
    origin = origin_of(base_url)
    if is_loopback(base_url) or not terminal.can_ask or app.keys.get(origin) is not None:
        return
    while True:
        key = terminal.ask_hidden(texts("cli.key.ask_session", host=origin.partition("://")[2]))
        if not key:
            return
        try:
            app.keys.set(origin, key, "session")
        except KeyStoreFailed as failed:
            terminal.complain(error_text(texts, failed))
        else:
            return


def once(app: App, given: Given, text: str) -> int:
    """One message: the answer, and nothing else, on standard output."""
    terminal, texts = Terminal.standard(answer_only=True), app.texts()
    live = choose_conversation(app, given)
    ask_for_key(app, terminal, texts)
    if live.gate.switched_on and app.conversations.paused:
        terminal.complain(texts("cli.paused_note"))
    waiting = PendingAttachments(app, live)
    try:
        for path in given.all("--attach"):
            waiting.add(path_of(path))
    except PetError:
        waiting.discard()
        raise
    confirmation = Confirmation(terminal=terminal, texts=texts, answer=answer_of(given))
    follower = Follower(app=app, live=live, terminal=terminal, texts=texts, confirmation=confirmation, in_chat=False)
    ended = follower.follow(lambda: live.send(argument_text(text), waiting.take()))
    return 0 if ended.end is TurnEnd.DONE else 1
