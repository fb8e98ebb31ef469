"""API key storage: one key per origin, or per connection and origin (``https://host#connection``).

Sources in order: environment, session memory, the system's keyring, a 0600 file if the owner chose that. Storing a
key in one place removes it from the others. Rejects keys that are not valid header values, never returns a key for
another origin, and never prints one (``ApiKey``). Headers that a gateway wants beside the key are one more secret,
kept alike.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import stat
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal, TypeVar
from urllib.parse import parse_qsl, urlencode

from pet.errors import KeyStoreFailed
from pet.fs.directory import replace_file
from pet.paths import Home
from pet.settings.connections import origin_of
from pet.settings.program_state import JsonState
from pet.settings.schema import Settings
from pet.untrusted.parsers import read_json
from pet.untrusted.regular_files import NotRegular, read_regular, require_regular

Keep = Literal["keyring", "session", "file"]
Source = Literal["environment", "keyring", "session", "file", "none"]
T = TypeVar("T")

SERVICE = "soulpet"
_SHOWN_FROM = 12  # characters: the last 4 of a shorter key would reveal too much
_LONGEST = 4096


class ApiKey:
    """A key hidden in repr, str and format. Only ``reveal`` returns it."""

    __slots__ = ("_value",)

    def __init__(self, value: str) -> None:
        self._value = value

    def reveal(self) -> str:
        return self._value

    @property
    def last4(self) -> str:
        return self._value[-4:] if len(self._value) >= _SHOWN_FROM else ""

    def __repr__(self) -> str:
        return "ApiKey(•••)"

    __str__ = __repr__

    def __format__(self, spec: str) -> str:
        return repr(self)

    def __reduce__(self) -> str | tuple[object, ...]:
        raise TypeError("an ApiKey is not copied or pickled")


Headers = Mapping[str, ApiKey]
"""Headers of a connection by their names in lower case, hidden like keys."""
NO_HEADERS: Headers = {}
_HEADERS = "headers "  # before the slot of the key that they go with
_HEADER_NAME = re.compile(r"[a-z0-9!#$%&'*+.^_`|~-]{1,100}")
_OF_THE_REQUEST = re.compile(
    r"accept-encoding|connection|content-.+|expect|host|keep-alive|proxy-.+|te|trailer|transfer-encoding|upgrade"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyStatus:
    """The facts about a key that may be disclosed. ``headers``: the names of headers that go with it."""

    set: bool
    source: Source
    last4: str
    keyring_available: bool
    locked: bool  # no key was found, but the locked keyring may hold one
    headers: tuple[str, ...] = ()


def key_word(status: KeyStatus) -> Literal["set", "locked", "unset"]:
    """Return the status as a suffix of text keys."""
    return "set" if status.set else "locked" if status.locked else "unset"


def check_key(key: str) -> str:
    """Return the key without surrounding white space. Raises KeyStoreFailed if it is not a valid header value."""
    key = key.strip()
    if not key or len(key) > _LONGEST or not all("!" <= character <= "~" for character in key):
        raise KeyStoreFailed(problem="bad_key")
    return key


def _check_header(name: str, value: str) -> tuple[str, str]:
    """Return the header as sent. Raises KeyStoreFailed for one that can't be, or that the request itself has."""
    name, value = name.strip().lower(), value.strip()
    if not _HEADER_NAME.fullmatch(name) or _OF_THE_REQUEST.fullmatch(name):
        raise KeyStoreFailed(problem="bad_header")
    if not all(" " <= character <= "~" for character in value):
        raise KeyStoreFailed(problem="bad_header")
    return name, value


