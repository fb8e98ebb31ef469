"""Lock of the program that runs a home's local model, and the server address it leaves for other programs."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from pathlib import Path
from threading import RLock

from filelock import FileLock, Timeout

from pet.errors import LocalModelRefused
from pet.local_models.model_store import LocalModel
from pet.local_models.slots import ServerAddress
from pet.untrusted.parsers import read_json


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
