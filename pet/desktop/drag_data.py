"""Contents of a drag. Apart from ``dropped_things``, which loads the core's limits: the pet is seen before that."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from PySide6.QtCore import QMimeData


def read_drag(data: QMimeData) -> tuple[list[Path], str]:
    """Return the files and the text that a drag holds; for a link or a picture of a web page, its address.

    Call it when the drag enters: the other program may have withdrawn its data by the drop.
    """
    urls = data.urls()
    files = [Path(url.toLocalFile()) for url in urls if url.isLocalFile()]
    return files, "" if files else data.text() or "\n".join(url.toString() for url in urls)
