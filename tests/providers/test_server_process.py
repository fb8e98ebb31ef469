"""The protocol server as a process of its own, the way tests of window and command line use it."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.providers.calls import fault_of, request, run, user

_SCRIPT = {
    "replies": [
        {"say": ["Hel", {"hold": "middle"}, "lo"]},
        {"error": {"status": 529, "type": "overloaded_error", "message": "Overloaded"}},
    ],
    "matching": [{"contains": "tea", "reply": {"say": ["I like tea."]}}],
    "default": {"say": [{"thinking": "hm"}, {"call": "read", "arguments": {"path": "SOUL.md"}}]},
}


@pytest.fixture
def address(tmp_path: Path) -> Iterator[str]:
    script = tmp_path / "script.json"
    script.write_text(json.dumps(_SCRIPT), encoding="utf-8")
    command = [sys.executable, "-m", "tests.support.servers.protocol_server", "--script", str(script)]
    with subprocess.Popen(
        [*command, "--record", str(tmp_path / "record")], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdin is not None
        yield process.stdout.readline().strip()
        process.stdin.close()
        assert process.wait(60) == 0


def _order(address: str, order: str, data: object = None) -> object:
    body = None if data is None else json.dumps(data).encode()
    with urllib.request.urlopen(f"{address}/_control/{order}", data=body, timeout=60) as reply:
        return json.loads(reply.read())


def test_a_script_is_played_recorded_and_held(address: str, tmp_path: Path) -> None:
    said: list[str] = []
    caller = threading.Thread(target=lambda: said.append(run(address).text))
    caller.start()
    _order(address, "reached?hold=middle")
    assert said == []
    _order(address, "release?hold=middle")
    caller.join(60)
    assert said == ["Hello"]
    assert run(address, request(user("Do you like tea?"))).text == "I like tea."
    assert fault_of(address).kind == "overloaded"
    assert run(address).round.stop == "tool_use"
    _order(address, "queue", {"say": ["queued"]})
    assert run(address).text == "queued"
    bodies = sorted((tmp_path / "record").glob("*.body"))
    assert len(bodies) == 5
    assert json.loads(bodies[0].read_bytes())["messages"][0]["content"][0]["text"] == "Hello"
    recorded = _order(address, "requests")
    assert isinstance(recorded, list)
    assert len(recorded) == 5
