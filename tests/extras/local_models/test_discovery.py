"""Models of other programs are found in their folders, by header, each once."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

from pet.extras.local_models.library import DiscoveredModel, find_models
from tests.support.models.gguf_bytes import Value, chat_model, gguf

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the folders are Linux's")
SIZE = 400_000_000


def model(file: Path, values: dict[str, Value] | None = None, size: int = SIZE) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("wb") as opened:
        opened.write(gguf(chat_model() if values is None else values))
        opened.truncate(size)
    return file


def found(home: Path, **environ: str) -> list[tuple[str, str, Path]]:
    return [(each.by, each.name, each.path) for each in look(home, **environ)]


def look(home: Path, **environ: str) -> tuple[DiscoveredModel, ...]:
    return find_models(home, environ)


def test_empty_home_has_none(tmp_path: Path) -> None:
    assert found(tmp_path) == []


def test_each_programs_folder_is_looked_at(tmp_path: Path) -> None:
    files = {
        "LM Studio": model(tmp_path / ".lmstudio/models/pub/repo/a.gguf"),
        "Jan": model(tmp_path / ".local/share/Jan/data/llamacpp/models/qwen/model.gguf"),
        "GPT4All": model(tmp_path / ".local/share/nomic.ai/GPT4All/b.gguf"),
        "Hugging Face": model(tmp_path / ".cache/huggingface/hub/models--x--y/snapshots/abc/c.gguf"),
        "llama.cpp": model(tmp_path / ".cache/llama.cpp/d.gguf"),
    }
    assert {by: path for by, _name, path in found(tmp_path)} == files


def test_lm_studio_home_pointer_is_followed(tmp_path: Path) -> None:
    file = model(tmp_path / "elsewhere/models/pub/repo/a.gguf")
    (tmp_path / ".lmstudio-home-pointer").write_text(str(tmp_path / "elsewhere") + "\n")
    assert found(tmp_path) == [("LM Studio", "Test Chat", file)]


def test_hugging_face_cache_links_are_followed_and_each_file_is_told_once(tmp_path: Path) -> None:
    blob = model(tmp_path / "hf/hub/models--x--y/blobs/123")
    for snapshot in ("one", "two"):
        link = tmp_path / f"hf/hub/models--x--y/snapshots/{snapshot}/c.gguf"
        link.parent.mkdir(parents=True)
        link.symlink_to(blob)
    assert found(tmp_path, HF_HOME=str(tmp_path / "hf")) == [("Hugging Face", "Test Chat", blob)]


def test_ollama_manifests_name_their_blobs(tmp_path: Path) -> None:
    digest = "ab" * 32
    blob = model(tmp_path / f".ollama/models/blobs/sha256-{digest}")
    layers = [
        {"mediaType": "application/vnd.ollama.image.license", "digest": "sha256:" + "cd" * 32},
        {"mediaType": "application/vnd.ollama.image.model", "digest": f"sha256:{digest}"},
    ]
    manifest = tmp_path / ".ollama/models/manifests/registry.ollama.ai/library/qwen3/1.7b"
    manifest.parent.mkdir(parents=True)
    manifest.write_text(json.dumps({"layers": layers}))
    manifest.with_name("broken").write_text("{")
    manifest.with_name("list").write_text('{"layers": [1, {"mediaType": 3}]}')
    assert found(tmp_path) == [("Ollama", "qwen3:1.7b", blob)]
    assert look(tmp_path)[0].sha256 == digest


def test_what_can_not_talk_is_left_out(tmp_path: Path) -> None:
    folder = tmp_path / ".lmstudio/models/pub/repo"
    model(folder / "mmproj-a.gguf")
    model(folder / "b-00001-of-00002.gguf")
    model(folder / "tiny.gguf", size=1_000_000)
    model(folder / "embedder.gguf", {"general.architecture": "bert"})
    (folder / "text.gguf").write_text("no model")
    (folder / "dangling.gguf").symlink_to(folder / "gone")
    assert found(tmp_path) == []


def test_places_of_newer_programs_are_searched(tmp_path: Path) -> None:
    files = {
        "Jan": model(tmp_path / ".var/app/ai.jan.Jan/data/Jan/data/llamacpp/models/qwen/model.gguf"),
        "ModelScope": model(tmp_path / ".cache/modelscope/hub/models/unsloth/Qwen3-4B-GGUF/q.gguf"),
        "RamaLama": model(tmp_path / ".local/share/ramalama/store/huggingface/org/repo/snapshots/sha256-1/granite"),
    }
    assert {by: path for by, _name, path in found(tmp_path)} == files
    moved = model(tmp_path / "scope/models/org/repo/c.gguf")
    assert ("ModelScope", "Test Chat", moved) in found(tmp_path, MODELSCOPE_CACHE=str(tmp_path / "scope"))


@pytest.mark.parametrize("hostile", ["[]", "{}", '{"downloadsFolder": 7}', "[" * 100_000, "\udcff"])
def test_lm_studios_own_folder_of_models_is_searched(tmp_path: Path, hostile: str) -> None:
    file = model(tmp_path / "big disk/pub/repo/a.gguf")
    settings = tmp_path / ".lmstudio/settings.json"
    settings.parent.mkdir()
    settings.write_text(json.dumps({"downloadsFolder": str(tmp_path / "big disk")}))
    assert found(tmp_path) == [("LM Studio", "Test Chat", file)]
    settings.write_text(hostile, errors="surrogateescape")
    assert found(tmp_path) == []


def test_downloads_are_searched_only_when_asked_for_and_no_folder_in_them(tmp_path: Path) -> None:
    downloads = tmp_path / "Downloads"
    file = model(downloads / "mine.gguf")
    model(downloads / "deeper/other.gguf")
    (downloads / "letter.pdf").write_bytes(b"%PDF")
    assert found(tmp_path) == []
    assert [each.path for each in find_models(tmp_path, {}, downloads)] == [file]


def test_model_that_was_replaced_under_the_same_name_is_read_anew(tmp_path: Path) -> None:
    file = model(tmp_path / ".lmstudio/models/pub/repo/a.gguf")
    assert [name for _by, name, _path in found(tmp_path)] == ["Test Chat"]
    model(file, {**chat_model(), "general.name": "Another"})
    assert [name for _by, name, _path in found(tmp_path)] == ["Another"]
    file.write_bytes(b"no model")
    assert found(tmp_path) == []


@pytest.mark.parametrize(
    "place",
    [
        ".lmstudio/models/pub/repo/x.gguf",
        ".lmstudio/settings.json",
        ".lmstudio-home-pointer",
        f".ollama/models/blobs/sha256-{'ab' * 32}",
        "downloads/x.gguf",
    ],
)
def test_pipe_in_a_searched_place_is_passed_over_and_the_others_are_read(tmp_path: Path, place: str) -> None:
    manifest = tmp_path / ".ollama/models/manifests/registry.ollama.ai/library/x/latest"
    manifest.parent.mkdir(parents=True)
    layer = {"mediaType": "application/vnd.ollama.image.model", "digest": f"sha256:{'ab' * 32}"}
    manifest.write_text(json.dumps({"layers": [layer]}))
    pipe = tmp_path / place
    pipe.parent.mkdir(parents=True, exist_ok=True)
    os.mkfifo(pipe)
    other = model(tmp_path / ".cache/llama.cpp/d.gguf")
    assert [each.path for each in find_models(tmp_path, {}, tmp_path / "downloads")] == [other]
