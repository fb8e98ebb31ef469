"""The desktop the pictures are taken on: window frames, wallpaper, and the camera.

Owns what is around the program. The frames are drawn by openbox from a theme written here, so that the pictures look
alike wherever they are made.
"""

from __future__ import annotations

import contextlib
import io
import tempfile
from collections.abc import Iterator
from pathlib import Path

from PIL import Image

from lab.gallery.home.drawn import landscape
from tests.support.desktop.xvfb import Box, Desktop, open_desktop, wait_for

SIZE = (1280, 860)
AROUND = 26
"""So much of the desktop is to be seen around the windows."""

_LOOKS = {
    False: {"bar": "#efe2d3", "ink": "#5b4438", "edge": "#d5c3b1", "quiet": "#f5ebdf"},
    True: {"bar": "#2b221d", "ink": "#d8c4b5", "edge": "#17110e", "quiet": "#241c18"},
}
_THEME = """\
border.width: {thin}
padding.width: {pad}
padding.height: {pad}
window.client.padding.width: 0
window.client.padding.height: 0
window.handle.width: 0
window.label.text.justify: center
window.*.border.color: {edge}
window.active.title.bg: flat solid
window.active.title.bg.color: {bar}
window.active.title.separator.color: {edge}
window.active.label.bg: parentrelative
window.active.label.text.color: {ink}
window.active.button.*.bg: parentrelative
window.active.button.*.image.color: {ink}
window.inactive.title.bg: flat solid
window.inactive.title.bg.color: {quiet}
window.inactive.title.separator.color: {edge}
window.inactive.label.bg: parentrelative
window.inactive.label.text.color: {ink}
window.inactive.button.*.bg: parentrelative
window.inactive.button.*.image.color: {ink}
"""
_CONFIG = """\
<?xml version="1.0" encoding="UTF-8"?>
<openbox_config xmlns="http://openbox.org/3.4/rc">
  <theme>
    <name>Gallery</name><titleLayout>LC</titleLayout><animateIconify>no</animateIconify>
    <font place="ActiveWindow"><name>Noto Sans CJK SC</name><size>{size}</size><weight>Medium</weight></font>
    <font place="InactiveWindow"><name>Noto Sans CJK SC</name><size>{size}</size><weight>Medium</weight></font>
  </theme>
  <desktops><number>1</number><popupTime>0</popupTime></desktops>
</openbox_config>
"""


@contextlib.contextmanager
def open_studio(*, dark: bool, scale: int = 1) -> Iterator[Desktop]:
    """A desktop with our wallpaper and window frames, in light or dark."""
    width, height = (side * scale for side in SIZE)
    with tempfile.TemporaryDirectory(prefix="soulpet-studio-") as folder:
        config = _frames(Path(folder), dark=dark, scale=scale)
        paper = Path(folder) / "wallpaper.png"
        landscape((width, height), dark=dark).save(paper)
        manager = ("env", f"XDG_DATA_HOME={folder}", "openbox", "--sm-disable", "--config-file", str(config))
        with open_desktop(size=f"{width}x{height}", manager=manager) as desktop:
            desktop.run("hsetroot", "-fill", str(paper))
            yield desktop


def _frames(folder: Path, *, dark: bool, scale: int) -> Path:
    theme = folder / "themes" / "Gallery" / "openbox-3" / "themerc"
    theme.parent.mkdir(parents=True)
    theme.write_text(_THEME.format(thin=scale, pad=5 * scale, **_LOOKS[dark]), encoding="ascii")
    config = folder / "rc.xml"
    config.write_text(_CONFIG.format(size=9 * scale), encoding="utf-8")
    return config


def grab(desktop: Desktop, box: Box) -> Image.Image:
    """What the owner sees there."""
    area = f"{box.width}x{box.height}+{box.x}+{box.y}"
    taken = desktop.run_bytes("import", "-window", "root", "-crop", area, "+repage", "-depth", "8", "ppm:-")
    return Image.open(io.BytesIO(taken)).convert("RGB")


def steady(desktop: Desktop, box: Box) -> Image.Image:
    """The picture once two in a row are the same: all that fades or slides has arrived."""
    seen: list[Image.Image] = [grab(desktop, box)]

    def still() -> Image.Image | None:
        seen.append(grab(desktop, box))
        return seen[-1] if seen[-1].tobytes() == seen[-2].tobytes() else None

    try:
        return wait_for("a picture that stands still", still, 3)
    except AssertionError:  # the pet breathes, the cursor blinks: then as it is
        return seen[-1]


def around(boxes: list[Box], frame: int, scale: int) -> Box:
    """The part of the screen that holds these windows, with their title bars and some of the desktop."""
    margin = AROUND * scale
    left = max(0, min(box.x for box in boxes) - margin)
    top = max(0, min(box.y for box in boxes) - frame - margin)
    right = min(SIZE[0] * scale, max(box.x + box.width for box in boxes) + margin)
    bottom = min(SIZE[1] * scale, max(box.y + box.height for box in boxes) + margin)
    return Box(left, top, right - left, bottom - top)
