"""Character cards with files as other programs write them, made here byte by byte."""

from __future__ import annotations

import base64
import io
import json
import struct
import tracemalloc
import zipfile
import zlib
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pet.extras.imports.card import (
    MAX_CARD,
    MAX_FILE,
    MAX_TEXT,
    Card,
    CardRefused,
    card_with,
    filled,
    greetings,
    new_card,
    png_with,
    read_card,
    read_card_json,
    soul_text,
    with_card,
)
from pet.extras.imports.character_cards import read_stored_card, store_card
from pet.i18n import LANGUAGES, Texts

V1 = {
    "name": "Momo",
    "description": "{{char}} is a small fox. <BOT> likes {{user}}.",
    "personality": "curious",
    "scenario": "a desk",
    "first_mes": "Hello {{user}}, I am {{char}}.",
    "mes_example": "<START>\n{{user}}: Hi\n{{char}}: *wags*\n<START>\n{{user}}: Bye",
}
DATA: dict[str, Any] = {
    **V1,
    "creator_notes": "NOTES",
    "system_prompt": "SYSTEM {{original}}",
    "post_history_instructions": "POST",
    "alternate_greetings": ["Hey!", ""],
    "tags": ["fox", "cozy"],
    "creator": "someone",
    "character_version": "1.2",
    "extensions": {"other/program": {"depth": 4}},
    "character_book": {
        "entries": [
            {"content": "SECOND", "constant": True, "enabled": True, "insertion_order": 2, "keys": []},
            {"content": "FIRST", "constant": True, "enabled": True, "insertion_order": 1, "keys": []},
            {"content": "ONLY-IF", "constant": False, "enabled": True, "keys": ["x"]},
            {"content": "SWITCHED-OFF", "constant": True, "enabled": False, "keys": []},
        ]
    },
    "not_of_this_world": [1, 2],
}
V2: dict[str, Any] = {"spec": "chara_card_v2", "spec_version": "2.0", "data": DATA}
V3: dict[str, Any] = {
    "spec": "chara_card_v3",
    "spec_version": "3.0",
    "data": {**DATA, "nickname": "Mo", "source": ["a book"]},
}


def chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def packed(card: object) -> bytes:
    return base64.b64encode(json.dumps(card).encode())


def png(*texts: bytes) -> bytes:
    """A picture of one pixel with these chunks in it."""
    pixel = chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0)) + chunk(b"IDAT", zlib.compress(b"\0\x80"))
    return b"\x89PNG\r\n\x1a\n" + pixel + b"".join(texts) + chunk(b"IEND", b"")


def charx(card: bytes, **others: bytes) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("card.json", card)
        for name, data in others.items():
            archive.writestr(f"assets/{name}", data)
    return made.getvalue()


def problem(content: bytes) -> str:
    with pytest.raises(CardRefused) as refused:
        read_card(content)
    return refused.value.problem


@pytest.mark.parametrize(("raw", "spec"), [(V1, "v1"), (V2, "v2"), (V3, "v3")])
def test_each_specification_is_read(raw: dict[str, object], spec: str) -> None:
    read = read_card(json.dumps(raw).encode())
    assert (read.card.spec, read.card.newer, read.card.name, read.carrier) == (spec, False, "Momo", "json")


@pytest.mark.parametrize(
    "text",
    [
        chunk(b"tEXt", b"chara\0" + packed(V2)),
        chunk(b"zTXt", b"chara\0\0" + zlib.compress(packed(V2))),
        chunk(b"iTXt", b"chara\0\0\0\0\0" + packed(V2)),
        chunk(b"iTXt", b"chara\0\1\0en\0name\0" + zlib.compress(packed(V2))),
        chunk(b"tEXt", b"Chara\0" + packed(V2).rstrip(b"=") + b"\n"),
        chunk(b"tEXt", b"chara\0" + json.dumps(V2).encode()),
    ],
    ids=["text", "packed", "utf8", "packed utf8", "no padding", "no base64"],
)
def test_a_picture_may_carry_it_in_each_kind_of_text_chunk(text: bytes) -> None:
    read = read_card(png(chunk(b"tEXt", b"Software\0x"), text))
    assert (read.card.spec, read.carrier) == ("v2", "png")


