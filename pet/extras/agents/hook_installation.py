"""Hooks of ``pet agent event`` in the settings files of other agents, with the same care as its servers.

Installing and removing again gives the same bytes. Agents also write these files themselves and reformat them:
then exactly the pet's hooks are cut out.
"""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pet.extras.agents.hook import ANSWER_SECONDS
from pet.extras.agents.installation import (
    AgentFileRefused,
    Done,
    ProgramId,
    cut,
    elements,
    members,
    own_program,
    plain,
    programs,
    read_settings,
    settings_in,
    table_in,
    write_settings,
)

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
    ours = {event: list(filter(_is_ours, each)) for event, each in table.items() if isinstance(each, list)}
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
    if not any(_is_ours(each, whole=False) for each in _groups(table)):
        return False
    if any(_is_ours(each, whole=False) and not _is_ours(each) for each in _groups(table)):
        raise AgentFileRefused("changed", file=str(program.file))
    ways = [_without_hooks(text, table, exact=exact, keep=keep) for exact, keep in _WAYS]
    command = next(str(each["hooks"][0]["command"]) for each in _groups(table) if _is_ours(each))  # type: ignore[index]
    # The one from which installing leads to this text; none if the file was reformatted since.
    after = next((each for each in ways if _with_hooks(program, each, command) == text), ways[-1])
    kept = {event: [each for each in _event(program, table, event) if not _is_ours(each)] for event in table}
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


def _is_ours(group: object, *, whole: bool = True) -> bool:
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
        ours = [at for at, each in enumerate(groups if isinstance(groups, list) else []) if _is_ours(each)]
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
