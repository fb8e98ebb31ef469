"""Model files dropped on a window: taken before its page, which learns no paths and can't read so large a file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from pet.minds.model_store import MODEL_SUFFIX


def take_models(view: Any, react: Callable[[Path], None]) -> None:
    """Make views of this class hand a dropped model to ``react``; anything else goes to their page.

    Which file it is, is read when the drag comes in, as the page itself does: at the drop, the other program may have
    taken its data back already.
    """
    enters, to_page = view.dragEnterEvent, view.dropEvent

    def enter(self: Any, event: Any) -> None:
        self.dragged_model = dropped_model(event.mimeData())
        enters(self, event)

    def drop(self: Any, event: Any) -> None:
        found, self.dragged_model = self.dragged_model, None
        if found is None:
            to_page(self, event)
            return
        event.acceptProposedAction()
        from PySide6.QtGui import QDragLeaveEvent

        self.dragLeaveEvent(QDragLeaveEvent())  # for the page the drag is over
        react(found)

    view.dragged_model = None
    view.dragEnterEvent = enter
    view.dropEvent = drop


def dropped_model(data: Any) -> Path | None:
    """Return the first local model file of what is dropped, or None."""
    for url in data.urls() if data.hasUrls() else ():
        path = Path(url.toLocalFile()) if url.isLocalFile() else None
        if path is not None and path.is_absolute() and path.suffix.casefold() == MODEL_SUFFIX:
            return path
    return None
