"""Attachments in the terminal: ``--attach FILE`` and ``/attach FILE``.

The same checks as in the window. Only regular files are read: pipes and devices have no end.
"""

from __future__ import annotations

import shlex
import stat
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from pet.app import App
from pet.engine.conversation import LiveConversation
from pet.errors import AttachmentRefused, WriteFailed
from pet.model import Attachment
from pet.services.file_transfer import plain_name
from pet.workspace.attachments import MAX_FILE, MOST_IN_A_MESSAGE


@dataclass(slots=True)
class PendingAttachments:
    """Attachments for the next message of one conversation."""

    app: App
    live: LiveConversation
    files: list[Attachment] = field(default_factory=list)

    def add(self, path: Path) -> Attachment:
        """Store the file as an attachment. Raises AttachmentRefused, WriteFailed."""
        if len(self.files) >= MOST_IN_A_MESSAGE:
            raise AttachmentRefused("too_many", limit=MOST_IN_A_MESSAGE)
        name = plain_name(path.name)
        owner = self.live.id if self.live.gate.temporary else None
        attachment = self.app.attachments.add(name, _content(path, name), temporary=owner)
        if attachment.id not in {each.id for each in self.files}:
            self.files.append(attachment)
        return attachment

    def take(self) -> tuple[Attachment, ...]:
        """Return and clear them; see ``give_back``."""
        files, self.files = tuple(self.files), []
        return files

    def give_back(self, files: Iterable[Attachment]) -> None:
        """Restore them after sending failed."""
        self.files = [*files]

    def discard(self) -> int:
        """Drop them; return how many there were."""
        files = self.take()
        drafts = _text(self.app.home.tabs_file)  # the window's drafts may refer to the same file
        for each in files:
            if each.id in drafts:
                continue
            with suppress(WriteFailed):  # unreferenced: daily maintenance removes it
                self.app.attachments.discard(each.id)
        return len(files)


def path_of(typed: str) -> Path:
    """Parse a path as typed, or as a terminal inserts a dragged file: quoted or escaped."""
    plain = Path(typed).expanduser()
    if plain.exists():
        return plain
    try:
        words = shlex.split(typed)
    except ValueError:
        return plain
    return Path(words[0]).expanduser() if len(words) == 1 else plain


def _text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def _content(path: Path, name: str) -> bytes:
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            raise AttachmentRefused("unreadable", name=name)
        if status.st_size > MAX_FILE:
            raise AttachmentRefused("too_large", name=name, limit=MAX_FILE // 1024 // 1024)
        return path.read_bytes()
    except (OSError, ValueError):
        raise AttachmentRefused("unreadable", name=name) from None
