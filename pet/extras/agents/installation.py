"""Entry of ``pet mcp``, and hooks of ``pet agent event``, in the settings files of other agents: put in and taken out
as text.

Every other byte of a file stays. What a file was before the first entry of the pet is kept beside it until the last
one is taken out, and then given back. A file that is broken or a link is left alone. Nothing is written unless the
changed text reads as the old one with exactly this entry more or less.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from json import JSONDecoder
from pathlib import Path
from typing import Literal

from pet.errors import ProblemError
from pet.extras.agents.hook import ANSWER_SECONDS
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


_KEY = "hooks"
_SECONDS = 5
_SECONDS_AT_END = 3
"""Codex 0.171.0 warns at each start about these hooks with more."""
_SECONDS_TO_ASK = int(ANSWER_SECONDS) + 10
_CLAUDE = (
    *("SessionStart", "UserPromptSubmit", "PreToolUse", "PermissionRequest", "PostToolUse", "PostToolUseFailure"),
    *("Notification", "SubagentStop", "Stop", "StopFailure", "SessionEnd"),
)
_CODEX = (
    *("SessionStart", "UserPromptSubmit", "PreToolUse", "PermissionRequest", "PostToolUse"),
    *("SubagentStop", "Stop", "Interrupt", "SessionEnd"),
)
_GEMINI = ("SessionStart", "BeforeAgent", "BeforeTool", "AfterTool", "Notification", "AfterAgent", "SessionEnd")


@dataclass(frozen=True, slots=True)
class HookProgram:
    """A program with hooks. ``second``: in the unit of its time limits; ``switch``: the file and the keys of the
    setting by which it runs no hooks, and its value then."""

    id: ProgramId
    client: str
    file: Path
    events: tuple[str, ...]
    second: int = 1
    switch: tuple[Path, tuple[str, ...], bool] | None = None

    def are_disabled(self) -> bool:
        """Whether the program's own settings switch all hooks off."""
        if self.switch is None:
            return False
        file, keys, off = self.switch
        try:
            value: object = settings_in(file, read_settings(file))
        except AgentFileRefused:
            return False
        for key in keys:
            value = value.get(key) if isinstance(value, dict) else None
        return value is off


def hook_programs() -> tuple[HookProgram, ...]:
    """Return the programs whose hooks can be installed, with their files.

    What switches them off: code.claude.com/docs/settings, developers.openai.com/codex/hooks and
    geminicli.com/docs/hooks, as of November 2026.
    """
    file = {each.id: each.file for each in programs()}
    claude, codex, gemini = file["claude-code"].parent, file["codex"], file["gemini"]
    claude = claude / ".claude" if claude == Path.home() else claude
    settings = claude / "settings.json"
    return (
        HookProgram("claude-code", "claude-code", settings, _CLAUDE, 1, (settings, ("disableAllHooks",), True)),
        HookProgram(
            "codex",
            "codex-mcp-client",
            codex.with_name("hooks.json"),
            _CODEX,
            1,
            (codex, ("features", "hooks"), False),
        ),
        HookProgram(
            "gemini",
            "gemini-cli-mcp-client",
            gemini,
            _GEMINI,
            1000,
            (gemini, ("hooksConfig", "enabled"), False),
        ),
    )


def find_hooks(id_: str) -> HookProgram:
    """Raises AgentFileRefused for a program whose hooks are not known."""
    program = next((each for each in hook_programs() if each.id == id_), None)
    if program is None:
        raise AgentFileRefused("no_hooks", file=id_[:40])
    return program


def hook_command(client: str, state: Path, home: Path | None) -> str:
    """Return the command of a hook, for a shell. ``state``: the folder with the pet's address; ``home``: of a
    portable use, else None."""
    if sys.platform == "win32" or getattr(sys, "frozen", False):
        words = [*own_program(), *(["--home", str(home)] if home else []), "agent", "event", client]
        command = " ".join(f'"{word}"' for word in words)
    else:
        code = f"import sys;sys.path.insert(0,{str(Path(__file__).parent)!r});import hook;hook.run_hook()"
        command = shlex.join([sys.executable, "-I", "-S", "-c", code, client, str(state)]) + " $PPID"
    # Whatever becomes of this program: a hook that fails with 2, as Python does for a lost file, blocks the agent.
    return command if sys.platform == "win32" else f"{command} 2>/dev/null || true"


def hook_state(program: HookProgram, command: str) -> Literal["off", "on", "older"]:
    """Return whether the program's file has hooks of a pet, "older" for those of another command; "off" for a file
    that can't be read."""
    try:
        table = table_in(program.file, read_settings(program.file), _KEY)
    except AgentFileRefused:
        return "off"
    ours = {event: list(filter(_is_our_group, each)) for event, each in table.items() if isinstance(each, list)}
    here = {event: groups for event, groups in ours.items() if groups}
    if not here:
        return "off"
    return "on" if here == {event: [_group(program, event, command)] for event in program.events} else "older"


def pasted_hooks(program: HookProgram, command: str) -> str:
    """Return the hooks as text, for a file that the owner edits."""
    wanted = {event: [_group(program, event, command)] for event in program.events}
    return json.dumps({_KEY: wanted}, indent=2)


