"""Pictures and text files that were sent with a message: each stored once, under the hash of its bytes.

Owns ``attachments/``: what may come in, writing it whole or not at all, and taking away what no transcript names.
A temporary conversation's are kept in memory alone. Refuses ids that could name anything else, and to believe a file
whose bytes are not what its name says.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Collection, Iterable
from contextlib import suppress
from pathlib import Path
from threading import RLock
from typing import Literal

from pet.clock import Clock
from pet.errors import AttachmentRefused, WriteFailed
from pet.ids import new_id
from pet.model import Attachment
from pet.workspace.file_names import CONVERSATIONS
from pet.workspace.fs.directory import Contents, Folder, open_folder

FOLDER = "attachments"
MAX_FILE = 20 * 1024 * 1024
MAX_TEXT = 2 * 1024 * 1024
MOST_IN_A_MESSAGE = 10
_MAX_STORED = 8 * 1024 * 1024
_DAY = 24 * 60 * 60.0
_ID = re.compile(r"[0-9a-f]{64}")
_TEMP = re.compile(r"\.[0-9a-z]{26}\.tmp")
_NAMED = re.compile(rb"[0-9a-f]{64}")

Kind = Literal["image/png", "image/jpeg", "text/plain"]
_MAGIC = (b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"GIF8")


class Attachments:
    """Those of one pet. Safe from any thread. ``drafted``: those of messages that were not sent yet."""

    def __init__(self, root: Path, clock: Clock, drafted: Callable[[], Collection[str]] = tuple) -> None:
        self._root = root
        self._clock = clock
        self._drafted = drafted
        self._lock = RLock()
        self._held: dict[str, dict[str, bytes]] = {}  # of temporary conversations
        self._known: dict[str, Attachment] = {}  # with the names they came under

    def add(self, name: str, content: bytes, *, temporary: str | None = None) -> Attachment:
        """Take in a file; ``temporary``: the conversation that leaves nothing on disk. Its name may be anything.

        Raises AttachmentRefused, WriteFailed.
        """
        if len(content) > MAX_FILE:
            raise AttachmentRefused("too_large", name=name, limit=MAX_FILE // 1024 // 1024)
        made, data = _picture(name, content) if is_picture(content) else _text(name, content)
        with self._lock:
            if temporary is None:
                self._store(made.id, data)
                self._known[made.id] = made
            else:
                self._held.setdefault(temporary, {})[made.id] = data
                self._known.setdefault(made.id, made)  # a transcript or a draft may name the same bytes
        return made

    def read(self, attachment: str) -> bytes | None:
        """Its bytes; None where it is gone, or its bytes are not the ones that were sent."""
        if not _ID.fullmatch(attachment):
            return None
        with self._lock:
            for held in self._held.values():
                if attachment in held:
                    return held[attachment]
        with suppress(OSError), open_folder(self._root) as top, top.sub(FOLDER, create=False) as folder:
            return _whole(folder, attachment)
        return None

    def stored(self, attachment: str) -> bool:
        """Whether it lies on disk; nothing of it is read."""
        return bool(_ID.fullmatch(attachment)) and (self._root / FOLDER / attachment).is_file()

    def know(self, attachment: Attachment) -> None:
        """The name it came under, from before a restart."""
        with self._lock:
            self._known.setdefault(attachment.id, attachment)

    def describe(self, attachment: str) -> Attachment:
        """What is known of one that was added, also before a restart; it is about to be sent.

        Raises AttachmentRefused.
        """
        data = self.read(attachment)
        if data is None:
            raise AttachmentRefused("gone")
        with self._lock, suppress(OSError), open_folder(self._root) as top, top.sub(FOLDER, create=False) as folder:
            folder.touch(attachment)  # so that no other program takes it away before the message names it
        with self._lock:
            known = self._known.get(attachment)
        return known or described(attachment, data)

    def release(self, conversation: str, attachments: Iterable[str] = ()) -> None:
        """A conversation was deleted: its attachments go, but for those that others name or a draft has.

        Raises WriteFailed.
        """
        with self._lock:
            self._held.pop(conversation, None)
        wanted = {each for each in attachments if _ID.fullmatch(each)}
        if wanted:
            drafted = self._drafted()
            self._remove(lambda name: name not in drafted, wanted)

    def discard(self, attachment: str) -> None:
        """The owner took it out of a message again: it goes, but where a transcript names it, or it comes anew.

        Raises WriteFailed.
        """
        if self.stored(attachment):
            came = self._came(attachment)
            self._remove(lambda name: self._came(name) == came, {attachment})

    def collect(self) -> None:
        """Take away what neither a transcript nor a draft names and has been there for a day: another program's draft
        may still want what is younger.

        Raises WriteFailed.
        """
        before, drafted = self._clock.now().timestamp() - _DAY, self._drafted()
        self._remove(lambda name: name not in drafted and self._came(name) < before, None)

    # --- inside ---------------------------------------------------------------------------------

    def _store(self, attachment: str, data: bytes) -> None:
        try:
            with open_folder(self._root) as top, top.sub(FOLDER, create=True) as folder:
                if _whole(folder, attachment) is not None:
                    folder.touch(attachment)  # wanted anew
                    return
                temp = f".{new_id()}.tmp"
                folder.create(temp, data, 0o600)
                folder.replace(temp, attachment)
                folder.sync()
        except OSError as problem:
            raise WriteFailed(file=FOLDER, reason=problem.strerror or "") from problem

    def _remove(self, old: Callable[[str], bool], wanted: set[str] | None) -> None:
        """Those of ``wanted``, or all, that are old and named by nobody. Reading the transcripts may take a while:
        meanwhile nobody waits, and what was wanted anew since then stays."""
        try:
            with open_folder(self._root) as top, top.sub(FOLDER, create=False) as folder:
                found = [name for name in folder.names() if _is_ours(name, wanted) and old(name)]
                if found and (named := self._named(top)) is not None:
                    with self._lock:
                        for name in found:
                            if name not in named and old(name):
                                folder.remove(name)
                        folder.sync()
        except FileNotFoundError:
            return
        except OSError as problem:
            raise WriteFailed(file=FOLDER, reason=problem.strerror or "") from problem

    def _came(self, name: str) -> float:
        """When it came to this disk: a sync program may give it the time of another machine."""
        seen = (self._root / FOLDER / name).lstat()
        return max(seen.st_mtime, seen.st_ctime)

    def _named(self, top: Folder) -> set[str] | None:
        """All that any file of any conversation names; None where one can't be read: then nothing goes."""
        named: set[str] = set()
        try:
            with top.sub(CONVERSATIONS, create=False) as folder:
                for name in folder.names():
                    found = folder.read(name, 1 << 40)
                    if not isinstance(found, Contents):
                        return None
                    named.update(each.decode() for each in _NAMED.findall(found.data))
        except FileNotFoundError:
            return named  # nothing was ever said
        return named


