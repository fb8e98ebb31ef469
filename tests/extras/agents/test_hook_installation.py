"""Hooks in other programs' settings files: every other byte stays, also after the program formatted its file anew."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pet.extras.agents.installation import (
    HookProgram,
    find_hooks,
    hook_command,
    hook_programs,
    hook_state,
    install_hooks,
    remove_hooks,
)
from tests.extras.agents.test_installation import left_alone, values
from tests.support.files import write_files

COMMAND = hook_command("claude-code", Path("/home/Lin's/state"), None)
OTHER = {"matcher": "Bash", "hooks": [{"type": "command", "command": 'say "{done}"'}]}
TEXTS = [
    "",
    "{}",
    "{\n}\n",
    '{"hooks": {}}',
    '{"hooks": {"Stop": [ ]}}',
    '{\n  "model": "opus",\n  "hooks": {\n    "Stop": [\n      ' + json.dumps(OTHER) + "\n    ]\n  }\n}\n",
    '{\r\n\t"a": {"hooks": 5},\r\n\t"hooks": {"PreToolUse": [' + json.dumps(OTHER) + ']},\r\n\t"z": "\u4f60"\r\n}',
]


def program(folder: Path) -> HookProgram:
    return HookProgram("claude-code", "claude-code", folder / "settings.json", ("SessionStart", "PreToolUse", "Stop"))


@pytest.mark.parametrize("text", TEXTS)
def test_install_and_remove_leave_every_other_byte(tmp_path: Path, text: str) -> None:
    client = program(tmp_path)
    if text:
        client.file.write_bytes(text.encode())
    assert install_hooks(client, COMMAND) == "installed"
    assert hook_state(client, COMMAND) == "on"
    once = client.file.read_bytes()
    assert install_hooks(client, COMMAND) == "present"
    assert client.file.read_bytes() == once
    assert install_hooks(client, hook_command("claude-code", Path("/moved"), None)) == "replaced"
    assert install_hooks(client, COMMAND) == "replaced"
    assert client.file.read_bytes() == once
    now = json.loads(once)
    before = json.loads(text or "{}")
    for event in client.events:
        *others, ours = now["hooks"][event]  # where they were: Codex 0.171.0 trusts hooks by their place
        assert [each["command"] for each in ours["hooks"]] == [COMMAND]
        assert others == before.get("hooks", {}).get(event, [])
    remove_hooks(client)
    assert (client.file.read_bytes().decode() if text else not client.file.exists()) == (text or True)
    assert hook_state(client, COMMAND) == "off"
    assert [each.name for each in tmp_path.iterdir()] == ([client.file.name] if text else [])


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    data=st.dictionaries(st.text(max_size=6), values, max_size=3),
    hooks=st.none() | st.dictionaries(st.sampled_from(["Stop", "PreToolUse", "X"]), st.lists(values, max_size=3)),
    indent=st.sampled_from([None, 2, "\t"]),
    anew=st.sampled_from([False, 0, 2, "\t"]),
)
def test_any_settings_come_back(
    tmp_path: Path,
    data: dict[str, object],
    hooks: dict[str, list[object]] | None,
    indent: int | str | None,
    anew: bool | int | str,
) -> None:
    client = program(tmp_path)
    data = {name: value for name, value in data.items() if name != "hooks"}
    filled = hooks and {event: groups for event, groups in hooks.items() if groups}
    whole = data if not filled else {**data, "hooks": filled}
    text = json.dumps(whole, indent=indent, ensure_ascii=False).encode("utf-8", "surrogatepass")
    client.file.write_bytes(text)
    install_hooks(client, COMMAND)
    if anew is not False:  # the program writes its settings, as it formats them
        client.file.write_text(json.dumps(json.loads(client.file.read_bytes()), indent=anew or None))
    remove_hooks(client)
    assert hook_state(client, COMMAND) == "off"
    if anew is False:
        assert client.file.read_bytes() == text
    else:
        assert json.loads(client.file.read_bytes()) == whole


@pytest.mark.parametrize("text", [b"{", b'{"hooks": 5}', b'{"hooks": {"Stop": {}}}', b"[]"])
def test_file_that_is_not_understood_is_left_alone(tmp_path: Path, text: bytes) -> None:
    client = program(tmp_path)
    client.file.write_bytes(text)
    with left_alone("broken"):
        install_hooks(client, COMMAND)
    assert client.file.read_bytes() == text
    assert [each.name for each in tmp_path.iterdir()] == [client.file.name]


def test_link_is_left_alone(tmp_path: Path) -> None:
    client, target = program(tmp_path), tmp_path / "dotfiles.json"
    target.write_text("{}")
    client.file.symlink_to(target)
    with left_alone("link"):
        install_hooks(client, COMMAND)
    assert target.read_text() == "{}"


def test_group_with_hooks_of_others_is_left_to_the_owner(tmp_path: Path) -> None:
    client = program(tmp_path)
    install_hooks(client, COMMAND)
    data = json.loads(client.file.read_text())
    data["hooks"]["Stop"][0]["hooks"].append({"type": "command", "command": "mine"})
    client.file.write_text(json.dumps(data))
    with left_alone("changed"):
        remove_hooks(client)


def test_codex_gets_no_hook_that_it_warns_about(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Codex 0.171.0 shortens these hooks to three seconds, and says so at each start."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    codex = find_hooks("codex")
    install_hooks(codex, COMMAND)
    hooks = json.loads(codex.file.read_text())["hooks"]
    assert [hooks[event][0]["hooks"][0]["timeout"] for event in ("Interrupt", "SessionEnd")] == [3, 3]


@pytest.mark.parametrize(
    ("id_", "file", "text"),
    [
        ("claude-code", ".claude/settings.json", '{"disableAllHooks": true}'),
        ("codex", ".codex/config.toml", "[features]\nhooks = false\n"),
        ("gemini", ".gemini/settings.json", '{"hooksConfig": {"enabled": false}}'),
    ],
)
def test_hooks_that_a_program_has_switched_off_are_known(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, id_: str, file: str, text: str
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    assert not find_hooks(id_).are_disabled()
    write_files(tmp_path, {file: text})
    assert find_hooks(id_).are_disabled()
    write_files(tmp_path, {file: text.replace("true", "false") if "true" in text else text.replace("false", "true")})
    assert not find_hooks(id_).are_disabled()


def test_hooks_of_a_program_that_moved_are_older(tmp_path: Path) -> None:
    client = program(tmp_path)
    assert hook_state(client, COMMAND) == "off"
    install_hooks(client, hook_command("claude-code", Path("/moved"), None))
    assert hook_state(client, COMMAND) == "older"
    install_hooks(client, COMMAND)
    assert hook_state(client, COMMAND) == "on"


def test_hooks_are_known_for_three_programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    assert [each.id for each in hook_programs()] == ["claude-code", "codex", "gemini"]
    assert all(each.file.is_relative_to(tmp_path) for each in hook_programs())
    with left_alone("no_hooks"):
        find_hooks("cursor")


@pytest.mark.parametrize(
    ("platform", "ends"), [("linux", "2>/dev/null || true"), ("win32", '"agent" "event" "codex"')]
)
def test_packaged_program_is_its_own_hook(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, platform: str, ends: str
) -> None:
    monkeypatch.setattr("sys.frozen", True, raising=False)
    monkeypatch.setattr("sys.platform", platform)
    command = hook_command("codex", tmp_path, Path("/my home"))
    monkeypatch.undo()
    assert '"--home" "/my home" "agent" "event" "codex"' in command
    assert command.endswith(ends)
    client = program(tmp_path)
    install_hooks(client, command)
    assert hook_state(client, command) == "on"
    remove_hooks(client)
    assert hook_state(client, COMMAND) == "off"
