"""``python -m lab.gallery``: all pictures, recordings and the two pages of docs/.

``--all`` writes every variant of every scene, into the ignored folder ``shots/gallery``; ``--only NAME`` (as often as
wanted) takes some scenes alone and leaves the pages as they are.
"""

from __future__ import annotations

import argparse
import contextlib
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from PIL import Image
from playwright.sync_api import Error, Playwright, expect, sync_playwright

from lab.gallery.pages import accessibility_page, gallery_page
from lab.gallery.scenes.films import FILMS
from lab.gallery.scenes.table import Scene, all_scenes
from lab.gallery.studio.checks import Checked, check
from lab.gallery.studio.desktop import open_studio
from lab.gallery.studio.stage import Stage, open_stage
from lab.gallery.variants import ALL, EN_LIGHT, ZH_DARK, Variant, kept, kept_files
from tests.support.desktop.xvfb import Desktop

DOCS = Path(__file__).resolve().parents[2] / "docs"
KEPT = DOCS / "images" / "gallery"
EVERYTHING = DOCS.parent / "shots" / "gallery"
CHECKED = (EN_LIGHT, ZH_DARK)
REMINDS = "bubble-reminder"
"""The scene of the reminder that is due at the start: the bubble says nothing else before that is closed."""


def main() -> int:
    options = _options()
    only = set(options.only)
    scenes = [scene for scene in all_scenes() if not only or scene.name in only]
    films = [film for film in FILMS if not only or film.name in only]
    found: dict[tuple[str, str], Checked] = {}
    expect.set_options(timeout=15_000)
    with sync_playwright() as playwright:
        for variant in ALL:
            wanted = [scene for scene in scenes if options.all or variant in kept(scene)]
            films_here = [film.name for film in films] if variant == EN_LIGHT else []
            if wanted or films_here:
                folder = EVERYTHING if options.all else KEPT
                found |= _take(playwright, variant, wanted, films_here, folder)
    bad = [f"{scene} ({variant}): {each}" for (scene, variant), one in found.items() for each in one.violations]
    if not only and not options.all:
        _write_pages(found)
    print("\n".join(bad) or "no violations", file=sys.stderr)
    return 1 if bad else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m lab.gallery", description=__doc__)
    parser.add_argument("--all", action="store_true", help="every variant of every scene, into shots/gallery")
    parser.add_argument("--only", action="append", default=[], metavar="NAME", help="a scene or recording alone")
    return parser.parse_args()


def _take(
    playwright: Playwright, variant: Variant, scenes: Sequence[Scene], films: Sequence[str], folder: Path
) -> dict[tuple[str, str], Checked]:
    found: dict[tuple[str, str], Checked] = {}
    with open_studio(dark=variant.dark, scale=variant.scale) as desktop:
        for home in ("furnished", "first"):
            here = [scene for scene in scenes if scene.home == home]
            filmed = films if home == "furnished" else ()
            if here or filmed:
                found |= _walk(desktop, playwright, variant, here, filmed, folder)
    return found


def _walk(
    desktop: Desktop,
    playwright: Playwright,
    variant: Variant,
    scenes: Sequence[Scene],
    films: Sequence[str],
    folder: Path,
) -> dict[tuple[str, str], Checked]:
    found: dict[tuple[str, str], Checked] = {}
    first = bool(scenes) and scenes[0].home == "first"
    with (
        _place() as home,
        open_stage(
            desktop,
            playwright,
            home,
            variant.language,
            dark=variant.dark,
            scale=variant.scale,
            first=first,
        ) as stage,
    ):
        if not first and (not scenes or scenes[0].name != REMINDS):
            stage.read_reminder()
        for scene in scenes:
            print(f"{scene.name} {variant.name}", flush=True)
            checked = _play(stage, scene, folder / variant.file(scene), check_it=variant in CHECKED)
            if checked:
                found[scene.name, variant.name] = checked
        for film in FILMS:
            if film.name in films:
                print(film.name, flush=True)
                film.shoot(stage).save(folder / f"{film.name}.webp", width=film.width)
    return found


def _play(stage: Stage, scene: Scene, file: Path, *, check_it: bool) -> Checked | None:
    """The picture of a scene, and what axe says of it. A scene that fails is played once more."""
    for last in (False, True):
        try:
            with scene.play(stage) as page:
                if stage.made is None:
                    stage.drawn(page or stage.page)
                _save(stage.picture(), file)
                return check(page or stage.page) if check_it else None
        except (AssertionError, Error, TimeoutError) as problem:
            if last:
                raise
            print(f"{scene.name} once more: {str(problem)[:200]}", file=sys.stderr, flush=True)
            stage.finish()
    return None


@contextlib.contextmanager
def _place() -> Iterator[Path]:
    """Some pictures show where the home is: a place as an owner has it, the same each time if it can be made."""
    owner = Path("/home/lin")  # who is nobody on this machine; where that can't be made, a temporary folder does
    try:
        owner.mkdir(mode=0o700)
    except OSError:
        owner = Path(tempfile.mkdtemp(prefix="soulpet-gallery-"))
    place = owner / "Soulpet"
    place.mkdir(mode=0o700)
    try:
        yield place
    finally:
        shutil.rmtree(owner, ignore_errors=True)


def _save(picture: Image.Image, file: Path) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    picture.save(file, "WEBP", quality=42 if "@2x" in file.name else 56, method=6)  # no more than the eye needs


def _write_pages(found: dict[tuple[str, str], Checked]) -> None:
    for left in KEPT.glob("*"):
        if left.name not in kept_files():
            left.unlink()
    (DOCS / "gallery.md").write_text(gallery_page(), encoding="utf-8")
    (DOCS / "accessibility.md").write_text(accessibility_page(found, all_scenes()), encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