def _whole(folder: Folder, attachment: str) -> bytes | None:
    """What lies there under this hash, if it is that."""
    found = folder.read(attachment, _MAX_STORED)
    if isinstance(found, Contents) and hashlib.sha256(found.data).hexdigest() == attachment:
        return found.data
    return None


def is_picture(content: bytes) -> bool:
    """Whether its first bytes say so, whatever its name is."""
    riff = content[:4] == b"RIFF" and content[8:12] == b"WEBP"
    return riff or content.startswith(_MAGIC)


def _picture(name: str, content: bytes) -> tuple[Attachment, bytes]:
    from pet.workspace.images import prepare_image  # late: Pillow takes its time

    made = prepare_image(content, name)
    return _attachment(made.data, made.kind, name, made.width, made.height), made.data


def _text(name: str, content: bytes) -> tuple[Attachment, bytes]:
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise AttachmentRefused("unknown_kind", name=name) from None
    if "\0" in text:
        raise AttachmentRefused("unknown_kind", name=name)
    if not text.strip():
        raise AttachmentRefused("empty", name=name)
    if len(content) > MAX_TEXT:
        raise AttachmentRefused("text_too_large", name=name, limit=MAX_TEXT // 1024 // 1024)
    data = text.encode()
    return _attachment(data, "text/plain", name, 0, 0), data


def _attachment(data: bytes, kind: Kind, name: str, width: int, height: int) -> Attachment:
    made = hashlib.sha256(data).hexdigest()
    return Attachment(id=made, kind=kind, name=name, width=width, height=height, bytes=len(data))


def described(attachment: str, data: bytes) -> Attachment:
    """By what is in it: of an earlier start, whose names are forgotten."""
    if not is_picture(data):
        return _attachment(data, "text/plain", "", 0, 0)
    from pet.workspace.images import size_of

    width, height = size_of(data, attachment)
    return _attachment(data, "image/png" if data.startswith(b"\x89PNG") else "image/jpeg", "", width, height)


def _is_ours(name: str, wanted: set[str] | None) -> bool:
    if wanted is not None:
        return name in wanted
    return bool(_ID.fullmatch(name) or _TEMP.fullmatch(name))
