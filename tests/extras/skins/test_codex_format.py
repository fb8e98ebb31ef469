"""The Codex pet format, read from real sheets: versions, sizes, rows, own animations, and every fault by its name."""

from __future__ import annotations

from pathlib import Path

import pytest
from PIL import ImageFilter

from pet.errors import SkinRefused
from pet.extras.skins.library import SkinFolder, read_skin, read_summary
from pet.skins.model import Skin
from tests.extras.skins.drawing import as_bytes, draw_sheet, manifest, png_header, put_skin

FRAMES = {
    "idle": [0, 1, 2, 3, 4, 5],
    "running-right": list(range(8, 16)),
    "running-left": list(range(16, 24)),
    "waving": [24, 25, 26, 27],
    "jumping": [32, 33, 34, 35, 36],
    "failed": list(range(40, 48)),
    "waiting": list(range(48, 54)),
    "running": list(range(56, 62)),
    "review": list(range(64, 70)),
}


def read(folder: Path) -> Skin:
    return read_skin(SkinFolder(id="cat", folder=folder, origin="shared"))


def refused(folder: Path) -> SkinRefused:
    with pytest.raises(SkinRefused) as caught:
        read(folder)
    return caught.value


def test_version_one_has_nine_rows_and_no_looks(tmp_path: Path) -> None:
    skin = read(put_skin(tmp_path / "cat", as_bytes(draw_sheet())))
    assert {each.name: list(each.frames) for each in skin.animations} == FRAMES
    assert (skin.version, skin.looks, skin.notes) == (1, (), ())
    assert (skin.id, skin.name, skin.description) == ("cat", "Cat", "A cat.")
    idle, waving = skin.animation("idle"), skin.animation("waving")
    assert idle is not None
    assert waving is not None
    assert idle.milliseconds == (1680, 660, 660, 840, 840, 1920)
    assert waving.milliseconds == (140, 140, 140, 280)


@pytest.mark.parametrize("said", [1, 2, None])
def test_version_two_is_known_by_its_size_whatever_the_file_says(tmp_path: Path, said: int | None) -> None:
    extra = {} if said is None else {"spriteVersionNumber": said}
    skin = read(put_skin(tmp_path / "cat", as_bytes(draw_sheet(version=2)), **extra))
    assert skin.version == 2
    assert skin.looks == tuple(range(72, 88))
    assert {each.name: list(each.frames) for each in skin.animations} == FRAMES


@pytest.mark.parametrize("zoom", [2, 3])
def test_larger_sheets_are_cut_in_larger_cells(tmp_path: Path, zoom: int) -> None:
    skin = read(
        put_skin(tmp_path / "cat", as_bytes(draw_sheet(zoom=zoom), "PNG"), "sheet.png", spritesheetPath="sheet.png")
    )
    assert (skin.frame.width, skin.frame.height) == (192 * zoom, 208 * zoom)
    assert {each.name: list(each.frames) for each in skin.animations} == FRAMES


def test_empty_cells_at_the_end_of_a_row_are_skipped_and_an_empty_row_is_noted(tmp_path: Path) -> None:
    skin = read(put_skin(tmp_path / "cat", as_bytes(draw_sheet(cut=2, without=("review",)))))
    waving = skin.animation("waving")
    assert waving is not None
    assert waving.frames == (24, 25)
    assert waving.milliseconds == (140, 280)  # the last one stays longer
    assert skin.animation("review") is None
    assert [(note.error_code, note.args_) for note in skin.notes] == [("skin_row_empty", {"row": "review"})]


def test_a_missing_look_means_no_looks(tmp_path: Path) -> None:
    sheet = draw_sheet(version=2)
    sheet.paste((0, 0, 0, 0), (0, 208 * 9, 192, 208 * 10))
    assert read(put_skin(tmp_path / "cat", as_bytes(sheet))).looks == ()


