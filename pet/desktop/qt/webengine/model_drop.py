"""Files dropped on a window. Models are taken before the page, which learns no paths and reads nothing so large."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from pet.minds.model_store import MODEL_SUFFIX


def take_models(view: Any, react: Callable[[Path], None], keep: Callable[[Path | None], None]) -> None:
    """Make views of this class hand a dropped model to ``react``. Anything else goes to their page; ``keep`` hears
    before where the first of it is.

    Which files they are, is read when the drag comes in, as the page itself does: at the drop, the other program may
    have taken its data back already. One that had not given it by then is asked again.
    """
    enters, moves, to_page = view.dragEnterEvent, view.dragMoveEvent, view.dropEvent

    def enter(self: Any, event: Any) -> None:
        self.dragged = local_paths(event.mimeData())
        enters(self, event)

    def move(self: Any, event: Any) -> None:
        moves(self, event)
        if model_among(self.dragged):  # also where the page takes no files
            event.acceptProposedAction()

    def drop(self: Any, event: Any) -> None:
        paths, self.dragged = self.dragged or local_paths(event.mimeData()), []
        found = model_among(paths)
        if found is None:
            keep(next(iter(paths), None))
            to_page(self, event)
            return
        event.acceptProposedAction()
        from PySide6.QtGui import QDragLeaveEvent

        self.dragLeaveEvent(QDragLeaveEvent())  # for the page the drag is over
        react(found)

    view.dragged = []
    view.dragEnterEvent = enter
    view.dragMoveEvent = move
    view.dropEvent = drop


def model_among(paths: list[Path]) -> Path | None:
    return next((path for path in paths if path.suffix.casefold() == MODEL_SUFFIX), None)


def local_paths(data: Any) -> list[Path]:
    paths = [Path(url.toLocalFile()) for url in (data.urls() if data.hasUrls() else ()) if url.isLocalFile()]
    return [path for path in paths if path.is_absolute()]
