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

from pet.errors import AgentFileRefused
from pet.fs.open_folder import replace_file
from pet.untrusted.parsers import read_json, read_toml
from pet.untrusted.regular_files import NotRegular, read_regular

NAME = "soulpet"
_LIMIT = 32 << 20
_BOM = "\ufeff"
_COPY = ".before-soulpet"

ProgramId = Literal["claude-code", "codex", "cursor", "vscode", "gemini", "claude-desktop"]


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
        try:
            return NAME in _servers(self, _read(self.file))
        except AgentFileRefused:
            return False


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


def server_command(home: Path | None) -> list[str]:
    """Return the command that starts ``pet mcp`` of this program. ``home``: of a portable use, else None."""
    program = [sys.executable] if getattr(sys, "frozen", False) else [sys.executable, "-m", "pet"]
    return [*program, *(["--home", str(home)] if home else []), "mcp"]


def install(program: AgentProgram, command: Sequence[str]) -> None:
    """Add the entry; one that is there already stays. Raises AgentFileRefused, OSError."""
    text = _read(program.file)
    before = _servers(program, text)
    if NAME not in before:
        entry: dict[str, object] = {"command": command[0], "args": list(command[1:])}
        _write(program, text, _with_entry(program, text, entry), before | {NAME: entry})


def uninstall(program: AgentProgram) -> None:
    """Remove the entry, and nothing else. Raises AgentFileRefused, OSError."""
    text = _read(program.file)
    before = _servers(program, text)
    if NAME in before:
        after = {name: value for name, value in before.items() if name != NAME}
        _write(program, text, _without_entry(program, text, before[NAME]), after)


def _read(file: Path) -> str:
    if file.is_symlink():
        raise AgentFileRefused("link", file=str(file))
    try:
        return read_regular(file, _LIMIT).decode("utf-8")
    except FileNotFoundError:
        return ""
    except (UnicodeDecodeError, NotRegular):
        raise AgentFileRefused("broken", file=str(file)) from None


def _data(program: AgentProgram, text: str) -> dict[str, object]:
    text = text.removeprefix(_BOM)
    try:
        data = read_toml(text.encode()) if program.file.suffix == ".toml" else read_json(text) if text.strip() else {}
    except ValueError:
        raise AgentFileRefused("broken", file=str(program.file)) from None
    if not isinstance(data, dict):
        raise AgentFileRefused("broken", file=str(program.file))
    return data


def _servers(program: AgentProgram, text: str) -> dict[str, object]:
    servers = _data(program, text).get(program.key, {})
    if not isinstance(servers, dict):
        raise AgentFileRefused("broken", file=str(program.file))
    return servers


def _write(program: AgentProgram, before: str, after: str, servers: dict[str, object]) -> None:
    """Raises AgentFileRefused if the new text isn't the old one with these servers, or the file changed meanwhile."""
    wanted = {**_data(program, before), program.key: servers}
    now = _data(program, after)
    if {**now, program.key: now.get(program.key, {})} != wanted or _read(program.file) != before:
        raise AgentFileRefused("broken", file=str(program.file))
    if before:
        replace_file(program.file.with_name(program.file.name + _COPY), before.encode(), mode=0o600)
    replace_file(program.file, after.encode())


# --- the text -------------------------------------------------------------------------------------


def _with_entry(program: AgentProgram, text: str, entry: dict[str, object]) -> str:
    end = "\r\n" if "\r\n" in text else "\n"
    if program.file.suffix == ".toml":
        return text + ("" if text.endswith("\n") or not text else end) + _table(program, entry, end)
    if not text.strip():
        return f"{text}{{{_outer(program, entry, end, empty=True)}{end}}}{end}"
    place = _members(text).get(program.key)
    if place is None:
        at = text.index("{") + 1
        return text[:at] + _outer(program, entry, end, empty=text[at:].lstrip().startswith("}")) + text[at:]
    at = place[1] + 1
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
    if exact is None:  # written by hand, or reformatted since
        raise AgentFileRefused("changed", file=str(program.file))
    return text.replace(exact, "")


def _table(program: AgentProgram, entry: dict[str, object], end: str) -> str:
    # A string of JSON is also one of TOML.
    lines = (f"[{program.key}.{NAME}]", *(f"{name} = {json.dumps(value)}" for name, value in entry.items()))
    return end.join(("", *lines, ""))


def _inner(entry: dict[str, object], end: str, *, empty: bool) -> str:
    return f"{end}    {json.dumps(NAME)}: {json.dumps(entry)}{'' if empty else ','}"


def _outer(program: AgentProgram, entry: dict[str, object], end: str, *, empty: bool) -> str:
    # On one line: taken out again, it can't be mistaken for an entry in a table that was there before.
    return f"{end}  {json.dumps(program.key)}: {{{json.dumps(NAME)}: {json.dumps(entry)}}}{'' if empty else ','}"


def _members(text: str) -> dict[str, tuple[int, int]]:
    """Return key and value positions of the members of a valid JSON object."""
    decoder = JSONDecoder()
    members: dict[str, tuple[int, int]] = {}
    at = text.index("{") + 1
    while True:
        at = _skip(text, at, ",")
        if text[at] == "}":
            return members
        start = at
        key, at = decoder.raw_decode(text, at)
        value = _skip(text, at, ":")
        _, at = decoder.raw_decode(text, value)
        members[key] = (start, value)


def _skip(text: str, at: int, sign: str) -> int:
    while text[at] in f" \t\r\n{sign}":
        at += 1
    return at
