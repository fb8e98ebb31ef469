"""A card's pictures: found wherever they travel, bounded, never fetched; worn when the owner ticks it; and a pet
without a card given away in a picture of itself."""

from __future__ import annotations

import base64
import io
import json
import zipfile
from pathlib import Path

import pytest
from PIL import Image

from pet.errors import SkinRefused
from pet.events import Event, PetsChanged, SettingsChanged
from pet.extras.imports import card as pictures
from pet.extras.imports.card import card_images, png_with, read_card
from pet.extras.imports.commands import CardCommands
from pet.extras.imports.importer import Importer
from pet.model import Author
from pet.paths import Home
from pet.services.core_files import soul_now
from pet.services.home import wardrobe_for
from pet.skins.selection import SkinSelector
from pet.workspace.store import WorkspaceStore
from tests.extras.imports.conftest import card_pet
from tests.extras.imports.test_card_commands import given
from tests.extras.imports.test_cards import DATA, V2, V3, chunk, png
from tests.extras.skins.drawing import as_bytes, blot, draw_sheet, png_header, put_skin
from tests.support.clocks import DayClock

HAPPY, SAD, REST = (blot(colour=(90, 140, each, 255)) for each in (10, 110, 210))


def asset(kind: str, name: str, uri: str) -> dict[str, str]:
    return {"type": kind, "name": name, "uri": uri, "ext": "png"}


def card_with(*assets: object) -> bytes:
    return json.dumps({**V3, "data": {**DATA, "assets": list(assets)}}).encode()


def charx(card: bytes, files: dict[str, bytes]) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("card.json", card)
        for name, data in files.items():
            archive.writestr(name, data)
    return made.getvalue()


def address(data: bytes) -> str:
    return "data:image/png;base64," + base64.b64encode(data).decode()


DRESSED = charx(
    card_with(
        asset("icon", "main", "embeded://assets/icon/main.png"),
        asset("emotion", "neutral", "embeded://assets/emotion/neutral.png"),
        asset("emotion", "happy", "embedded://assets/emotion/happy.png"),
        asset("emotion", "sad", "embeded://assets/emotion/sad.png"),
        asset("emotion", "angry", "https://example.org/angry.png"),
        asset("emotion", "a secret", "embeded://card.json"),
        asset("background", "room", "embeded://assets/emotion/sad.png"),
    ),
    {
        "assets/icon/main.png": blot((300, 200)),
        "assets/emotion/neutral.png": REST,
        "assets/emotion/happy.png": HAPPY,
        "assets/emotion/sad.png": SAD,
    },
)


@pytest.fixture
def events() -> list[Event]:
    return []


@pytest.fixture
def wardrobe(home: Home, store: WorkspaceStore, tmp_path: Path) -> SkinSelector:
    return wardrobe_for(home, store.root, DayClock(), {"CODEX_HOME": str(tmp_path / "none")})


@pytest.fixture
def cards(
    store: WorkspaceStore, wardrobe: SkinSelector, events: list[Event], tmp_path: Path, importer: Importer
) -> CardCommands:
    pet = card_pet(store, wardrobe, tmp_path / "downloads", events.append)
    return CardCommands(pet, importer, pick=lambda count: count - 1)


# --- where they are found -------------------------------------------------------------------------


def test_a_zip_brings_icon_and_emotions_and_what_lies_elsewhere_is_only_counted() -> None:
    found = card_images(read_card(DRESSED))
    assert found.portrait == blot((300, 200))
    assert found.emotions == {"neutral.png": REST, "happy.png": HAPPY, "sad.png": SAD}
    assert found.remote == 1


def test_a_picture_is_its_own_portrait_and_may_carry_others_in_text_chunks() -> None:
    card = json.loads(card_with(asset("emotion", "happy", "__asset:0"), asset("emotion", "sad", address(SAD))))
    extra = chunk(b"tEXt", b"chara-ext-asset_:0\0" + base64.b64encode(HAPPY))
    content = png_with(png(extra), {b"ccv3": card})
    found = card_images(read_card(content))
    assert found.portrait == content
    assert found.emotions == {"happy.png": HAPPY, "sad.png": SAD}
    icon = {**V3, "data": {**DATA, "assets": [asset("icon", "main", "ccdefault:")]}}
    content = png_with(REST, {b"ccv3": icon})
    assert card_images(read_card(content)).portrait == content


