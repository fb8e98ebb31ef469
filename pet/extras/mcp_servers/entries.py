"""The owner's MCP servers: their file, and what was pasted or is in another program's file as such entries.

Values of environment variables that are keys, and all HTTP headers, are in the store of keys and not in the file. A
server is started only as it was allowed: ``allowed`` is the digest of its command, folder and address.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote, urlsplit

from pet.errors import KeyStoreFailed, ProblemError
from pet.language.redaction import find_secrets
from pet.paths import Home
from pet.settings.api_keys import Keep, KeyStore
from pet.settings.connections import is_loopback
from pet.settings.program_state import RESERVED, JsonState
from pet.text.unseen import count_unseen
from pet.untrusted.parsers import read_json, read_toml
from pet.untrusted.regular_files import read_regular


class McpFailed(ProblemError):
    """``server``: its name. ``problem`` is the catalogue's key after ``mcp_``: not_started, no_program, starting,
    slow, died, flood, unreachable, call_slow, call_failed, tool_said, asks, answer, changed, not_allowed, unknown,
    gone.
    """

    family = "mcp"


class McpRefused(ProblemError):
    """A server that can't be added. ``problem`` is the catalogue's key after ``mcp_entry_``: unreadable, none, name,
    reserved, damaged, twice, too_many, no_command, address, plain, sse, too_long, unseen, key.
    """

    family = "mcp_entry"


MOST = 30
"""Servers, and tools of all of them in one request."""
_LONGEST = 4_000  # characters of a part of a command, an address or a value
_NAME = re.compile(r"[\w.@ -]{1,40}")
_SECRET = re.compile(r"key|token|secret|pass(?:word|wd|phrase)?|auth|cred|cookie|bearer|\bpat\b|_pat$", re.I)
_NO_SECRET = re.compile(r"askpass|_(?:file|path|dir|sock)$", re.I)  # a program or a place: the owner has to see it
_COMMENT = re.compile(
    r"""("(?:[^"\\]++|\\.)*+(?:"|\\?\Z))|//[^\n]*|/\*.*?(?:\*/|\Z)|,(?=\s*[}\]])""", re.S
)  # what is never closed is matched to the end: else each opening would be read to the end again
_UNKNOWN_VALUE = re.compile(r"\$\{|^<.*>$|^YOUR_|^your-", re.I)


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerEntry:
    """One server. ``command``: program and arguments; () for one at ``url``. ``env``: variables that are no keys;
    ``secrets``: names of the variables, or the headers, whose values are kept as keys. ``left_out``: tools that the
    owner doesn't want. ``always``: digests of tools that are called without a question."""

    name: str
    command: tuple[str, ...] = ()
    folder: str = ""
    url: str = ""
    env: Mapping[str, str] = field(default_factory=dict)
    secrets: tuple[str, ...] = ()
    allowed: str = ""
    left_out: tuple[str, ...] = ()
    always: tuple[str, ...] = ()

    @property
    def digest(self) -> str:
        """Digest of the command or address: after a change the owner has to allow it again."""
        what = [list(self.command), self.folder, self.url, sorted(self.env.items()), sorted(self.secrets)]
        return hashlib.sha256(json.dumps(what).encode()).hexdigest()

    @property
    def is_allowed(self) -> bool:
        return self.allowed == self.digest


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenServer:
    """A server that was pasted or found, with the values of its keys."""

    entry: ServerEntry
    keys: Mapping[str, str] = field(default_factory=dict)


def entries_of(home: Home, keys: KeyStore) -> ServerEntries:
    return ServerEntries(JsonState(home.config / "mcp_servers.json"), keys)


