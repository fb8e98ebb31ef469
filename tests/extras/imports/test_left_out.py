"""A preview counts every kind of content that a reader leaves out."""

from __future__ import annotations

import json
import os
import sys
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import get_args

import pytest

from pet.extras.imports import detect
from pet.extras.imports.chat_exports import read_chatgpt
from pet.extras.imports.contents import Kind, LeftOutKind
from pet.extras.imports.detect import find, read_objects
from pet.extras.imports.plan import ImportPlan, make_plan
from pet.extras.imports.source import open_source
from pet.model import Missing
from tests.extras.imports.left_out import LEFT_OUT, export_with_everything
from tests.support.files import write_files


def planned(path: Path, *, there: bool = False) -> ImportPlan:
    with open_source(path) as source:
        return make_plan(
            find(source),
            lambda file: Missing(name=file),
            lambda _id: there,
            language="en",
            now=datetime(2026, 3, 1, 12, tzinfo=UTC),
        )


@pytest.mark.parametrize("kind", LEFT_OUT)
def test_preview_counts_what_is_left_out_of_each_export(tmp_path: Path, kind: Kind) -> None:
    plan = planned(export_with_everything(tmp_path, kind))
    assert plan.kind == kind and [talk.messages >= 2 for talk in plan.talks] == [True]
    assert {each.kind: each.count for each in plan.left_out} == LEFT_OUT[kind]


def test_every_kind_of_left_out_content_is_in_an_export() -> None:
    tested = {kind for counts in LEFT_OUT.values() for kind in counts}
    assert tested | {"too_large"} == set(get_args(LeftOutKind))
    assert set(LEFT_OUT) == set(get_args(Kind)) - {"workspace", "memory_list", "vault"}


@pytest.mark.parametrize("kind", LEFT_OUT)
def test_conversations_that_are_there_already_are_not_counted(tmp_path: Path, kind: Kind) -> None:
    plan = planned(export_with_everything(tmp_path, kind), there=True)
    assert {each.kind for each in plan.left_out} <= {"empty", "other"}


def test_conversation_over_the_limits_is_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(detect, "read_objects", partial(read_objects, most=10))
    small = {"uuid": "a", "name": "", "chat_messages": [{"sender": "human", "text": "Hi"}]}
    written = json.dumps([small, {**small, "uuid": "b", "x": [[]] * 10}])
    (tmp_path / "conversations.json").write_text(written, encoding="utf-8")
    plan = planned(tmp_path / "conversations.json")
    assert [(each.kind, each.count) for each in plan.left_out] == [("too_large", 1)]


def test_preview_names_the_files_beside_an_export(tmp_path: Path) -> None:
    export_with_everything(tmp_path, "chatgpt")
    pictures = {f"file-{number}.png": b"" for number in range(9)}
    beside = {"user.json": b"{}", "dalle-generations/a/1.webp": b"", "dalle-generations/2.webp": b"", "a.pdf": b""}
    write_files(tmp_path, {**pictures, **beside})
    skipped = planned(tmp_path).skipped
    assert {each.reason for each in skipped} == {"other"}
    assert sorted(each.name for each in skipped) == ["*.png", "a.pdf", "dalle-generations/", "user.json"]


def test_preview_names_the_files_beside_chats(tmp_path: Path) -> None:
    chats = tmp_path / "chats" / "Momo"
    chats.mkdir(parents=True)
    export_with_everything(chats, "sillytavern")
    write_files(tmp_path, {"worlds/Sea.json": b"{}", "chats/Momo/notes.txt": b"x"})
    names = sorted(each.name for each in planned(tmp_path).skipped)
    assert names == ["chats/Momo/notes.txt", "worlds/"]


def test_attached_files_are_told_from_pictures_of_the_text_however_many_there_are() -> None:
    names = [f"file-{at}" for at in range(60_000)]
    pointers = ("sediment://{}", "file-service://{}", "sediment://{}#p_0.png")
    parts = [
        {"content_type": "image_asset_pointer", "asset_pointer": pointers[at % 3].format(name)}
        for at, name in enumerate(names)
    ]
    message = {
        "author": {"role": "user"},
        "content": {"content_type": "multimodal_text", "parts": [*parts, "See"]},
        "metadata": {"attachments": [{"id": name} for name in [*names[::2], "file-x"]]},
    }
    talk = read_chatgpt({"id": "a", "mapping": {"m": {"message": message}}})
    assert (talk.left_out["pictures"], talk.left_out["files"]) == (len(names), 1)


def test_an_id_that_is_no_unicode_is_read(tmp_path: Path) -> None:
    talk = {"uuid": "a\ud800", "name": "", "chat_messages": [{"sender": "human", "text": "Hi"}]}
    (tmp_path / "conversations.json").write_text(json.dumps([talk]))
    assert len(planned(tmp_path / "conversations.json").talks) == 1


@pytest.mark.skipif(sys.platform != "linux", reason="file names are Unicode there")
def test_a_chat_whose_file_name_is_no_unicode_is_read(tmp_path: Path) -> None:
    chat = [{"user_name": "Ana", "character_name": "Mei"}, {"name": "Ana", "is_user": True, "mes": "Hi"}]
    file = tmp_path / os.fsdecode("\u5c0f\u6797.jsonl".encode("gbk"))
    file.write_text("\n".join(map(json.dumps, chat)))
    (planned_talk,) = planned(tmp_path).talks
    assert planned_talk.title.encode()
