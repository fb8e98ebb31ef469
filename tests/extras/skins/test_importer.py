"""Skins from outside: zips, Shimeji sets, mood pictures: taken in, kept, exported, deleted; hostile ones refused."""

from __future__ import annotations

import io
import json
import struct
import zipfile
from pathlib import Path

import pytest

from pet.errors import SkinRefused
from pet.extras.skins.image_sets import Pose, meaning_of, read_actions
from pet.extras.skins.importer import SkinZip, slug, take_pictures, take_zip
from pet.extras.skins.library import SkinFolder, SkinLibrary, foreign_folders, read_pixels
from pet.skins.model import DRAWN, OWN
from tests.extras.skins.drawing import as_bytes, blot, draw_sheet, manifest, png_header, put_skin, zipped

SHEET = as_bytes(draw_sheet())


@pytest.fixture
def shelf(tmp_path: Path) -> SkinLibrary:
    put_skin(
        tmp_path / "built",
        as_bytes(draw_sheet(version=2), "PNG"),
        "spritesheet.png",
        id=DRAWN,
        displayName="Soulpet",
        spritesheetPath="spritesheet.png",
        spriteVersionNumber=2,
    )
    return SkinLibrary(
        workspace=tmp_path / "pets" / "bun",
        shared=tmp_path / "skins",
        foreign=foreign_folders({}, tmp_path / "home"),
        drawn=tmp_path / "built",
    )


def refused(data: bytes) -> SkinRefused:
    with pytest.raises(SkinRefused) as caught:
        take_zip("cat.zip", data)
    return caught.value


# --- Codex pets ---------------------------------------------------------------------------------


@pytest.mark.parametrize("folder", ["", "cat/"])
def test_a_zip_at_its_root_or_in_one_folder(shelf: SkinLibrary, folder: str) -> None:
    data = zipped({f"{folder}pet.json": manifest(tags=["x"]), f"{folder}spritesheet.webp": SHEET, "__MACOSX/a": b"x"})
    skin = shelf.take_in(take_zip("Some Cat.zip", data))
    assert (skin.id, skin.name, skin.manifest["tags"]) == ("cat", "Cat", ["x"])
    assert [each.id for each in shelf.summaries()] == [DRAWN, "cat"]
    again = shelf.take_in(take_zip("Some Cat.zip", data))
    assert again.id == "cat-2"
    assert not list((skin.sheet.parent.parent).glob(".new-*"))


def test_nothing_is_kept_of_a_pet_that_can_not_be_worn(shelf: SkinLibrary, tmp_path: Path) -> None:
    taken = take_zip("cat.zip", zipped({"pet.json": manifest(), "spritesheet.webp": SHEET[:5000]}))
    with pytest.raises(SkinRefused) as caught:
        shelf.take_in(taken)
    assert caught.value.error_code == "skin_picture_broken"
    assert list((tmp_path / "skins").iterdir()) == []


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("../evil.png", "skin_zip_escape"),
        ("a/../../evil.png", "skin_zip_escape"),
        ("/evil.png", "skin_zip_escape"),
        ("C:/evil.png", "skin_zip_escape"),
        ("a\\..\\evil.png", "skin_zip_escape"),
    ],
)
def test_a_zip_with_a_way_out_is_refused(name: str, code: str) -> None:
    assert refused(zipped({"pet.json": manifest(), "spritesheet.webp": SHEET, name: b"x"})).error_code == code


def test_a_link_in_a_zip_is_refused() -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as target:
        target.writestr("pet.json", manifest())
        link = zipfile.ZipInfo("spritesheet.webp")
        link.external_attr = 0o120777 << 16
        target.writestr(link, "/etc/passwd")
    assert refused(out.getvalue()).error_code == "skin_zip_link"


def test_zip_bombs_are_refused() -> None:
    flat = zipped({"pet.json": manifest(), "spritesheet.webp": bytes(200 * 1024 * 1024)})
    assert len(flat) < 1024 * 1024
    assert refused(flat).error_code == "skin_zip_too_large"
    assert refused(zipped({f"{number}.png": b"" for number in range(3000)})).error_code == "skin_zip_too_large"


