"""Supervise the child process of the local model: start on demand, restart once after a crash, stop when idle.

Thread-safe; ``acquire`` blocks while a model loads. One child per home: its program holds a lock file and leaves
address and key in a 0600 file, for other programs of the home (a terminal beside the windows). Saved KV states are
prompts in another form: their files are private and are deleted when memory is forgotten.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
import secrets
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Lock, RLock, Timer
from urllib.parse import urlsplit

from filelock import FileLock, Timeout

from pet.errors import LocalModelRefused
from pet.extra import child_command
from pet.extras.local_models.events import LocalModelPhase
from pet.extras.local_models.host import HostPlan
from pet.extras.local_models.machine import Machine, this_machine
from pet.extras.local_models.model_store import is_unchanged, resolve_model
from pet.paths import environment_of_children
from pet.providers.local_models import LocalModel
from pet.untrusted.parsers import read_json

SLOTS = (0, 1)
_OK = 200
_ANSWER_SECONDS = 10.0  # then the process counts as unreachable


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerAddress:
    url: str
    key: str


class SavedSlots:
    """The KV states of a home's models: ``*.kv`` files in ``folder``, written by the model's process."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._erased = folder / "erased"

    def last_erasure(self) -> str:
        """Return the id of the last ``delete`` by any program of the home, "" before the first."""
        try:
            return self._erased.read_text(encoding="ascii")
        except (OSError, ValueError):
            return ""

    def save(self, address: ServerAddress, local_model: LocalModel, slot: int, prompt: str, since: str) -> None:
        """Save a slot that holds the prompt with the hash ``prompt``, read after the erasure ``since``; nothing is
        kept if another came after it. Does nothing if the process can't be reached."""
        if self.last_erasure() != since:
            return
        name = f"{_name_start(local_model)}-{slot}-{prompt}.kv"
        with suppress(OSError):
            _post(address, f"/slots/{slot}?action=save", {"filename": name})
        of_path, of_model = _path_hash(local_model), f"{_name_start(local_model)}-"
        for file in self._folder.glob("*.kv"):
            same_slot = file.name.startswith(f"{of_model}{slot}-") and file.name != name
            if file.name.startswith(of_path) and (same_slot or not file.name.startswith(of_model)):
                file.unlink(missing_ok=True)  # of an earlier prompt, file or library
            with suppress(OSError):
                file.chmod(0o600)
        if self.last_erasure() != since:  # meanwhile, perhaps by another program
            self._unlink()

    def restore(self, address: ServerAddress, local_model: LocalModel) -> dict[int, str]:
        """Restore the saved slots of this model. Return the hashes of their prompts by slot."""
        restored: dict[int, str] = {}
        for slot in SLOTS:
            for file in self._folder.glob(f"{_name_start(local_model)}-{slot}-*.kv"):
                with suppress(OSError):
                    if _post(address, f"/slots/{slot}?action=restore", {"filename": file.name}) == _OK:
                        restored[slot] = file.stem.rpartition("-")[2]
        return restored

    def delete(self) -> None:
        """Delete all saved states, also those that a program of the home is saving now."""
        if self._folder.is_dir():
            with suppress(OSError):
                self._erased.write_text(secrets.token_hex(8), encoding="ascii")
        self._unlink()

    def _unlink(self) -> None:
        for file in self._folder.glob("*.kv"):
            file.unlink(missing_ok=True)


def erase_slots(address: ServerAddress) -> None:
    """Erase the process's own states. Raises OSError if it can't be reached or refuses."""
    for slot in SLOTS:
        if _post(address, f"/slots/{slot}?action=erase", {}) != _OK:
            raise OSError


def _name_start(local_model: LocalModel) -> str:
    """Return the beginning of a state's name, unique to the model's file and version, the context and the library: no
    state fits another."""
    from importlib.metadata import PackageNotFoundError, version  # late: only a model that runs here has states

    try:
        library = version("xllamacpp")
    except PackageNotFoundError:
        library = ""
    about = f"{local_model.size}|{local_model.changed}|{local_model.context}|{local_model.repack}|{library}"
    return f"{_path_hash(local_model)}-{short_hash(about)}"


def _path_hash(local_model: LocalModel) -> str:
    return short_hash(str(local_model.path))


def short_hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _post(address: ServerAddress, path: str, body: object) -> int:
    """Return the HTTP status. Raises OSError, also for an invalid response."""
    import http.client

    connection = http.client.HTTPConnection(urlsplit(address.url).netloc, timeout=_ANSWER_SECONDS)
    try:
        headers = {
            "authorization": f"Bearer {address.key}",
            "content-type": "application/json",
            "connection": "close",
        }
        connection.request("POST", path, json.dumps(body), headers)
        answer = connection.getresponse()
        answer.read()
        return answer.status
    except http.client.HTTPException:
        raise OSError from None
    finally:
        connection.close()


