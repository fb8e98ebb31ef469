"""The code for Windows pipes; elsewhere over the Unix sockets that Python offers behind the same interface."""

from __future__ import annotations

import contextlib
import secrets
import shutil
import sys
import tempfile
import threading
from collections.abc import Iterator
from multiprocessing.connection import Client as Dial
from pathlib import Path

import pytest

from pet.bridge.channel import MAX_FRAME, ChannelBroken, NotListening
from pet.bridge.named_pipe import Family, PipeChannel, PipeListener, connect_pipe, owner_key
from pet.bridge.socket_server import pipe_address
from pet.paths import find_home
from tests.support.files import has_mode

KEY = b"k" * 32
SECONDS = 20.0
FAMILY: Family = "AF_PIPE" if sys.platform == "win32" else "AF_UNIX"


@pytest.fixture
def address() -> Iterator[str]:
    if sys.platform == "win32":
        yield rf"\\.\pipe\soulpet-{secrets.token_hex(8)}"
        return
    folder = tempfile.mkdtemp(prefix="sp")
    yield str(Path(folder, "pipe"))
    shutil.rmtree(folder)


@pytest.fixture
def listening(address: str) -> PipeListener:
    return PipeListener(address, FAMILY, KEY, seconds=SECONDS)


class Served:
    """One accepted channel, verified and answered on its own thread."""

    def __init__(self, listening: PipeListener) -> None:
        self.broken: ChannelBroken | None = None
        self.got = b""
        self._listening = listening
        self._thread = threading.Thread(target=self._serve)
        self._thread.start()

    def _serve(self) -> None:
        channel = self._listening.accept()
        assert channel
        try:
            channel.verify()
            self.got = channel.receive()
            channel.send(self.got[::-1])
        except ChannelBroken as error:
            self.broken = error
        finally:
            channel.close()

    def join(self) -> None:
        self._thread.join(SECONDS)
        assert not self._thread.is_alive()


def close(listening: PipeListener) -> None:
    waiting = threading.Thread(target=lambda: ends.append(listening.accept()))
    ends: list[PipeChannel | None] = []
    waiting.start()
    listening.close()
    waiting.join(SECONDS)
    assert ends == [None]


def test_both_ends_with_the_key_talk(address: str, listening: PipeListener) -> None:
    served = Served(listening)
    channel = connect_pipe(address, FAMILY, KEY, SECONDS)
    channel.verify()
    channel.send(b"abc")
    assert channel.receive() == b"cba"
    channel.close()
    served.join()
    assert served.got == b"abc"
    close(listening)


def test_a_client_without_the_key_is_turned_away_and_sees_no_message(address: str, listening: PipeListener) -> None:
    served = Served(listening)
    channel = connect_pipe(address, FAMILY, b"x" * 32, SECONDS)
    with pytest.raises(ChannelBroken):
        channel.verify()
    channel.close()
    served.join()
    assert served.broken
    assert served.got == b""
    close(listening)


def test_answers_can_not_be_sent_back_as_ones_own(address: str, listening: PipeListener) -> None:
    served = Served(listening)
    with Dial(address, FAMILY) as mirror:
        mirror.send_bytes(mirror.recv_bytes())
        mirror.send_bytes(mirror.recv_bytes())
        served.join()
    assert served.broken
    assert str(served.broken) == "wrong key"
    close(listening)


def test_messages_over_the_cap_end_the_connection(address: str, listening: PipeListener) -> None:
    served = Served(listening)
    with Dial(address, FAMILY) as loud:
        with contextlib.suppress(OSError):  # the server hangs up on the length alone
            loud.send_bytes(b"x" * (MAX_FRAME + 1))
        served.join()
    assert served.broken
    channel = connect_pipe(address, FAMILY, KEY, SECONDS)
    with pytest.raises(ChannelBroken):
        channel.send(b"x" * (MAX_FRAME + 1))
    channel.close()
    accepted = listening.accept()
    assert accepted
    accepted.close()
    close(listening)


def test_a_silent_peer_runs_into_the_time_limit(address: str) -> None:
    listening = PipeListener(address, FAMILY, KEY, seconds=0.05)
    served = Served(listening)
    with Dial(address, FAMILY):
        served.join()
    assert str(served.broken) == "too slow"
    close(listening)


def test_nobody_there_is_said_so(address: str) -> None:
    with pytest.raises(NotListening):
        connect_pipe(address, FAMILY, KEY, SECONDS)


def test_the_key_is_made_once_and_only_the_owner_reads_it(tmp_path: Path) -> None:
    folder = tmp_path / "state"
    key = owner_key(folder)
    assert len(key) == 32
    assert owner_key(folder) == key
    assert has_mode(folder / "pipe-key", 0o600)
    assert {file.name for file in folder.iterdir()} <= {"pipe-key", "pipe-key.lock"}
    (folder / "pipe-key").write_bytes(b"short")
    assert len(owner_key(folder)) == 32


def test_the_pipe_has_the_short_name_of_the_home(tmp_path: Path) -> None:
    home = find_home(tmp_path)
    assert pipe_address(home) == "\\\\.\\pipe\\soulpet-" + home.socket_name()


def test_two_that_make_the_key_at_once_have_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    both = threading.Barrier(2)
    looked: list[Path] = []
    made: list[bytes] = []
    read = Path.read_bytes

    def together(file: Path) -> bytes:
        looked.append(file)
        if len(looked) <= 2:
            both.wait(60)  # both have looked before either writes
        return read(file)

    monkeypatch.setattr(Path, "read_bytes", together)
    ends = [threading.Thread(target=lambda: made.append(owner_key(tmp_path))) for _ in range(2)]
    for each in ends:
        each.start()
    for each in ends:
        each.join()
    assert made == [read(tmp_path / "pipe-key")] * 2