def test_own_animations_and_frames(tmp_path: Path) -> None:
    said = {
        "frame": {"width": 128, "height": 104, "columns": 12, "rows": 18},
        "animations": {
            "idle": {"frames": [0, 1], "fps": 2},
            "dance": {"frames": [16, 17, 16], "loop": False, "fallback": "wave"},
            "wave": {"frames": [5]},
        },
    }
    skin = read(put_skin(tmp_path / "cat", as_bytes(draw_sheet()), **said))
    dance, idle = skin.animation("dance"), skin.animation("idle")
    assert dance is not None
    assert idle is not None
    assert (dance.frames, dance.milliseconds) == ((16, 17, 16), (125, 125, 125))
    assert idle.milliseconds == (500, 500)


def test_unknown_fields_are_kept_and_names_lose_what_can_not_be_seen(tmp_path: Path) -> None:
    skin = read(put_skin(tmp_path / "cat", as_bytes(draw_sheet()), kind="cat", displayName="Ca\u202et\n", tags=["a"]))
    assert skin.name == "Cat"
    assert skin.manifest["tags"] == ["a"]


@pytest.mark.parametrize(
    ("said", "code", "field"),
    [
        ({"id": 5}, "skin_field", "id"),
        ({"spriteVersionNumber": 3}, "skin_field", "spriteVersionNumber"),
        ({"spriteVersionNumber": True}, "skin_field", "spriteVersionNumber"),
        ({"frame": []}, "skin_field", "frame"),
        ({"frame": {"width": 0}}, "skin_field", "frame.width"),
        ({"frame": {"columns": 64, "rows": 64}}, "skin_too_many_cells", None),
        ({"frame": {"width": 100}}, "skin_sheet_size", None),
        ({"animations": []}, "skin_field", "animations"),
        ({"animations": {"a": 5}}, "skin_field", "animations.a"),
        ({"animations": {"a": {"frames": []}}}, "skin_field", "animations.a.frames"),
        ({"animations": {"a": {"frames": [True]}}}, "skin_field", "animations.a.frames"),
        ({"animations": {"a": {"frames": [72]}}}, "skin_frame_range", None),
        ({"animations": {"a": {"frames": [-1]}}}, "skin_frame_range", None),
        ({"animations": {"a": {"frames": [1], "fps": 0}}}, "skin_field", "animations.a.fps"),
        ({"animations": {"a": {"frames": [1], "fps": 61}}}, "skin_field", "animations.a.fps"),
        ({"spritesheetPath": "../cat.webp"}, "skin_path", None),
        ({"spritesheetPath": "/etc/passwd"}, "skin_path", None),
        ({"spritesheetPath": "C:\\cat.webp"}, "skin_path", None),
        ({"spritesheetPath": "a\\..\\cat.webp"}, "skin_path", None),
        ({"spritesheetPath": "C:cat.webp"}, "skin_path", None),
        ({"spritesheetPath": ""}, "skin_path", None),
        ({"spritesheetPath": "gone.webp"}, "skin_picture_missing", None),
    ],
)
def test_each_fault_of_the_manifest_has_its_name(
    tmp_path: Path, said: dict[str, object], code: str, field: str | None
) -> None:
    folder = put_skin(tmp_path / "cat", as_bytes(draw_sheet()), **said)
    problem = refused(folder)
    assert problem.error_code == code
    assert problem.args_.get("field") == field
    seen = read_summary(SkinFolder(id="cat", folder=folder, origin="shared")).problem
    assert seen is not None
    assert seen.code == code


@pytest.mark.parametrize("text", [b"", b"[]", b"{", b"\xff\xfe{}", b"[" * 30_000])
def test_a_manifest_that_is_none(tmp_path: Path, text: bytes) -> None:
    folder = put_skin(tmp_path / "cat", as_bytes(draw_sheet()))
    (folder / "pet.json").write_bytes(text)
    assert refused(folder).error_code == "skin_manifest_broken"


