"""Files of the running model server: lock and address for other programs of the home, and saved KV states.

KV states are prompts in another form: their files are private and are deleted when memory is forgotten.
"""

from __future__ import annotations

import hashlib
import json
import os
import secrets
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from threading import RLock
from urllib.parse import urlsplit

from filelock import FileLock, Timeout

from pet.errors import LocalModelRefused
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
