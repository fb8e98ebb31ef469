"""Files dropped on a window. Models bypass the page, which learns no paths and reads no file that large."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from pet.local_models.model_store import MODEL_SUFFIX


def take_models(view: Any, react: Callable[[Path], None], keep: Callable[[Path | None], None]) -> None:
    """Make views of this class pass a dropped model to ``react``, and anything else to their page.

    ``keep`` receives the first path before the page gets the drop. Paths are read when the drag enters, as the page
    does, because the other program may have withdrawn its data by the drop; at the drop only if there were none.
    """
    enters, moves, to_page = view.dragEnterEvent, view.dragMoveEvent, view.dropEvent

    def enter(self: Any, event: Any) -> None:
        self.dragged = local_paths(event.mimeData())
        enters(self, event)

    def move(self: Any, event: Any) -> None:
        moves(self, event)
        if model_among(self.dragged):  # also where the page accepts no files
            event.acceptProposedAction()

    def drop(self: Any, event: Any) -> None:
        paths, self.dragged = self.dragged or local_paths(event.mimeData()), []
        model = model_among(paths)
        if model is None:
            keep(next(iter(paths), None))
            to_page(self, event)
            return
        event.acceptProposedAction()
        from PySide6.QtGui import QDragLeaveEvent

        self.dragLeaveEvent(QDragLeaveEvent())  # for the page the drag is over
        react(model)

    view.dragged = []
    view.dragEnterEvent = enter
    view.dragMoveEvent = move
    view.dropEvent = drop


def model_among(paths: list[Path]) -> Path | None:
    return next((path for path in paths if path.suffix.casefold() == MODEL_SUFFIX), None)


def local_paths(data: Any) -> list[Path]:
    paths = [Path(url.toLocalFile()) for url in (data.urls() if data.hasUrls() else ()) if url.isLocalFile()]
    return [path for path in paths if path.is_absolute()]