class HomeLock:
    """``private``: folder of the lock file and the 0600 file with address and key."""

    def __init__(self, private: Path) -> None:
        self._private = private
        self._address_file = private / "mind.json"
        self._lock: FileLock | None = None
        self._one_at_a_time = RLock()

    def take(self) -> bool:
        """Return False if another program of this home holds it."""
        with self._one_at_a_time:
            self._private.mkdir(mode=0o700, parents=True, exist_ok=True)
            lock = FileLock(self._private / "mind.lock", timeout=0, thread_local=False)
            try:
                lock.acquire()
            except Timeout:
                return False
            self._lock = lock
            with suppress(OSError):
                self._address_file.unlink()  # left by a killed program
            return True

    def release(self) -> None:
        with self._one_at_a_time:
            lock, self._lock = self._lock, None
            if lock is not None:
                self._address_file.unlink(missing_ok=True)
                lock.release()

    def is_held_elsewhere(self) -> bool:
        """Whether another program of this home runs a model now."""
        with self._one_at_a_time:
            if self._lock is not None or not self._address_file.exists():
                return False
            if self.take():
                self.release()  # left by a killed program
                return False
            return True

    def write_address(self, address: ServerAddress, local_model: LocalModel) -> None:
        """Write the address for other programs of this home."""
        data = {"url": address.url, "key": address.key, "mind": local_model.id}
        self._address_file.unlink(missing_ok=True)
        opened = os.open(self._address_file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(opened, "w", encoding="utf-8") as file:
            json.dump(data, file)

    def read_address(self, local_model: LocalModel) -> ServerAddress:
        """Return the other program's address. Raises LocalModelRefused: elsewhere, starting_elsewhere."""
        try:
            data = read_json(self._address_file.read_bytes())
            address, running = ServerAddress(url=str(data["url"]), key=str(data["key"])), data["mind"]
        except (OSError, ValueError, KeyError, TypeError):
            raise LocalModelRefused("starting_elsewhere") from None
        if running != local_model.id:
            raise LocalModelRefused("elsewhere")
        return address


_log = logging.getLogger(__name__)
_SLEEP_SECONDS = 300  # idle time after which the child frees its memory
_STOP_SECONDS = 1_800.0  # idle time after which it is stopped
_END_SECONDS = 10.0
_CRASHES_SECONDS = 600.0  # a second crash within it is reported instead of restarting
_ILLEGAL = (-4, 0xC000001D, -1073741795)  # SIGILL, STATUS_ILLEGAL_INSTRUCTION
_KILLED = (-9, 137)
_BUS = (-7, 0xC0000006, -1073741818)  # SIGBUS, STATUS_IN_PAGE_ERROR: the file shrank
_NO_WINDOW = 0x08000000 if sys.platform == "win32" else 0  # CREATE_NO_WINDOW


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """``local_model``: id of the model that runs or was tried; ``problem``: error code of ``failed``."""

    phase: LocalModelPhase = "absent"
    local_model: str = ""
    problem: str = ""


@dataclass(slots=True)
class _Child:
    local_model: LocalModel
    process: subprocess.Popen[str]
    address: ServerAddress


class Supervisor:
    """``folder``: downloaded models; ``private``: lock, address and KV states."""

    def __init__(
        self,
        folder: Path,
        private: Path,
        *,
        machine: Callable[[], Machine] = this_machine,
        on_state: Callable[[State], object] = lambda _state: None,
        now: Callable[[], float] = time.monotonic,
        stop_seconds: float = _STOP_SECONDS,
    ) -> None:
        self.folder = folder
        self._private = private
        self._home = HomeLock(private)
        self._saved = SavedSlots(private)
        self._machine = machine
        self._on_state = on_state
        self._now = now
        self._stop_seconds = stop_seconds
        self._starting = Lock()  # held while a model loads
        self._ending = Lock()  # held from dropping a child until it ended and the home's lock is released
        self._lock = RLock()
        self._stops = 0
        self._child: _Child | None = None
        self._process: subprocess.Popen[str] | None = None  # also while it loads
        self._state = State()
        self._crashed_at: float | None = None
        self._users = 0
        self._erase_due = False
        self._warming = False  # the child's address is not published
        self._restored: dict[int, str] = {}  # hashes of the prompts in its restored states
        self._borrowed: ServerAddress | None = None  # the child of another program of this home
        self._checked: LocalModel | None = None
        self._used_at = now()
        self._timers: list[Timer] = []
        self._closed = False

    def acquire(self, chosen: str, *, warming: bool = False) -> ServerAddress:
        """Return the model's address, starting it if needed; call ``release`` afterwards. Raises LocalModelRefused.

        ``warming``: the caller saves states of a new child, and then calls ``publish``.
        """
        with self._starting:
            address = self._running(chosen)
            if address is None:
                address = self._start(chosen)
            elif self.state.phase == "asleep" and self._child is not None:
                # An idle child has freed its KV states.
                self._saved.restore(self._child.address, self._child.local_model)
            if not warming:
                self.publish()
            with self._lock:
                self._users += 1
                self._used_at = self._now()
                self._cancel_timers()
        return address

    def release(self) -> None:
        with self._lock:
            self._users = max(0, self._users - 1)
            self._used_at = self._now()
            if self._users == 0 and self._child is not None and not self._closed:
                self._cancel_timers()
                self._later(self._stop_seconds, self._stop_idle)
                if self._erase_due:
                    self._later(0, self.forget)

    @property
    def state(self) -> State:
        with self._lock:
            state, child = self._state, self._child
            if state.phase == "ready" and child is not None and child.process.poll() is not None:
                return replace(state, phase="absent")
            quiet = self._users == 0 and self._now() - self._used_at > _SLEEP_SECONDS
            return replace(state, phase="asleep") if state.phase == "ready" and quiet else state

    @property
    def in_use(self) -> bool:
        """Whether a reply is being generated."""
        return self._users > 0

    @property
    def pid(self) -> int | None:
        """The child's process id, for tests and measurements."""
        child = self._child
        return child.process.pid if child is not None else None

    def check(self, chosen: str) -> LocalModel:
        """Return the model as it would be started. Raises LocalModelRefused."""
        return resolve_model(chosen, self.folder, self._machine())

    def cached_check(self, chosen: str) -> LocalModel:
        """Return ``check``, cached while the file is the same. Raises LocalModelRefused."""
        with self._lock:
            kept = self._checked
        if kept is not None and kept.id == chosen and is_unchanged(kept):
            return kept
        local_model = self.check(chosen)
        with self._lock:
            self._checked = local_model
        return local_model

    def runs_elsewhere(self) -> bool:
        """Whether another program of this home runs a model now."""
        return self._home.is_held_elsewhere()

    def stop(self) -> None:
        """Stop the child, even while it loads; the next ``acquire`` starts another."""
        self._stop(lambda: True)

    def _stop_idle(self) -> None:
        """Stop after the idle time, unless a request arrived meanwhile."""

        def idle() -> bool:
            if self._users:
                return False
            if coming := self._starting.locked():  # if that start fails, no other timer is set
                self._later(self._stop_seconds, self._stop_idle)
            return not coming

        self._stop(idle)

    def _stop(self, may: Callable[[], bool]) -> None:
        with self._ending:
            with self._lock:
                if not may():
                    return
                self._stops += 1
                process, self._process, self._child, self._borrowed = self._process, None, None, None
                self._cancel_timers()
                self._set(State())
            _end(process)
            self._home.release()

    def close(self) -> None:
        self._closed = True
        self.stop()

    def last_erasure(self) -> str:
        """Return the id of the last erasure of saved states in this home; read before what a warming computes."""
        return self._saved.last_erasure()

    def unsaved(self, prompts: Mapping[int, str]) -> set[int]:
        """Return the slots of a child that is not published whose restored state is of another prompt than the one
        with this hash, or of none."""
        if not self._warming:
            return set()
        return {slot for slot, prompt in prompts.items() if self._restored.get(slot) != prompt}

    def save(self, slot: int, prompt: str, since: str) -> None:
        """Save the state of a slot that holds the prompt with the hash ``prompt`` and nothing else; not of a
        published child, nor if states were erased after the erasure ``since``."""
        child = self._child
        if child is not None and self._warming:
            self._saved.save(child.address, child.local_model, slot, prompt, since)

    def publish(self) -> None:
        """Publish a new child's address to other programs of this home, whose requests may then come."""
        child = self._child
        if self._warming and child is not None:
            self._home.write_address(child.address, child.local_model)
        self._warming = False

    def forget(self) -> None:
        """Erase the KV states in memory and on disk, after a reply that is being generated. An unreachable child is
        stopped."""
        self._saved.delete()
        with self._lock:
            child, busy = self._child, self._users > 0
            self._erase_due = busy
        address = child.address if child is not None else self._borrowed
        if address is not None and not busy:
            try:
                erase_slots(address)
            except OSError:
                self.stop()  # another program's child ended, or erases its states itself

    def _running(self, chosen: str) -> ServerAddress | None:
        """Return the address if this model runs; else None, after stopping another one or noting a crash."""
        with self._lock:
            child = self._child
        if child is None:
            return None
        code = child.process.poll()
        if code is None and child.local_model.id == chosen:
            return child.address
        if code is None:
            if self._users:
                raise LocalModelRefused("occupied", name=child.local_model.name)  # by another conversation's reply
            self.stop()
            return None
        _log.warning("the local model ended with exit code %s", code)
        before, self._crashed_at = self._crashed_at, self._now()
        self.stop()
        if before is not None and self._now() - before < _CRASHES_SECONDS:
            self._crashed_at = None  # the next message may try again
            raise self._failed(chosen, _of_exit(code, child.local_model))
        return None

    def _start(self, chosen: str) -> ServerAddress:
        if self._closed:
            raise LocalModelRefused("stopped")
        stops = self._stops
        try:
            local_model = self.check(chosen)
        except LocalModelRefused as refused:
            raise self._failed(chosen, refused) from None
        with self._ending:  # a child being stopped still holds the home's lock
            taken = self._home.take()
        if not taken:
            self._borrowed = self._home.read_address(local_model)
            self._set(State(phase="ready", local_model=local_model.id))
            return self._borrowed
        self._set(State(phase="starting", local_model=chosen))
        try:
            child = self._spawn(local_model, stops)
        except LocalModelRefused as refused:
            self._home.release()
            raise self._failed(chosen, refused) from None
        self._restored = self._saved.restore(child.address, child.local_model)
        with self._lock:
            if self._child is not child:  # stopped meanwhile
                raise LocalModelRefused("stopped")
            self._warming = True
            self._set(State(phase="ready", local_model=chosen))
        return child.address

    def _spawn(self, local_model: LocalModel, stops: int) -> _Child:
        """``stops``: the count of stops when the start began."""
        key = secrets.token_urlsafe(24)
        machine = self._machine()
        plan = HostPlan(
            model=str(local_model.path),
            key=key,
            threads=machine.threads,
            context=local_model.context,
            repack=local_model.repack,
            small_cache=local_model.size > 2_300_000_000 and not local_model.repack,
            idle_seconds=_SLEEP_SECONDS,
            save_folder=os.path.join(self._private, ""),  # noqa: PTH118  the separator at its end matters
        )
        try:
            process = subprocess.Popen(  # noqa: S603  our own program
                child_command("local_models"),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,  # the server's own log quotes prompts
                text=True,
                env=environment_of_children(),
                creationflags=_NO_WINDOW,
            )
        except OSError as error:
            raise LocalModelRefused("not_started", reason=error.strerror or type(error).__name__) from None
        with self._lock:
            stopped = self._stops != stops
            self._process = None if stopped else process
        if stopped:  # ``stop`` could not end a child that didn't exist yet
            _end(process)
            raise LocalModelRefused("stopped")
        assert process.stdin is not None
        assert process.stdout is not None
        url = ""
        with suppress(OSError, ValueError):  # ended meanwhile
            process.stdin.write(plan.line())
            process.stdin.flush()
            url = _url(process.stdout.readline())
        if not url:
            code = _end(process)
            with self._lock:
                stopped = self._process is not process
                self._process = None
            raise LocalModelRefused("stopped") if stopped else _of_exit(code, local_model)
        child = _Child(local_model, process, ServerAddress(url=url, key=key))
        with self._lock:
            if self._process is not process:  # stopped meanwhile
                _end(process)
                raise LocalModelRefused("stopped")
            self._child = child
        return child

    def _failed(self, chosen: str, refused: LocalModelRefused) -> LocalModelRefused:
        stopped = refused.problem == "stopped"
        self._set(State() if stopped else State(phase="failed", local_model=chosen, problem=refused.error_code))
        return refused

    def _later(self, seconds: float, act: Callable[[], None]) -> None:
        timer = Timer(seconds, act)
        timer.daemon = True
        timer.name = "local-model-timer"
        self._timers.append(timer)
        timer.start()

    def _cancel_timers(self) -> None:
        while self._timers:
            self._timers.pop().cancel()

    def _set(self, state: State) -> None:
        with self._lock:
            changed, self._state = self._state != state, state
        if changed:
            self._on_state(state)


def _url(line: str) -> str:
    try:
        url = str(read_json(line)["url"])
    except (ValueError, KeyError, TypeError):
        return ""
    return url if url.startswith("http://127.0.0.1:") else ""


def _end(process: subprocess.Popen[str] | None) -> int:
    """Close the child's input, wait, kill. Return its exit code."""
    if process is None:
        return 0
    if process.stdin is not None:
        with suppress(OSError):
            process.stdin.close()
    try:
        process.wait(_END_SECONDS if process.poll() is None else 0)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    if process.stdout is not None:
        process.stdout.close()
    return int(process.returncode)


def _of_exit(code: int, local_model: LocalModel) -> LocalModelRefused:
    if code in _ILLEGAL:
        return LocalModelRefused("no_cpu")
    if code in _KILLED:
        return LocalModelRefused("killed", name=local_model.name)
    if code in _BUS:
        return LocalModelRefused("shrank", name=local_model.name)
    _log.warning("the local model was not loaded: exit code %s", code)
    return LocalModelRefused("not_loaded", name=local_model.name)
