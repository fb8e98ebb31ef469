"""The repository holds the pictures the gallery names, and no others; its page says what the table says."""

from __future__ import annotations

from pathlib import Path

from PIL import Image

from lab.gallery.home.words import read_words
from lab.gallery.pages import gallery_page
from lab.gallery.scenes.films import FEWEST_FRAMES, FILMS, LARGEST
from lab.gallery.scenes.table import all_scenes
from lab.gallery.variants import kept_files

DOCS = Path(__file__).resolve().parents[2] / "docs"
PICTURES = DOCS / "images" / "gallery"
MOST_BYTES = 5_000_000


def test_each_scene_has_its_pictures_and_none_is_left_over() -> None:
    assert {file.name for file in PICTURES.iterdir()} == kept_files()


def test_the_pictures_are_pictures_and_small_together() -> None:
    for file in PICTURES.iterdir():
        with Image.open(file) as picture:
            assert picture.format == "WEBP"
            assert min(picture.size) > 150
    assert sum(file.stat().st_size for file in PICTURES.iterdir()) < MOST_BYTES


def test_the_recordings_move_and_are_small() -> None:
    for film in FILMS:
        file = PICTURES / f"{film.name}.webp"
        assert file.stat().st_size <= LARGEST
        with Image.open(file) as picture:
            assert getattr(picture, "n_frames", 1) >= FEWEST_FRAMES


def test_the_gallery_s_page_is_what_the_table_makes_of_it() -> None:
    assert (DOCS / "gallery.md").read_text(encoding="utf-8") == gallery_page()


def test_the_accessibility_page_speaks_of_every_scene_and_of_no_violation() -> None:
    page = (DOCS / "accessibility.md").read_text(encoding="utf-8")
    assert f"**{len(all_scenes())} scenes, " in page
    assert ", 0 violations." in page


def test_scenes_have_names_of_their_own() -> None:
    names = [scene.name for scene in all_scenes()]
    assert len(names) == len(set(names))


def test_both_languages_have_the_same_home() -> None:
    from datetime import date

    en, zh = (read_words(language, date(2026, 11, 21)) for language in ("en", "zh"))
    assert en.files.keys() == zh.files.keys()
    assert en.said.keys() == zh.said.keys()
    assert en.acts.keys() == zh.acts.keys()
    assert [talk.key for talk in en.talks] == [talk.key for talk in zh.talks]
    assert [(note.ago, note.at) for note in en.notes] == [(note.ago, note.at) for note in zh.notes]
