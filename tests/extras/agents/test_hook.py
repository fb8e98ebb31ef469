"""What an agent's hook sends to the pet, by the events of three programs: names only, and nothing to the agent.

The events in ``events/`` were recorded from Claude Code 2.1.332, Codex 0.171.0 and Gemini CLI 0.61.0, then given
other paths and ids. A canary stands wherever a text of the owner or of the agent would be. Gemini's Notification
alone has the shape of its documents.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pet.extras.agents.hook import ANSWER_SECONDS, _command, _json, _scan, report
from pet.extras.agents.installation import hook_command
from tests.support.program.warm_pet import warm_line

EVENTS = Path(__file__).parent / "events"
RECORDED = {
    file.stem: [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    for file in sorted(EVENTS.glob("*.jsonl"))
}
POSIX = pytest.mark.skipif(sys.platform == "win32", reason="the command of a hook is one for a POSIX shell")
HOME = "/home/lin"


def sent_by(event: object, client: str = "claude-code", *, asks: bool = False) -> tuple[list[dict[str, Any]], str]:
    """Return the calls of one event, and what the agent gets."""
    calls: list[dict[str, Any]] = []

    def call(name: str, args: str, _seconds: float) -> str:
        calls.append({"name": name, **json.loads(args)})
        reply = {"ask": asks} if name == "note_agent_event" else {"answer": "allow"}
        return json.dumps({"ok": True, "value": reply})

    data = event if isinstance(event, bytes) else json.dumps(event).encode()
    return calls, report(data, client, 7, HOME, "/home/lin/other", call)


@pytest.mark.parametrize("client", RECORDED)
def test_only_names_leave_the_hook(client: str) -> None:
    for each in RECORDED[client]:
        calls, answer = sent_by(each["event"], client)
        assert answer == ""
        assert len(calls) == 1
        assert "canary" not in json.dumps(calls)
        assert set(calls[0]) == {"name", "event", "client", "folder", "tool", "session", "process"}
        assert calls[0]["folder"].startswith("~/src/")
        assert each["event"]["session_id"] not in calls[0]["session"]


@given(
    st.dictionaries(
        st.sampled_from(
            ["hook_event_name", "tool_name", "notification_type", "prompt", "message", "session_id", "tool_input"]
        ),
        st.text().map(lambda text: f"canary {text}") | st.none() | st.integers() | st.lists(st.text(), max_size=2),
    ),
    st.booleans(),
)
def test_text_in_the_place_of_a_name_stays_with_the_agent(event: dict[str, object], asks: bool) -> None:
    calls, _ = sent_by({**event, "cwd": "/home/lin/src"}, asks=asks)
    assert "canary" not in json.dumps([each for each in calls if each["name"] == "note_agent_event"])


@pytest.mark.parametrize("tool", ["/home/lin/plans.txt", "src/plans.py", "~/plans", "..", "./x", "C:/Users/lin"])
def test_a_path_in_the_place_of_a_tool_stays_with_the_agent(tool: str) -> None:
    (call, *_), _ = sent_by({"hook_event_name": "PreToolUse", "tool_name": tool, "cwd": "/home/lin/src"})
    assert call["tool"] == ""


def test_a_session_is_not_read_from_its_hash_however_short_it_is() -> None:
    def hashed(session: str) -> str:
        (call, *_), _ = sent_by({"hook_event_name": "Stop", "session_id": session, "cwd": "/home/lin/src"})
        return str(call["session"])

    sessions = ("s", "7", "canary", "canary2", "a" * 200)
    assert len({hashed(each) for each in sessions}) == len(sessions)
    for each in sessions:
        assert hashed(each) == hashed(each)
        given = bytes.fromhex(hashed(each).rjust(32, "0"))
        assert each.encode() not in given


def test_command_leaves_only_when_the_pet_asks_for_it_and_comes_whole() -> None:
    event = next(each["event"] for each in RECORDED["claude-code"] if each["becomes"] == "waiting")
    calls, answer = sent_by(event, asks=True)
    assert [each["name"] for each in calls] == ["note_agent_event", "ask_permission"]
    assert calls[1]["command"] == "make canary-command"
    assert json.loads(answer) == {
        "hookSpecificOutput": {"hookEventName": "PermissionRequest", "decision": {"behavior": "allow"}}
    }
    long = {**event, "tool_input": {"command": "x" * 30_000}}
    assert [each["name"] for each in sent_by(long, asks=True)[0]] == ["note_agent_event"]
    other = {**event, "tool_input": {"command": "ls", "run_in_background": True}}
    assert json.loads(sent_by(other, asks=True)[0][1]["command"]) == other["tool_input"]


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"null",
        b"[]",
        b'{"hook_event_name": "Stop"',
        b'{"hook_event_name": "Stop", "x": "\xff',
        b"[" * 100_000,
        b'{"a":' * 50_000,
        b"\xef\xbb\xbf{}",
    ],
)
@POSIX
def test_broken_events_send_nothing_and_never_fail(data: bytes, tmp_path: Path) -> None:
    done = run(data, tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def run(data: bytes, state: Path, client: str = "claude-code") -> subprocess.CompletedProcess[bytes]:
    """Run the hook's command as an agent does."""
    command = hook_command(client, state, None)
    return subprocess.run(command, shell=True, input=data, capture_output=True, timeout=60, check=False)


@POSIX
def test_program_that_is_gone_fails_no_agent(tmp_path: Path) -> None:
    command = hook_command("codex", tmp_path, None).replace(sys.executable, "/nowhere/python")
    done = subprocess.run(command, shell=True, input=b"{}", capture_output=True, timeout=60, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_plain_json_is_that_of_the_library() -> None:
    for value in ({"a": 'ü\u2028"\\\x00', "b": {"c": 5}}, {}, "x"):
        assert json.loads(_json(value)) == value
    assert _scan(' {"a": [1, 2.5, null, true, NaN]}') == {"a": ["1", "2.5", None, True, "NaN"]}
    assert _command({"command": "ls", "description": "List"}) == "ls"


def pet(home: Path, *words: str, data: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    command = warm_line("--home", str(home / "pet"), "agent", *words)
    environ = {**os.environ, "HOME": str(home), "USERPROFILE": str(home), "LANG": "C.UTF-8"}
    return subprocess.run(command, input=data, capture_output=True, timeout=120, check=False, env=environ)


@POSIX
def test_command_line_installs_removes_and_never_fails_an_agent(tmp_path: Path) -> None:
    file = tmp_path / ".claude" / "settings.json"
    file.parent.mkdir()
    file.write_text('{"model": "opus"}')
    assert str(file) in pet(tmp_path, "install", "claude-code").stdout.decode()
    hooks = json.loads(file.read_text())["hooks"]
    assert str(tmp_path / "pet" / "state") in hooks["Stop"][0]["hooks"][0]["command"]
    assert hooks["PermissionRequest"][0]["hooks"][0]["timeout"] > ANSWER_SECONDS
    assert pet(tmp_path, "remove", "claude-code").returncode == 0
    assert file.read_text() == '{"model": "opus"}'
    assert b"Nothing of the pet was in" in pet(tmp_path, "remove", "claude-code").stdout
    for unknown in ("cursor", "fly"):
        refused = pet(tmp_path, "install", unknown)
        assert refused.returncode == 1 and b"vscode" not in refused.stderr
    for data in (b'{"hook_event_name": "Stop", "session_id": "s"}', b"{"):
        done = pet(tmp_path, "event", "codex", data=data)
        assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
