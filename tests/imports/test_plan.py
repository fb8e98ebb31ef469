"""What an import adds to a file that says something already."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from pet.imports.contents import SourceContents
from pet.imports.plan import make_plan
from pet.model import FileState, Present

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)


def _after(before: str, text: str, name: str = "MEMORY.md") -> str:
    def read(file: str) -> FileState:
        return Present(name=file, text=before, version="x")

    found = SourceContents(kind="workspace", files={name: text})
    (planned,) = make_plan(found, read, lambda _id: False, language="en", now=NOW).files
    return planned.after


@pytest.mark.parametrize(
    ("before", "text", "added"),
    [
        ("## Carl\n- tea\n", "## Anna\n- tea\n## Bob\n- tea\n", "## Anna\n\n- tea\n\n## Bob\n\n- tea"),
        (
            "- Rome\n  - by car\n",
            "- Oslo\n  - by car\n- Porto\n  - by car\n",
            "- Oslo\n  - by car\n- Porto\n  - by car",
        ),
        ("## Anna\n- likes tea\n", "## Anna\n- likes tea\n- is 30\n", "## Anna\n\n- is 30"),
        ("# Mine\n- likes tea\n", "# Theirs\n\n- likes tea\n- is 30\n", "# Theirs\n\n- is 30"),
    ],
)
def test_a_line_is_left_out_only_where_it_is_said_of_the_same(before: str, text: str, added: str) -> None:
    after = _after(before, text)
    assert after.startswith(before.rstrip())
    assert after.rstrip().endswith(added)
    assert _after(after, text) == after


def test_an_entry_of_a_log_comes_with_its_text_also_where_another_one_has_the_same() -> None:
    mine = "# Memory Log: 2026-01-01\n\n## [10:00:00] fact\n\nyes\n"
    theirs = mine.replace("10:00", "11:00")
    after = _after(mine, theirs, "memory/2026-01-01.md")
    assert after == f"{mine}\n## [11:00:00] fact\n\nyes\n"
    assert _after(after, theirs, "memory/2026-01-01.md") == after