def test_a_manifest_that_is_too_large(tmp_path: Path) -> None:
    folder = put_skin(tmp_path / "cat", as_bytes(draw_sheet()), tags=["x" * 70_000])
    assert refused(folder).error_code == "skin_file_too_large"


def test_a_picture_of_the_wrong_size_is_told_the_right_ones(tmp_path: Path) -> None:
    problem = refused(put_skin(tmp_path / "cat", as_bytes(draw_sheet().crop((0, 0, 1000, 1000)))))
    assert problem.error_code == "skin_sheet_size"
    assert problem.args_ == {"width": 1000, "height": 1000, "wants": "1536 × 1872 / 1536 × 2288"}


@pytest.mark.parametrize("size", [(20_000, 20_000), (1536, 60_000)])
def test_a_picture_that_would_unpack_to_far_too_much_is_refused_by_its_header(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    folder = put_skin(tmp_path / "cat", png_header(*size))
    assert refused(folder).error_code == "skin_picture_too_large"


def test_a_300_mb_picture_is_not_even_opened(tmp_path: Path) -> None:
    folder = put_skin(tmp_path / "cat", b"")
    with (folder / "spritesheet.webp").open("r+b") as file:
        file.truncate(300 * 1024 * 1024)  # a sparse file: it takes no room
    assert refused(folder).error_code == "skin_file_too_large"


def test_broken_pictures(tmp_path: Path) -> None:
    whole = as_bytes(draw_sheet(), "PNG")
    broken = bytearray(whole)
    broken[len(whole) // 2 : len(whole) // 2 + 50] = b"\0" * 50
    for data, code in [
        (whole[: len(whole) // 2], "skin_picture_broken"),
        (bytes(broken), "skin_picture_broken"),
        (png_header(1536, 1872), "skin_picture_broken"),
        (b"GIF89a", "skin_picture_kind"),
        (b"<svg/>", "skin_picture_kind"),
        (b"", "skin_picture_kind"),
    ]:
        assert refused(put_skin(tmp_path / "cat", data)).error_code == code


def test_a_pet_that_has_no_resting_picture(tmp_path: Path) -> None:
    folder = put_skin(tmp_path / "cat", as_bytes(draw_sheet(without=("idle",))))
    assert refused(folder).error_code == "skin_idle_empty"


def test_a_sheet_with_a_background_is_noted(tmp_path: Path) -> None:
    skin = read(put_skin(tmp_path / "cat", as_bytes(draw_sheet().convert("RGB"))))
    assert [note.error_code for note in skin.notes] == ["skin_opaque"]


def test_hard_edges_are_told_from_soft_ones(tmp_path: Path) -> None:
    hard = draw_sheet()
    soft = hard.resize((hard.width * 2, hard.height * 2)).resize(hard.size).filter(ImageFilter.GaussianBlur(2))
    assert read(put_skin(tmp_path / "hard", as_bytes(hard))).pixelated
    assert not read(put_skin(tmp_path / "soft", as_bytes(soft))).pixelated


def test_a_link_in_the_folder_is_not_followed(tmp_path: Path) -> None:
    secret = tmp_path / "secret.webp"
    secret.write_bytes(as_bytes(draw_sheet()))
    folder = put_skin(tmp_path / "cat", b"")
    (folder / "spritesheet.webp").unlink()
    (folder / "spritesheet.webp").symlink_to(secret)
    assert refused(folder).error_code == "skin_link"
    (folder / "pet.json").unlink()
    (folder / "pet.json").symlink_to(tmp_path / "other.json")
    (tmp_path / "other.json").write_bytes(manifest())
    assert refused(folder).error_code == "skin_link"


def test_the_old_form_of_the_manifest(tmp_path: Path) -> None:
    folder = put_skin(tmp_path / "cat", as_bytes(draw_sheet()))
    (folder / "pet.json").rename(folder / "avatar.json")
    assert read(folder).name == "Cat"
