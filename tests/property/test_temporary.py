"""The promise: a temporary conversation leaves nothing on disk, whatever is asked of it.

Every command of the table that names a conversation is called on one, in any order; the owner, the model and names of
files say canaries. Afterwards none of them is in a file, a file name or the log. Exports are left out: there
the owner asks for a file.
"""

from __future__ import annotations

import base64
import json
import logging
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any, get_args, get_type_hints

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pet.app import Pet
from pet.bridge.command import Client
from pet.events import Event, ProposalAsked
from pet.model import ToolCallPart
from pet.paths import find_home
from tests.support.examples import examples
from tests.support.models.scripted import Scripted, ScriptedProvider, Think, calls, fail, say
from tests.support.program.invoking import COMMAND, invoke
from ui.bindings import COMMANDS

CANARY = "canary-51c9"
_REMEMBERED = f"I've saved {CANARY}-reply to my memory."
_EXPORTS = {"export_conversation", "keep_conversation"}


def _call(name: str, **arguments: object) -> ToolCallPart:
    return ToolCallPart(id=f"call_{name}", name=name, arguments=json.dumps(arguments))


SCRIPTS: dict[str, tuple[Scripted, ...]] = {
    "claim": (say(_REMEMBERED),),
    "write soul": (
        calls(Think(f"{CANARY}-thought"), _call("write", path="SOUL.md", content=f"# Soul\n{CANARY}-soul\n")),
        say(_REMEMBERED),
    ),
    "edit soul": (calls(_call("edit", path="SOUL.md", old_text="a", new_text=f"{CANARY}-edit")), say(_REMEMBERED)),
    "write memory": (
        calls(
            _call("write", path="MEMORY.md", content=f"{CANARY}-memory"),
            _call("memory_write", content=f"{CANARY}-log"),
        ),
        say(_REMEMBERED),
    ),
    "forget": (calls(_call("memory_forget", text=f"{CANARY}-words")), say(_REMEMBERED)),
    "fail": (fail("bad_request", f"{CANARY}-half"),),
}


class Secret:
    """One temporary conversation, and how each command is called on it. ``clients``: who calls, where they may."""

    clients: frozenset[Client] = frozenset({Client.CHAT})

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.provider = ScriptedProvider()
        self.app: Pet = Pet(find_home(folder), environ={}, provider=self.provider, channel="desktop")
        self.app.emitter.subscribe(self.on_event, name="test")
        ordinary = self.ask("new_conversation", memory=True)["info"]["id"]
        self.provider.queue(say("Hello."))
        self.ask("send_message", conversation=ordinary, text="hello")
        self.app.conversations.open(ordinary).wait(60)
        self.begin()

    def begin(self) -> None:
        self.id: str = self.ask("new_conversation", memory=True, temporary=True)["info"]["id"]
        self.attachment = ""
        self.say("claim")

    def ask(self, command: str, **args: object) -> Any:
        """The reply, or None where it was refused in words; a bug fails the test."""
        clients = sorted(COMMAND[command].clients & self.clients) or sorted(COMMAND[command].clients)
        reply = invoke(self.app.commands, command, clients[0], **args)
        assert reply["ok"] or reply["error"]["code"] != "internal", (command, reply)
        assert reply["ok"] or reply["error"]["code"] != "bad_arguments", (command, reply)
        return reply["value"] if reply["ok"] else None

    def say(self, script: str, act: Callable[[], object] | None = None) -> None:
        """Start a turn and wait for its end; what it proposes is answered meanwhile."""
        self.provider.queue(*SCRIPTS[script])
        live = self.app.conversations.open(self.id)
        (
            act
            or (lambda: self.ask("send_message", **self.named, text=f"remember this: {CANARY}-words", attachments=[]))
        )()
        live.wait(60)
        while self.provider.left:
            self.provider._script.popleft()

    def on_event(self, event: Event) -> None:
        if isinstance(event, ProposalAsked):
            args = {"proposal": event.proposal.id, "text": f"# Soul\n{CANARY}-mine\n"}
            self.ask("answer_proposal", conversation=event.conversation, answer="edit", **args)

    @property
    def named(self) -> dict[str, Any]:
        return {"conversation": self.id}

    @property
    def turns(self) -> list[str]:
        return [turn.id for turn in self.app.conversations.open(self.id).folded().turns]

    @property
    def turn(self) -> str:
        return next(reversed(self.turns), "gone")

    def act(self, command: str, script: str) -> None:
        ACTS[command](self, script)

    def attach(self) -> None:
        data = [base64.b64encode(f"{CANARY}-content".encode()).decode()]
        added = self.ask("add_attachment", **self.named, file={"name": f"{CANARY}-name.txt", "data": data})
        self.attachment = added["files"][0]["attachment"]["id"]

    def save_tabs(self) -> None:
        drafted = [] if not self.attachment else [self._described()]
        tab = {**self.named, "draft": f"{CANARY}-draft", "scroll": 3.0, "attachments": drafted}
        self.ask("save_tabs", tabs=[tab], active=self.id)

    def _described(self) -> dict[str, Any]:
        size = len(f"{CANARY}-content")
        named = {"id": self.attachment, "kind": "text/plain", "name": f"{CANARY}-name.txt"}
        return {**named, "width": 0, "height": 0, "bytes": size}

    def calls_of_tools(self) -> list[str]:
        turns = self.app.conversations.open(self.id).folded().turns
        return [done.call_id for turn in turns for done in turn.tools] or ["call_write"]


