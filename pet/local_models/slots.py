"""KV states of a running model's slots: saved to files, restored, erased.

The states are earlier prompts in another form: their files are private and are deleted when memory is forgotten.
"""

from __future__ import annotations

import hashlib
import json
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from pet.local_models.model_store import LocalModel

SLOTS = (0, 1)
_ANSWER_SECONDS = 10.0  # then the process counts as unreachable


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerAddress:
    url: str
    key: str


class SavedSlots:
    """The KV states of a home's models: ``*.kv`` files in ``folder``, written by the model's process."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def save(self, address: ServerAddress, local_model: LocalModel) -> None:
        """Save both slots. Does nothing if the process can't be reached."""
        for slot in SLOTS:
            with suppress(OSError):
                _post(address, f"/slots/{slot}?action=save", {"filename": _file_name(local_model, slot)})
        for file in self._folder.glob("*.kv"):
            with suppress(OSError):
                file.chmod(0o600)

    def restore(self, address: ServerAddress, local_model: LocalModel) -> None:
        """Restore the saved slots of this model."""
        for slot in SLOTS:
            if (self._folder / _file_name(local_model, slot)).exists():
                with suppress(OSError):
                    _post(address, f"/slots/{slot}?action=restore", {"filename": _file_name(local_model, slot)})

    def delete(self) -> None:
        for file in self._folder.glob("*.kv"):
            file.unlink(missing_ok=True)


def erase_slots(address: ServerAddress) -> None:
    """Erase the process's own states. Raises OSError if it can't be reached or refuses."""
    for slot in SLOTS:
        if _post(address, f"/slots/{slot}?action=erase", {}) != 200:
            raise OSError


def _file_name(local_model: LocalModel, slot: int) -> str:
    """Return a name unique to model, file and context."""
    about = f"{local_model.path}|{local_model.size}|{local_model.context}|{local_model.repack}"
    return f"{hashlib.sha256(about.encode()).hexdigest()[:16]}-{slot}.kv"


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