def test_of_two_cards_in_a_picture_the_newer_one_is_read() -> None:
    both = png(chunk(b"tEXt", b"chara\0" + packed(V2)), chunk(b"tEXt", b"ccv3\0" + packed(V3)))
    assert read_card(both).card.spec == "v3"
    broken = png(chunk(b"tEXt", b"ccv3\0%%%"), chunk(b"tEXt", b"chara\0" + packed(V2)))
    assert read_card(broken).card.spec == "v2"


def test_a_zip_is_known_by_its_bytes_also_behind_a_picture() -> None:
    content = charx(json.dumps(V3).encode(), icon=b"picture")
    assert read_card(content).carrier == "charx"
    assert read_card(b"\xff\xd8\xff\xe0 a picture " + content).card.called == "Mo"


def test_a_version_of_the_future_is_read_and_said_so() -> None:
    assert read_card_json(json.dumps({**V3, "spec_version": "3.10"}).encode()).newer
    assert not read_card_json(json.dumps({**V2, "spec_version": "nan"}).encode()).newer
    future = read_card_json(json.dumps({"spec": "chara_card_v9", "data": DATA}).encode())
    assert future.newer
    assert future.name == "Momo"


def test_what_is_no_card_is_told_apart() -> None:
    assert problem(b"") == "not_json"
    assert problem(b"\xff\xfe{}") == "not_json"
    assert problem(b"[" * 100_000) == "not_json"
    assert problem(b"[]") == "no_card"
    assert problem(b"{}") == "no_name"
    assert problem(json.dumps({"data": {"name": 5}}).encode()) == "no_name"
    assert problem(png()) == "no_card"
    assert problem(png(chunk(b"tEXt", b"chara\0!!!!"))) == "not_json"
    assert problem(png()[:-20]) == "broken_png"
    assert problem(png(struct.pack(">I", 1 << 31) + b"tEXt")) == "broken_png"
    assert problem(b"PK\x03\x04 broken") == "broken_zip"
    assert problem(charx(b"{}")) == "no_name"


def test_what_unpacks_to_too_much_is_refused_before_it_does() -> None:
    bomb = zlib.compress(b"A" * (3 * MAX_CARD))
    assert problem(png(chunk(b"zTXt", b"chara\0\0" + bomb))) == "too_large"
    assert problem(charx(b" " * (MAX_CARD + 1))) == "too_large"
    assert problem(b" " * (MAX_FILE + 1)) == "too_large"
    assert problem(b" " * (MAX_CARD + 1)) == "too_large"


def test_the_soul_says_what_the_card_says_and_no_order_of_its_author() -> None:
    soul = soul_text(read_card_json(json.dumps(V3).encode()), "en")
    assert soul.startswith(
        "# Mo\n\n## Who I am\n\nMo is a small fox. Mo likes {{user}}.\n\n## Personality\n\ncurious"
    )
    assert "{{user}}: Hi\nMo: *wags*\n\n{{user}}: Bye" in soul
    assert soul.index("FIRST") < soul.index("SECOND")
    assert soul.endswith("- Made by: someone\n- Version: 1.2\n- Tags: fox, cozy\n- From: a book\n")
    for absent in ("SYSTEM", "POST", "NOTES", "ONLY-IF", "SWITCHED-OFF", "Hello", "<START>", "{{char}}"):
        assert absent not in soul


def test_instructions_come_along_only_on_the_owners_word() -> None:
    soul = soul_text(read_card_json(json.dumps(V2).encode()), "zh", instructions=True)
    assert "## 角色卡自带的指示\n\nSYSTEM\n\nPOST" in soul
    assert "NOTES" not in soul


def test_greetings_stay_out_of_the_soul_and_are_kept() -> None:
    card = read_card_json(json.dumps(V3).encode())
    assert greetings(card) == ("Hello {{user}}, I am Mo.", "Hey!")


