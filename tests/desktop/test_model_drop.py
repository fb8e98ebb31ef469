"""A model file dropped on a window goes to the core; anything else goes to the page."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import pytest

if sys.platform != "linux":
    pytest.skip("Qt is the backend of Linux", allow_module_level=True)

from PySide6.QtCore import QMimeData, QUrl
from PySide6.QtGui import QDragLeaveEvent

from pet.desktop.dropped_things import DroppedPaths, model_among
from pet.desktop.web_engine import local_paths, take_models


def dropped(*urls: str) -> QMimeData:
    data = QMimeData()
    data.setUrls([QUrl(url) for url in urls])
    return data


@pytest.mark.parametrize(
    ("urls", "path"),
    [
        (["file:///models/A%20b.GGUF"], "/models/A b.GGUF"),
        (["file:///a.png", "file:///m.gguf"], "/m.gguf"),
        (["file:///a.png"], None),
        (["https://example.org/m.gguf"], None),
        ([], None),
    ],
)
def test_a_local_model_file_is_found_among_what_is_dropped(urls: list[str], path: str | None) -> None:
    assert model_among(local_paths(dropped(*urls))) == (None if path is None else Path(path))


def test_the_page_hears_of_everything_but_models() -> None:
    """As X11 has it: the files are known when the drag comes in, and may not be any more at the drop."""
    entered: list[object] = []
    heard: list[object] = []
    left: list[object] = []
    moved: list[object] = []
    taken: list[str] = []

    class View:
        def dragEnterEvent(self, event: object) -> None:  # noqa: N802
            entered.append(event)

        def dragMoveEvent(self, event: object) -> None:  # noqa: N802
            moved.append(event)

        def dropEvent(self, event: object) -> None:  # noqa: N802
            heard.append(event)

        def dragLeaveEvent(self, event: object) -> None:  # noqa: N802
            left.append(event)

    given: list[Path] = []
    paths = DroppedPaths(given.append)
    take_models(View, paths)
    for url in ("file:///m.gguf", "file:///a.png"):
        view = View()
        view.dragEnterEvent(SimpleNamespace(mimeData=partial(dropped, url)))
        view.dragMoveEvent(SimpleNamespace(acceptProposedAction=partial(taken.append, url)))
        view.dropEvent(SimpleNamespace(mimeData=dropped, acceptProposedAction=lambda: None))
    assert given == [Path("/m.gguf")]
    assert (len(entered), len(moved), len(heard)) == (2, 2, 1)
    assert taken == ["file:///m.gguf"]  # also where the page takes no files
    assert (paths.pop(), paths.pop()) == (Path("/a.png"), None)
    view.dropEvent(SimpleNamespace(mimeData=dropped))  # one that no drag came in for
    assert paths.pop() is None
    view.dragEnterEvent(SimpleNamespace(mimeData=dropped))  # a program that gives its data late
    view.dropEvent(SimpleNamespace(mimeData=partial(dropped, "file:///b.zip")))
    assert paths.pop() == Path("/b.zip")
    assert isinstance(left[0], QDragLeaveEvent)