def _send(secret: Secret, script: str) -> None:
    attachments = [secret.attachment] if secret.attachment else []
    text = f"remember this: {CANARY}-words"
    secret.say(script, lambda: secret.ask("send_message", **secret.named, text=text, attachments=attachments))


def _send_from_terminal(secret: Secret, script: str) -> None:
    text = f"remember this: {CANARY}-words"
    secret.say(script, lambda: secret.ask("start_terminal_turn", **secret.named, text=text))


def _resend(secret: Secret, script: str) -> None:
    edited = {"text": f"{CANARY}-edited"} if script == "claim" else {}
    secret.say(script, lambda: secret.ask("resend", **secret.named, turn=secret.turn, **edited))


def _continue(secret: Secret, script: str) -> None:
    secret.say(script, lambda: secret.ask("continue_turn", **secret.named, turn=secret.turn))


def _remember(secret: Secret, _script: str) -> None:
    for turn in secret.turns:
        secret.ask("remember_turn", **secret.named, turn=turn, switch_on=False)
        secret.ask("remember_turn", **secret.named, turn=turn, switch_on=True)


def _of_call(command: str) -> Callable[[Secret, str], None]:
    def act(secret: Secret, _script: str) -> None:
        for call in secret.calls_of_tools():
            secret.ask(command, **secret.named, turn=secret.turn, call=call)

    return act


def _compact(secret: Secret, _script: str) -> None:
    secret.provider.queue(say(f"{CANARY}-summary"))
    secret.ask("compact", **secret.named)
    while secret.app.conversations.open(secret.id).snapshot(lambda: 0).compacting:
        pass
    while secret.provider.left:
        secret.provider._script.popleft()


def _delete(secret: Secret, _script: str) -> None:
    secret.ask("delete_conversation", **secret.named)
    secret.begin()


def _put_back(secret: Secret, _script: str) -> None:
    removed = secret.app.conversations.open(secret.id).folded().removed
    secret.ask("restore_turns", **secret.named, turns=list(removed))


def _plain(command: str, **more: object) -> Callable[[Secret, str], None]:
    return lambda secret, _script: secret.ask(command, **secret.named, **more)


def _of_turn(command: str, **more: object) -> Callable[[Secret, str], None]:
    return lambda secret, _script: secret.ask(command, **secret.named, turn=secret.turn, **more)


