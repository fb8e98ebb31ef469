"""A reminder written without a day or time: saved as a note, and answered with the form that reminds."""

from __future__ import annotations

import json

import pytest

from pet.memory.reminders.reminder import find_reminders
from tests.tools.conftest import Bench

TODAY = "memory/2026-02-24.md"


@pytest.mark.parametrize(
    ("said", "call"),
    [
        ("", {"content": "Pay the rent.", "category": "todo"}),
        ("", {"content": "Pay the rent.", "category": "reminder"}),
        ("", {"content": "Remind Mia to pay the rent tomorrow at three."}),
        ("", {"content": "提醒主人交房租"}),
        ("", {"content": "Recordatorio: pagar el alquiler."}),
        (
            "Remind me of nothing else, but do remind me to pay the rent",
            {"content": "Pay the rent.", "category": "event"},
        ),
        ("明天提醒我交房租", {"content": "明天交房租", "category": "event"}),
        ("Recuérdame pagar el alquiler", {"content": "Pagar el alquiler", "category": "fact", "due": "pronto"}),
    ],
)
def test_a_reminder_without_a_moment_is_answered_with_the_form(bench: Bench, said: str, call: dict[str, str]) -> None:
    bench.said = said
    reply = json.loads(bench.run("memory_write", **call).text)
    assert reply["status"] == "saved"
    assert "2026-03-01T15:00" in reply["note"] == bench.texts("tool.no_reminder")
    assert not list(find_reminders(TODAY, bench.text(TODAY)))


@pytest.mark.parametrize("said", ["", "I like tea", "Don't remind me of that", "You remind me of my dog"])
def test_a_plain_note_is_answered_without_the_form_of_reminders(bench: Bench, said: str) -> None:
    bench.said = said
    assert "note" not in json.loads(bench.run("memory_write", content="Mia's smile reminds Tom of his dog.").text)


@pytest.mark.parametrize(
    "line", ["- Remind Mia to pay the rent tomorrow at three", "- 每周一提醒主人浇花", "- todo: buy tea"]
)
def test_a_reminder_written_into_a_core_file_is_answered_with_the_form(bench: Bench, line: str) -> None:
    note = bench.texts("tool.no_reminder")
    written = bench.run("write", path="MEMORY.md", content=f"- Likes tea\n{line}\n")
    assert written.receipt is not None and note in written.text
    assert note not in bench.run("edit", path="MEMORY.md", old_text="tea\n", new_text="green tea\n").text
    assert note in bench.run("edit", path="MEMORY.md", old_text=line, new_text=f"{line}!").text
