"""Edits of settings.toml by other programs, as the watcher reports them."""

from __future__ import annotations

import contextlib
from pathlib import Path

from pet.settings.store import SettingsWatcher
from tests.support.waiting import wait_for


def test_change_before_the_start_and_after_it_is_looked_at(tmp_path: Path) -> None:
    file = tmp_path / "config" / "settings.toml"
    seen: list[str] = []

    def look() -> None:
        with contextlib.suppress(FileNotFoundError):
            seen.append(file.read_text(encoding="utf-8"))

    file.parent.mkdir()
    file.write_text("before", encoding="utf-8")
    watcher = SettingsWatcher(file, look)
    watcher.start()
    try:
        assert "before" in seen  # written while nothing watched
        file.write_text("after", encoding="utf-8")
        wait_for("the change", lambda: "after" in seen)
    finally:
        watcher.stop()
