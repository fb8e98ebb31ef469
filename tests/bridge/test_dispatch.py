"""invoke: who may call what, what goes wrong quietly, and that nothing ever escapes."""

from __future__ import annotations

import errno
import json
import logging
import os
import threading
from asyncio import CancelledError
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pet.bridge.command import Client, Command, Nothing, command, commands_of
from pet.bridge.commands.turns import TurnStartedReply
from pet.bridge.dispatch import CommandFailed, Commands, Handler
from pet.errors import FileConflict, NotAllowed, ProviderFault
from pet.serde import decode, encode
from tests.bridge.values import sample
from tests.support.program.invoking import bind_named
from ui.bindings import COMMANDS

PET_MAY = {
    "reading",
    "pause_memory",
    "show_view",
    "stroll",
    "notice_pet",
    "nap",
    "find_pointer",
    "hush",
    "get_skin",
    "drop_on_pet",
    "touched",
    "take_held",
    "say_goodbye",
    "say_no_chat",
    "open_field",
    "ask_about",
}
BUBBLE_MAY = {
    "get_bubble",
    "answer_bubble",
    "say_in_bubble",
    "ask_about",
    "drop_on_pet",
    "read_copied",
    "remove_from_field",
    "take_screenshot",
}
SOCKET_MAY = {
    "call_agent_tool",
    "note_agent_event",
    "ask_permission",
    "say_line",
    "search_in_terminal",
    "start_terminal_turn",
    "read_terminal_turn",
    "stop_terminal_turn",
    "answer_terminal_turn",
    "open_field",
    "pause_memory",
    "quit",
    "show_view",
    "show_pet",
    "get_status",
    "offer_local_model",
    "files_changed",
    "switch_pet",
    "dismiss_pet",
    "toggle_pet",
    "give_way",
    "note_neighbour",
    "lose_neighbour",
    "ask_keepsake",
}
TERMINAL_MAY = {
    "start_terminal_turn",
    "read_terminal_turn",
    "stop_terminal_turn",
    "answer_terminal_turn",
    "search_memory",
    "pause_memory",
    "choose_model",
    "test_connection",
    "preview_prompt",
    "branch_conversation",
    "list_conversations",
    "list_versions",
    "diff_versions",
    "restore_version",
    "begin_file",
    "export_pet",
    "list_reminders",
    "list_statements",
    "explain_statement",
    "list_connections",
    "find_servers",
}
CHAT_MAY_NOT = {
    "dismiss_pet",
    "toggle_pet",
    "give_way",
    "note_neighbour",
    "lose_neighbour",
    "ask_about",
    "read_copied",
    "remove_from_field",
    "call_agent_tool",
    "note_agent_event",
    "ask_permission",
    "say_line",
    "search_in_terminal",
    "start_terminal_turn",
    "read_terminal_turn",
    "stop_terminal_turn",
    "answer_terminal_turn",
    "open_field",
    "show_view",
    "stroll",
    "notice_pet",
    "nap",
    "find_pointer",
    "quit",
    "show_pet",
    "get_status",
    "offer_local_model",
    "files_changed",
    "get_skin",
    "ask_keepsake",
    "drop_on_pet",
    "get_bubble",
    "answer_bubble",
    "say_in_bubble",
    "touched",
    "take_held",
    "say_goodbye",
    "say_no_chat",
}
UNFIT: Any = object()
SECRET = "sk-ant-very-secret-0123456789"


def granted(client: Client, name: str) -> bool:
    """The capabilities once more, written down apart from the table."""
    match client:
        case Client.PET:
            return name in PET_MAY
        case Client.BUBBLE:
            return name in BUBBLE_MAY
        case Client.SOCKET:
            return name in SOCKET_MAY
        case Client.TERMINAL:
            return name in TERMINAL_MAY
        case Client.CHAT:
            return name not in CHAT_MAY_NOT


def answering(row: Command) -> Handler:
    def handle(*args: Any, **named: Any) -> object:
        assert [*args] == ([sample(row.args)] if row.whole else [])
        assert row.whole or row.args(**named) == sample(row.args)
        return sample(row.reply)

    return handle


@pytest.fixture(scope="module")
def commands() -> Commands:
    return bind_named(Commands(), **{row.name: answering(row) for row in COMMANDS})


@pytest.fixture(scope="module")
def any_arguments() -> Commands:
    """Every command answers whatever its arguments decode to; some take ``{}``."""
    return bind_named(Commands(), **{row.name: lambda *_, _row=row, **__: sample(_row.reply) for row in COMMANDS})


def with_handler(name: str, handler: Handler) -> Commands:
    return bind_named(Commands(), **{name: handler})


def failing(error: BaseException) -> Callable[..., object]:
    def handle(**_args: Any) -> object:
        raise error

    return handle


def giving(reply: object, **_args: Any) -> object:
    return reply


def error_of(text: str) -> dict[str, Any]:
    envelope = json.loads(text)
    assert envelope.keys() == {"ok", "error"}
    assert envelope["ok"] is False
    error: dict[str, Any] = envelope["error"]
    return error


