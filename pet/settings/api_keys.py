"""The API key: one per origin, kept where the owner said, and never told to anyone but the provider.

It comes from the environment, else from this session's memory, the system's keyring, or a 0600 file if the owner
chose that. Storing a key in one place takes it out of the others. Refuses: keys that could not be a header value,
giving a key to another origin than its own, and being printed (``ApiKey``).
"""

from __future__ import annotations

import contextlib
import json
import os
import stat
import threading
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Literal, TypeVar
from urllib.parse import urlsplit

from pet.errors import KeyStoreFailed
from pet.outside_data import read_json
from pet.paths import Home
from pet.regular_files import read_regular
from pet.settings.atomic_write import replace_file
from pet.settings.json_state import JsonState
from pet.settings.schema import Settings

Keep = Literal["keyring", "session", "file"]
Source = Literal["environment", "keyring", "session", "file", "none"]
T = TypeVar("T")

SERVICE = "soulpet"
_SHOWN_FROM = 12  # characters: the last 4 of a shorter key would be too much of it
_LONGEST = 4096


class ApiKey:
    """A key that hides itself in repr, str and format. Only ``reveal`` gives it out."""

    __slots__ = ("_value",)

    def __init__(self, value: str) -> None:
        self._value = value

    def reveal(self) -> str:
        return self._value

    @property
    def last4(self) -> str:
        return self._value[-4:] if len(self._value) >= _SHOWN_FROM else ""

    def __repr__(self) -> str:
        return "Secret(•••)"

    __str__ = __repr__

    def __format__(self, spec: str) -> str:
        return repr(self)

    def __reduce__(self) -> str | tuple[object, ...]:
        raise TypeError("a Secret is not copied or pickled")


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyStatus:
    """All that may be told about a key."""

    set: bool
    source: Source
    last4: str
    keyring_available: bool


def origin_of(base_url: str) -> str:
    """Scheme, host and port, normalised: what a key belongs to. Raises ValueError for what is no address."""
    parts = urlsplit(base_url)
    host = (parts.hostname or "").rstrip(".")
    shown = f"[{host}]" if ":" in host else host
    usual = {"http": 80, "https": 443}.get(parts.scheme)
    port = "" if parts.port in (None, usual) else f":{parts.port}"
    return f"{parts.scheme}://{shown}{port}"


def is_loopback(base_url: str) -> bool:
    """Whether the address is on this machine, and a key is not asked for."""
    host = (urlsplit(base_url).hostname or "").rstrip(".")
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def plain_http_warning(base_url: str) -> bool:
    """Whether key and memory would travel readable: http to another machine."""
    return urlsplit(base_url).scheme == "http" and not is_loopback(base_url)


def check_key(key: str) -> str:
    """The key without white space around it. Raises KeyStoreFailed if it can't be a header value."""
    key = key.strip()
    if not key or len(key) > _LONGEST or not all("!" <= character <= "~" for character in key):
        raise KeyStoreFailed(problem="bad_key")
    return key