ACTS: dict[str, Callable[[Secret, str], None]] = {
    "open_conversation": _plain("open_conversation"),
    "rename_conversation": _plain("rename_conversation", title=f"{CANARY}-title"),
    "delete_conversation": _delete,
    "remove_turn": _of_turn("remove_turn"),
    "restore_turns": _put_back,
    "choose_variant": _of_turn("choose_variant"),
    "branch_conversation": _of_turn("branch_conversation"),
    "set_memory": _plain("set_memory", memory=True),
    "set_switch": _plain("set_switch", name="web_pages", on=True),
    "choose_model": _plain("choose_model", connection="computer", model=f"{CANARY}-model"),
    "preview_prompt": _plain("preview_prompt", memory=True),
    "drop_earlier": _plain("drop_earlier"),
    "set_in_front": _plain("set_in_front"),
    "mark_seen": _plain("mark_seen"),
    "save_tabs": lambda secret, _script: secret.save_tabs(),
    "send_message": _send,
    "prepare_draft": _plain("prepare_draft", text=f"{CANARY}-draft"),
    "start_terminal_turn": _send_from_terminal,
    "stop_turn": _plain("stop_turn"),
    "resend": _resend,
    "continue_turn": _continue,
    "get_acquainted": lambda secret, script: secret.say(script, lambda: secret.ask("get_acquainted", **secret.named)),
    "answer_proposal": _plain("answer_proposal", proposal="gone", answer="edit", text=f"{CANARY}-mine"),
    "compact": _compact,
    "remember_turn": _remember,
    "read_aloud": lambda secret, _script: secret.ask("read_aloud", **secret.named, turn=secret.turn),
    "keep_secret": _of_call("keep_secret"),
    "use_small_way": _plain("use_small_way"),
    "read_call": _of_call("read_call"),
    "undo_receipt": _of_call("undo_receipt"),
    "redo_receipt": _of_call("redo_receipt"),
    "replace_earlier": _of_call("replace_earlier"),
    "list_forget": _plain("list_forget"),
    "forget": _plain("forget"),
    "get_spent": _plain("get_spent"),
    "add_attachment": lambda secret, _script: secret.attach(),
    "fit_attachment": lambda secret, _script: (
        secret.ask("fit_attachment", **secret.named, attachment=secret.attachment) if secret.attachment else None
    ),
    "load_picture": _of_turn("load_picture", address=f"http://127.0.0.1:9/{CANARY}.png"),
}


def _names_a_conversation(shape: object) -> bool:
    """Whether a value of this type can name a conversation, at any depth."""
    if inner := get_args(shape):
        return any(map(_names_a_conversation, inner))
    if not (isinstance(shape, type) and is_dataclass(shape)):
        return False
    hints = get_type_hints(shape)
    named = (field.name == "conversation" or _names_a_conversation(hints[field.name]) for field in fields(shape))
    return any(named)


def _found(folder: Path) -> Iterator[str]:
    for path in folder.rglob("*"):
        if CANARY in path.name or (path.is_file() and CANARY.encode() in path.read_bytes()):
            yield str(path.relative_to(folder))


@contextmanager
def _logged() -> Iterator[list[str]]:
    """Everything that is logged meanwhile, as a file would have it."""
    lines: list[str] = []

    class Keeping(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            lines.append(logging.Formatter().format(record))

    handler, root = Keeping(), logging.getLogger("pet")
    level = root.level
    root.addHandler(handler)
    root.setLevel(logging.DEBUG)
    try:
        yield lines
    finally:
        root.removeHandler(handler)
        root.setLevel(level)


def _leaves_nothing(story: list[tuple[str, str]]) -> None:
    with tempfile.TemporaryDirectory() as name, _logged() as logged:
        folder = Path(name)
        secret = Secret(folder)
        try:
            for command, script in story:
                secret.act(command, script)
            meanwhile = list(_found(folder))
        finally:
            secret.app.close()
        assert (meanwhile, list(_found(folder))) == ([], [])
        assert not [line for line in logged if CANARY in line]


def test_every_command_that_names_a_conversation_is_called() -> None:
    naming = {row.name for row in COMMANDS if _names_a_conversation(row.args)}
    assert naming == ACTS.keys() | _EXPORTS


@pytest.mark.parametrize("command", sorted(ACTS))
def test_no_command_leaves_anything_of_a_temporary_conversation(command: str) -> None:
    _leaves_nothing([("add_attachment", "claim"), *((command, script) for script in SCRIPTS), ("save_tabs", "claim")])


@settings(max_examples=examples(12), deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(st.tuples(st.sampled_from(sorted(ACTS)), st.sampled_from(sorted(SCRIPTS))), min_size=4, max_size=16))
def test_no_order_of_commands_leaves_anything_of_a_temporary_conversation(story: list[tuple[str, str]]) -> None:
    _leaves_nothing(story)
