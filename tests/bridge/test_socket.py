"""The local socket with real processes: second starts, leftovers of killed ones, races, and rude clients."""

from __future__ import annotations

import contextlib
import json
import logging
import os
import shutil
import socket
import stat
import struct
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pet.bridge.channel import MAX_FRAME, ChannelBroken
from pet.bridge.commands.lifecycle import ChangedArgs, LifecycleCommands
from pet.bridge.commands.settings import SettingsCommands
from pet.bridge.dispatch import CommandFailed, Commands
from pet.bridge.single_instance import SingleInstance
from pet.bridge.socket_server import RunningPet, SocketServer, listen
from pet.bridge.unix_socket import UnixChannel, UnixListener, connect_unix
from pet.cli.running_pet import status_of_running
from pet.paths import Home, find_home, runtime_folder
from tests.bridge.peer import serving
from tests.support.program.invoking import bind_named

ROOT = Path(__file__).parents[2]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Home]:
    runtime = tempfile.mkdtemp(prefix="sp")  # pytest's own folders are too long for a socket
    monkeypatch.setenv("XDG_RUNTIME_DIR", runtime)
    yield find_home(tmp_path)
    shutil.rmtree(runtime)


class Peer:
    def __init__(self, home: Home, *arguments: str) -> None:
        command = [sys.executable, "-m", "tests.bridge.peer", str(home.state.parent), *arguments]
        self.process = subprocess.Popen(
            command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8"
        )

    def heard(self) -> dict[str, Any]:
        assert self.process.stdout
        line: dict[str, Any] = json.loads(self.process.stdout.readline())
        return line

    def go(self) -> None:
        assert self.process.stdin
        self.process.stdin.write("\n")
        self.process.stdin.flush()

    def end(self) -> int:
        self.process.communicate()
        return self.process.returncode

    def kill(self) -> None:
        self.process.kill()
        self.process.communicate()


def started(home: Home) -> Peer:
    peer = Peer(home, "start")
    assert peer.heard() == {"event": "ready"}
    peer.go()
    assert peer.heard() == {"event": "first", "pid": peer.process.pid}
    return peer


@pytest.fixture
def server(home: Home) -> Iterator[SocketServer]:
    instance = SingleInstance(home)
    assert instance.acquire()
    commands = bind_named(serving(), get_settings=lambda: None, set_key=lambda: None)  # not for the socket
    server = SocketServer(home, commands, instance)
    server.start()
    yield server
    server.close()
    instance.release()


def address(home: Home) -> Path:
    return runtime_folder() / f"{home.socket_name()}.sock"


def raw(home: Home) -> socket.socket:
    client = socket.socket(socket.AF_UNIX)
    client.settimeout(20)
    client.connect(str(address(home)))
    return client


def still_answers(home: Home) -> bool:
    return status_of_running(home) is not None


def test_without_a_running_pet_there_is_no_reply(home: Home) -> None:
    assert status_of_running(home) is None
    assert not home.state.exists()


def test_another_process_gets_the_reply_of_the_running_one(home: Home, server: SocketServer) -> None:
    peer = Peer(home, "call")
    heard = peer.heard()
    assert heard["reply"]["pid"] == os.getpid()
    assert peer.end() == 0


def test_the_command_line_tells_what_changed(home: Home, server: SocketServer) -> None:
    RunningPet(home).call(LifecycleCommands.files_changed, ChangedArgs(pet="p", files=["USER.md", "宠物"]))
    status = status_of_running(home)
    assert status is not None
    assert status.pet == "USER.md,宠物"


def test_a_command_that_is_not_for_the_socket_is_refused(home: Home, server: SocketServer) -> None:
    with pytest.raises(CommandFailed) as caught:
        RunningPet(home).call(SettingsCommands.get_settings)
    assert caught.value.error_code == "not_allowed"
    with pytest.raises(CommandFailed) as caught:
        RunningPet(home).call(LifecycleCommands.show_pet)  # nothing is bound to it here
    assert caught.value.error_code == "unknown_command"


