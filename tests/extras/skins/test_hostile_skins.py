"""Whatever is in a skin, it is read or refused with words; nothing else ever comes out (property)."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from PIL import Image

from pet.errors import SkinRefused
from pet.extras.skins import importer
from pet.extras.skins.codex_manifest import animations_of, layout, looks_of, read_manifest
from pet.extras.skins.image_sets import read_actions, read_skin_json
from pet.extras.skins.importer import take_pictures, take_zip
from pet.extras.skins.library import SkinFolder, read_summary
from pet.extras.skins.sprite_sheet import PixelBudget, empty_cells, open_picture
from tests.extras.skins.drawing import as_bytes, blot, draw_sheet, manifest, put_skin, zipped
from tests.support.photographs import drawn_over

SMALL = Image.new("RGBA", (24, 26), (200, 10, 10, 128))
FILES = [
    as_bytes(SMALL, "PNG"),
    as_bytes(SMALL, "WEBP"),
    as_bytes(SMALL.convert("RGB"), "JPEG"),
    as_bytes(SMALL, "GIF"),
]
ZIP = zipped({"cat/pet.json": manifest(), "cat/spritesheet.webp": FILES[1], "cat/shime1.png": blot((8, 8))})
SHEET = as_bytes(draw_sheet())

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
frames = st.fixed_dictionaries(
    {},
    optional={
        "frames": json_values | st.lists(st.integers(-2, 90), max_size=4),
        "fps": json_values | st.floats(0, 70),
    },
)
manifests = st.fixed_dictionaries(
    {},
    optional={
        "id": json_values,
        "displayName": json_values,
        "spritesheetPath": json_values | st.sampled_from(["spritesheet.webp", "../x", "a/b"]),
        "spriteVersionNumber": json_values | st.sampled_from([1, 2]),
        "frame": json_values
        | st.fixed_dictionaries({}, optional=dict.fromkeys(("width", "height", "columns", "rows"), json_values)),
        "animations": json_values
        | st.dictionaries(st.sampled_from(["idle", "sad", "wave", "x"]), json_values | frames),
    },
)


@st.composite
def damaged(draw: st.DrawFn, wholes: list[bytes]) -> bytes:
    """A file with some bytes changed, cut off or repeated."""
    data = bytearray(draw(st.sampled_from(wholes)))
    for _ in range(draw(st.integers(0, 6))):
        at = draw(st.integers(0, max(0, len(data) - 1)))
        data[at : at + draw(st.integers(0, 8))] = draw(st.binary(max_size=8))
    return bytes(data[: draw(st.integers(0, len(data)))] if draw(st.booleans()) else data)


@given(manifests | json_values)
@example({"animations": {"idle": {"frames": [0], "fps": 5e-324}}})
def test_any_manifest_is_understood_or_refused(said: object) -> None:
    try:
        read = read_manifest(json.dumps(said).encode(), folder="cat")
        frame = layout(read, (1536, 1872))
        animations, _notes = animations_of(read, frame, frozenset({5, 6, 7}))
    except SkinRefused:
        return
    for each in animations:
        assert each.frames
        assert len(each.frames) == len(each.milliseconds)
        assert all(0 <= cell < frame.cells for cell in each.frames)
        assert all(0 < ms <= 60_000 for ms in each.milliseconds)
    assert looks_of(frame, frozenset()) == ()


@given(st.binary(max_size=200))
def test_any_bytes_as_a_text_file(data: bytes) -> None:
    for read in (lambda: read_manifest(data, folder="x"), lambda: read_skin_json(data)):
        try:
            read()
        except SkinRefused:
            continue
    read_actions(data)


@given(damaged(FILES))
def test_any_picture_is_opened_or_refused(data: bytes) -> None:
    try:
        picture = open_picture(data, "x.png")
    except SkinRefused:
        return
    assert picture.mode == "RGBA"
    assert empty_cells(picture, max(1, picture.width), max(1, picture.height)) <= {0}


@given(damaged([ZIP, zipped({"normal.png": FILES[0], "happy.png": FILES[3]})]))
def test_any_zip_is_taken_or_refused(data: bytes) -> None:
    try:
        taken = take_zip("x.zip", data)
    except SkinRefused:
        return
    assert all(not name.startswith("/") and ".." not in name for name in taken.files)


@given(damaged(FILES))
def test_any_set_of_pictures_is_taken_or_refused(data: bytes) -> None:
    try:
        take_pictures("x", {"normal.png": data, "shime1.png": data})
    except SkinRefused:
        return


def test_a_list_with_a_broken_skin_is_still_a_list(tmp_path: Path) -> None:
    broken: list[dict[str, object]] = [{"animations": {"a": 5}}, {"frame": {"rows": "x"}}, {"id": []}]
    for number, said in enumerate(broken):
        place = SkinFolder(id="x", folder=put_skin(tmp_path / str(number), SHEET, **said), origin="shared")
        problem = read_summary(place).problem
        assert problem is not None
        assert problem.code == "skin_field"


def test_a_photograph_that_is_drawn_over_and_over_is_no_picture_of_a_set() -> None:
    out = io.BytesIO()
    Image.new("RGB", (64, 64), "red").save(out, "JPEG", progressive=True)
    assert open_picture(drawn_over(out.getvalue(), 20), "a.jpg").size == (64, 64)
    with pytest.raises(SkinRefused) as refused:
        open_picture(drawn_over(out.getvalue(), 500), "a.jpg")
    assert refused.value.problem == "picture_broken"


@pytest.mark.parametrize("pattern", ["shime{}.png", "idle-{}.png"])
def test_pictures_of_an_archive_share_one_budget(pattern: str) -> None:
    """Each is allowed by itself; together they would take gigabytes."""
    large = as_bytes(Image.new("P", (5_000, 5_000)), "PNG")
    files = {pattern.format(number): large for number in range(1, 47)}
    with pytest.raises(SkinRefused) as refused:
        take_zip("x.zip", zipped(files))
    assert refused.value.problem == "pictures_too_large"


def test_each_picture_of_a_set_is_opened_once(monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []

    def counted(data: bytes, name: str, *rest: PixelBudget) -> Image.Image:
        opened.append(name)
        return open_picture(data, name, *rest)

    monkeypatch.setattr(importer, "open_picture", counted)
    take_zip("x.zip", zipped({f"shime{number}.png": blot((64, 64)) for number in (1, 2, 3)}))
    assert sorted(name for name in opened if name.startswith("shime")) == ["shime1.png", "shime2.png", "shime3.png"]