def test_long_list_of_a_zip_is_not_parsed(monkeypatch: pytest.MonkeyPatch) -> None:
    """61 MB of a list took 0.55 GB before its entries were counted."""
    many = zipped({f"{number}.png": b"" for number in range(3000)})
    monkeypatch.setattr(zipfile.ZipFile, "__init__", lambda *_given: pytest.fail("the list was parsed"))
    assert refused(many).error_code == "skin_zip_too_large"


def test_credits_of_brackets_are_read_soon() -> None:
    files = {"pet.json": manifest(), "spritesheet.webp": SHEET, "LICENSE": b"[](" * 20_000}
    assert "pet.json" in take_zip("cat.zip", zipped(files)).files


def test_zip_with_false_sizes_is_limited() -> None:
    data = bytearray(zipped({"pet.json": manifest(), "spritesheet.webp": bytes(40 * 1024 * 1024)}))
    place = data.rindex(b"PK\x01\x02")  # the directory's entry of the sheet: says it is small
    struct.pack_into("<I", data, place + 24, 1000)
    assert refused(bytes(data)).error_code in ("skin_zip_broken", "skin_picture_kind", "skin_picture_broken")


def test_encrypted_and_broken_zips_have_distinct_errors() -> None:
    data = bytearray(zipped({"pet.json": manifest()}))
    data[data.index(b"PK\x01\x02") + 8] |= 1
    assert refused(bytes(data)).error_code == "skin_zip_encrypted"
    assert refused(b"PK\x03\x04 nothing").error_code == "skin_zip_broken"
    assert refused(b"").error_code == "skin_zip_broken"
    assert refused(zipped({"readme.txt": b"hello"})).error_code == "skin_nothing_known"
    broken = bytearray(zipped({"pet.json": manifest(), "spritesheet.webp": SHEET}))
    broken[60:90] = b"\0" * 30
    assert refused(bytes(broken)).error_code == "skin_zip_broken"


