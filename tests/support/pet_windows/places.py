"""Window positions that the program stored on disk."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path
from typing import Any


def remembered(home: Path) -> dict[str, Any]:
    with contextlib.suppress(OSError, ValueError):
        found = json.loads((home / "state" / "windows.json").read_text())
        assert isinstance(found, dict)
        return found
    return {}


def last_monitor(home: Path) -> str:
    """Return the monitor that the owner last put the pet on."""
    return str(remembered(home).get("monitor", ""))


def kept_places(home: Path) -> list[object]:
    """Return the pet's position on each monitor, from its corner."""
    places = remembered(home).get("pet")
    return [place["at"] for place in places.values()] if isinstance(places, dict) else []