class KeyStore:
    """The keys of one data home. Any call may block on the keyring, which may prompt for a password: never call it
    from a GUI thread.
    """

    def __init__(self, home: Home, environ: Mapping[str, str], *, keyring_seconds: float = 30) -> None:
        self._file = home.key_file
        self._notes = JsonState(home.key_notes_file)  # origins only: a keyring can't be listed
        self._seconds = keyring_seconds
        self._lock = threading.RLock()
        self._session: dict[str, ApiKey] = {}
        self._of_keyring: dict[str, ApiKey | None] = {}  # cache of keyring lookups
        self._keyring_works: bool | None = None
        self._keyring_locked = False  # at the last lookup
        self._environment = _environment_key(environ)

    def get(self, origin: str) -> ApiKey | None:
        """Return the key of exactly this origin, or of this connection to it."""
        return self._find(origin)[0]

    def may_have(self, origin: str) -> bool:
        """Whether a key was stored for this origin, or for a connection to it. Never blocks: keyring entries are
        noted in a file.
        """
        with self._lock:
            slots = {*self._session, *self._noted(), *self._read_file()}
            if self._environment is not None:
                slots.add(self._environment[0])
            return any(slot.partition("#")[0] == origin for slot in slots)

    def status(self, origin: str) -> KeyStatus:
        secret, source = self._find(origin)
        return KeyStatus(
            set=secret is not None,
            source=source,
            last4=secret.last4 if secret is not None else "",
            keyring_available=self._available(),
            locked=secret is None and self._keyring_locked and origin not in self._of_keyring,
            headers=tuple(self.headers(origin)),
        )

    def headers(self, origin: str) -> dict[str, ApiKey]:
        """Return the headers that go with the key of this origin or connection; asks the keyring only for those that
        were put there."""
        slot = f"{_HEADERS}{origin}"
        with self._lock:
            secret = self._find(slot)[0] if slot in {*self._session, *self._noted(), *self._read_file()} else None
        return {} if secret is None else {name: ApiKey(value) for name, value in parse_qsl(secret.reveal())}

    def set_header(self, origin: str, name: str, value: str, keep: Keep) -> None:
        """Set one header, and keep all of them in this place; a value "" removes it, and the others stay where they
        are. Raises KeyStoreFailed."""
        name, value = _check_header(name, value)
        with self._lock:
            self.check_headers_unlocked(origin)  # else the others would be lost
            left = {each: secret.reveal() for each, secret in self.headers(origin).items() if each != name}
            joined = urlencode(left | ({name: value} if value else {}))
            if len(joined) > _LONGEST:
                raise KeyStoreFailed(problem="bad_header")
            if joined:
                source = self._find(f"{_HEADERS}{origin}")[1]
                if not value and source in ("keyring", "session", "file"):
                    keep = source
                self.set(f"{_HEADERS}{origin}", joined, keep)
            else:
                self.delete(f"{_HEADERS}{origin}")

    def delete_all(self, origin: str) -> None:
        """Delete the key and the headers that go with it. Raises KeyStoreFailed."""
        self.delete(origin)
        if f"{_HEADERS}{origin}" in {*self._session, *self._noted(), *self._read_file()}:
            self.delete(f"{_HEADERS}{origin}")

    def check_headers_unlocked(self, origin: str) -> None:
        """Raises KeyStoreFailed (locked) if headers of this origin or connection are in a locked keyring."""
        if f"{_HEADERS}{origin}" in self._noted():
            self.check_unlocked(f"{_HEADERS}{origin}", always_needed=False)

    def check_unlocked(self, origin: str, *, always_needed: bool) -> None:
        """Raises KeyStoreFailed (locked) if the keyring is locked and this origin's key was stored there, or is
        ``always_needed``.
        """
        with self._lock:
            if self.status(origin).locked and (always_needed or origin in self._noted()):
                raise KeyStoreFailed(problem="locked")

    def set(self, origin: str, key: str, keep: Keep) -> None:
        """Store the key in one place only. Raises KeyStoreFailed; an earlier key may then still exist."""
        secret = ApiKey(check_key(key))
        with self._lock:
            match keep:
                case "keyring":
                    self._note(origin, kept=True)
                    self._in_keyring(lambda: _put(origin, secret))
                    self._of_keyring[origin] = secret
                case "file":
                    self._change_file(lambda keys: {**keys, origin: secret.reveal()})
                case "session":
                    self._session[origin] = secret
            if keep != "session":
                self._session.pop(origin, None)
            if keep != "file":
                self._drop_from_file(origin)
            if keep != "keyring" and self._of_keyring.get(origin) is not None:
                self._drop_from_keyring(origin)

    def delete(self, origin: str) -> None:
        """Delete the key from all our storage; the environment's is not affected. Raises KeyStoreFailed if a place
        could not be reached, after clearing the others.
        """
        with self._lock:
            self._session.pop(origin, None)
            try:
                self._drop_from_file(origin)
            finally:
                if self._available():
                    self._drop_from_keyring(origin)

    def forget_all(self, origin: str) -> None:
        """Delete all stored keys, of all origins. Raises KeyStoreFailed if a place could not be reached, after
        clearing the others.
        """
        with self._lock:
            failed: KeyStoreFailed | None = None
            self._keyring_works = None  # a keyring that timed out earlier still has its keys
            for slot in sorted({origin, *self._noted(), *self._session, *self._read_file()}):
                try:
                    self.delete(slot)
                except KeyStoreFailed as problem:
                    failed = problem
                    if problem.problem == "slow":
                        self._keyring_works = False  # wait for the timeout only once
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
            if self._environment is not None and self._environment[0] == origin.partition("#")[0]:
                return self._environment[1], "environment"  # for a connection without its own key
            return None, "none"

    # --- keyring --------------------------------------------------------------------------------

    def _available(self) -> bool:
        """Whether the platform has a working keyring; one that timed out counts as absent for this session."""
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
                self._keyring_locked = False
                self._of_keyring[origin] = ApiKey(check_key(key)) if key else None
            except KeyStoreFailed as failed:
                self._keyring_locked = failed.problem == "locked"
                if failed.problem == "slow":
                    self._keyring_works = False
                return None
        return self._of_keyring.get(origin)

    def _drop_from_keyring(self, origin: str) -> None:
        self._in_keyring(lambda: _drop(origin))
        self._of_keyring[origin] = None
        if origin in self._noted():
            self._note(origin, kept=False)

    def _noted(self) -> frozenset[str]:
        """Return the origins whose keys we put into the keyring."""
        return _origins(self._notes.read())

    def _note(self, origin: str, *, kept: bool) -> None:
        with contextlib.suppress(OSError), self._notes.held():  # storing the key matters more than recording it
            noted = _origins(self._notes.read_known())
            self._notes.update({"keyring": sorted(noted | {origin} if kept else noted - {origin})})

    def _in_keyring(self, act: Callable[[], T]) -> T:
        """Run on a separate thread with a timeout: a locked keyring blocks while its prompt is open."""
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
        """Return the keys; none if the file can't be read."""
        try:
            return self._stored()
        except OSError:
            return {}

    def _stored(self) -> dict[str, str]:
        """Return the keys; none if there is no file or it is damaged. Raises OSError if it can't be read now."""
        try:
            require_regular(self._file)  # the mode of a device is nothing to restore
            if os.name != "nt" and stat.S_IMODE(self._file.stat().st_mode) & 0o077:
                self._file.chmod(0o600)  # restore the mode if someone changed it
            keys = read_json(read_regular(self._file))
        except (FileNotFoundError, ValueError):
            return {}
        if not isinstance(keys, dict):
            return {}
        return {origin: key for origin, key in keys.items() if isinstance(key, str) and _is_key(key)}

    def _drop_from_file(self, origin: str) -> None:
        try:
            is_stored = origin in self._stored()
        except NotRegular:  # not our file
            return
        except OSError as error:
            raise KeyStoreFailed(problem="file") from error
        if is_stored:
            self._change_file(lambda keys: {slot: key for slot, key in keys.items() if slot != origin})

    def _change_file(self, change: Callable[[dict[str, str]], dict[str, str]]) -> None:
        """Change the file under the notes' lock, so that concurrent programs lose no key.

        Raises KeyStoreFailed, also if the file can't be read now: writing would lose the other keys.
        """
        try:
            with self._notes.held():
                stored = self._stored()
                keys = change(stored)
                if stored and not keys:
                    self._file.unlink(missing_ok=True)
                elif keys != stored:
                    replace_file(self._file, json.dumps(keys, indent=1).encode(), mode=0o600)
        except OSError as error:
            raise KeyStoreFailed(problem="file") from error


def _origins(notes: Mapping[str, object]) -> frozenset[str]:
    origins = notes.get("keyring")
    return frozenset(each for each in origins if isinstance(each, str)) if isinstance(origins, list) else frozenset()


def _environment_key(environ: Mapping[str, str]) -> tuple[str, ApiKey] | None:
    """Return the environment's key with its origin: the environment's base URL, else Anthropic's."""
    key = environ.get("ANTHROPIC_API_KEY", "").strip()
    if not _is_key(key):
        return None
    try:
        return origin_of(environ.get("ANTHROPIC_BASE_URL", "").strip() or Settings().base_url), ApiKey(key)
    except ValueError:  # invalid URL: the key was not meant for Anthropic
        return None


def _is_key(key: str) -> bool:
    try:
        check_key(key)
    except KeyStoreFailed:
        return False
    return True


# ``keyring`` is imported only on the keyring thread: it takes a third of a second to load and find its backend.


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
