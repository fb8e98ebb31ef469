"""Cards through the commands: looked at, taken in on top of what was seen, and given back."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from types import SimpleNamespace

import pytest

from pet.errors import BadArguments, FileBroken, PetNameRefused
from pet.extras.imports.card import CardRefused, png_with, read_card
from pet.extras.imports.commands import CardCommands
from pet.extras.imports.importer import Importer
from pet.model import Author, Present
from pet.paths import Home
from pet.services.file_transfer import GivenFile
from pet.workspace.pet_registry import list_ids
from pet.workspace.store import WorkspaceStore
from tests.extras.imports.conftest import card_pet
from tests.extras.imports.test_cards import V2, png


@pytest.fixture
def downloads(tmp_path: Path) -> Path:
    return tmp_path / "downloads"


@pytest.fixture
def cards(store: WorkspaceStore, downloads: Path, importer: Importer) -> CardCommands:
    wardrobe = SimpleNamespace(shelf=None, portrait=lambda: None)
    return CardCommands(card_pet(store, wardrobe, downloads, name="Mo/mo"), importer)


def given(content: bytes, name: str = "c:\\cards\\momo.png") -> GivenFile:
    text = base64.b64encode(content).decode()
    return GivenFile(name=name, data=[text[at : at + 1000] for at in range(0, len(text), 1000)])


def soul(store: WorkspaceStore) -> Present:
    state = store.read("SOUL.md")
    assert isinstance(state, Present)
    return state


PICTURE = png()
PNG = png_with(PICTURE, {b"chara": V2})


@pytest.mark.parametrize(
    ("content", "declared"),
    [
        (PNG, True),
        (json.dumps(V2).encode(), True),
        (json.dumps({"name": "Momo", "first_mes": "Hello"}).encode(), True),  # version 1
        (b'{"name": "left-pad", "version": "1.3.0"}', False),
    ],
)
def test_a_preview_says_whether_the_file_calls_itself_a_card(
    cards: CardCommands, content: bytes, declared: bool
) -> None:
    assert cards.preview_card(file=given(content)).declared is declared


def test_a_card_can_become_a_pet_of_its_own(cards: CardCommands, store: WorkspaceStore, home: Home) -> None:
    before = soul(store)
    expected = cards.preview_card(file=given(PNG)).soul
    cards.create_pet_from_card(file=given(PNG))
    made = home.workspace("momo-2")  # this pet's folder is "momo"
    assert (made / "SOUL.md").read_text() == expected
    assert "SYSTEM" not in expected
    assert (made / "card.png").read_bytes() == PNG
    assert soul(store) == before


def test_a_card_whose_name_no_pet_can_have_leaves_none_behind(cards: CardCommands, home: Home) -> None:
    turned = json.dumps({"spec": "chara_card_v2", "data": {"name": "Mo\u202emo"}}).encode()
    with pytest.raises(PetNameRefused):
        cards.create_pet_from_card(file=given(turned))
    assert list_ids(home) == ["momo"]


def test_a_preview_shows_the_whole_soul_and_changes_nothing(cards: CardCommands, store: WorkspaceStore) -> None:
    before = soul(store)
    seen = cards.preview_card(file=given(PNG))
    assert (seen.name, seen.file, seen.base) == ("Momo", "momo.png", before.version)
    assert seen.notes == "NOTES"
    assert "NOTES" not in seen.soul
    assert seen.has_instructions
    assert "SYSTEM" not in seen.soul
    assert seen.greetings[0].startswith("Hello {{user}}, I am Momo")
    assert "".join(f"{line.text}\n" for line in seen.diff.lines if line.kind != "removed") == seen.soul
    assert "SYSTEM" in cards.preview_card(file=given(PNG), instructions=True).soul
    assert soul(store) == before
    assert not (store.root / "card.json").exists()


def test_import_writes_the_soul_as_the_owner_and_export_gives_the_same_bytes_back(
    cards: CardCommands, store: WorkspaceStore, downloads: Path
) -> None:
    seen = cards.preview_card(file=given(PNG))
    reply = cards.import_card(file=given(PNG), base=seen.base)
    assert reply.outcome == "saved"
    assert reply.file.text == seen.soul
    assert store.history("SOUL.md")[0].author is Author.OWNER
    first, second = cards.export_card().path, cards.export_card().path
    assert [Path(first).name, Path(second).name] == ["Mo mo.png", "Mo mo (2).png"]
    assert Path(first).read_bytes() == PNG
    assert cards.import_card(file=given(PNG), base=reply.file.version).outcome == "unchanged"


def test_an_edited_soul_is_exported_in_the_description_of_the_same_file(
    cards: CardCommands, store: WorkspaceStore
) -> None:
    cards.import_card(file=given(PNG), base=soul(store).version)
    store.write("SOUL.md", "# Momo\n\nAn owl now.\n", base=soul(store).version, author=Author.OWNER)
    read = read_card(Path(cards.export_card().path).read_bytes())
    assert read.carrier == "png"
    assert read.card.text("description") == "# Momo\n\nAn owl now.\n"
    assert read.card.text("first_mes") == V2["data"]["first_mes"]


def test_a_soul_that_changed_since_the_preview_is_not_written_over(
    cards: CardCommands, store: WorkspaceStore
) -> None:
    seen = cards.preview_card(file=given(PNG))
    store.write("SOUL.md", "# Mine\n", base=seen.base, author=Author.OWNER)
    reply = cards.import_card(file=given(PNG), base=seen.base)
    assert (reply.outcome, reply.file.text) == ("conflict", "# Mine\n")
    assert soul(store).text == "# Mine\n"
    assert not (store.root / "card.json").exists()


def test_a_pet_without_a_card_is_exported_as_a_new_one(cards: CardCommands, store: WorkspaceStore) -> None:
    file = Path(cards.export_card().path)
    made = json.loads(file.read_bytes())
    assert (file.suffix, made["spec"], made["data"]["name"]) == (".json", "chara_card_v3", "Mo/mo")
    assert made["data"]["description"] == soul(store).text


def test_what_is_no_card_or_no_base64_and_a_broken_soul_are_refused(
    cards: CardCommands, store: WorkspaceStore
) -> None:
    with pytest.raises(CardRefused):
        cards.preview_card(file=given(PICTURE))
    with pytest.raises(BadArguments):
        cards.preview_card(file=GivenFile(name="a", data=["no base64!"]))
    (store.root / "SOUL.md").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(FileBroken):
        cards.preview_card(file=given(PNG))
    with pytest.raises(FileBroken):
        cards.export_card()


def test_a_card_whose_text_grows_without_bound_is_refused_and_nothing_is_changed(
    cards: CardCommands, store: WorkspaceStore
) -> None:
    before, data = soul(store), {**V2["data"], "name": "N" * 30_000}
    for field in ("first_mes", "description"):
        file = given(json.dumps({**V2, "data": data | {field: "{{char}}" * 4_000}}).encode(), "momo.json")
        with pytest.raises(CardRefused) as refused:
            cards.preview_card(file=file)
        assert refused.value.problem == "too_long"
    with pytest.raises(CardRefused) as refused:
        cards.import_card(file=file, base=before.version)
    assert refused.value.problem == "too_long"
    assert soul(store) == before


def test_a_preview_brings_the_page_no_more_than_a_page_can_show(cards: CardCommands) -> None:
    """A file of 7 KB may unpack to 7 MB of notes, or to 400,000 greetings."""
    data = {**V2["data"], "creator_notes": "n" * 1_000_000, "alternate_greetings": ["Hi"] * 100_000}
    shown = cards.preview_card(file=given(json.dumps({**V2, "data": data}).encode(), "momo.json"))
    assert (len(shown.notes), len(shown.greetings)) == (20_000, 100)
    with pytest.raises(CardRefused):
        cards.preview_card(file=given(json.dumps({**V2, "data": data | {"name": "n" * 2_000_000}}).encode()))


def test_a_kept_card_whose_greetings_grow_without_bound_greets_with_none(
    cards: CardCommands, store: WorkspaceStore
) -> None:
    data = {**V2["data"], "name": "N" * 30_000, "first_mes": "{{char}}" * 4_000}
    cards.import_card(file=given(json.dumps({**V2, "data": data}).encode(), "momo.json"), base=soul(store).version)
    assert cards.get_greeting().text == ""


def test_a_pet_from_a_card_greets_with_its_words_until_its_soul_is_another(
    cards: CardCommands, store: WorkspaceStore
) -> None:
    assert cards.get_greeting().text == ""
    data = {**V2["data"], "first_mes": "Hello {{user}}, I am {{char}}! <script>alert(1)</script>"}
    content = json.dumps({**V2, "data": data}).encode()
    cards.import_card(file=given(content, "momo.json"), base=soul(store).version)
    assert cards.get_greeting().text == "Hello you, I am Momo! <script>alert(1)</script>"
    store.write("SOUL.md", "# Somebody else\n", base=soul(store).version, author=Author.OWNER)
    assert cards.get_greeting().text == ""