# --- hostile ones ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "uri",
    [
        "embeded://../../../etc/passwd", "embeded:///etc/passwd", "embeded://nothing.png", "embeded://card.json",
        "file:///etc/passwd", "data:text/html;base64,PGI+", "data:image/png;base64,%%%", "javascript:alert(1)",
        "data:image/svg+xml;base64," + base64.b64encode(b"<svg onload='alert(1)'/>").decode(), "__asset:9", "",
    ],
)  # fmt: skip
def test_an_address_that_names_no_picture_in_the_card_is_none(uri: str) -> None:
    content = charx(card_with(asset("emotion", "happy", uri)), {})
    assert card_images(read_card(content)) == pictures.CardPictures()


def test_assets_of_wrong_types_are_passed_over_and_names_become_plain_files() -> None:
    wrong = [
        None,
        7,
        "x",
        {"type": ["icon"], "uri": {"a": 1}},
        {"type": "emotion", "uri": address(HAPPY), "name": None},
    ]
    named = asset("emotion", "../../<img src=x>\0sad", address(SAD))
    found = card_images(read_card(card_with(*wrong, named)))
    assert found.emotions == {"normal.png": HAPPY, "img_src_x_sad.png": SAD}
    assert card_images(read_card(json.dumps({**V3, "data": {**DATA, "assets": {"a": 1}}}).encode())).files == {}


def test_pictures_are_bounded_in_number_and_size(monkeypatch: pytest.MonkeyPatch) -> None:
    many = [asset("emotion", f"happy{number}", address(HAPPY)) for number in range(500)]
    assert len(card_images(read_card(card_with(*many))).emotions) == 48
    bomb = charx(
        card_with(asset("emotion", "happy", "embeded://bomb.png"), asset("emotion", "sad", "embeded://sad.png")),
        {"bomb.png": b"\x89PNG" + bytes(40_000_000), "sad.png": SAD},
    )
    assert len(bomb) < 100_000
    assert card_images(read_card(bomb)).emotions == {"sad.png": SAD}
    monkeypatch.setattr(pictures, "PICTURE_BYTES", len(HAPPY) - 1)
    assert card_images(read_card(card_with(asset("emotion", "happy", address(HAPPY))))).emotions == {}


def test_a_picture_packed_in_a_way_that_takes_any_memory_is_none() -> None:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as packed:
        packed.writestr("happy.png", HAPPY, compress_type=zipfile.ZIP_LZMA)
        packed.writestr("sad.png", SAD)
        moods = (asset("emotion", mood, f"embeded://{mood}.png") for mood in ("happy", "sad"))
        packed.writestr("card.json", card_with(*moods))
    content = bytearray(made.getvalue())
    start = content.find(b"happy.png") + len(b"happy.png") + 9  # behind the packing's own header
    content[start : start + 20] = bytes(each ^ 0xFF for each in content[start : start + 20])
    assert card_images(read_card(bytes(content))).emotions == {"sad.png": SAD}


