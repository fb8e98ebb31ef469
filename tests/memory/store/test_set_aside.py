"""Entries that the owner doesn't want used: out of their file and back, byte for byte where nothing else changed."""

from __future__ import annotations

import pytest

from pet.errors import FileConflict
from pet.memory.store.about_owner import statements
from pet.memory.store.set_aside import added, asides, statement_of, taken_out, used_again, without_aside

USER = "# About\n\n## Health\n\n- Sleeps badly\n- Allergic to hazelnuts\n  since childhood\n\n## Work\n\n- Baker\n"
DAY = "memory/2026-03-02.md"
LOG = (
    "# Memory Log: 2026-03-02\n\n## [10:00:00] preference\n\nOwner: Likes tea\n\nvery much\n"
    "\n## [11:00:00] todo (at 15:00) @2026-03-05\n\nOwner: Buy milk\n"
)


@pytest.mark.parametrize(
    ("file", "text", "place"),
    [("USER.md", USER, at) for at in range(3)] + [(DAY, LOG, 1)] + [("MEMORY.md", "- one\n- two\n", 1)],
)
def test_an_entry_goes_and_comes_back(file: str, text: str, place: int) -> None:
    meant = statements(file, text)[place]
    rest, section = taken_out(text, meant)
    assert meant.sentence not in [each.sentence for each in statements(file, rest)]
    kept = added(added("", section), "## MEMORY.md\n\n- another\n")
    (first, _other) = asides(kept)
    told = statement_of(first)
    assert told is not None and (told.sentence, first.file) == (meant.sentence, file)
    back = used_again(rest, first)
    assert [each.sentence for each in statements(file, back)].count(meant.sentence) == 1
    assert sorted(filter(None, back.split("\n"))) == sorted(filter(None, text.split("\n")))
    assert asides(without_aside(kept, first)) == [
        each for each in asides(without_aside(kept, first)) if each.file == "MEMORY.md"
    ]


def test_a_log_entry_of_several_paragraphs_stays_one() -> None:
    rest, section = taken_out(LOG, statements(DAY, LOG)[0])
    (aside,) = asides(added("", section))
    assert aside.body == "Owner: Likes tea\n\nvery much"
    assert used_again(rest, aside).endswith("## [10:00:00] preference\n\nOwner: Likes tea\n\nvery much\n")


def test_a_heading_that_is_gone_comes_back_with_its_entry() -> None:
    _rest, section = taken_out(USER, statements("USER.md", USER)[0])
    (aside,) = asides(added("", section))
    assert used_again("# About\n\n- Tall\n", aside) == "# About\n\n- Tall\n\n## Health\n\n- Sleeps badly\n"
    assert used_again("", aside) == "## Health\n\n- Sleeps badly\n"


def test_what_changed_meanwhile_is_refused_and_the_owners_own_words_are_left_alone() -> None:
    meant = statements("USER.md", USER)[0]
    with pytest.raises(FileConflict):
        taken_out(USER.replace("badly", "well"), meant)
    kept = "# Mine\n\nSome words.\n\n## Another heading\n\n- x\n\n## SOUL.md\n\n- y\n\n## USER.md: Health\n\n- Tall\n"
    (aside,) = asides(kept)
    assert without_aside(kept, aside).rstrip() == kept.partition("## USER.md")[0].rstrip()
    with pytest.raises(FileConflict):
        without_aside("", aside)
