"""The memory: kept in the pet's files, found again, and brought up when it is due.

Only forgetting and the callers of the pure plans change the pet's files. The index is derived from them, lives in the
cache folder and may be deleted at any time.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


def read_data(room: str, name: str) -> Any:
    """Return the content of a JSON file in the ``data`` of a room: fitted weights and rows of lasting facts."""
    return json.loads((Path(__file__).parent / room / "data" / name).read_text(encoding="utf-8"))