def install_hooks(program: HookProgram, command: str) -> Done:
    """Add the hooks; those of a pet that are there already are replaced. Raises AgentFileRefused, OSError."""
    before = read_settings(program.file)
    earlier = remove_hooks(program)
    text = read_settings(program.file)
    table = table_in(program.file, text, _KEY)
    wanted: dict[str, object] = {event: _event(program, table, event) for event in table}
    for event in program.events:
        wanted[event] = [*_event(program, table, event), _group(program, event, command)]
    after = _with_hooks(program, text, command)
    write_settings(program.file, text, after, _KEY, wanted)
    return "present" if after == before else "replaced" if earlier else "installed"


def remove_hooks(program: HookProgram) -> bool:
    """Remove a pet's hooks, and nothing else; return whether there were any.

    Raises AgentFileRefused, OSError.
    """
    text = read_settings(program.file)
    table = table_in(program.file, text, _KEY)
    if not any(_is_our_group(each, whole=False) for each in _groups(table)):
        return False
    if any(_is_our_group(each, whole=False) and not _is_our_group(each) for each in _groups(table)):
        raise AgentFileRefused("changed", file=str(program.file))
    ways = [_without_hooks(text, table, exact=exact, keep=keep) for exact, keep in _WAYS]
    command = next(str(each["hooks"][0]["command"]) for each in _groups(table) if _is_our_group(each))  # type: ignore[index]
    # The one from which installing leads to this text; none if the file was reformatted since.
    after = next((each for each in ways if _with_hooks(program, each, command) == text), ways[-1])
    kept = {event: [each for each in _event(program, table, event) if not _is_our_group(each)] for event in table}
    now = table_in(program.file, after, _KEY)
    wanted: dict[str, object] = {event: groups for event, groups in kept.items() if groups or event in now}
    write_settings(program.file, text, after, _KEY, wanted)
    return True


def _event(program: HookProgram, table: Mapping[str, object], event: str) -> list[object]:
    groups = table.get(event, [])
    if not isinstance(groups, list):
        raise AgentFileRefused("broken", file=str(program.file))
    return groups


def _groups(table: Mapping[str, object]) -> list[object]:
    return [each for groups in table.values() if isinstance(groups, list) for each in groups]


def _is_our_group(group: object, *, whole: bool = True) -> bool:
    """Whether all hooks of a group, or any of them, are a pet's."""
    hooks = group.get("hooks") if isinstance(group, dict) else None
    if not isinstance(hooks, list) or not hooks:
        return False
    commands = [str(each.get("command")) if isinstance(each, dict) else "" for each in hooks]
    own = ["import hook;hook.run_hook()" in each or '"agent" "event"' in each for each in commands]
    return all(own) if whole else any(own)


def _group(program: HookProgram, event: str, command: str) -> dict[str, object]:
    special = {"PermissionRequest": _SECONDS_TO_ASK, "Interrupt": _SECONDS_AT_END, "SessionEnd": _SECONDS_AT_END}
    seconds = special.get(event, _SECONDS)
    return {"hooks": [{"type": "command", "command": command, "timeout": seconds * program.second}]}


# --- the text -------------------------------------------------------------------------------------


def _with_hooks(program: HookProgram, text: str, command: str) -> str:
    end = "\r\n" if "\r\n" in text else "\n"
    written = {event: json.dumps(_group(program, event, command)) for event in program.events}
    if not text.strip():
        text = f"{text}{{{end}}}{end}"
    top = plain(text).index("{")
    if (place := members(text, top).get(_KEY)) is None:
        all_ = ",".join(f"{end}    {json.dumps(event)}: [{group}]" for event, group in written.items())
        return _put(text, top, f"{end}  {json.dumps(_KEY)}: {{{all_}{end}  }}")
    for event, group in reversed(written.items()):
        there = members(text, place.value).get(event)
        if there is None:
            text = _put(text, place.value, f"{end}    {json.dumps(event)}: [{group}]")
        elif others := elements(text, there.value):
            # Last: Codex trusts a hook by its place, and would run the owner's no more.
            text = f"{text[: others[-1].end]},{end}      {group}{text[others[-1].end :]}"
        else:
            text = _put(text, there.value, f"{end}      {group}")
    return text


def _put(text: str, opening: int, part: str) -> str:
    """Insert a part after an opening bracket."""
    at = opening + 1
    return text[:at] + part + ("" if text[at:].lstrip()[:1] in "}]" else ",") + text[at:]


_WAYS = ((True, False), (True, True), (False, False))


def _without_hooks(text: str, table: Mapping[str, object], *, exact: bool, keep: bool) -> str:
    """Return the text without the pet's groups, and without the events and the table that are empty then. ``exact``:
    an event that had no group before stays, as its white space tells; ``keep``: so does the table."""
    top = plain(text).index("{")
    for event, groups in table.items():
        ours = [at for at, each in enumerate(groups if isinstance(groups, list) else []) if _is_our_group(each)]
        if not ours:
            continue
        whole = members(text, top)[_KEY]
        place = members(text, whole.value)[event]
        parts = elements(text, place.value)
        came = text[place.value + 1] == "{" or not exact
        if len(ours) == len(parts) and came:
            text = cut(text, whole.value, place.start, place.end)
            continue
        for at in reversed(ours):
            text = cut(text, place.value, parts[at].start, parts[at].end)
    whole = members(text, top)[_KEY]
    if not keep and not members(text, whole.value):
        text = cut(text, top, whole.start, whole.end)
    return text
