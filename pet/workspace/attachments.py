"""Attachments: images and text sent with a message, stored once by content hash; documents are read to text first.

Files are in ``attachments/``; those that no transcript references are removed. Attachments of a temporary
conversation are kept in memory only. Invalid ids, and files whose content does not match their name, are missing.
"""

from __future__ import annotations

import codecs
import hashlib
import re
import unicodedata
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from pathlib import Path
from threading import RLock
from typing import Literal

from pet.clock import Clock
from pet.errors import AttachmentRefused, WriteFailed
from pet.extra import provided
from pet.fs.directory import Contents, Folder, open_folder, write_atomically
from pet.model import Attachment, CoreFile
from pet.text.characters import comparable_line
from pet.text.pages import BREAK, split_pages
from pet.untrusted.parsers import join_surrogates
from pet.untrusted.regular_files import read_regular
from pet.workspace.file_history import OBJECTS
from pet.workspace.file_names import ASIDE, CONVERSATIONS, HISTORY_FOLDER, LOG_FOLDER, flat_name

FOLDER = "attachments"
MAX_FILE = 20 * 1024 * 1024
MAX_TEXT = 2 * 1024 * 1024
MOST_IN_A_MESSAGE = 10
_MAX_STORED = 8 * 1024 * 1024
_DAY = 24 * 60 * 60.0
_ID = re.compile(r"[0-9a-f]{64}")
_TEMP = re.compile(r"\.[0-9a-z]{26}\.tmp")
_NAMED = re.compile(rb"[0-9a-f]{64}")
_MARKED = re.compile(rb'"memory_files":\[[^\]]*')  # in a message's transcript entry

Kind = Literal["image/png", "image/jpeg", "text/plain"]
_SHARED = 0.6
"""Share of the lines, by size, that a memory file and an attachment have in common if it is one, and of the memory
file's words in another order. Some lines may have been read in a wrong encoding; ordinary texts share a quarter of
the words, other owners' memories a third."""
_LEAST_SHARED = 40  # bytes: shorter passages may be the same by chance
_LEAST_WITHIN = 12
"""Bytes from which a line counts that is a part of another one: shorter words may be by chance."""
_LEAST_WORDS = 100  # bytes: fewer words may be the same by chance
_LONGEST_REORDERED = 16
"""Times as many words as the memory file has: words of longer texts are compared in the order of their lines only."""
_WORD = re.compile(r"[^\W\d_]+")
_UNSPACED = "\u0e00"
"""From this character on, scripts are compared by pairs of characters: most have no spaces between words."""
_JSON_ESCAPE = re.compile(r"\\u([0-9a-fA-F]{4})")
_COMPARED = 32
"""Attachments whose comparisons are kept, so that a version is read once."""
_MAGIC = (b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"GIF8")


@dataclass(frozen=True, slots=True)
class Picture:
    """A page without text, as JPEG. ``page``: from 1."""

    page: int
    data: bytes


@dataclass(frozen=True, slots=True)
class Document:
    """``pages``: texts of the pages that were read, from the first; slides, sheets and chapters count as pages.
    ``total``: pages of the document, more than were read if a limit was reached.
    """

    pages: tuple[str, ...]
    total: int
    pictures: tuple[Picture, ...] = ()


