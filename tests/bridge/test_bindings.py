"""ui/src/bindings.ts is what the Python types say."""

from __future__ import annotations

from pathlib import Path

import pytest

from pet.bridge.command import Client
from pet.bridge.emitter import EVENT_TYPES
from ui.bindings import BINDINGS, COMMANDS, bindings, main


def test_the_committed_bindings_are_fresh() -> None:
    assert BINDINGS.read_text(encoding="utf-8") == bindings(), "run python -m ui.bindings --write"


def test_check_fails_for_a_stale_or_missing_file_and_write_repairs_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "src" / "bindings.ts"
    assert main(["--check", "--file", str(file)]) == 1
    assert "stale" in capsys.readouterr().err
    assert main(["--write", "--file", str(file)]) == 0
    assert main(["--check", "--file", str(file)]) == 0
    file.write_text(file.read_text(encoding="utf-8") + "\n", encoding="utf-8")
    assert main(["--check", "--file", str(file)]) == 1


def test_without_an_option_the_bindings_are_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 0
    assert capsys.readouterr().out == bindings()


def test_every_command_and_event_is_in_the_bindings() -> None:
    printed = bindings()
    for row in COMMANDS:
        there = Client.CHAT in row.clients  # the other clients are no pages
        assert (f"\n  {row.name}: {{ args: " in printed) is there
        assert (f'"{row.name}"' in printed.partition("const NAMES")[2]) is there
    for tag in EVENT_TYPES:
        assert f'type: "{tag}"' in printed


def test_only_what_the_page_alone_sends_has_fields_to_leave_out() -> None:
    printed = bindings()
    assert "resend: { args: { conversation: string; turn: string; text?: string | null;" in " ".join(printed.split())
    assert "  merged: boolean;" in printed  # Receipt goes both ways


def test_lines_keep_to_the_width_of_the_formatter() -> None:
    assert all(len(line) <= 120 for line in bindings().splitlines())
