"""Files and texts dropped on the program's windows, on their way to the core: base64 in pieces, within the core's
limits."""

from __future__ import annotations

import base64
import mimetypes
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from pet.services.file_transfer import DroppedThings, DropRefusal, GivenFile, pieces

if TYPE_CHECKING:
    from PySide6.QtCore import QMimeData

_LARGEST_FILE = 20 * 1024 * 1024
_LARGEST_TEXT = 2 * 1024 * 1024
_MOST_FILES = 10
_LONG_TEXT = 10_000  # characters; a longer text is attached as a file


class DroppedPaths:
    """Paths of files dropped on our windows, which pages never learn. ``offer``: asks the owner about a model file
    (.gguf), which is far too large to be read."""

    def __init__(self, offer: Callable[[Path], None]) -> None:
        self._offer = offer
        self._last: Path | None = None

    def take(self, paths: Sequence[Path]) -> bool:
        """Return whether the drop needs no more: a model is offered. Else keep the first path for ``pop``."""
        model = model_among(paths)
        if model is not None:
            self._offer(model)
            return True
        self._last = next(iter(paths), None)
        return False

    def pop(self) -> Path | None:
        """Return the path last dropped on one of our windows, once; None if only the page got it. From any thread."""
        dropped, self._last = self._last, None
        return dropped


def read_drag(data: QMimeData) -> tuple[list[Path], str]:
    """Return the files and the text that a drag holds; for a link or a picture of a web page, its address.

    Call it when the drag enters: the other program may have withdrawn its data by the drop.
    """
    urls = data.urls()
    files = [Path(url.toLocalFile()) for url in urls if url.isLocalFile()]
    return files, "" if files else data.text() or "\n".join(url.toString() for url in urls)


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