def test_a_zip_of_very_many_files_is_read_through_once_and_a_card_full_of_bombs_unpacks_no_more_than_it_may(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(pictures, "_ALL_BYTES", 1_000_000)
    names = [f"mood{number}" for number in range(20)]
    bombs = {f"{name}.png": b"\x89PNG" + bytes(400_000) for name in names}
    read = read_card(charx(card_with(*(asset("emotion", each, f"embeded://{each}.png") for each in names)), bombs))
    opened, unpacked = list[object](), list[int]()

    class Counted(zipfile.ZipFile):
        def __init__(self, file: io.BytesIO) -> None:
            opened.append(self)
            super().__init__(file)

    whole = zipfile.ZipExtFile.read

    def counted(member: zipfile.ZipExtFile, size: int | None = -1) -> bytes:
        data = whole(member, size)
        unpacked.append(len(data))
        return data

    monkeypatch.setattr(zipfile, "ZipFile", Counted)
    monkeypatch.setattr(zipfile.ZipExtFile, "read", counted)
    assert len(card_images(read).emotions) == 2
    assert len(opened) == 1
    assert sum(unpacked) < 2_000_000


def test_a_zip_in_a_zip_is_no_picture_and_a_picture_that_lies_of_its_size_is_not_unpacked(
    cards: CardCommands,
) -> None:
    huge, nested = png_header(60_000, 60_000), charx(b"{}", {"a": b"b"})
    content = charx(
        card_with(
            asset("icon", "main", "embeded://huge.png"),
            asset("emotion", "happy", "embeded://nested.png"),
            asset("emotion", "sad", "embeded://cut.png"),
        ),
        {"huge.png": huge, "nested.png": nested, "cut.png": SAD[:60]},
    )
    seen = cards.preview_card(file=given(content, "evil.charx"))
    assert (seen.portrait, seen.pictures) == ("", [])
    before = seen.base
    with pytest.raises(SkinRefused):
        cards.import_card(file=given(content), base=before, pictures=True)
    again = cards.preview_card(file=given(content))
    assert again.base == before, "nothing is half taken in"


def test_the_page_gets_small_copies_drawn_anew(cards: CardCommands) -> None:
    hidden = png_with(Image_with_text(), {b"chara": V2})
    seen = cards.preview_card(file=given(hidden))
    data = base64.b64decode(seen.portrait.removeprefix("data:image/webp;base64,"))
    assert b"<script>" in hidden
    assert b"<script>" not in data
    assert max(Image.open(io.BytesIO(data)).size) == 160


def Image_with_text() -> bytes:  # noqa: N802 -- a picture, named like what it makes
    picture = as_bytes(Image.new("RGB", (900, 600), "#98c8a8"), "PNG")
    return picture[:-12] + chunk(b"tEXt", b"Comment\0<script>alert(1)</script>") + picture[-12:]


# --- worn, and given away -------------------------------------------------------------------------


def test_a_ticked_card_dresses_the_pet_and_its_export_is_still_the_same_bytes(
    cards: CardCommands, wardrobe: SkinSelector, events: list[Event]
) -> None:
    seen = cards.preview_card(file=given(DRESSED, "momo.charx"))
    assert [each.name for each in seen.pictures] == ["neutral", "happy", "sad"]
    assert seen.remote_pictures == 1
    cards.import_card(file=given(DRESSED, "momo.charx"), base=seen.base, pictures=True)
    worn = wardrobe.worn()
    assert worn.skin is not None
    assert (worn.skin.name, wardrobe.shelf.folder(worn.id).parent.name) == ("Momo", "skins")
    idle, happy = worn.skin.animation("idle"), worn.skin.animation("jumping")
    assert idle is not None
    assert happy is not None
    assert len(idle.frames) == 1, "the portrait is another picture than the face at rest"
    assert idle.frames != happy.frames
    assert SettingsChanged() in events
    assert Path(cards.export_card().path).read_bytes() == DRESSED


def test_an_unticked_card_leaves_the_skin_alone(
    cards: CardCommands, wardrobe: SkinSelector, events: list[Event]
) -> None:
    seen = cards.preview_card(file=given(DRESSED))
    cards.import_card(file=given(DRESSED), base=seen.base)
    assert (wardrobe.worn().skin, events) == (None, [])


def test_a_pet_made_of_a_card_wears_its_pictures_and_the_open_one_does_not(
    cards: CardCommands, wardrobe: SkinSelector, events: list[Event], home: Home
) -> None:
    cards.create_pet_from_card(file=given(DRESSED, "momo.charx"), pictures=True)
    made = wardrobe_for(home, home.workspace("momo-2"), DayClock(), {}).worn()
    assert made.skin is not None
    assert made.skin.name == "Momo"
    assert (wardrobe.worn().skin, events) == (None, [PetsChanged()])


def test_an_edited_soul_keeps_every_picture_of_the_card(cards: CardCommands, store: WorkspaceStore) -> None:
    cards.import_card(file=given(DRESSED), base=soul_now(store).version)
    store.write("SOUL.md", "# Momo\n\nAn owl.\n", base=soul_now(store).version, author=Author.OWNER)
    read = read_card(Path(cards.export_card().path).read_bytes())
    assert read.card.text("description") == "# Momo\n\nAn owl.\n"
    assert card_images(read) == card_images(read_card(DRESSED))


def test_a_pet_without_a_card_is_given_away_in_a_picture_of_what_it_wears(
    cards: CardCommands, store: WorkspaceStore, wardrobe: SkinSelector, home: Home
) -> None:
    put_skin(home.data / "skins" / "cat", as_bytes(draw_sheet()))
    wardrobe.choose("cat")
    file = Path(cards.export_card().path)
    content = file.read_bytes()
    assert file.name == "Momo.png"
    assert Image.open(io.BytesIO(content)).size == (192, 208)
    assert b"ccv3\0" in content
    assert b"chara\0" in content
    read = read_card(content)
    assert (read.card.spec, read.card.name) == ("v3", "Momo")
    assert read.card.text("description") == soul_now(store).text
    assert card_images(read).portrait == content


def test_the_first_words_may_take_turns(cards: CardCommands, store: WorkspaceStore) -> None:
    data = {**V2["data"], "first_mes": "Hello.", "alternate_greetings": ["Hi {{user}}.", "It rains."]}
    content = json.dumps({**V2, "data": data}).encode()
    cards.import_card(file=given(content, "m.json"), base=soul_now(store).version)
    assert cards.get_greeting().text == "Hello."
    assert "It rains." not in soul_now(store).text
    cards.import_card(file=given(content, "m.json"), base=soul_now(store).version, each_greeting=True)
    assert cards.get_greeting().text == "It rains."
