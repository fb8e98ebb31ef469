"""A locked keyring, for another process: ``PYTHON_KEYRING_BACKEND=tests.support.program.locked_keyring.Locked``."""

from __future__ import annotations

from keyring.backend import KeyringBackend
from keyring.errors import KeyringLocked


class Locked(KeyringBackend):
    priority = 1.0

    def get_password(self, service: str, username: str) -> str | None:
        raise KeyringLocked("locked")

    def set_password(self, service: str, username: str, password: str) -> None:
        raise KeyringLocked("locked")

    def delete_password(self, service: str, username: str) -> None:
        raise KeyringLocked("locked")