def send(commands: Commands, text: str = "hello") -> str:
    return commands.invoke(Client.CHAT, "send_message", encode({"conversation": "c", "text": text}))


@pytest.mark.parametrize("client", list(Client))
@pytest.mark.parametrize("row", COMMANDS, ids=lambda row: row.name)
def test_a_client_gets_a_reply_to_its_own_commands_and_no_others(
    commands: Commands, client: Client, row: Command
) -> None:
    answer = commands.invoke(client, row.name, encode(sample(row.args)))
    assert answer.isascii()
    if granted(client, row.name):
        envelope = json.loads(answer)
        assert envelope["ok"] is True
        assert decode(row.reply, json.dumps(envelope["value"])) == sample(row.reply)
    else:
        assert error_of(answer) == {"code": "not_allowed", "args": {"command": row.name}, "retryable": False}


def test_a_refused_client_reaches_neither_the_handler_nor_the_decoder() -> None:
    called: list[object] = []
    commands = with_handler("read_file", called.append)
    assert error_of(commands.invoke(Client.PET, "read_file", "not even json"))["code"] == "not_allowed"
    assert called == []


@given(
    client=st.sampled_from(list(Client)),
    name=st.sampled_from([row.name for row in COMMANDS])
    | st.text()
    | st.none()
    | st.integers()
    | st.lists(st.text()),
    args=st.text() | st.none() | st.integers() | st.binary() | st.just("{}") | st.just("[" * 5000),
)
def test_whatever_a_page_sends_comes_back_as_an_envelope(
    any_arguments: Commands, client: Client, name: object, args: object
) -> None:
    envelope = json.loads(any_arguments.invoke(client, name, args))
    assert envelope["ok"] in (True, False)
    if not envelope["ok"]:
        assert envelope["error"]["code"] in {"unknown_command", "not_allowed", "bad_arguments"}


def test_an_error_of_ours_arrives_as_its_code_with_arguments() -> None:
    commands = with_handler("send_message", failing(FileConflict(file="USER.md")))
    assert error_of(send(commands)) == {"code": "file_conflict", "args": {"file": "USER.md"}, "retryable": False}
    commands = with_handler("send_message", failing(ProviderFault("overloaded", retryable=True)))
    assert error_of(send(commands)) == {"code": "fault_overloaded", "args": {}, "retryable": True}


@pytest.mark.parametrize(
    "error",
    [
        RuntimeError(SECRET),
        KeyError(SECRET),
        CancelledError(SECRET),
        RecursionError(SECRET),
        FileConflict(x=UNFIT),
    ],
    ids=lambda error: type(error).__name__,
)
def test_a_bug_tells_the_page_an_id_and_the_log_the_place(
    error: BaseException, caplog: pytest.LogCaptureFixture
) -> None:
    answer = send(with_handler("send_message", failing(error)))
    info = error_of(answer)
    assert info["code"] == "internal"
    assert list(info["args"]) == ["id"]
    assert SECRET not in answer
    assert info["args"]["id"] in caplog.text
    assert "send_message" in caplog.text


def test_the_api_key_is_in_no_log_even_if_storing_it_fails(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)

    def choke(key: str, **_rest: object) -> object:
        raise ValueError(f"cannot store {key}")

    args = encode({"key": SECRET, "keep": "keyring"})
    answer = with_handler("set_key", choke).invoke(Client.CHAT, "set_key", args)
    assert error_of(answer)["code"] == "internal"
    assert "in choke" in caplog.text
    assert SECRET not in caplog.text + answer


def test_what_was_said_in_a_conversation_is_in_no_log_even_if_a_command_breaks(
    caplog: pytest.LogCaptureFixture,
) -> None:
    def choke(text: str, **_rest: object) -> object:
        raise ValueError(f"cannot send {text}")

    answer = with_handler("send_message", choke).invoke(
        Client.CHAT, "send_message", encode({"conversation": "c", "text": SECRET})
    )
    assert error_of(answer)["code"] == "internal"
    assert "in choke" in caplog.text
    assert SECRET not in caplog.text + answer


def test_a_text_of_a_file_is_in_no_log_even_if_a_command_breaks(caplog: pytest.LogCaptureFixture) -> None:
    def choke(file: str) -> object:
        raise KeyError(SECRET)

    answer = with_handler("read_file", choke).invoke(Client.CHAT, "read_file", encode({"file": "MEMORY.md"}))
    assert error_of(answer)["code"] == "internal"
    assert "in choke" in caplog.text and "KeyError" in caplog.text
    assert SECRET not in caplog.text + answer


def test_bad_arguments_do_not_repeat_what_was_sent() -> None:
    for sent in (f'{{"key": ["{SECRET}"], "keep": "keyring"}}', f'{{"{SECRET}": 1}}', f'"{SECRET}'):
        answer = with_handler("set_key", str).invoke(Client.CHAT, "set_key", sent)
        assert error_of(answer)["code"] == "bad_arguments"
        assert SECRET not in answer


