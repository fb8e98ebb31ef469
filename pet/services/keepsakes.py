"""Pictures and films of the pet, in the owner's pictures folder.

The pet's page draws them from its own drawings; no screenshot is taken. The bubble's words go to the page only when
the owner chose them for this one picture; otherwise it gets the number of lines. The page is untrusted.
"""

from __future__ import annotations

import io
import logging
import re
import struct
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from pet.clock import Clock
from pet.errors import BadArguments, NoFileManager, PetError
from pet.events import ErrorInfo, Event, KeepsakeAsked
from pet.services.file_transfer import decode_chunks, plain_name, save_to_downloads
from pet.services.offers.bubble import SpeechBubble
from pet.services.offers.offer import Answer, BubbleLine
from pet.services.offers.replies import FAILED, failure

MOST_FRAMES = 60
LONGEST_SIDE = 1024
"""Pixels."""
LONGEST_FILM_MS = 10_000
_MOST_LINES = 5
_LINE = 34  # characters
_HEADER = struct.Struct(">8s4x4sII")  # of a PNG: signature, length, "IHDR", width, height
_UNUSABLE = re.compile(r'[<>:"/\\|?*]')  # in a file's name, on some system
_FAILED = replace(FAILED, held="never")
SAVED = replace(_FAILED, kind="saved")
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class KeepsakeWish:
    """Contents of a keepsake. ``number``: of the wish, 0 without one; ``lines``: of the bubble, 0 without one;
    ``words``: its text, "" if the owner didn't choose it."""

    number: int = 0
    film: bool = False
    lines: int = 0
    words: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class KeepsakeFrame:
    """``image``: a PNG in base64."""

    image: str
    milliseconds: int


@dataclass(slots=True, kw_only=True)
class Keepsakes:
    """Thread-safe. ``folder``: of the owner's pictures."""

    bubble: SpeechBubble
    folder: Callable[[], Path]
    pet_name: Callable[[], str]
    clock: Clock
    emit: Callable[[Event], object]
    _lock: threading.Lock = field(init=False, default_factory=threading.Lock)
    _count: int = field(init=False, default=0)
    _wish: KeepsakeWish | None = field(init=False, default=None)

    def ask(self, *, film: bool, words: bool) -> None:
        """Ask the page for a picture or a film of this moment; a wish that is open is replaced."""
        shown = self.bubble.content()
        text = shown.text if shown.voiced else ""
        with self._lock:
            self._count += 1
            self._wish = KeepsakeWish(
                number=self._count,
                film=film,
                lines=min(_MOST_LINES, -(-len(text) // _LINE)),
                words=text if words else "",
            )
        self.emit(KeepsakeAsked())

    def wish(self) -> KeepsakeWish:
        """Return what is to be drawn; its words once."""
        with self._lock:
            wish = self._wish
            if wish is None:
                return KeepsakeWish()
            self._wish = replace(wish, words="")
        return wish

    def save(self, number: int, frames: Sequence[KeepsakeFrame]) -> None:
        """Save the frames and say where, on another thread. Raises BadArguments without an open wish of this number,
        and for frames of another kind, number or size than a page of ours draws."""
        with self._lock:
            wish = self._wish
            if wish is None or wish.number != number:
                raise BadArguments(where="number", why="value")
            self._wish = None  # also if it is refused: one answer for one wish
        _check_times(frames, film=wish.film)
        pictures = [decode_chunks([frame.image], "frames") for frame in frames]
        _check_sizes(pictures)
        times = [frame.milliseconds for frame in frames]
        threading.Thread(target=self._save, args=(pictures, times, wish.film), name="keepsake", daemon=True).start()

    def _save(self, pictures: list[bytes], times: list[int], film: bool) -> None:
        from pet.untrusted.images import UnsafePicture  # lazy: importing Pillow is slow

        name = _UNUSABLE.sub(" ", plain_name(self.pet_name())).strip(" .") or "Soulpet"
        ending = "webp" if film else "png"
        try:
            data = encoded(pictures, times, film=film)
            file = save_to_downloads(self.folder(), f"{name} {self.clock.now():%Y-%m-%d %H.%M.%S}.{ending}", data)
        except UnsafePicture as refused:
            _log.warning("a page's picture was refused: %s", refused.why)
        except PetError as failed:
            self.bubble.offer_if_free(failure(self.bubble, ErrorInfo.of(failed), offer=_FAILED))
        else:
            if not self.bubble.offer_if_free(self._saved(file)):
                self.bubble.windows.open_folder(file.parent)

    def _saved(self, file: Path) -> BubbleLine:
        def show_folder() -> None:
            if not self.bubble.windows.open_folder(file.parent):
                missing = ErrorInfo.of(NoFileManager(path=str(file.parent)))
                self.bubble.offer(failure(self.bubble, missing, offer=_FAILED))

        folder = Answer(id="go_there", text="bubble.open_folder", style="main", act=show_folder)
        words = {"file": file.name, "folder": file.parent.name}
        return BubbleLine(offer=SAVED, words=lambda texts: texts("bubble.saved", **words), answers=(folder,))


def _check_times(frames: Sequence[KeepsakeFrame], *, film: bool) -> None:
    times = [frame.milliseconds for frame in frames]
    if not 1 <= len(frames) <= (MOST_FRAMES if film else 1):
        raise BadArguments(where="frames", why="value")
    if any(time < 0 for time in times) or sum(times) > LONGEST_FILM_MS:
        raise BadArguments(where="milliseconds", why="value")


def _check_sizes(pictures: Sequence[bytes]) -> None:
    sizes = set()
    for picture in pictures:
        if len(picture) < _HEADER.size:
            raise BadArguments(where="frames", why="value")
        signature, first, width, height = _HEADER.unpack_from(picture)
        if (signature, first) != (b"\x89PNG\r\n\x1a\n", b"IHDR"):
            raise BadArguments(where="frames", why="value")
        sizes.add((width, height))
    if len(sizes) != 1 or not all(1 <= side <= LONGEST_SIDE for size in sizes for side in size):
        raise BadArguments(where="frames", why="value")


def encoded(pictures: Sequence[bytes], times: Sequence[int], *, film: bool) -> bytes:
    """Return the pictures drawn again, without anything else that they hold: an animated WebP, or a PNG.

    Raises UnsafePicture.
    """
    from pet.untrusted.images import open_image

    drawn = []
    for picture in pictures:
        with open_image(io.BytesIO(picture), ("PNG",), LONGEST_SIDE**2) as image:
            clean = image.convert("RGBA")
            clean.info.clear()
            drawn.append(clean)
    out = io.BytesIO()
    if film:
        rest = drawn[1:]
        drawn[0].save(out, "WEBP", save_all=True, append_images=rest, duration=list(times), loop=0, quality=90)
    else:
        drawn[0].save(out, "PNG", optimize=True)
    return out.getvalue()
