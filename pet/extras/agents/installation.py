"""Entry of ``pet mcp`` in the settings files of other agents: put in and taken out as text.

Every other byte of a file stays. What a file was before the first entry of the pet is kept beside it until the last
one is taken out, and then given back. A file that is broken or a link is left alone. Nothing is written unless the
changed text reads as the old one with exactly this entry more or less.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from json import JSONDecoder
from pathlib import Path
from typing import Literal

from pet.errors import ProblemError
from pet.fs.directory import replace_file
from pet.untrusted.parsers import read_json, read_toml
from pet.untrusted.regular_files import NotRegular, read_regular

NAME = "soulpet"
_LIMIT = 32 << 20
_BOM = "\ufeff"
_COPY = ".before-soulpet"
_STARTUP_SECONDS = 20
"""Codex otherwise ends a server that is slow to start on a busy machine."""
_MARK = re.compile(r'"soulpet"\s*:|\[mcp_servers\.soulpet\]|hook\.run_hook\(\)|\\"agent\\" \\"event\\"')
"""In each file with an entry or a hook of the pet."""
_COMMENT = re.compile(r'("(?:[^"\\\n]|\\.)*")|//[^\n]*|/\*.*?\*/', re.DOTALL)
_LAST_COMMA = re.compile(r'("(?:[^"\\\n]|\\.)*")|,(?=\s*[}\]])')
_ENTRY_KEYS = frozenset(
    {"command", "args", "type", "startup_timeout_sec", "enabled", "disabled", "autoApprove", "timeout"}
)
"""Keys of installed entries; some are added by the programs."""

ProgramId = Literal[
    "claude-code",
    "codex",
    "cursor",
    "vscode",
    "gemini",
    "claude-desktop",
    "opencode",
    "qwen",
    "cline",
    "continue",
    "zed",
]


class AgentFileRefused(ProblemError):
    """Another agent's settings file that is left alone. ``problem``: broken, link, changed, unknown, no_hooks."""

    family = "agent_file"


@dataclass(frozen=True, slots=True)
class AgentProgram:
    """A program with a settings file. ``key``: of its servers there. ``calls_itself``: its name in the protocol.
    ``home``: the folder that it leaves on a computer, None for that of the file."""

    id: ProgramId
    calls_itself: str
    key: str
    file: Path
    home: Path | None = None

    @property
    def is_there(self) -> bool:
        """Whether the program left its folder or file on this computer."""
        folder = self.home or self.file.parent
        return self.file.exists() or (folder.exists() and folder != Path.home())

    def is_installed(self) -> bool:
        """Whether its file names the server; False for one that can't be read."""
        return self._entry() is not None

    def is_older(self, commands: Sequence[Sequence[str]]) -> bool:
        """Whether the entry is a pet's and starts none of these commands."""
        entry = self._entry()
        return _is_ours(entry) and not any(_starts(entry, each) for each in commands)

    def entry(self, command: Sequence[str]) -> dict[str, object]:
        """Return the entry that starts this command."""
        if self.id == "opencode":
            return {"type": "local", "command": list(command)}
        longer = {"startup_timeout_sec": _STARTUP_SECONDS} if self.key == "mcp_servers" else {}
        return {"command": command[0], "args": list(command[1:]), **longer}

    def pasted(self, command: Sequence[str]) -> str:
        """Return the text of the entry, for a file that the owner edits."""
        entry = self.entry(command)
        if self.file.suffix == ".toml":
            return _table(self, entry, "\n").strip("\n")
        return json.dumps({self.key: {NAME: entry}}, indent=2)

    def _entry(self) -> object:
        try:
            return _servers(self, read_settings(self.file)).get(NAME)
        except AgentFileRefused:
            return None


