"""Names of the files that went along with a message elsewhere. Pure."""

from __future__ import annotations

_LONGEST = 200


def file_names(items: object, key: str) -> str:
    """One line for each file, its name in brackets; "" for none."""
    files = [each for each in items if isinstance(each, dict)] if isinstance(items, list) else []
    names = (" ".join(name.split()) for each in files if isinstance(name := each.get(key), str))
    return "\n".join(f"[{name[:_LONGEST]}]" for name in names if name)
