"""Version of the on-disk format. Files without a number have version 1.

Check before opening a file: one with a higher number was written by a newer program, and is neither read nor written.

``settings.toml``, ``state.json`` and other small state have ``format`` each. The ``format`` of ``pet.toml`` is that
of the pet's whole folder: logs, history and sidecar files. Transcripts have a number in their first line, the search
index in SQLite's ``user_version``: an index is rebuilt, never refused.
"""

from __future__ import annotations

from collections.abc import Mapping

from pet.errors import NewerFormat

FORMAT = 1
KEY = "format"


def is_newer(values: Mapping[str, object]) -> bool:
    """Whether a newer program wrote these values. A value that is no whole number is ignored."""
    version = values.get(KEY)
    return isinstance(version, int) and not isinstance(version, bool) and version > FORMAT


def require_known(values: Mapping[str, object], file: str) -> None:
    """Raise NewerFormat if a newer program wrote these values."""
    if is_newer(values):
        raise NewerFormat(file=file)