class Attachments:
    """The attachments of one pet. Thread-safe. ``drafted`` returns those of unsent messages, None if unknown."""

    def __init__(self, root: Path, clock: Clock, drafted: Callable[[], Collection[str] | None] = tuple) -> None:
        self._root = root.resolve()
        self._clock = clock
        self._drafted = drafted
        self._lock = RLock()
        self._held: dict[str, dict[str, bytes]] = {}  # of temporary conversations
        self._known: dict[str, Attachment] = {}  # with their original file names
        self._unlike: dict[str, set[str]] = {}  # versions that an attachment was compared with

    def add_file(self, name: str, content: bytes, *, temporary: str | None = None) -> list[Attachment]:
        """Store a picture, a text, or the text of a document, with pictures of its pages without text.

        May take a minute. Arguments and errors as of ``add``.
        """
        if len(content) > MAX_FILE or has_image_signature(content):
            return [self.add(name, content, temporary=temporary)]
        read_document = provided("documents")
        document: Document | None = read_document(name, content) if read_document else None
        if document is None:
            return [self.add(name, content, temporary=temporary)]
        pictures = [
            self.add(f"{name}, {picture.page}", picture.data, temporary=temporary) for picture in document.pictures
        ]
        if not any(map(str.strip, document.pages)):
            return pictures
        attachment, data = _document(name, document)
        self._keep(attachment, data, temporary)
        return [attachment, *pictures]

    def add(self, name: str, content: bytes, *, temporary: str | None = None) -> Attachment:
        """Store a picture or a text in UTF-8; ``temporary`` is a conversation that leaves nothing on disk. ``name``
        may be any text.

        Raises AttachmentRefused, WriteFailed.
        """
        if len(content) > MAX_FILE:
            raise AttachmentRefused("too_large", name=name, limit=MAX_FILE // 1024 // 1024)
        attachment, data = _picture(name, content) if has_image_signature(content) else _text(name, content)
        self._keep(attachment, data, temporary)
        return attachment

    def _keep(self, attachment: Attachment, data: bytes, temporary: str | None) -> None:
        with self._lock:
            if temporary is None:
                self._store(attachment.id, data)
                self._known[attachment.id] = attachment
            else:
                self._held.setdefault(temporary, {})[attachment.id] = data
                self._known.setdefault(attachment.id, attachment)  # a transcript or draft may name the same bytes

    def read(self, attachment: str) -> bytes | None:
        """Return its bytes; None if it is missing or its content does not match its hash."""
        if not _ID.fullmatch(attachment):
            return None
        with self._lock:
            for held in self._held.values():
                if attachment in held:
                    return held[attachment]
        with suppress(OSError), open_folder(self._root, FOLDER) as folder:
            return _whole(folder, attachment)
        return None

    def share(self, conversation: str, other: str) -> None:
        """Give a temporary conversation's attachments to another one."""
        with self._lock:
            self._held[other] = dict(self._held.get(conversation, {}))

    def keep(self, conversation: str) -> None:
        """Store a temporary conversation's attachments on disk. Raises WriteFailed."""
        with self._lock:
            for attachment, data in self._held.get(conversation, {}).items():
                self._store(attachment, data)

    def stored(self, attachment: str) -> bool:
        """Whether it exists on disk; does not read it."""
        return bool(_ID.fullmatch(attachment)) and (self._root / FOLDER / attachment).is_file()

    def know(self, attachment: Attachment) -> None:
        """Register an attachment's original file name after a restart."""
        with self._lock:
            self._known.setdefault(attachment.id, attachment)

    def describe(self, attachment: str) -> Attachment:
        """Return the metadata of an added attachment, also after a restart, and protect it from collection.

        Raises AttachmentRefused.
        """
        data = self.read(attachment)
        if data is None:
            raise AttachmentRefused("gone")
        with self._lock, suppress(OSError), open_folder(self._root, FOLDER) as folder:
            folder.touch(attachment)  # no other process may collect it before the message references it
        with self._lock:
            known = self._known.get(attachment)
        return known or described(attachment, data)

    def gated(self, attachments: Iterable[Attachment], *, marked: bool = False) -> list[Attachment]:
        """Return those that are a memory file of this pet: its current text, a kept version, or a copy that an
        editor or a sync program left next to it. With memory off they must not be sent.

        Compared are the letters and digits of the texts: whole, as a part of the other, and line for line, of which
        most of one must be in the other; then the words of the memory file in any order, most of which must be near
        each other. ``marked``: also those that were one when a message was sent with them, even if pruned from the
        history.
        """
        texts = [each for each in attachments if each.kind == "text/plain"]
        if not texts:
            return []
        versions = self._gated_versions()
        if marked:
            versions |= {each: partial(self._data, each) for each in self._marked()}
        gated = self._of_versions({each.id for each in texts}, versions)
        return [each for each in texts if each.id in gated]

    def release(self, conversation: str, attachments: Iterable[str] = ()) -> None:
        """Remove a deleted conversation's attachments, except those referenced elsewhere or drafted.

        Raises WriteFailed.
        """
        with self._lock:
            self._held.pop(conversation, None)
        wanted = {each for each in attachments if _ID.fullmatch(each)}
        if wanted:
            drafted = self._drafted()
            if drafted is not None:
                self._remove(lambda name: name not in drafted, wanted)

    def discard(self, attachment: str) -> None:
        """Remove an attachment from a draft and delete it, unless a transcript references it or it is added again.

        Raises WriteFailed.
        """
        if self.stored(attachment):
            added_at = self._added_at(attachment)
            self._remove(lambda name: self._added_at(name) == added_at, {attachment})

    def collect(self) -> None:
        """Delete unreferenced, undrafted attachments older than a day; another process's draft may reference newer
        ones. Raises WriteFailed.
        """
        before, drafted = self._clock.now().timestamp() - _DAY, self._drafted()
        if drafted is not None:
            self._remove(lambda name: name not in drafted and self._added_at(name) < before, None)

    # --- inside ---------------------------------------------------------------------------------

    def _of_versions(self, attachments: set[str], versions: Mapping[str, Callable[[], bytes]]) -> set[str]:
        """Return the attachments that are one of the versions; compares each pair once."""
        contents = {each: self._data(each) for each in attachments}
        # Attachments lose a byte order mark.
        ids = {each: {each, hashlib.sha256(codecs.BOM_UTF8 + contents[each]).hexdigest()} for each in attachments}
        gated = {each for each in attachments if not ids[each].isdisjoint(versions)}
        folded: dict[str, _Row] = {}
        texts = {each: _ComparableText.of(contents[each], folded) for each in attachments - gated}
        with self._lock:
            unlike = {each: self._unlike.pop(each, set()) for each in texts}
            self._unlike |= unlike
            for each in list(self._unlike)[:-_COMPARED]:
                del self._unlike[each]
        for version, load in versions.items():
            if new := [each for each in texts if each not in gated and version not in unlike[each]]:
                with suppress(OSError):  # it may be readable the next time
                    other = _ComparableText.of(load(), folded)
                    gated.update(each for each in new if texts[each].is_nearly(other))
                    for each in new:
                        unlike[each].add(version)
        for each in gated & unlike.keys():
            unlike[each].clear()
        return gated

    def _data(self, attachment: str) -> bytes:
        return self.read(attachment) or b""

    def _gated_versions(self) -> dict[str, Callable[[], bytes]]:
        """Return the versions of the memory files by their hashes, with functions that read them."""
        core = (CoreFile.USER, CoreFile.MEMORY, ASIDE)
        versions: dict[str, Callable[[], bytes]] = {}
        for file in self._memory_files(core):
            with suppress(OSError):
                data = read_regular(file, MAX_TEXT)
                versions[hashlib.sha256(data).hexdigest()] = partial(bytes, data)
        kept = self._root / HISTORY_FOLDER
        for log in (*(kept / f"{name}.jsonl" for name in core), *kept.glob(flat_name(f"{LOG_FOLDER}/*.jsonl"))):
            with suppress(OSError):
                for version in {each.decode() for each in _NAMED.findall(read_regular(log))} - versions.keys():
                    versions[version] = partial(read_regular, kept / OBJECTS / version, MAX_TEXT)
        return versions

    def _memory_files(self, core: Iterable[str]) -> Iterator[Path]:
        """Yield the memory files, and their neighbours that are copies or is spelled in other letters."""
        for file in self._root.iterdir():
            leaf = file.name.casefold()
            if leaf == LOG_FOLDER and not file.is_symlink():
                yield from file.rglob("*")
            elif any(
                leaf.startswith(Path(name).stem.casefold()) or (leaf[0] in ".#" and name.casefold() in leaf)
                for name in core
            ):
                yield file

    def _marked(self) -> set[str]:
        marked: set[str] = set()
        with suppress(OSError), open_folder(self._root, CONVERSATIONS) as folder:
            for name in folder.names():
                if isinstance(file := folder.read(name, 1 << 40), Contents):
                    marked.update(each.decode() for ids in _MARKED.findall(file.data) for each in _NAMED.findall(ids))
        return marked

    def _store(self, attachment: str, data: bytes) -> None:
        try:
            with open_folder(self._root, FOLDER, create=True) as folder:
                if _whole(folder, attachment) is not None:
                    folder.touch(attachment)  # added again
                    return
                write_atomically(folder, attachment, data)
        except OSError as problem:
            raise WriteFailed.from_os_error(FOLDER, problem) from problem

    def _remove(self, is_old: Callable[[str], bool], wanted: set[str] | None) -> None:
        """Remove unreferenced old attachments, all or those in ``wanted``.

        No lock is held during the slow scan of the transcripts; an attachment added again meanwhile stays.
        """
        try:
            with open_folder(self._root) as top, top.sub(FOLDER, create=False) as folder:
                candidates = [name for name in folder.names() if _is_ours(name, wanted) and is_old(name)]
                if candidates and (referenced := self._referenced(top)) is not None:
                    with self._lock:
                        for name in candidates:
                            if name not in referenced and is_old(name):
                                folder.remove(name)
                        folder.sync()
        except FileNotFoundError:
            return
        except OSError as problem:
            raise WriteFailed.from_os_error(FOLDER, problem) from problem

    def _added_at(self, name: str) -> float:
        """Return when the file came to this disk: a sync program may preserve another machine's modification time."""
        status = (self._root / FOLDER / name).lstat()
        return max(status.st_mtime, status.st_ctime)

    def _referenced(self, top: Folder) -> set[str] | None:
        """Return the ids in all conversation files; None if one can't be read."""
        ids: set[str] = set()
        try:
            with top.sub(CONVERSATIONS, create=False) as folder:
                for name in folder.names():
                    raw = folder.read(name, 1 << 40)
                    if not isinstance(raw, Contents):
                        return None
                    ids.update(each.decode() for each in _NAMED.findall(raw.data))
        except FileNotFoundError:
            return ids  # no conversations yet
        return ids


@dataclass(frozen=True, slots=True)
class _Row:
    """The letters, digits and pictographs of a line, and its words."""

    letters: str
    words: tuple[str, ...]

    @classmethod
    def of(cls, row: str) -> _Row:
        line = comparable_line(row)
        return cls(line.translate(_SIGNS), tuple(each for run in _WORD.findall(line) for each in _words(run)))


def _words(run: str) -> Iterable[str]:
    return [run] if max(run) < _UNSPACED else map("".join, pairwise(run))


@dataclass(frozen=True, slots=True)
class _ComparableText:
    """The letters, digits and pictographs of a text: of its lines with their sizes in bytes, and of the whole; and
    its words, in order and with their sizes."""

    lines: dict[str, int]
    whole: str
    size: int
    words: list[str]
    vocabulary: dict[str, int]

    @classmethod
    def of(cls, data: bytes, folded: dict[str, _Row]) -> _ComparableText:
        """``folded``: known comparable forms of lines, which is added to: versions have most lines in common."""
        text = data.decode("utf-8-sig", errors="replace")
        rows = join_surrogates(_JSON_ESCAPE.sub(lambda match: chr(int(match[1], 16)), text)).splitlines()
        for row in rows:
            if row not in folded:
                folded[row] = _Row.of(row)
        lines = [letters for row in rows if (letters := folded[row].letters)]
        whole = "".join(lines)
        words = [word for row in rows for word in folded[row].words]
        return cls(_sizes(lines), whole, len(whole.encode()), words, _sizes(words))

    def is_nearly(self, memory: _ComparableText) -> bool:
        """Whether both are the same, or one has the other, or most lines of it, or this one most of its words."""
        if self.whole == memory.whole:
            return bool(self.whole)
        smaller, larger = sorted((self, memory), key=lambda each: each.size)
        if smaller.size >= _LEAST_SHARED and smaller.whole in larger.whole:
            return True  # in other lines, with more before or after
        return self._is_mostly_in(memory) or memory._is_mostly_in(self) or self._has_words_of(memory)

    def _has_words_of(self, memory: _ComparableText) -> bool:
        """Whether a passage of this text at most twice as long as the memory file has most of its words."""
        total, length = sum(memory.vocabulary.values()), len(memory.words)
        if total < _LEAST_WORDS or len(self.words) > _LONGEST_REORDERED * length:
            return False

        def has_most(words: Collection[str]) -> bool:
            shared = memory.vocabulary.keys() & words
            return sum(memory.vocabulary[word] for word in shared) >= _SHARED * total

        return has_most(self.vocabulary) and any(
            has_most(set(self.words[start : start + 3 * length])) for start in range(0, len(self.words), length)
        )

    def _is_mostly_in(self, other: _ComparableText) -> bool:
        """Whether most lines are lines of the other, or parts of its text if they are long."""
        total = sum(self.lines.values())
        rest = total - max(_LEAST_SHARED, _SHARED * total)
        if other.size < total - rest:
            return False
        for line, size in self.lines.items():
            if line not in other.lines and (size < _LEAST_WITHIN or line not in other.whole):
                rest -= size
            if rest < 0:
                return False
        return True


class _Signs(dict[int, int | None]):
    """Translation that drops what list marks, tables and markup are made of: all but letters, digits, pictographs."""

    def __missing__(self, code: int) -> int | None:
        kind = unicodedata.category(chr(code))
        self[code] = None if kind[0] in "PZC" or kind in ("Sm", "Sk", "Sc") else code
        return self[code]


_SIGNS = _Signs()


def _sizes(texts: Iterable[str]) -> dict[str, int]:
    """Return each text once, with its size in bytes."""
    return {text: len(text.encode()) for text in dict.fromkeys(texts)}


def _whole(folder: Folder, attachment: str) -> bytes | None:
    """Return the stored bytes if they match this hash, else None."""
    raw = folder.read(attachment, _MAX_STORED)
    if isinstance(raw, Contents) and hashlib.sha256(raw.data).hexdigest() == attachment:
        return raw.data
    return None


def has_image_signature(content: bytes) -> bool:
    """Whether the first bytes are an image signature, regardless of the name."""
    riff = content[:4] == b"RIFF" and content[8:12] == b"WEBP"
    return riff or content.startswith(_MAGIC)


def _picture(name: str, content: bytes) -> tuple[Attachment, bytes]:
    from pet.workspace.images import prepare_image  # lazy: importing Pillow is slow

    image = prepare_image(content, name)
    return _attachment(image.data, image.kind, name, image.width, image.height), image.data


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
    return replace(_attachment(data, "text/plain", name, 0, 0), pages=len(split_pages(text))), data


def _document(name: str, document: Document) -> tuple[Attachment, bytes]:
    pages = [page.replace("\0", "").replace(BREAK, "\n") for page in document.pages]
    text = BREAK.join(pages)
    data = text.encode("utf-8", "replace")
    made = _attachment(data, "text/plain", name, 0, 0)
    return replace(made, pages=len(split_pages(text)), unread=document.total - len(pages)), data


def _attachment(data: bytes, kind: Kind, name: str, width: int, height: int) -> Attachment:
    id_ = hashlib.sha256(data).hexdigest()
    return Attachment(id=id_, kind=kind, name=name, width=width, height=height, bytes=len(data))


def described(attachment: str, data: bytes) -> Attachment:
    """Return metadata from the content, without a name, for attachments of an earlier start."""
    if not has_image_signature(data):
        pages = len(split_pages(data.decode("utf-8", "replace")))
        return replace(_attachment(data, "text/plain", "", 0, 0), pages=pages)
    from pet.workspace.images import image_size

    width, height = image_size(data, attachment)
    return _attachment(data, "image/png" if data.startswith(b"\x89PNG") else "image/jpeg", "", width, height)


def _is_ours(name: str, wanted: set[str] | None) -> bool:
    if wanted is not None:
        return name in wanted
    return bool(_ID.fullmatch(name) or _TEMP.fullmatch(name))