class ServerEntries:
    """The servers in their file. Thread-safe; programs may change it concurrently."""

    def __init__(self, state: JsonState, keys: KeyStore) -> None:
        self._state = state
        self._keys = keys

    def list(self) -> list[ServerEntry]:
        """Return the servers in the order in which they were added; of a broken file none."""
        return [each for name, value in self._state.read().items() if (each := _stored(name, value))]

    def find(self, name: str) -> ServerEntry:
        """Raises McpFailed."""
        entry = next((each for each in self.list() if each.name == name), None)
        if entry is None:
            raise McpFailed("unknown", server=name[:40])
        return entry

    def add(self, given: GivenServer, keep: Keep) -> ServerEntry:
        """Store a server and its keys, not yet allowed. Raises McpRefused, KeyStoreFailed, OSError."""
        entry = given.entry
        with self._state.held():
            if self._state.is_broken():
                raise McpRefused("damaged", file=self._state.name)
            known = {each.name.casefold() for each in self.list()}
            if entry.name.casefold() in known:
                raise McpRefused("twice", server=entry.name)
            if len(known) >= MOST:
                raise McpRefused("too_many", limit=MOST)
            self._put(entry)
        try:
            for name, value in given.keys.items():
                self._keys.set(_slot(entry.name, name), quote(value, safe="/+=:.,_-~"), keep)
        except KeyStoreFailed:
            self._state.drop(lambda each: each == entry.name)
            self._forget_keys(entry)
            raise
        return entry

    def change(self, name: str, changed: Callable[[ServerEntry], ServerEntry]) -> None:
        """Replace a server by the result of ``changed``, called with its present entry. Raises
        McpFailed, OSError."""
        with self._state.held():
            self._put(changed(self.find(name)))

    def remove(self, name: str) -> None:
        """Raises McpFailed, KeyStoreFailed, OSError."""
        self._forget_keys(self.find(name))
        self._state.drop(lambda each: each == name)

    def values(self, entry: ServerEntry) -> dict[str, str]:
        """Return the values of its keys. May block on the keyring. Raises McpFailed for one that is gone."""
        values: dict[str, str] = {}
        for name in entry.secrets:
            key = self._keys.get(_slot(entry.name, name))
            if key is None:
                raise McpFailed("gone", server=entry.name, key=name)
            values[name] = unquote(key.reveal())
        return values

    def _put(self, entry: ServerEntry) -> None:
        stored = asdict(entry)
        self._state.update({stored.pop("name"): stored})

    def _forget_keys(self, entry: ServerEntry) -> None:
        for name in entry.secrets:
            self._keys.delete(_slot(entry.name, name))


def _slot(server: str, name: str) -> str:
    return f"mcp://{quote(server, safe='')}#{quote(name, safe='')}"


def _stored(name: str, value: object) -> ServerEntry | None:
    """Return an entry of the file, which may have been changed by hand; None for one that can't be used."""
    if not isinstance(value, dict) or not _NAME.fullmatch(name):
        return None
    with suppress(McpRefused):
        entry = _checked(
            ServerEntry(
                name=name,
                command=_texts(value.get("command")),
                folder=_text(value.get("folder")),
                url=_text(value.get("url")),
                env=_env(value.get("env")),
                secrets=_texts(value.get("secrets")),
            )
        )
        return replace(
            entry,
            allowed=_text(value.get("allowed")),
            left_out=_texts(value.get("left_out"), 1_000),
            always=_texts(value.get("always"), 1_000),
        )
    return None


# --- pasted, or of another program ------------------------------------------------------------------


def read_servers(text: str, name: str = "") -> list[GivenServer]:
    """Return the servers of a pasted text or of a program's file: JSON as Claude, Cursor (``mcpServers``) and VS Code
    (``servers``) have it, with comments, or without the outer braces; or Codex's TOML. ``name``: of one that has
    none.

    >>> [given.entry.command for given in read_servers('"time": {"command": "uvx", "args": ["mcp-server-time"]}')]
    [('uvx', 'mcp-server-time')]

    Raises McpRefused.
    """
    tables = _servers_in(_parsed(text), name)
    if not tables:
        raise McpRefused("none")
    return [_given(each, value) for each, value in list(tables.items())[:MOST]]


def make_given(name: str, command: Sequence[str], url: str, env: Mapping[str, str], folder: str = "") -> GivenServer:
    """Return a server of the form or the command line; ``env``: variables, or headers of one at ``url``. Raises
    McpRefused."""
    secrets = {key: value for key, value in env.items() if url or _is_secret(key, value)}
    for key, value in env.items():
        if _UNKNOWN_VALUE.search(value):
            raise McpRefused("key", server=name, key=key)
    plain = {key: value for key, value in env.items() if key not in secrets}
    entry = ServerEntry(
        name=name.strip(),
        command=tuple(command),
        folder=str(Path(folder).expanduser()) if folder else "",
        url=url,
        env=plain,
        secrets=tuple(sorted(secrets)),
    )
    return GivenServer(entry=_checked(entry), keys=secrets)


def _parsed(text: str) -> Any:
    text = text.strip().lstrip("\ufeff")
    with suppress(ValueError):
        return read_json(text)
    bare = _COMMENT.sub(lambda match: match[1] or "", text).strip().rstrip(",")
    with suppress(ValueError):
        return read_json(bare)
    if bare.startswith('"'):
        with suppress(ValueError):
            return read_json("{" + bare + "}")
    with suppress(ValueError, UnicodeError):
        return read_toml(text.encode())
    raise McpRefused("unreadable")


