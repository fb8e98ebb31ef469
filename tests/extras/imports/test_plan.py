"""What an import adds to a file that says something already."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from pet.extras.imports.contents import SourceContents
from pet.extras.imports.plan import ImportPlan, make_plan, source_name
from pet.i18n import Texts
from pet.model import FileState, Missing, Present

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


def _planned(text: str, name: str = "MEMORY.md") -> ImportPlan:
    return make_plan(
        SourceContents(kind="workspace", files={name: text}),
        lambda file: Present(name=file, text="- tea\n", version="x"),
        lambda _id: False,
        language="en",
        now=NOW,
        is_forgotten=lambda text: "zanzibar" in "".join(text.casefold().split()),
    )


def test_entries_that_were_forgotten_are_left_out_and_named() -> None:
    plan = _planned("# Memory\n\n- cake\n- went to ZANZIBAR\n  - by ship\n- rain\n")
    (file,) = plan.changed
    assert "cake" in file.after and "rain" in file.after
    assert "ZANZIBAR" not in file.after and "by ship" not in file.after
    assert [(each.name, each.reason) for each in plan.skipped] == [("MEMORY.md", "forgotten")]


@pytest.mark.parametrize("text", ["- Zanzibar\n", "We went to Zan\nzibar by ship\n"])
def test_file_that_holds_nothing_else_or_it_across_entries_is_left_out(text: str) -> None:
    plan = _planned(text)
    assert plan.is_empty
    assert [(each.name, each.reason) for each in plan.skipped] == [("MEMORY.md", "forgotten")]


def test_a_soul_is_the_owners_and_comes_whole() -> None:
    found = SourceContents(kind="workspace", files={"SOUL.md": "You come from Zanzibar.\n"})
    plan = make_plan(
        found,
        lambda file: Missing(name=file),
        lambda _id: False,
        language="en",
        now=NOW,
        is_forgotten=lambda _text: True,
    )
    assert [each.after for each in plan.changed] == ["You come from Zanzibar.\n"]


def test_a_spanish_heading_contracts_no_article() -> None:
    texts = Texts("es")
    for kind in ("workspace", "memory_list"):
        assert " el " not in texts("imports.heading", source=source_name(kind, texts), day="2026-03-01")
