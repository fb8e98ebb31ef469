"""Whether another program plays: what pactl lists, and what players say on the session bus."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from pet.desktop.linux.sound import sound_plays, stream_plays

OURS = "our own"


def stream(*, corked: str = "no", mute: str = "no", process: int | str = 1) -> str:
    return (
        f"Sink Input #8\n\tDriver: x\n\tCorked: {corked}\n\tMute: {mute}\n\tProperties:\n"
        f'\t\tapplication.process.id = "{process}"\n'
    )


@pytest.mark.parametrize(
    ("listed", "plays"),
    [
        ("", False),
        (stream(), True),
        (stream(corked="yes"), False),
        (stream(mute="yes"), False),
        (stream(process=OURS), False),
        (stream(process=OURS) + stream(), True),
        (stream() + '\t\tapplication.name = "speech-dispatcher-espeak-ng"\n', False),
        (stream(process=10**30), True),
        ("Sink Input #\x00 nonsense", False),
    ],
)
def test_streams_that_sound(listed: str, plays: bool) -> None:
    assert stream_plays(listed.replace(OURS, str(os.getpid()))) is plays


@pytest.mark.parametrize("script", ["#!/bin/sh\nexit 1\n", "#!/bin/sh\nsleep 60\n", "no program"])
def test_no_answer_is_no_sound(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str) -> None:
    program = tmp_path / "pactl"
    program.write_text(script)
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin:/usr/bin")
    assert sound_plays({}) is False
    monkeypatch.setenv("PATH", str(tmp_path / "empty"))
    assert sound_plays({"DBUS_SESSION_BUS_ADDRESS": "tcp:host=localhost,port=1"}) is False