def test_a_wrong_reply_is_a_bug_and_nothing_of_it_is_sent() -> None:
    for wrong in (None, {"turn": SECRET}, Nothing(), SECRET):
        answer = send(with_handler("send_message", partial(giving, wrong)))
        assert error_of(answer)["code"] == "internal"
        assert SECRET not in answer


def test_a_handler_with_nothing_to_say_may_return_nothing() -> None:
    answer = with_handler("hide_chat", lambda: None).invoke(Client.CHAT, "hide_chat", "{}")
    assert json.loads(answer) == {"ok": True, "value": {}}


class Sums:
    """An area of its own."""

    @command(Client.CHAT)
    def double(self, args: TurnStartedReply) -> TurnStartedReply:
        """Twice.

        Not printed.
        """
        if not args.turn:
            raise ValueError(SECRET)
        return TurnStartedReply(turn=args.turn * 2)

    @command(Client.CHAT)
    def add_up(self, first: int, second: int = 2) -> TurnStartedReply:
        """Of both.

        ``second``: two, unless said.
        """
        return TurnStartedReply(turn=str(first + second))

    @command(Client.PET, Client.SOCKET)
    def rest(self) -> None:
        """Nothing."""

    def not_a_command(self) -> None:
        raise AssertionError


def test_signature_and_docstring_of_a_method_are_its_contract() -> None:
    double, add_up, rest = commands_of(Sums)
    assert (double.name, double.args, double.reply) == ("double", TurnStartedReply, TurnStartedReply)
    assert (double.summary, list(double.clients)) == ("Twice.", [Client.CHAT])
    assert add_up.args.__name__ == "AddUpArgs" and add_up.args.__doc__ == "``second``: two, unless said."
    assert decode(add_up.args, '{"first": 1}') == add_up.args(first=1, second=2)
    assert (rest.name, rest.args, rest.reply) == ("rest", Nothing, Nothing)
    assert rest.clients == {Client.PET, Client.SOCKET}


def test_methods_with_other_signatures_are_no_commands() -> None:
    class Wrong:
        @command(Client.CHAT)
        def two(self, one: str, other) -> None:  # type: ignore[no-untyped-def]
            """Nobody knows what the other is."""

    with pytest.raises(TypeError, match="two"):
        commands_of(Wrong)


def test_an_area_is_bound_once_and_only_its_commands_are_reachable() -> None:
    area = Sums()
    commands = Commands(area)
    assert json.loads(commands.invoke(Client.CHAT, "double", '{"turn":"a"}')) == {"ok": True, "value": {"turn": "aa"}}
    assert json.loads(commands.invoke(Client.PET, "rest", "{}")) == {"ok": True, "value": {}}
    assert error_of(commands.invoke(Client.CHAT, "not_a_command", "{}"))["code"] == "unknown_command"
    with pytest.raises(ValueError, match="double"):
        commands.bind(commands_of(Sums)[0], area.double)


def test_a_call_within_the_process_is_typed_and_checked_alike(caplog: pytest.LogCaptureFixture) -> None:
    commands = Commands(Sums())
    assert commands.call(Client.CHAT, Sums.double, TurnStartedReply(turn="b")).turn == "bb"
    assert commands.call(Client.CHAT, Sums.add_up, 1).turn == "3"
    assert json.loads(commands.invoke(Client.CHAT, "add_up", '{"first": 5}'))["value"] == {"turn": "7"}
    with pytest.raises(NotAllowed):
        commands.call(Client.CHAT, Sums.rest)
    with pytest.raises(CommandFailed) as caught:
        commands.call(Client.CHAT, Sums.double, TurnStartedReply(turn=""))
    assert caught.value.error_code == "internal"
    assert str(caught.value.error.args["id"]) in caplog.text


def test_two_thousand_calls_from_many_threads_each_get_their_own_reply() -> None:
    commands = with_handler("send_message", lambda text, **_rest: TurnStartedReply(turn=text))
    start = threading.Barrier(20)
    wrong: list[str] = []

    def call(thread: int) -> None:
        start.wait()
        for number in range(100):
            text = f"宠物 {thread}/{number}"
            if json.loads(send(commands, text)) != {"ok": True, "value": {"turn": text}}:
                wrong.append(text)

    threads = [threading.Thread(target=call, args=(number,)) for number in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


@pytest.mark.parametrize(
    ("number", "file", "code"),
    [
        (errno.ENOSPC, None, "disk_full"),
        (errno.EDQUOT, "/home/owner/secret/state.json", "disk_full"),
        (errno.EROFS, "/home/owner/secret/state.json", "write_denied"),
        (errno.EACCES, "/home/owner/secret/state.json", "write_denied"),
        (errno.EACCES, None, "internal"),
        (errno.EIO, "/home/owner/secret/state.json", "internal"),
    ],
)
def test_a_disk_that_takes_nothing_is_named_without_its_path(number: int, file: str | None, code: str) -> None:
    answer = send(with_handler("send_message", failing(OSError(number, os.strerror(number), file))))
    assert error_of(answer)["code"] == code
    assert "owner" not in answer
