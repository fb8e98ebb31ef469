"""Which pictures of a scene are kept, and what their files are called. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from lab.gallery.scenes.films import FILMS
from lab.gallery.scenes.table import Scene, all_scenes
from pet.i18n import Language


@dataclass(frozen=True, slots=True, kw_only=True)
class Variant:
    language: Language
    dark: bool
    scale: int = 1

    @property
    def name(self) -> str:
        double = "@2x" if self.scale == 2 else ""
        return f"{self.language}-{'dark' if self.dark else 'light'}{double}"

    def file(self, scene: Scene) -> str:
        return f"{scene.name}.{self.name}.webp"


EN_LIGHT = Variant(language="en", dark=False)
ZH_DARK = Variant(language="zh", dark=True)
EN_DARK = Variant(language="en", dark=True)
ZH_LIGHT = Variant(language="zh", dark=False)
DOUBLE = Variant(language="en", dark=False, scale=2)
DOUBLE_DARK = Variant(language="zh", dark=True, scale=2)

ALL = (EN_LIGHT, ZH_DARK, EN_DARK, ZH_LIGHT, DOUBLE, DOUBLE_DARK)


def kept(scene: Scene) -> tuple[Variant, ...]:
    """Those in the repository: two of each stored scene, of the best known ones every light and language."""
    if not scene.stored:
        return ()
    if scene.hero:
        return EN_LIGHT, ZH_DARK, EN_DARK, ZH_LIGHT, DOUBLE
    return (EN_LIGHT, ZH_DARK, EN_DARK, ZH_LIGHT) if scene.lights else (EN_LIGHT, ZH_DARK)


def kept_files() -> set[str]:
    pictures = {variant.file(scene) for scene in all_scenes() for variant in kept(scene)}
    return pictures | {f"{film.name}.webp" for film in FILMS}
