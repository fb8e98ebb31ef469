"""A bare sheet becomes a Codex pet; author and licence stay with a skin."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from pet.errors import SkinRefused
from pet.extras.skins.importer import find_credits, take_any
from tests.extras.skins.drawing import as_bytes, blot, draw_sheet, manifest, zipped

SHEET = as_bytes(draw_sheet())
README = b"# Cat\n**Author:** [Lin](https://x.test)\n"
ZIP = zipped({"cat/pet.json": manifest(), "cat/spritesheet.webp": SHEET, "cat/README.md": README})


def problem_of(work: Callable[[], object]) -> str:
    with pytest.raises(SkinRefused) as caught:
        work()
    return caught.value.problem


def test_a_single_sheet_becomes_a_codex_pet() -> None:
    taken = take_any("Moon cat", {"moon.webp": SHEET})
    said = json.loads(taken.files["pet.json"])
    assert (said["displayName"], said["spritesheetPath"]) == ("Moon cat", "spritesheet.webp")
    assert taken.files["spritesheet.webp"] == SHEET
    unnamed = take_any("", {"moon.png": as_bytes(draw_sheet(version=2), "PNG")})
    assert json.loads(unnamed.files["pet.json"])["displayName"] == "moon"
    assert "spritesheet.png" in unnamed.files
    assert problem_of(lambda: take_any("x", {"x.png": blot()})) == "nothing_known"


def test_author_and_licence_stay_with_the_skin_and_a_manifest_that_names_them_is_left_alone() -> None:
    said = json.loads(take_any("cat", {"cat.zip": ZIP}).files["pet.json"])
    assert (said["author"], said["displayName"]) == ("Lin", "Cat")
    own = manifest(author="Bo", license="MIT")
    files = {"pet.json": own, "spritesheet.webp": SHEET, "LICENSE": b"CC BY-SA 4.0\n"}
    assert take_any("cat", {"cat.zip": zipped(files)}).files["pet.json"] == own


@pytest.mark.parametrize(
    ("files", "author", "licence"),
    [
        ({"submission.json": b'{"author": {"name": "Lin"}, "license": "CC0-1.0"}'}, "Lin", "CC0-1.0"),
        ({"README.md": "- 作者：小林\n- 许可: CC BY 4.0\n".encode()}, "小林", "CC BY 4.0"),
        ({"LICENSE": b"\n# MIT License\n\nCopyright"}, "", "MIT License"),
        ({"submission.json": b"[" * 100_000, "README.md": b"\xff\xfe by me"}, "", ""),
        ({"submission.json": b'{"author": "a\\u202e\\n' + b"b" * 200 + b'"}'}, "a " + "b" * 58, ""),
    ],
)
def test_credits_are_read_from_neighbouring_files(files: dict[str, bytes], author: str, licence: str) -> None:
    found = find_credits("", files, lambda name, limit: files[name][:limit])
    assert (found.author, found.licence) == (author, licence)
