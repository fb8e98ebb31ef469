"""Entry of ``pet mcp`` in the settings files of other agents: put in and taken out as text.

Every other byte of a file stays, and a copy of it is left beside it. A file that is broken, a link, or in a form that
isn't understood (JSON with comments) is left alone. Nothing is written unless the changed text reads as the old one
with exactly this entry more or less.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from json import JSONDecoder
from pathlib import Path
from typing import Literal

from pet.errors import ProblemError
from pet.fs.open_folder import replace_file
from pet.untrusted.parsers import read_json, read_toml
from pet.untrusted.regular_files import NotRegular, read_regular

NAME = "soulpet"
_LIMIT = 32 << 20
_BOM = "\ufeff"
_COPY = ".before-soulpet"

ProgramId = Literal["claude-code", "codex", "cursor", "vscode", "gemini", "claude-desktop"]


class AgentFileRefused(ProblemError):
    """Another agent's settings file that is left alone. ``problem``: broken, link, changed, unknown, no_hooks."""

    family = "agent_file"


@dataclass(frozen=True, slots=True)
class AgentProgram:
    """A program with a settings file. ``key``: of its servers there. ``calls_itself``: its name in the protocol."""

    id: ProgramId
    calls_itself: str
    key: str
    file: Path

    @property
    def is_there(self) -> bool:
        """Whether the program left its folder or file on this computer."""
        return self.file.exists() or (self.file.parent.exists() and self.file.parent != Path.home())

    def is_installed(self) -> bool:
        """Whether its file names the server; False for one that can't be read."""
        return self._entry() is not None

    def is_older(self, commands: Sequence[Sequence[str]]) -> bool:
        """Whether the entry is a pet's and starts none of these commands."""
        entry = self._entry()
        return _is_ours(entry) and not any(_starts(entry, each) for each in commands)

    def _entry(self) -> object:
        try:
            return _servers(self, read_settings(self.file)).get(NAME)
        except AgentFileRefused:
            return None


def programs(environ: Mapping[str, str] = os.environ) -> tuple[AgentProgram, ...]:
    """Return the programs that can be set up, with their files in this user's home."""
    home = Path.home()
    if sys.platform == "win32":
        apps = Path(environ.get("APPDATA", home))
    elif sys.platform == "darwin":
        apps = home / "Library" / "Application Support"
    else:
        apps = Path(environ.get("XDG_CONFIG_HOME") or home / ".config")
    return (
        AgentProgram("claude-code", "claude-code", "mcpServers", home / ".claude.json"),
        AgentProgram("codex", "codex-mcp-client", "mcp_servers", home / ".codex" / "config.toml"),
        AgentProgram("cursor", "cursor-vscode", "mcpServers", home / ".cursor" / "mcp.json"),
        AgentProgram("vscode", "Visual Studio Code", "servers", apps / "Code" / "User" / "mcp.json"),
        AgentProgram("gemini", "gemini-cli-mcp-client", "mcpServers", home / ".gemini" / "settings.json"),
        AgentProgram("claude-desktop", "claude-ai", "mcpServers", apps / "Claude" / "claude_desktop_config.json"),
    )


def find_program(id_: str) -> AgentProgram:
    """Raises AgentFileRefused for an unknown id."""
    program = next((each for each in programs() if each.id == id_), None)
    if program is None:
        raise AgentFileRefused("unknown", file=id_[:40])
    return program


def own_program() -> list[str]:
    """Return the command that starts this program, also in a folder that holds a package of the same name: an agent
    starts it in the folder it works in, and without ``-P`` Python looks for modules there first."""
    return [sys.executable] if getattr(sys, "frozen", False) else [sys.executable, "-P", "-m", "pet"]


def server_command(home: Path | None, pet: str | None) -> list[str]:
    """Return the command that starts ``pet mcp`` of this program. ``home``: of a portable use, else None; ``pet``:
    whose memory it reads, None for that of the pet that leads."""
    return [*own_program(), *(["--home", str(home)] if home else []), *(["--pet", pet] if pet else []), "mcp"]


