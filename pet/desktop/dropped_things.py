"""Files and texts dropped on the pet, on their way to the core: base64 in pieces, within the core's limits."""

from __future__ import annotations

import base64
import mimetypes
from collections.abc import Iterator, Sequence
from pathlib import Path

from pet.services.file_transfer import DroppedThings, DropRefusal, GivenFile, pieces

_LARGEST_FILE = 20 * 1024 * 1024
_LARGEST_TEXT = 2 * 1024 * 1024
_MOST_FILES = 10
_LONG_TEXT = 10_000  # characters; a longer text is attached as a file


def model_among(paths: Sequence[Path]) -> Path | None:
    from pet.providers.local_models import MODEL_SUFFIX  # late: a drop comes long after the first frame

    return next((path for path in paths if path.suffix.casefold() == MODEL_SUFFIX), None)


def dropped_batches(files: Sequence[Path], text: str) -> Iterator[DroppedThings]:
    """Yield what is to be sent, one file at a time; nothing for nothing. Reads the files: not on the GUI thread.

    The text counts only without files. What can't be taken is named with the reason.
    """
    if not files:
        if text:
            yield from _text(text)
        return
    refused: list[DropRefusal] = []
    taken: list[Path] = []
    for file in files:
        problem = _refusal(file)
        if problem is None:
            taken.append(file)
        else:
            refused.append(problem)
    if len(taken) > _MOST_FILES:
        refused.append(DropRefusal(problem="too_many", name=""))
    if refused:
        yield DroppedThings(text="", files=[], refused=refused[:_MOST_FILES])
    for file in taken[:_MOST_FILES]:
        try:
            yield DroppedThings(text="", files=[_given(file.name, file.read_bytes())])
        except OSError:
            yield DroppedThings(text="", files=[], refused=[DropRefusal(problem="unreadable", name=file.name)])


def pasted_picture(png: bytes) -> DroppedThings:
    return DroppedThings(text="", files=[_given("image.png", png)])


def _text(text: str) -> Iterator[DroppedThings]:
    data = text.encode("utf-8", "replace")
    if len(text) < _LONG_TEXT:
        yield DroppedThings(text=text, files=[])
    elif len(data) > _LARGEST_TEXT:
        yield DroppedThings(text="", files=[], refused=[DropRefusal(problem="text_too_large", name="")])
    else:
        yield DroppedThings(text="", files=[_given("", data)])  # the chat has a name for it


def _refusal(file: Path) -> DropRefusal | None:
    try:
        size = file.stat().st_size if file.is_file() else None
    except OSError:
        size = None
    if size is None:
        return DropRefusal(problem="unreadable", name=file.name)
    if size > _LARGEST_FILE:
        return DropRefusal(problem="too_large", name=file.name)
    if size > _LARGEST_TEXT and mimetypes.guess_type(file.name)[0] == "text/plain":
        return DropRefusal(problem="text_too_large", name=file.name)
    return None


def _given(name: str, data: bytes) -> GivenFile:
    return GivenFile(name=name, data=pieces(base64.b64encode(data).decode("ascii")))
