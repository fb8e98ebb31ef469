"""A mistyped command of the terminal chat names the one that was meant."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

from pet.cli.main import main


@pytest.mark.parametrize(
    ("typed", "words"), [("/memroy", "Did you mean /memory?"), ("/xyzzy", "/help lists them all")]
)
def test_mistyped_command_suggests_the_nearest(
    typed: str, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("LANG", "en_GB.UTF-8")
    monkeypatch.setattr(sys, "stdin", io.StringIO(typed + "\n"))
    main(["--home", str(tmp_path / "home"), "chat"])
    assert words in capsys.readouterr().err