Done = Literal["installed", "replaced", "present"]
"""What became of an entry: added, put in the place of an earlier one of a pet, or there already."""


def install(program: AgentProgram, command: Sequence[str]) -> Done:
    """Add the entry, or replace an earlier one of a pet. Raises AgentFileRefused, also for one that was changed by
    hand, and OSError."""
    text = read_settings(program.file)
    before = _servers(program, text)
    entry: dict[str, object] = {"command": command[0], "args": list(command[1:])}
    if NAME not in before:
        _write_servers(program, text, _with_entry(program, text, entry), before | {NAME: entry})
        return "installed"
    if _starts(before[NAME], command):
        return "present"
    if not _is_ours(before[NAME]):
        raise AgentFileRefused("changed", file=str(program.file))
    without = _without_entry(program, text, before[NAME])
    _write_servers(program, text, _with_entry(program, without, entry), before | {NAME: entry})
    return "replaced"


def uninstall(program: AgentProgram) -> bool:
    """Remove the entry, and nothing else; return whether there was one. Raises AgentFileRefused, OSError."""
    text = read_settings(program.file)
    before = _servers(program, text)
    if NAME not in before:
        return False
    after = {name: value for name, value in before.items() if name != NAME}
    _write_servers(program, text, _without_entry(program, text, before[NAME]), after)
    return True


def read_settings(file: Path) -> str:
    """Return a settings file's text; "" without a file. Raises AgentFileRefused."""
    if file.is_symlink():
        raise AgentFileRefused("link", file=str(file))
    try:
        return read_regular(file, _LIMIT).decode("utf-8")
    except FileNotFoundError:
        return ""
    except (UnicodeDecodeError, NotRegular):
        raise AgentFileRefused("broken", file=str(file)) from None


def settings_in(file: Path, text: str) -> dict[str, object]:
    """Return the parsed text. Raises AgentFileRefused."""
    text = text.removeprefix(_BOM)
    try:
        data = read_toml(text.encode()) if file.suffix == ".toml" else read_json(text) if text.strip() else {}
    except ValueError:
        raise AgentFileRefused("broken", file=str(file)) from None
    if not isinstance(data, dict):
        raise AgentFileRefused("broken", file=str(file))
    return data


def table_in(file: Path, text: str, key: str) -> dict[str, object]:
    """Return the object under a key; empty without one. Raises AgentFileRefused."""
    table = settings_in(file, text).get(key, {})
    if not isinstance(table, dict):
        raise AgentFileRefused("broken", file=str(file))
    return table


def write_settings(file: Path, before: str, after: str, key: str, wanted: dict[str, object]) -> None:
    """Replace a settings file, and leave a copy beside it.

    Raises AgentFileRefused if the new text isn't the old one with ``wanted`` under the key, or the file changed
    meanwhile.
    """
    now = settings_in(file, after)
    same = {**now, key: now.get(key, {})} == {**settings_in(file, before), key: wanted}
    if not same or read_settings(file) != before:
        raise AgentFileRefused("broken", file=str(file))
    if before:
        replace_file(file.with_name(file.name + _COPY), before.encode(), mode=0o600)
    replace_file(file, after.encode())


def _servers(program: AgentProgram, text: str) -> dict[str, object]:
    return table_in(program.file, text, program.key)


def _write_servers(program: AgentProgram, before: str, after: str, servers: dict[str, object]) -> None:
    write_settings(program.file, before, after, program.key, servers)


# --- the text -------------------------------------------------------------------------------------


def _with_entry(program: AgentProgram, text: str, entry: dict[str, object]) -> str:
    end = "\r\n" if "\r\n" in text else "\n"
    if program.file.suffix == ".toml":
        return text + ("" if text.endswith("\n") or not text else end) + _table(program, entry, end)
    if not text.strip():
        return f"{text}{{{_outer(program, entry, end, empty=True)}{end}}}{end}"
    place = members(text, text.index("{")).get(program.key)
    if place is None:
        at = text.index("{") + 1
        return text[:at] + _outer(program, entry, end, empty=text[at:].lstrip().startswith("}")) + text[at:]
    at = place.value + 1
    return text[:at] + _inner(entry, end, empty=text[at:].lstrip().startswith("}")) + text[at:]


