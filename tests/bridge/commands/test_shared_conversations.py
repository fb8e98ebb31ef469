"""Conversations as entries, events and views: the fold in Python gives the views that the pages' reducer gives.

The same files are read by ``ui/src/tests/state/shared_conversations.test.ts``. A step without events is one after
which the page reads the conversation again.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pet.bridge.command import Client
from tests.engine.conftest import Make
from tests.support.program.invoking import ask

FIXTURES = sorted((Path(__file__).parents[2] / "fixtures" / "conversations").glob("*.json"))
CONVERSATION = "0123456789abcdefghjkmnpqrs"
HEADER = {"kind": "header", "id": "e0", "at": "2026-02-24T14:30:00+00:00", "version": 1, "machine": "elsewhere"}


def shown(view: dict[str, Any]) -> dict[str, Any]:
    """What both folds must agree on."""
    return {
        "memory": view["info"]["memory"],
        "dividers": [{"after_turn": each["after_turn"], "kind": each["kind"]} for each in view["dividers"]],
        "turns": [
            {
                **{name: turn[name] for name in ("turn", "kind", "text", "memory", "end", "variants")},
                "said": [round_["text"] for round_ in turn["rounds"] if round_["text"]],
                "tools": [tool["call"] for tool in turn["tools"]],
                "receipts": {each["call"]: each["state"] for each in turn["receipts"]},
                "left": [
                    {
                        "turn": left["turn"],
                        "tools": [tool["call"] for tool in left["tools"]],
                        "receipts": {each["call"]: each["state"] for each in left["receipts"]},
                    }
                    for left in turn["left"]
                ],
            }
            for turn in view["turns"]
        ],
    }


@pytest.mark.parametrize("path", FIXTURES, ids=lambda path: path.stem)
def test_the_view_after_each_step(path: Path, make_core: Make) -> None:
    steps = json.loads(path.read_text(encoding="utf-8"))["steps"]
    core = make_core()
    folder = core.app.transcripts.folder
    folder.mkdir(parents=True, exist_ok=True)
    lines = [HEADER | {"conversation": CONVERSATION}]
    for step in steps:
        lines += step["entries"]
        text = "".join(json.dumps(line, ensure_ascii=False, separators=(",", ":")) + "\n" for line in lines)
        (folder / f"{CONVERSATION}.jsonl").write_text(text, encoding="utf-8")
        view = ask(core.app.commands, "open_conversation", Client.CHAT, conversation=CONVERSATION)
        assert shown(view) == step["view"]


def test_there_are_some() -> None:
    assert len(FIXTURES) >= 6