def test_place_holders_of_other_programs_are_filled() -> None:
    card = read_card_json(json.dumps(V1).encode())
    text = "{{ CHAR }} {{// a note}}{{random:one,two}} {{pick::left::right}} {{comment: x}}<user>"
    assert filled(text, card) == "Momo one left {{user}}"


def test_a_place_holder_without_an_end_costs_no_time() -> None:
    text = "{{random:" + "a" * 1_000_000  # took hours
    assert filled(text, read_card_json(b'{"name": "A", "description": "d"}')) == text


def test_an_unchanged_card_comes_back_byte_for_byte(tmp_path: Path) -> None:
    content = png(chunk(b"tEXt", b"chara\0" + packed(V2)))
    store_card(tmp_path, read_card(content), "a version")
    found = read_stored_card(tmp_path)
    assert found is not None
    assert (found.read.content, found.read.carrier, found.soul) == (content, "png", "a version")
    other = json.dumps(V1).encode()
    store_card(tmp_path, read_card(other), "another")
    again = read_stored_card(tmp_path)
    assert again is not None
    assert again.read.content == other
    assert not (tmp_path / "card.png").exists()


NAME = "N" * 30_000
GROWING: dict[str, dict[str, object]] = {
    "description": {"description": "{{char}}" * 4_000},
    "nickname": {"name": "n", "nickname": NAME, "scenario": "<BOT>" * 6_000},
    "book": {"character_book": {"entries": [{"content": "{{ char }}", "constant": True}] * 800}},
    "little of each": dict.fromkeys(("description", "personality", "scenario", "mes_example"), "<CHAR>" * 10),
    "greetings": {"first_mes": "{{char}}" * 4_000},
    "many greetings": {"alternate_greetings": ["{{char}}"] * 90},
    "a name": {"name": "N" * MAX_TEXT},
    "tags": {"tags": ["t" * 100] * 11_000},
    "instructions": {"system_prompt": "{{char}}" * 4_000},
}


@pytest.mark.parametrize("of", GROWING)
def test_a_long_name_that_is_named_often_is_refused_before_it_is_filled_in(of: str) -> None:
    """It makes a text of the square of its size: 63 KB took 1 GB."""
    card = read_card_json(json.dumps({"spec": "chara_card_v2", "data": {"name": NAME, **GROWING[of]}}).encode())
    made = greetings if "greetings" in of else partial(soul_text, language="en", instructions=True)
    tracemalloc.start()
    try:
        with pytest.raises(CardRefused) as refused:
            made(card)
        assert tracemalloc.get_traced_memory()[1] < 8 * MAX_TEXT
    finally:
        tracemalloc.stop()
    assert refused.value.problem == "too_long"
    for language in LANGUAGES:
        assert " 1 MB" in Texts(language)(f"error.{refused.value.error_code}", **refused.value.args_)