class KeyStore:
    """The keys of one data home. Any call may wait for the keyring, which may be asking its owner for a password:
    never call it from a GUI thread."""

    def __init__(self, home: Home, environ: Mapping[str, str], *, keyring_seconds: float = 30) -> None:
        self._file = home.key_file
        self._notes = JsonState(home.key_notes_file)  # a keyring can't be asked for what it has: only addresses
        self._seconds = keyring_seconds
        self._lock = threading.RLock()
        self._session: dict[str, ApiKey] = {}
        self._of_keyring: dict[str, ApiKey | None] = {}  # what it said, so that it is asked once
        self._keyring_works: bool | None = None
        self._environment = _environment_key(environ)

    def get(self, origin: str) -> ApiKey | None:
        """The key of this origin and no other."""
        return self._find(origin)[0]

    def status(self, origin: str) -> KeyStatus:
        secret, source = self._find(origin)
        return KeyStatus(
            set=secret is not None,
            source=source,
            last4=secret.last4 if secret is not None else "",
            keyring_available=self._available(),
        )

    def set(self, origin: str, key: str, keep: Keep) -> None:
        """Keep the key there and nowhere else. Raises KeyStoreFailed; an earlier key may then still be in place."""
        secret = ApiKey(check_key(key))
        with self._lock:
            match keep:
                case "keyring":
                    self._note({*self._noted(), origin})
                    self._in_keyring(lambda: _put(origin, secret))
                    self._of_keyring[origin] = secret
                case "file":
                    self._write_file({**self._read_file(), origin: secret.reveal()})
                case "session":
                    self._session[origin] = secret
            if keep != "session":
                self._session.pop(origin, None)
            if keep != "file":
                self._drop_from_file(origin)
            if keep != "keyring" and self._of_keyring.get(origin) is not None:
                self._drop_from_keyring(origin)

    def delete(self, origin: str) -> None:
        """Forget the key wherever we keep it; the environment's is not ours. Raises KeyStoreFailed if a place
        could not be reached, after the others were cleared."""
        with self._lock:
            self._session.pop(origin, None)
            self._drop_from_file(origin)
            if self._available():
                self._drop_from_keyring(origin)

    def forget_all(self, origin: str) -> None:
        """Every key we keep, of this origin and of all others. Raises KeyStoreFailed if a place could not be reached,
        after the others were cleared."""
        with self._lock:
            failed: KeyStoreFailed | None = None
            self._keyring_works = None  # one that was slow has the keys still
            for each in sorted({origin, *self._noted(), *self._session, *self._read_file()}):
                try:
                    self.delete(each)
                except KeyStoreFailed as problem:
                    failed = problem
                    if problem.problem == "slow":
                        self._keyring_works = False  # once is enough to wait
            if failed is not None:
                raise failed

    def _find(self, origin: str) -> tuple[ApiKey | None, Source]:
        with self._lock:
            if self._environment is not None and self._environment[0] == origin:
                return self._environment[1], "environment"
            if origin in self._session:
                return self._session[origin], "session"
            if (secret := self._ask_keyring(origin)) is not None:
                return secret, "keyring"
            if (key := self._read_file().get(origin)) is not None:
                return ApiKey(key), "file"
            return None, "none"

    # --- keyring --------------------------------------------------------------------------------

    def _available(self) -> bool:
        """Whether the platform has a keyring that works. One that timed out counts as absent for this session."""
        with self._lock:
            if self._keyring_works is None:
                try:
                    self._keyring_works = self._in_keyring(_is_real)
                except KeyStoreFailed:
                    self._keyring_works = False
            return self._keyring_works

    def _ask_keyring(self, origin: str) -> ApiKey | None:
        if origin not in self._of_keyring and self._available():
            try:
                key = self._in_keyring(lambda: _get(origin))
                self._of_keyring[origin] = ApiKey(check_key(key)) if key else None
            except KeyStoreFailed as failed:
                if failed.problem == "slow":
                    self._keyring_works = False
                return None
        return self._of_keyring.get(origin)

    def _drop_from_keyring(self, origin: str) -> None:
        self._in_keyring(lambda: _drop(origin))
        self._of_keyring[origin] = None
        if origin in (noted := self._noted()):
            self._note(noted - {origin})

    def _noted(self) -> frozenset[str]:
        """Origins whose keys we put into the keyring."""
        found = self._notes.read().get("keyring")
        return frozenset(each for each in found if isinstance(each, str)) if isinstance(found, list) else frozenset()

    def _note(self, origins: Collection[str]) -> None:
        with contextlib.suppress(OSError):  # keeping a key matters more than knowing of it later
            self._notes.update({"keyring": sorted(origins)})

    def _in_keyring(self, act: Callable[[], T]) -> T:
        """Run on a thread of its own, since a locked keyring blocks for as long as its prompt is open."""
        outcome: list[T | KeyStoreFailed] = []

        def run() -> None:
            try:
                outcome.append(act())
            except Exception as error:  # noqa: BLE001  # thread boundary; backends raise what their libraries raise
                outcome.append(KeyStoreFailed(problem=_problem_of(error)))

        thread = threading.Thread(target=run, daemon=True, name="keyring")
        thread.start()
        thread.join(self._seconds)
        if not outcome:
            raise KeyStoreFailed(problem="slow")
        if isinstance(outcome[0], KeyStoreFailed):
            raise outcome[0]
        return outcome[0]

    # --- file -----------------------------------------------------------------------------------

    def _read_file(self) -> dict[str, str]:
        try:
            if os.name != "nt" and stat.S_IMODE(self._file.stat().st_mode) & 0o077:
                self._file.chmod(0o600)  # someone opened it up: close it again
            found = read_json(read_regular(self._file))
        except (OSError, ValueError):
            return {}
        if not isinstance(found, dict):
            return {}
        return {origin: key for origin, key in found.items() if isinstance(key, str) and _is_key(key)}

    def _write_file(self, keys: Mapping[str, str]) -> None:
        try:
            replace_file(self._file, json.dumps(dict(keys), indent=1).encode(), mode=0o600)
        except OSError as error:
            raise KeyStoreFailed(problem="file") from error

    def _drop_from_file(self, origin: str) -> None:
        keys = self._read_file()
        if origin not in keys:
            return
        del keys[origin]
        try:
            if keys:
                self._write_file(keys)
            else:
                self._file.unlink(missing_ok=True)
        except OSError as error:
            raise KeyStoreFailed(problem="file") from error


def _environment_key(environ: Mapping[str, str]) -> tuple[str, ApiKey] | None:
    """The environment's key belongs to the environment's address, else to Anthropic's."""
    key = environ.get("ANTHROPIC_API_KEY", "").strip()
    if not _is_key(key):
        return None
    try:
        return origin_of(environ.get("ANTHROPIC_BASE_URL", "").strip() or Settings().base_url), ApiKey(key)
    except ValueError:  # an address that is none: the key was meant for somewhere else than Anthropic
        return None


def _is_key(key: str) -> bool:
    try:
        check_key(key)
    except KeyStoreFailed:
        return False
    return True


# Imported only on the thread that asks it: the library takes a third of a second to load and find its backend.


def _is_real() -> bool:
    import keyring
    from keyring.backends import fail, null

    return not isinstance(keyring.get_keyring(), fail.Keyring | null.Keyring)


def _get(origin: str) -> str | None:
    import keyring

    return keyring.get_password(SERVICE, origin)


def _put(origin: str, secret: ApiKey) -> None:
    import keyring

    keyring.set_password(SERVICE, origin, secret.reveal())


def _drop(origin: str) -> None:
    import keyring

    if keyring.get_password(SERVICE, origin) is not None:
        keyring.delete_password(SERVICE, origin)


def _problem_of(error: Exception) -> str:
    from keyring.errors import InitError, KeyringLocked, NoKeyringError

    match error:
        case NoKeyringError():
            return "missing"
        case KeyringLocked() | InitError():
            return "locked"
        case KeyStoreFailed():
            return error.problem
    return "failed"