@pytest.mark.parametrize("packing", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_unusual_packing_is_refused(packing: int) -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", packing) as target:
        target.writestr("pet.json", manifest())
    assert refused(out.getvalue()).error_code == "skin_zip_packing"


def test_the_manifest_of_a_zip_may_not_point_out_of_it() -> None:
    data = zipped({"a/pet.json": manifest(spritesheetPath="../spritesheet.webp"), "spritesheet.webp": SHEET})
    assert refused(data).error_code == "skin_path"


def test_a_huge_picture_in_a_zip_is_refused_by_its_header(shelf: SkinLibrary) -> None:
    taken = take_zip("cat.zip", zipped({"pet.json": manifest(), "spritesheet.webp": png_header(30_000, 30_000)}))
    with pytest.raises(SkinRefused) as caught:
        shelf.take_in(taken)
    assert caught.value.error_code == "skin_picture_too_large"


# --- Shimeji ------------------------------------------------------------------------------------

ACTIONS = b"""<?xml version="1.0"?>
<Mascot xmlns="http://www.group-finity.com/Mascot"><ActionList>
 <Action Name="Stand" Type="Stay"><Animation><Pose Image="/shime1.png" Duration="250" /></Animation></Action>
 <Action Name="Walk" Type="Move"><Animation Condition="#{print('x')}">
   <Pose Image="/shime1.png" Velocity="-2,0" Duration="6" /><Pose Image="/shime2.png" Duration="6" />
   <Pose Image="/shime99.png" Duration="6" /></Animation>
   <Animation Condition="#{true}"><Pose Image="/shime3.png" Duration="9" /></Animation></Action>
 <Action Name="Fall" Type="Sequence"><ActionReference Name="Falling" InitialVX="${mascot.x}"/></Action>
</ActionList></Mascot>"""


def test_a_shimeji_set_becomes_a_pet(shelf: SkinLibrary) -> None:
    pictures = {f"Pack/img/Miku/shime{number}.png": blot() for number in (1, 2, 3, 5, 6, 11, 18, 19, 20, 21, 22, 26)}
    data = zipped(
        {
            **pictures,
            "Pack/img/unused/shime1.png": b"",
            "Pack/img/Rin/shime1.png": blot(),
            "Pack/conf/actions.xml": ACTIONS,
        }
    )
    taken = take_zip("miku.zip", data)
    assert [(note.error_code, note.args_) for note in taken.notes] == [("skin_more_sets", {"count": 1})]
    skin = shelf.take_in(taken)
    assert (skin.id, skin.name, skin.version) == ("miku", "Miku", 1)
    names = {each.name for each in skin.animations}
    assert {"idle", "running-left", "running-right", "jumping", "failed", "waiting", "carried", "asleep"} <= names
    walk, asleep = skin.animation("running-left"), skin.animation("asleep")
    assert walk is not None
    assert asleep is not None
    assert walk.frames == (16, 17)  # picture 99 is not there, and the second animation's condition is never looked at
    assert walk.milliseconds == (240, 240)
    assert asleep.frames[0] % 8 >= 4  # in a cell that no row of the format shows


def test_a_shimeji_faces_left_and_is_mirrored_for_the_other_way(shelf: SkinLibrary, tmp_path: Path) -> None:
    from PIL import Image

    left = Image.new("RGBA", (128, 128))
    left.paste((255, 0, 0, 255), (0, 64, 40, 128))
    skin = shelf.take_in(
        take_pictures("x", {"shime1.png": as_bytes(left, "PNG"), "shime2.png": as_bytes(left, "PNG")})
    )
    _, sheet = read_pixels(SkinFolder(id="x", folder=skin.sheet.parent, origin="shared"))

    def reddest(animation: str) -> int:
        found = skin.animation(animation)
        assert found is not None
        cell = found.frames[0]
        box = sheet.crop(((cell % 8) * 192, (cell // 8) * 208, (cell % 8 + 1) * 192, (cell // 8 + 1) * 208)).getbbox()
        assert box is not None
        assert box[3] == 208  # stands on the ground
        return (box[0] + box[2]) // 2

    assert reddest("running-left") < 96 < reddest("running-right")


def test_actions_are_read_without_running_anything_in_them() -> None:
    assert read_actions(ACTIONS)["Walk"] == (Pose(1, 6), Pose(2, 6), Pose(99, 6))
    bomb = b'<!DOCTYPE a [<!ENTITY b "bb"><!ENTITY c "&b;&b;">]><Mascot>&c;</Mascot>'
    assert read_actions(bomb) == {}
    assert read_actions(b"<Mascot>") == {}
    assert read_actions(b"\0\0") == {}
    assert read_actions(b"<a>" * 20_000) == {}
    for encoding in (b"rot13", b"no-such", b"punycode", b"undefined"):
        assert read_actions(b'<?xml version="1.0" encoding="' + encoding + b'"?>' + ACTIONS.partition(b"?>")[2]) == {}


# --- mood pictures ------------------------------------------------------------------------------


def test_pictures_named_after_moods_become_a_pet(shelf: SkinLibrary) -> None:
    files = {"normal.png": blot(), "Bun_happy.webp": blot((100, 200)), "难过.png": blot(), "notes.txt": b"x"}
    skin = shelf.take_in(take_pictures("Bun", files))
    names = {each.name for each in skin.animations}
    assert {"idle", "jumping", "sad", "waving", "running", "review"} <= names
    assert skin.name == "Bun"
    assert skin.frame.width == 192


def test_large_pictures_get_a_sheet_of_twice_the_size(shelf: SkinLibrary) -> None:
    skin = shelf.take_in(take_pictures("Big", {"idle.png": blot((600, 900)), "happy.png": blot((600, 900))}))
    assert skin.frame.width == 384


def test_a_set_that_describes_itself(shelf: SkinLibrary) -> None:
    said = {"name": "Kumo", "author": "Lin", "moods": {"normal": "a.png", "smile": "b.png", "idle-1": "c.png"}}
    data = zipped({"k/skin.json": json.dumps(said).encode(), **{f"k/{each}.png": blot() for each in "abc"}})
    skin = shelf.take_in(take_zip("k.zip", data))
    assert (skin.name, skin.manifest["author"]) == ("Kumo", "Lin")
    idle = skin.animation("idle")
    assert idle is not None
    assert len(idle.frames) == 2
    said["moods"] = {"normal": "../../x.png"}
    escaping = zipped({"k/skin.json": json.dumps(said).encode()})
    assert refused(escaping).error_code == "skin_path"


@pytest.mark.parametrize(
    ("name", "meaning"),
    [
        ("happy.png", "jumping"),
        ("Bun_Happy.PNG", "jumping"),
        ("idle-2.png", "idle"),
        ("idle2.png", "idle"),
        ("neutral (1).png", "idle"),
        ("思考.webp", "running"),
        ("banner.png", None),
        ("unhappy.png", None),
    ],
)
def test_names_of_moods(name: str, meaning: str | None) -> None:
    assert meaning_of(name) == meaning


# --- the shelf ----------------------------------------------------------------------------------


def test_skins_of_other_programs_are_listed_and_not_deleted(shelf: SkinLibrary, tmp_path: Path) -> None:
    put_skin(tmp_path / "home" / ".codex" / "pets" / "dog", SHEET, displayName="Dog")
    put_skin(tmp_path / "home" / ".petdex" / "pets" / "dog", SHEET, displayName="Dog")
    put_skin(tmp_path / "pets" / "bun" / "skin", SHEET, displayName="Mine")
    (tmp_path / "skins" / "broken").mkdir(parents=True)
    seen = {each.id: each for each in shelf.summaries()}
    assert list(seen) == [DRAWN, OWN, "broken", "codex/dog", "petdex/dog"]
    broken = seen["broken"].problem
    assert broken is not None
    assert broken.code == "skin_no_manifest"
    assert shelf.read("codex/dog").name == "Dog"
    for skin_id in (DRAWN, OWN, "codex/dog"):
        with pytest.raises(SkinRefused) as caught:
            shelf.delete(skin_id)
        assert caught.value.error_code == "skin_not_deletable"
    shelf.delete("broken")
    assert not (tmp_path / "skins" / "broken").exists()


@pytest.mark.parametrize("skin_id", ["..", "../home", ".", "", "codex/../..", "cat\0"])
def test_an_id_never_becomes_a_path(shelf: SkinLibrary, tmp_path: Path, skin_id: str) -> None:
    (tmp_path / "home").mkdir()
    for act in (shelf.read, shelf.delete, shelf.export):
        with pytest.raises(SkinRefused) as caught:
            act(skin_id)
        assert caught.value.error_code == "skin_unknown"


def test_deleting_a_linked_skin_leaves_what_it_leads_to(shelf: SkinLibrary, tmp_path: Path) -> None:
    elsewhere = put_skin(tmp_path / "elsewhere", SHEET)
    (tmp_path / "skins").mkdir()
    (tmp_path / "skins" / "cat").symlink_to(elsewhere)
    shelf.delete("cat")
    assert (elsewhere / "pet.json").is_file()
    assert not (tmp_path / "skins" / "cat").is_symlink()


def test_an_export_is_a_codex_pet_and_comes_back_the_same(shelf: SkinLibrary, tmp_path: Path) -> None:
    first = shelf.take_in(take_zip("cat.zip", zipped({"pet.json": manifest(tags=["t"]), "spritesheet.webp": SHEET})))
    name, data = shelf.export(first.id)
    assert name == "cat.zip"
    assert shelf.export(first.id)[1] == data  # the same bytes each time
    zip_file = SkinZip(data)
    assert zip_file.names == ["pet.json", "spritesheet.webp"]
    assert zip_file.read("spritesheet.webp", 10**7) == SHEET
    again = shelf.take_in(take_zip(name, data))
    assert again.manifest["tags"] == ["t"]
    assert (again.animations, again.looks, again.version) == (first.animations, first.looks, first.version)


def test_the_drawn_one_is_exported_in_the_format_version_two(shelf: SkinLibrary) -> None:
    name, data = shelf.export(DRAWN)
    skin = shelf.take_in(take_zip(name, data))
    assert skin.version == 2
    assert len(skin.looks) == 16
    assert skin.id == "soulpet-2"  # its own id is taken for good
    assert SkinZip(data).read("spritesheet.webp", 10**7)[:4] == b"RIFF"


@pytest.mark.parametrize(
    ("name", "folder"),
    [("Miku Hatsune!", "miku-hatsune"), ("🐱", "skin"), ("../x", "x"), ("", "skin"), ("a" * 50, "a" * 32)],
)
def test_folder_names(name: str, folder: str) -> None:
    assert slug(name) == folder