def _servers_in(data: Any, name: str) -> dict[str, dict[str, Any]]:
    if not isinstance(data, dict):
        return {}
    for key in ("mcpServers", "servers", "mcp_servers", "mcp", "context_servers"):
        inner = data.get(key)
        if isinstance(inner, dict):
            return _servers_in(inner, name) if key == "mcp" else _tables(inner)
    if isinstance(data.get("command"), str | list) or any(isinstance(data.get(key), str) for key in _ADDRESSES):
        return {name or "server": data}
    return _tables(data)


_ADDRESSES = ("url", "serverUrl", "httpUrl")


def _tables(data: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    return {
        name: value
        for name, value in data.items()
        if isinstance(value, dict) and ("command" in value or any(key in value for key in _ADDRESSES))
    }


def _given(name: str, value: Mapping[str, Any]) -> GivenServer:
    """Raises McpRefused."""
    if value.get("type") == "sse" or value.get("transport") == "sse":
        raise McpRefused("sse", server=name[:40])
    url = next((_text(value[key]) for key in _ADDRESSES if isinstance(value.get(key), str)), "")
    first = value.get("command")
    command = (*_texts([first] if isinstance(first, str) else first), *_texts(value.get("args")))
    env = _env((value.get("headers") or value.get("http_headers")) if url else value.get("env"))
    clean = " ".join(re.sub(r"[^\w.@ -]", " ", name).split())[:40]
    return make_given(clean, () if url else command, url, env, _text(value.get("cwd")))


def _checked(entry: ServerEntry) -> ServerEntry:
    """Raises McpRefused."""
    if not _NAME.fullmatch(entry.name) or not entry.name.strip():
        raise McpRefused("name")
    if entry.name in RESERVED:
        raise McpRefused("reserved", server=entry.name)
    parts = (*entry.command, entry.folder, entry.url, *entry.env, *entry.env.values(), *entry.secrets)
    if len(entry.command) > 200 or len(entry.env) > 200 or any(len(each) > _LONGEST for each in parts):
        raise McpRefused("too_long", server=entry.name)
    if any("\0" in each or count_unseen(each) for each in (*entry.command, entry.folder, entry.url)):
        raise McpRefused("unseen", server=entry.name)
    if not entry.url:
        if not entry.command or not entry.command[0].strip():
            raise McpRefused("no_command", server=entry.name)
        return entry
    try:
        parts_of_url = urlsplit(entry.url)
        host = parts_of_url.hostname
    except ValueError:
        host = None
    if not host or parts_of_url.scheme not in ("https", "http") or "@" in parts_of_url.netloc:
        raise McpRefused("address", server=entry.name)
    if parts_of_url.scheme == "http" and not is_loopback(entry.url):
        raise McpRefused("plain", server=entry.name)
    return entry


def _is_secret(name: str, value: str) -> bool:
    named = _SECRET.search(name) and not _NO_SECRET.search(name)
    return bool(value) and (bool(named) or bool(find_secrets(value)))


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _texts(value: object, most: int = 200) -> tuple[str, ...]:
    return tuple(each for each in value if isinstance(each, str))[:most] if isinstance(value, list) else ()


def _env(value: object) -> dict[str, str]:
    pairs = value.items() if isinstance(value, dict) else ()
    return {name: str(each) for name, each in pairs if isinstance(name, str) and isinstance(each, str | int | float)}


_MOST = 8 * 1024 * 1024  # bytes; Claude Code's file has more than servers


def servers_of_programs() -> list[tuple[str, GivenServer]]:
    """Return the servers with the name of the program that has them, each program's own order; what can't be read is
    left out."""
    return [(program, each) for program, file in _files() for each in _servers_of_program(file)]


def _servers_of_program(file: Path) -> Iterator[GivenServer]:
    with suppress(OSError, UnicodeDecodeError, McpRefused):
        text = read_regular(file, _MOST).decode("utf-8-sig")
        for name, value in list(_servers_in(_parsed(text), "").items())[:MOST]:
            with suppress(McpRefused):
                yield _given(name, value)


def _files() -> Iterator[tuple[str, Path]]:
    from platformdirs import user_config_path

    home, programs = Path.home(), user_config_path(roaming=True)
    yield "Claude", programs / "Claude" / "claude_desktop_config.json"
    yield "Claude Code", home / ".claude.json"
    yield "Codex", Path(os.environ.get("CODEX_HOME", home / ".codex")) / "config.toml"
    yield "Cursor", home / ".cursor" / "mcp.json"
    yield "VS Code", programs / "Code" / "User" / "mcp.json"