def programs(environ: Mapping[str, str] = os.environ) -> tuple[AgentProgram, ...]:
    """Return the programs that can be set up, with their files in this user's home or where their own variables put
    them.

    Formats, as documented in November 2026: opencode.ai/docs/mcp-servers, qwenlm.github.io/qwen-code-docs,
    docs.cline.bot/mcp (its CLI and its extension share one file), zed.dev/docs/ai/mcp. Continue's extensions read
    each file of ~/.continue/mcpServers (loadJsonMcpConfigs.ts of continuedev/continue); its command line does not.
    """
    home = Path.home()

    def folder(variable: str, default: Path) -> Path:
        return Path(environ[variable]).expanduser() if environ.get(variable) else default

    if sys.platform == "win32":
        apps = folder("APPDATA", home)
    elif sys.platform == "darwin":
        apps = home / "Library" / "Application Support"
    else:
        apps = folder("XDG_CONFIG_HOME", home / ".config")
    config = folder("XDG_CONFIG_HOME", home / ".config")
    claude, codex = folder("CLAUDE_CONFIG_DIR", home), folder("CODEX_HOME", home / ".codex")
    gemini, qwen = folder("GEMINI_CLI_HOME", home) / ".gemini", folder("QWEN_HOME", home / ".qwen")
    cline, own = folder("CLINE_DIR", home / ".cline"), folder("CONTINUE_GLOBAL_DIR", home / ".continue")
    cline_file = folder("CLINE_DATA_DIR", cline / "data") / "settings" / "cline_mcp_settings.json"
    opencode = config / "opencode"
    commented = opencode / "opencode.jsonc"
    opencode_file = folder("OPENCODE_CONFIG", commented if commented.exists() else opencode / "opencode.json")
    zed = (apps / "Zed" if sys.platform == "win32" else config / "zed") / "settings.json"
    return (
        AgentProgram("claude-code", "claude-code", "mcpServers", claude / ".claude.json"),
        AgentProgram("codex", "codex-mcp-client", "mcp_servers", codex / "config.toml"),
        AgentProgram("cursor", "cursor-vscode", "mcpServers", home / ".cursor" / "mcp.json"),
        AgentProgram("vscode", "Visual Studio Code", "servers", apps / "Code" / "User" / "mcp.json"),
        AgentProgram("gemini", "gemini-cli-mcp-client", "mcpServers", gemini / "settings.json"),
        AgentProgram("claude-desktop", "claude-ai", "mcpServers", apps / "Claude" / "claude_desktop_config.json"),
        AgentProgram("opencode", "opencode", "mcp", opencode_file),
        AgentProgram("qwen", f"qwen-cli-mcp-client-{NAME}", "mcpServers", qwen / "settings.json"),
        AgentProgram("cline", "@cline/core", "mcpServers", folder("CLINE_MCP_SETTINGS_PATH", cline_file), cline),
        AgentProgram("continue", "continue-client", "mcpServers", own / "mcpServers" / f"{NAME}.json", own),
        AgentProgram("zed", "Zed", "context_servers", zed),
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
"""The outcome for an entry: added, put in the place of an earlier one of a pet, or there already."""


def install(program: AgentProgram, command: Sequence[str]) -> Done:
    """Add the entry, or replace an earlier one of a pet. Raises AgentFileRefused, also for one that was changed by
    hand, and OSError."""
    text = read_settings(program.file)
    before = _servers(program, text)
    entry = program.entry(command)
    if NAME not in before:
        _write_servers(program, text, _with_entry(program, text, entry), before | {NAME: entry})
        return "installed"
    there = before[NAME]
    if isinstance(there, dict) and _starts(there, command) and entry.keys() <= there.keys():
        return "present"
    if not _is_ours(there):
        raise AgentFileRefused("changed", file=str(program.file))
    without = _without_entry(program, text, there)
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


def plain(text: str) -> str:
    """Return JSON with spaces for its comments and for commas after the last part, each character at its place.

    >>> plain('{"a": "//", /* b */ } // c')
    '{"a": "//"          }     '
    """
    with suppress(ValueError):
        read_json(text)
        return text  # the rule, and fast
    for pattern in (_COMMENT, _LAST_COMMA):
        text = pattern.sub(lambda part: part[1] or " " * len(part[0]), text)
    return text


def settings_in(file: Path, text: str) -> dict[str, object]:
    """Return the parsed text. Raises AgentFileRefused."""
    text = text.removeprefix(_BOM)
    try:
        if file.suffix == ".toml":
            data = read_toml(text.encode())
        else:
            data = read_json(plain(text)) if text.strip() else {}
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


def kept_original(file: Path) -> Path:
    """Return where a settings file is kept as it was before the pet's first entry."""
    return file.with_name(file.name + _COPY)


def write_settings(file: Path, before: str, after: str, key: str, wanted: dict[str, object]) -> None:
    """Replace a settings file. Its original is kept with the first entry of the pet, and given back with the last.

    Raises AgentFileRefused if the new text isn't the old one with ``wanted`` under the key, or the file changed
    meanwhile.
    """
    now = settings_in(file, after)
    same = {**now, key: now.get(key, {})} == {**settings_in(file, before), key: wanted}
    if not same or read_settings(file) != before:
        raise AgentFileRefused("broken", file=str(file))
    original = kept_original(file)
    if _MARK.search(after):
        if not _MARK.search(before):
            original.unlink(missing_ok=True)
            if file.exists():
                replace_file(original, before.encode(), mode=0o600)
        replace_file(file, after.encode())
    elif original.exists():
        replace_file(file, _given_back(file, original, after).encode())
        original.unlink()
    elif not now and (not after.strip() if file.suffix == ".toml" else plain(after) == after):
        file.unlink()  # created by the pet, and without comments
    else:
        replace_file(file, after.encode())


def _given_back(file: Path, original: Path, text: str) -> str:
    """Return the original if a file without the pet's entries differs from it in nothing but the white space at its
    end, or in the form of JSON without comments; else the text."""
    try:
        kept = read_settings(original)
        same = kept.rstrip() == text.rstrip()
        if file.suffix != ".toml" and plain(text) == text:
            same = same or json.dumps(settings_in(file, kept)) == json.dumps(settings_in(file, text))
    except AgentFileRefused:
        return text
    return kept if same else text


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
    top = plain(text).index("{")
    place = members(text, top).get(program.key)
    if place is None:
        at = top + 1
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
    top = plain(text).index("{")
    table = members(text, top)[program.key]
    servers = members(text, table.value)
    if len(servers) == 1:
        return cut(text, top, table.start, table.end)
    return cut(text, table.value, servers[NAME].start, servers[NAME].end)


def _is_ours(entry: object) -> bool:
    """Whether an entry is as ``install`` writes it, apart from what programs add."""
    return isinstance(entry, dict) and entry.keys() <= _ENTRY_KEYS and _command_of(entry)[-1:] == ["mcp"]


def _starts(entry: object, command: Sequence[str]) -> bool:
    return isinstance(entry, dict) and _command_of(entry) == list(command)


def _command_of(entry: Mapping[str, object]) -> list[object]:
    first, more = entry.get("command"), entry.get("args")
    return [*(first if isinstance(first, list) else [first]), *(more if isinstance(more, list) else ())]


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
    decoder, text = JSONDecoder(), plain(text)
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