def test_a_name_is_filled_in_up_to_the_limit() -> None:
    def card(name: str) -> Card:
        data = {"name": name, "description": "{{char}}" * 64, "first_mes": "{{char}}" * 64}
        return read_card_json(json.dumps({"spec": "chara_card_v2", "data": data}).encode())

    for name in ("n" * (MAX_TEXT // 64), "麻" * (MAX_TEXT // 64 // 3)):
        assert greetings(card(name)) == (name * 64,)
        with pytest.raises(CardRefused):
            greetings(card(f"{name}{name[0]}"))
    for name in ("n" * (MAX_TEXT // 65 - 2), "麻" * (MAX_TEXT // 65 // 3 - 2)):
        assert name * 64 in soul_text(card(name), "en")
        with pytest.raises(CardRefused):
            soul_text(card(name + name[0] * 3), "en")


def test_a_pet_without_a_card_has_none(tmp_path: Path) -> None:
    assert read_stored_card(tmp_path) is None
    (tmp_path / ".history").mkdir()
    (tmp_path / ".history" / "card-note.json").write_text('{"kept_as": "../../x", "soul": "s"}')
    assert read_stored_card(tmp_path) is None


@pytest.mark.parametrize("raw", [V1, V2, V3], ids=["v1", "v2", "v3"])
@pytest.mark.parametrize("carrier", ["png", "json", "charx"])
def test_an_edited_soul_goes_back_into_the_card_and_nothing_is_lost(raw: dict[str, object], carrier: str) -> None:
    content = {
        "json": json.dumps(raw).encode(),
        "png": png(chunk(b"tEXt", b"other\0kept"), chunk(b"tEXt", b"chara\0" + packed(raw))),
        "charx": charx(json.dumps(raw).encode(), icon=b"picture"),
    }[carrier]
    read = read_card(content)
    back = read_card(with_card(read, card_with(read.card, "# New soul\n")))
    assert back.card.text("description") == "# New soul\n"
    assert back.card.text("first_mes") == V1["first_mes"]
    kept = back.card.fields["extensions"]
    assert isinstance(kept, dict)
    assert kept["soulpet"]["imported"]["personality"] == "curious"
    if raw is not V1:
        assert kept["other/program"] == {"depth": 4}
        assert back.card.fields["not_of_this_world"] == [1, 2]
    if carrier == "png":
        assert b"other\0kept" in back.content
        assert back.content.count(b"ccv3\0") == back.content.count(b"chara\0") == 1
    if carrier == "charx":
        with zipfile.ZipFile(io.BytesIO(back.content)) as archive:
            assert archive.read("assets/icon") == b"picture"


def test_a_pet_of_our_own_becomes_a_card_in_its_picture() -> None:
    read = read_card(png_with(png(), new_card("麻薯", "# 麻薯\n")))
    assert (read.card.spec, read.card.name, read.card.text("description")) == ("v3", "麻薯", "# 麻薯\n")
    with pytest.raises(CardRefused):
        png_with(b"GIF89a", new_card("x", "y"))


_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
_fields = st.dictionaries(st.sampled_from([*DATA, "nickname", "source", "spec", "data"]), _json, max_size=10)


@given(_fields, st.sampled_from(["chara_card_v2", "chara_card_v3", "else", None]))
def test_whatever_stands_in_its_fields_a_card_makes_a_soul_or_is_refused(
    fields: dict[str, object], spec: str
) -> None:
    raw = {"spec": spec, "spec_version": fields.get("name"), "data": {"name": "n", **fields}}
    try:
        card = read_card_json(json.dumps(raw).encode())
    except CardRefused as refused:
        why = refused.problem
    else:
        why = ""
    assert why in ("", "no_name")
    if why:
        return
    for language in ("en", "zh"):
        assert soul_text(card, language, instructions=True).encode().startswith(b"# ")
    assert all(text.strip() for text in card.greetings)
    assert read_card(png_with(png(), card_with(card, "soul"))).card.text("description") == "soul"


@given(st.binary(max_size=300), st.sampled_from([b"", b"\x89PNG\r\n\x1a\n", b"PK\x03\x04"]))
def test_any_bytes_are_a_card_or_refused(content: bytes, head: bytes) -> None:
    assert outcome(head + content) in {"card", "not_json", "no_card", "no_name", "broken_png", "broken_zip"}


def outcome(content: bytes) -> str:
    try:
        read_card(content)
    except CardRefused as refused:
        return refused.problem
    return "card"


def _zip(packing: int, spoil: Callable[[bytes], bytes] = lambda data: data) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", packing) as archive:
        archive.writestr("card.json", json.dumps({"name": "A", "description": "x" * 2_000}))
    return spoil(made.getvalue())


@pytest.mark.parametrize("packing", [zipfile.ZIP_LZMA, zipfile.ZIP_BZIP2])
def test_card_in_a_zip_of_another_packing_is_refused(packing: int) -> None:
    for content in (_zip(packing), _zip(packing, lambda data: data[:60] + b"\xff" * 40 + data[100:])):
        with pytest.raises(CardRefused):
            read_card(content)


def test_long_list_of_a_card_in_a_zip_is_not_parsed(monkeypatch: pytest.MonkeyPatch) -> None:
    """61 MB of a list took 0.55 GB."""
    many = charx(json.dumps(V3).encode(), **{f"{number}": b"" for number in range(10_000)})
    monkeypatch.setattr(zipfile.ZipFile, "__init__", lambda *_given: pytest.fail("the list was parsed"))
    assert problem(many) == "broken_zip"


@pytest.mark.parametrize("offset", [0, 1, 0x7FFFFFFF, 0xFFFFFFF0])
def test_card_in_a_zip_with_wrong_places_is_read_or_refused(offset: int) -> None:
    whole = _zip(zipfile.ZIP_DEFLATED)
    directory, end = whole.index(b"PK\x01\x02"), whole.index(b"PK\x05\x06")
    for place in (directory + 42, end + 16, end + 12, directory + 20, directory + 24):
        spoiled = whole[:place] + offset.to_bytes(4, "little") + whole[place + 4 :]
        with suppress(CardRefused):
            assert read_card(spoiled).card.name == "A"


@given(st.data())
def test_any_zip_is_a_card_or_refused(data: st.DataObject) -> None:
    content = bytearray(_zip(data.draw(st.sampled_from([zipfile.ZIP_DEFLATED, zipfile.ZIP_LZMA]))))
    for _ in range(data.draw(st.integers(1, 6))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    with suppress(CardRefused):
        read_card(bytes(content))


@pytest.mark.parametrize(
    "entries",
    [
        {
            "0": {"uid": 0, "content": "Second.", "constant": True, "disable": False, "order": 20},
            "1": {"uid": 1, "content": "First.", "constant": True, "disable": False, "order": 10},
            "2": {"uid": 2, "content": "Off.", "constant": True, "disable": True},
            "3": {"uid": 3, "content": "By keyword.", "key": ["tea"], "constant": False},
        },
        {
            "a": {"content": "Second.", "constant": True, "enabled": True, "insertion_order": 2},
            "b": {"content": "First.", "constant": True, "insertion_order": 1},
            "c": {"content": "By keyword.", "keys": ["tea"]},
            "d": "no entry",
        },
    ],
)
def test_a_book_whose_entries_are_an_object_keeps_its_lore(entries: dict[str, Any]) -> None:
    card = read_card_json(json.dumps({**V2, "data": {**V2["data"], "character_book": {"entries": entries}}}).encode())
    assert (card.background, card.lore_left) == (("First.", "Second."), 1)


def test_a_book_that_is_a_list_or_lies_beside_the_character_keeps_its_lore() -> None:
    entries = [{"content": "Lore.", "constant": True}, {"content": "By keyword.", "keys": ["tea"]}]
    bare = {name: value for name, value in V2["data"].items() if name != "character_book"}
    for raw in (
        {**V2, "data": {**bare, "character_book": entries}},
        {**V2, "data": bare, "character_book": {"entries": entries}},
    ):
        card = read_card_json(json.dumps(raw).encode())
        assert (card.background, card.lore_left) == (("Lore.",), 1)


def test_a_card_without_a_name_has_that_beside_it_or_of_its_file() -> None:
    nameless = {name: value for name, value in V2["data"].items() if name != "name"}
    for data in (nameless, {**nameless, "name": None}, {**nameless, "name": "\u200b"}):
        content = json.dumps({**V2, "data": data}).encode()
        assert read_card(content, "Old Pim.json").card.name == "Old Pim"
        beside = json.dumps({**V2, "data": data, "name": "Pim"}).encode()
        assert read_card(beside, "main_spec_v2.json").card.name == "Pim"


@pytest.mark.parametrize("name", ["", "  ", "\n"])
@pytest.mark.parametrize("file", ["Old Pim.json", "cards/Old Pim.png", "Old  Pim.charx"])
def test_a_card_with_an_empty_name_has_that_of_its_file(name: str, file: str) -> None:
    raw = {**V2, "data": {**V2["data"], "name": name, "description": "{{char}} knits."}}
    for content in (json.dumps(raw).encode(), png_with(png(), {b"chara": raw}), charx(json.dumps(raw).encode())):
        card = read_card(content, file).card
        assert (card.name, card.called) == ("Old Pim", "Old Pim")
        assert "Old Pim knits." in soul_text(card, "en")
        assert problem(content) == "no_name"
