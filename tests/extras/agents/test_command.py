"""``pet agent install``: what is said after the hooks were added."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import PetCommand


@pytest.mark.parametrize(
    ("client", "folder", "trusts"), [("codex", ".codex", True), ("claude-code", ".claude", False)]
)
def test_only_codex_is_said_to_ask_for_trust(
    pet: PetCommand, tmp_path: Path, client: str, folder: str, trusts: bool
) -> None:
    (tmp_path / folder).mkdir()
    added = pet("agent", "install", client, HOME=str(tmp_path))
    assert added.code == 0
    assert added.out.startswith("Hooks added to ")
    assert ("asks you to trust" in added.out) is trusts
    again = pet("agent", "install", client, HOME=str(tmp_path))
    assert "trust" not in again.out


def test_hooks_that_are_switched_off_are_said(pet: PetCommand, tmp_path: Path) -> None:
    (tmp_path / ".claude").mkdir()
    (tmp_path / ".claude" / "settings.json").write_text('{"disableAllHooks": true}')
    added = pet("agent", "install", "claude-code", HOME=str(tmp_path))
    assert "switched off" in added.out
