"""The number of the on-disk format, carried by every file that a later program may have changed.

Number 1 is everything written so far; a file without a number has it. Whoever opens a file asks here first: a higher
number means that a newer program wrote it, and then nothing is read from it and nothing is written to it.

``settings.toml``, ``state.json`` and the program's other small state carry ``format`` each. The ``format`` of
``pet.toml`` stands for the pet's whole folder: its logs, its history and its sidecar files. Transcripts carry a
number in their first line, the search index in SQLite's ``user_version``: an index is made again, never refused.
"""

from __future__ import annotations

from collections.abc import Mapping

from pet.errors import NewerFormat

FORMAT = 1
KEY = "format"


def is_newer(values: Mapping[str, object]) -> bool:
    """Whether a newer program wrote these values. Anything that is no whole number is not taken for one."""
    found = values.get(KEY)
    return isinstance(found, int) and not isinstance(found, bool) and found > FORMAT


def require_known(values: Mapping[str, object], file: str) -> None:
    """Raises NewerFormat."""
    if is_newer(values):
        raise NewerFormat(file=file)
