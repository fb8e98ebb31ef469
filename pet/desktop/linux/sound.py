"""Whether another program plays a sound: PulseAudio's or PipeWire's streams, else media players on the session bus.

One look, bounded in time, when it is asked; nothing is watched. Of a player only its state is read.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Mapping
from contextlib import suppress

from pet.desktop.environment import connected, for_other_programs, session_address

_SECONDS = 0.5
_PLAYER = "org.mpris.MediaPlayer2."
_MOST_PLAYERS = 8
_ALWAYS_OPEN = 'application.name = "speech-dispatcher'
"""Its streams stay open between sentences, so they tell nothing."""
_PROCESS = re.compile(r'application\.process\.id = "(\d+)"')


def sound_plays(environ: Mapping[str, str]) -> bool:
    """Return whether a sound plays that is not ours; False if the system doesn't tell. Any thread."""
    program = shutil.which("pactl")
    if program is not None:
        with suppress(OSError, subprocess.SubprocessError):
            listed = subprocess.run(  # noqa: S603  the owner's own program
                [program, "list", "sink-inputs"],
                env={**for_other_programs(), "LC_ALL": "C"},
                capture_output=True,
                timeout=_SECONDS,
                check=True,
            )
            return stream_plays(listed.stdout.decode("utf-8", "replace"))
    return _player_plays(session_address(environ))


def stream_plays(listed: str) -> bool:
    """Return whether one of pactl's streams sounds: neither paused nor muted nor of this program."""
    return any(
        "Corked: no" in stream and "Mute: no" in stream and _ALWAYS_OPEN not in stream and not _is_ours(stream)
        for stream in listed.split("Sink Input #")[1:]
    )


def _is_ours(stream: str) -> bool:
    """Whether the stream is of this program: the web view plays in a process of its group."""
    process = _PROCESS.search(stream)
    with suppress(OSError, OverflowError):
        return process is not None and os.getpgid(int(process[1])) == os.getpgrp()
    return False


def _player_plays(address: str) -> bool:
    from jeepney import DBusAddress, Properties, message_bus
    from jeepney.wrappers import DBusErrorResponse, unwrap_msg

    with suppress(OSError, ValueError, RuntimeError, LookupError, DBusErrorResponse):
        if not address:
            return False
        with connected(address) as bus:
            (names,) = unwrap_msg(bus.send_and_get_reply(message_bus.ListNames()))
            for name in [name for name in names if name.startswith(_PLAYER)][:_MOST_PLAYERS]:
                player = DBusAddress("/org/mpris/MediaPlayer2", bus_name=name, interface=f"{_PLAYER}Player")
                reply = bus.send_and_get_reply(Properties(player).get("PlaybackStatus"))
                if reply.body and reply.body[0] == ("s", "Playing"):
                    return True
    return False
