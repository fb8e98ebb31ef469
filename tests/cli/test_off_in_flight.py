"""Memory that is switched off in one terminal while another one sends: real processes, real connections."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator

import pytest

from pet.i18n import Texts
from tests.cli.conftest import SECONDS, Ended, PetCommand
from tests.support.servers.held_server import CONNECT, HeldServer
from tests.support.servers.protocol_replies import Hold, rate_limited, stream
from tests.support.servers.protocol_server import ProtocolServer

WORDS = Texts("en")
OFF = WORDS("cli.chat.memory_mode", memory=WORDS("cli.memory_mode.off"))
ENDED = WORDS("cli.end.memory_off")
CANARY = "canary-7f3a"
LONG = "word " * 4_000  # stands before the memory in a request, and is more than a receive buffer takes


@pytest.fixture
def conversation(pet: PetCommand) -> str:
    pet("settings", "context_window", "200000")  # else the server is asked for it, before the message is sent
    pet("chat", "--once", "hi", "--memory", "on", "--no")
    pet.write("MEMORY.md", f"# Memory\n- {CANARY}\n")
    return "1"


@pytest.fixture
def held(request: pytest.FixtureRequest) -> Iterator[HeldServer]:
    with HeldServer(request.param) as server:
        yield server


def switch_off(pet: PetCommand, conversation: str, word: str) -> Ended:
    if word == "pause":
        return pet("pause", "on")
    return pet("chat", "--conversation", conversation, typed=f"/brain {word}\n")


def said(word: str) -> str:
    return WORDS("cli.pause.on") if word == "pause" else OFF


def environment(held: HeldServer) -> dict[str, str]:
    if held.stage == "proxy":
        return {"ANTHROPIC_BASE_URL": "https://far.invalid", "HTTPS_PROXY": held.url}
    if held.stage == "socks":
        return {"ANTHROPIC_BASE_URL": "http://far.invalid", "ALL_PROXY": held.url.replace("http", "socks5h")}
    return {"ANTHROPIC_BASE_URL": held.url}


@pytest.mark.parametrize("word", ["off", "pause"])
@pytest.mark.parametrize("held", [*CONNECT, "proxy", "write", "socks"], indirect=True)
def test_nothing_arrives_after_off_was_answered(
    pet: PetCommand, conversation: str, held: HeldServer, word: str
) -> None:
    long = pet.home.parent / "long.txt"
    long.write_text(LONG if held.stage in ("write", "socks") else "short", encoding="utf-8")
    message = ("--attach", str(long), "--once", "hello")
    sender = pet.start("chat", "--conversation", conversation, *message, **environment(held))
    held.wait_for_client()
    answer = switch_off(pet, conversation, word)
    assert answer.code == 0, answer
    assert said(word) in answer.out
    held.go_on()
    _, complaint = sender.communicate(timeout=SECONDS)
    arrived = held.received()
    assert CANARY.encode() not in arrived
    began = held.stage in ("write", "socks")
    assert b"word word" in arrived if began else arrived == b""
    assert sender.returncode == 1
    assert ENDED in complaint.decode()


@pytest.mark.parametrize("word", ["off", "pause"])
def test_a_retry_that_waits_is_not_made(
    pet: PetCommand, conversation: str, server: ProtocolServer, word: str
) -> None:
    server.queue(rate_limited(60))
    made = len(server.messages)
    sender = pet.start("chat", "--conversation", conversation, "--once", "hello")
    server.wait_for_requests(made + 1)
    assert said(word) in switch_off(pet, conversation, word).out
    _, complaint = sender.communicate(timeout=SECONDS)
    assert ENDED in complaint.decode()
    assert len(server.messages) == made + 1


def test_a_request_that_waits_for_its_reply_is_given_up(
    pet: PetCommand, conversation: str, server: ProtocolServer
) -> None:
    server.queue(stream(Hold("silent"), "Hello."))
    made = len(server.messages)
    sender = pet.start("chat", "--conversation", conversation, "--once", "hello")
    server.wait_for_requests(made + 1)
    assert OFF in switch_off(pet, conversation, "off").out
    assert server.messages[-1].gone.wait(SECONDS)
    assert sender.wait(SECONDS) == 1


@pytest.mark.parametrize("held", CONNECT, indirect=True)
def test_off_is_not_claimed_while_the_sender_is_suspended(
    pet: PetCommand, conversation: str, held: HeldServer
) -> None:
    program = [sys.executable, "-m", "tests.support.program.patient_pet"]  # a process that can be stopped
    message = ("--home", str(pet.home), "chat", "--conversation", conversation, "--once", "hello")
    sender = subprocess.Popen([*program, *message], env=pet.environment(**environment(held)))
    held.wait_for_client()
    sender.send_signal(signal.SIGSTOP)
    try:
        for word in ("off", ""):  # asking says nothing else
            answer = switch_off(pet, conversation, word)
            assert WORDS("error.memory_in_flight") in answer.err
            assert OFF not in answer.out
    finally:
        sender.send_signal(signal.SIGCONT)
    assert OFF in switch_off(pet, conversation, "off").out
    held.go_on()
    assert sender.wait(SECONDS) == 1
    assert held.received() == b""