def test_the_socket_is_for_the_owner_alone_and_goes_with_the_server(home: Home) -> None:
    instance = SingleInstance(home)
    assert instance.acquire()
    before = os.umask(0)  # even a careless umask opens nothing
    try:
        server = SocketServer(home, serving(), instance)
        server.start()
    finally:
        os.umask(before)
    assert stat.S_IMODE(address(home).stat().st_mode) == 0o600
    server.close()
    assert not address(home).exists()
    assert status_of_running(home) is None
    instance.release()


def test_a_shell_without_the_runtime_folder_finds_the_pet(
    home: Home, server: SocketServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("XDG_RUNTIME_DIR")
    assert still_answers(home)


def test_only_the_holder_of_the_lock_may_listen(home: Home) -> None:
    with pytest.raises(ValueError, match="lock"):
        SocketServer(home, Commands(), SingleInstance(home)).start()


def test_the_lock_is_held_once_and_handed_on(home: Home) -> None:
    first, second = SingleInstance(home), SingleInstance(home)
    assert first.acquire()
    assert first.acquire()
    assert not second.acquire()
    first.release()
    assert second.acquire()
    second.release()


def test_what_a_killed_pet_leaves_is_replaced(home: Home) -> None:
    killed = started(home)
    killed.kill()
    assert address(home).exists()
    assert status_of_running(home) is None
    successor = started(home)
    status = status_of_running(home)
    assert status is not None
    assert status.pid == successor.process.pid
    assert successor.end() == 0
    assert not address(home).exists()


def test_of_eight_starts_at_once_exactly_one_wins_and_the_others_reach_it(home: Home) -> None:
    peers = [Peer(home, "start") for _ in range(8)]
    for peer in peers:
        assert peer.heard() == {"event": "ready"}
    for peer in peers:
        peer.go()
    heard = [peer.heard() for peer in peers]
    winners = [line["pid"] for line in heard if line["event"] == "first"]
    assert len(winners) == 1
    assert [line["reply"]["pid"] for line in heard if line["event"] == "called"] == winners * 7
    assert [peer.end() for peer in peers] == [0] * 8


def test_the_one_who_says_quit_gets_a_reply_before_the_process_ends(home: Home) -> None:
    peer = started(home)
    RunningPet(home).call(LifecycleCommands.quit)
    assert peer.end() == 0
    assert status_of_running(home) is None


def test_something_else_at_the_address_is_not_removed(home: Home) -> None:
    address(home).write_text("mine", encoding="utf-8")
    instance = SingleInstance(home)
    assert instance.acquire()
    with pytest.raises(FileExistsError):
        SocketServer(home, Commands(), instance).start()
    assert address(home).read_text(encoding="utf-8") == "mine"
    instance.release()


@pytest.mark.parametrize(
    "sent",
    [
        b"",
        b"\0",
        struct.pack(">I", 100) + b"half",
        struct.pack(">I", MAX_FRAME + 1),
        struct.pack(">I", 2**32 - 1) + b"x" * 1000,
        b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n",
    ],
)
def test_a_broken_frame_ends_its_connection_only(home: Home, server: SocketServer, sent: bytes) -> None:
    with raw(home) as client:
        client.sendall(sent)
        client.shutdown(socket.SHUT_WR)
        with contextlib.suppress(ConnectionResetError):  # closed with bytes unread: the same, said louder
            assert client.recv(100) == b""
    assert still_answers(home)


def test_a_caller_that_waits_for_no_reply_leaves_nothing_in_the_log(
    home: Home, server: SocketServer, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    message = b'{"name": "get_status", "args": "{}"}'
    with raw(home) as client:
        client.shutdown(socket.SHUT_RD)  # as the hooks of agents: they end at once
        client.sendall(struct.pack(">I", len(message)) + message)
        assert still_answers(home)  # so it was accepted
        server.close()  # waits for the call
    assert caplog.text == ""


@pytest.mark.parametrize(
    ("message", "code"),
    [
        (b"", "bad_arguments"),
        (b"\xff\xfe garbage", "bad_arguments"),
        (b"[" * 100_000, "bad_arguments"),
        (b'{"name": "get_status"}', "bad_arguments"),
        (b'{"name": "get_status", "args": {}}', "bad_arguments"),
        (b'{"name": "get_status", "args": "[]"}', "bad_arguments"),
        (b'{"name": "nothing_known", "args": "{}"}', "unknown_command"),
        (b'{"name": "set_key", "args": "{}"}', "not_allowed"),
    ],
)
def test_garbage_in_a_good_frame_is_answered_with_a_code(
    home: Home, server: SocketServer, message: bytes, code: str
) -> None:
    channel = connect_unix(address(home))
    channel.send(message)
    envelope = json.loads(channel.receive())
    channel.close()
    assert envelope["error"]["code"] == code
    assert still_answers(home)


def test_a_flood_of_frames_holds_nobody_up(home: Home, server: SocketServer) -> None:
    """Forty programs send five hundred commands each and read no answer."""
    message = b'{"name": "get_status", "args": "{}"}'
    frames = (struct.pack(">I", len(message)) + message) * 500
    with contextlib.ExitStack() as opened:
        for _ in range(40):
            client = opened.enter_context(raw(home))
            client.setblocking(False)
            with contextlib.suppress(OSError):
                client.send(frames)
        assert still_answers(home)
    assert still_answers(home)


def test_a_client_will_not_send_what_the_server_would_not_take(home: Home, server: SocketServer) -> None:
    with pytest.raises(CommandFailed):
        RunningPet(home).call(LifecycleCommands.files_changed, ChangedArgs(pet="p", files=["x" * MAX_FRAME]))
    assert still_answers(home)


def test_idle_connections_hold_nobody_up(home: Home, server: SocketServer) -> None:
    idle = [raw(home) for _ in range(16)]
    assert still_answers(home)
    idle[-1].sendall(struct.pack(">I", 0))  # those that came last have their places yet, and get their answers
    assert idle[-1].recv(1000) != b""
    for _ in range(idle_connections()):
        with contextlib.suppress(BlockingIOError):  # the door is full for a moment
            idle.append(raw(home))
    for _ in range(3):
        assert still_answers(home)
    for client in idle:
        client.close()


def test_half_messages_and_answers_nobody_reads_hold_nobody_up(home: Home, server: SocketServer) -> None:
    """More of each than calls run at once."""
    whole = b'{"name": "get_status", "args": "{}"}'
    sent = [
        struct.pack(">I", 1_000) + b"half",
        struct.pack(">I", MAX_FRAME) + b"x" * 10_000,
        struct.pack(">I", len(whole)) + whole * 100,
    ]
    clients = []
    for number in range(120):
        with contextlib.suppress(BlockingIOError):  # the door is full for a moment
            clients.append(raw(home))
            with contextlib.suppress(BrokenPipeError):  # it has made room for others already
                clients[-1].sendall(sent[number % 3])
    for _ in range(3):
        assert still_answers(home)
    for client in clients:
        client.close()


def idle_connections() -> int:
    """1,000 where the limit of open files can be raised to what both ends in one process need."""
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = 2_500
    if soft < wanted and (hard >= wanted or hard == resource.RLIM_INFINITY):
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
        soft = wanted
    return 1_000 if soft >= wanted else 300


@pytest.mark.skipif(os.name == "nt" or os.getuid() != 0, reason="only root can become another user")
@pytest.mark.parametrize("opened", [False, True], ids=["as made", "permissions opened"])
def test_another_user_gets_no_answer(home: Home, server: SocketServer, opened: bool) -> None:
    """Also where somebody has opened folder and socket for all: then the kernel says who it is."""
    if opened:
        runtime_folder().chmod(0o777)
        address(home).chmod(0o666)
    said, say = os.pipe()
    if (pid := os.fork()) == 0:
        told = b"answered"
        try:
            os.setgroups([])
            os.setgid(65534)
            os.setuid(65534)
            client = raw(home)
            client.sendall(struct.pack(">I", 2) + b"{}")
            told = client.recv(1000) or b"closed"
        except PermissionError:
            told = b"no permission"
        except OSError:
            told = b"closed"
        finally:
            os.write(say, told)
            os._exit(0)
    os.waitpid(pid, 0)
    assert os.read(said, 100) == (b"closed" if opened else b"no permission")
    os.close(said)
    os.close(say)
    assert still_answers(home)


def test_folder_of_another_user_is_no_runtime_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    short = Path(tempfile.mkdtemp(prefix="sp"))  # pytest's own folders are too long for a socket
    home = find_home(short / "home")
    monkeypatch.delenv("XDG_RUNTIME_DIR", raising=False)
    monkeypatch.setattr(tempfile, "tempdir", str(short))
    made = runtime_folder()
    assert stat.S_IMODE(made.stat().st_mode) == 0o700
    made.chmod(0o755)
    assert stat.S_IMODE(runtime_folder().stat().st_mode) == 0o700
    made.rmdir()
    made.symlink_to(short)
    with pytest.raises(PermissionError):
        runtime_folder()
    assert status_of_running(home) is None
    instance = SingleInstance(home)
    assert instance.acquire()
    server = SocketServer(home, serving(), instance)
    server.start()
    assert still_answers(home)
    server.close()
    instance.release()
    made.unlink()
    made.mkdir()
    if os.getuid() == 0:
        os.chown(made, 12345, 12345)
    else:
        user = os.getuid()
        made.rename(short / f"soulpet-{user + 1}")
        monkeypatch.setattr(os, "getuid", lambda: user + 1)
    with pytest.raises(PermissionError):
        runtime_folder()
    shutil.rmtree(short)


def test_a_peer_that_says_nothing_runs_into_the_time_limit(home: Home) -> None:
    listening = UnixListener(address(home), seconds=0.05)
    client = raw(home)
    channel = listening.accept()
    assert channel
    with pytest.raises(ChannelBroken):
        channel.receive()
    channel.close()
    client.close()
    listening.close()
    assert listening.accept() is None


def test_a_server_that_hangs_is_told_apart_from_none(home: Home) -> None:
    listening = UnixListener(address(home))
    with pytest.raises(CommandFailed) as caught:
        RunningPet(home, seconds=0.05).call(LifecycleCommands.get_status)
    assert caught.value.error_code == "not_answering"
    listening.close()
    assert listening.accept() is None


def test_a_server_whose_door_is_full_is_told_apart_from_none(home: Home) -> None:
    listening = UnixListener(address(home))
    waiting: list[UnixChannel] = []

    def fill_the_queue() -> None:
        while len(waiting) < 10_000:
            waiting.append(connect_unix(address(home), 0.05))

    with pytest.raises(ChannelBroken):
        fill_the_queue()
    for channel in waiting:
        channel.close()
    listening.close()
    assert listening.accept() is None


def test_closing_ends_a_waiting_accept_and_leaves_a_successor_alone(home: Home) -> None:
    listening = UnixListener(address(home))
    waiting = threading.Thread(target=listening.accept)
    waiting.start()
    successor = UnixListener(address(home))
    listening.close()
    waiting.join(60)
    assert not waiting.is_alive()
    assert address(home).exists()
    successor.close()
    assert successor.accept() is None
    assert not address(home).exists()


def test_another_user_is_turned_away(monkeypatch: pytest.MonkeyPatch) -> None:
    ours, theirs = socket.socketpair()
    channel = UnixChannel(ours, 1.0)
    channel.verify()
    user = os.getuid()
    monkeypatch.setattr(os, "getuid", lambda: user + 1)
    with pytest.raises(ChannelBroken):
        channel.verify()
    channel.close()
    theirs.close()


def test_the_answer_of_another_version_counts_as_none(home: Home) -> None:
    listening = listen(home)

    def answer() -> None:
        channel = listening.accept()
        assert channel is not None
        channel.verify()
        channel.receive()
        channel.send(b'{"ok":true,"value":{"version":"9.0","pet":"p","moods":[]}}')
        channel.close()

    peer = threading.Thread(target=answer)
    peer.start()
    with pytest.raises(CommandFailed) as failed:
        status_of_running(home)
    assert failed.value.error_code == "not_answering"
    peer.join()
    listening.close()