def _without_entry(program: AgentProgram, text: str, entry: object) -> str:
    end = "\r\n" if "\r\n" in text else "\n"
    known = entry if isinstance(entry, dict) else {}
    if program.file.suffix == ".toml":
        put_in = [_table(program, known, end)]
    else:
        put_in = [_outer(program, known, end, empty=empty) for empty in (False, True)]
        put_in += [_inner(known, end, empty=empty) for empty in (False, True)]
    exact = next((each for each in put_in if text.count(each) == 1), None)
    if exact is not None:
        return text.replace(exact, "")
    if program.file.suffix == ".toml" or not _is_ours(known):
        raise AgentFileRefused("changed", file=str(program.file))
    # The program reformatted its file, as Claude Code does.
    top = text.index("{")
    table = members(text, top)[program.key]
    servers = members(text, table.value)
    if len(servers) == 1:
        return cut(text, top, table.start, table.end)
    return cut(text, table.value, servers[NAME].start, servers[NAME].end)


def _is_ours(entry: object) -> bool:
    """Whether an entry is as ``install`` writes it; a program may have added its type."""
    if not isinstance(entry, dict):
        return False
    args = entry.get("args")
    return entry.keys() <= {"command", "args", "type"} and isinstance(args, list) and args[-1:] == ["mcp"]


def _starts(entry: object, command: Sequence[str]) -> bool:
    return isinstance(entry, dict) and [entry.get("command"), *(entry.get("args") or ())] == list(command)


def _table(program: AgentProgram, entry: dict[str, object], end: str) -> str:
    # A string of JSON is also one of TOML.
    lines = (f"[{program.key}.{NAME}]", *(f"{name} = {json.dumps(value)}" for name, value in entry.items()))
    return end.join(("", *lines, ""))


def _inner(entry: dict[str, object], end: str, *, empty: bool) -> str:
    return f"{end}    {json.dumps(NAME)}: {json.dumps(entry)}{'' if empty else ','}"


def _outer(program: AgentProgram, entry: dict[str, object], end: str, *, empty: bool) -> str:
    # On one line: taken out again, it can't be mistaken for an entry in a table that was there before.
    return f"{end}  {json.dumps(program.key)}: {{{json.dumps(NAME)}: {json.dumps(entry)}}}{'' if empty else ','}"


@dataclass(frozen=True, slots=True)
class JsonSpan:
    """Positions in JSON text: where a member's key or an element begins, where its value does, and its end."""

    start: int
    value: int
    end: int


def members(text: str, at: int) -> dict[str, JsonSpan]:
    """Return the members of the valid JSON object that begins at ``at``."""
    return {str(key): place for key, place in _parts(text, at, keyed=True)}


def elements(text: str, at: int) -> list[JsonSpan]:
    """Return the elements of the valid JSON array that begins at ``at``."""
    return [place for _, place in _parts(text, at, keyed=False)]


def _parts(text: str, at: int, *, keyed: bool) -> list[tuple[object, JsonSpan]]:
    decoder = JSONDecoder()
    parts: list[tuple[object, JsonSpan]] = []
    at += 1
    while text[at := _skip(text, at, ",")] not in "}]":
        start, key = at, None
        if keyed:
            key, at = decoder.raw_decode(text, at)
            at = _skip(text, at, ":")
        _, end = decoder.raw_decode(text, at)
        parts.append((key, JsonSpan(start, at, end)))
        at = end
    return parts


def cut(text: str, opening: int, start: int, end: int) -> str:
    """Remove a part between brackets with its comma, and the white space before it."""
    after = text[end:].lstrip()
    if after.startswith(","):
        end = text.index(",", end) + 1
        start = max(opening + 1, len(text[:start].rstrip()))
    else:
        start = len(text[:start].rstrip())
        start -= text[start - 1] == ","
    return text[:start] + text[end:]


def _skip(text: str, at: int, sign: str) -> int:
    while text[at] in f" \t\r\n{sign}":
        at += 1
    return at
