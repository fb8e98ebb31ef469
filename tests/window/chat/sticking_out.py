"""What of a page is wider than its window: the eye's first complaint about a small one, measured in the real page."""

from __future__ import annotations

from typing import cast

from playwright.sync_api import Page

from lab.gallery.studio.stage import DRAWN

SMALL = {"width": 380, "height": 420}

# Elements that may be wider than what shows of them: they scroll by themselves, on purpose.
_SCROLLERS = ".diff-lines, .side-by-side, pre, .table, .code, .cm-scroller, .tabs, .katex-display"
_LOOK = """(scrollers) => {
  const width = document.documentElement.clientWidth;
  const found = new Set();
  const name = (each) => each.tagName.toLowerCase() + '.' + (each.getAttribute('class') ?? '');
  for (const each of document.querySelectorAll('body, body *')) {
    const style = getComputedStyle(each);
    const box = each.getBoundingClientRect();
    const unseen = box.width === 0 || box.height === 0 || style.visibility === 'hidden';
    if (unseen || each.closest('.sr') || style.clipPath !== 'none' || each.closest(scrollers)) continue;
    if (each.scrollWidth > each.clientWidth + 1 && /auto|scroll/.test(style.overflowX))
      found.add(`${name(each)} scrolls sideways: ${each.scrollWidth} in ${each.clientWidth}`);
    const cut = style.overflowX === 'hidden' && style.textOverflow !== 'ellipsis';
    if (cut && each.clientWidth > 0 && each.scrollWidth > each.clientWidth + 1)
      found.add(`${name(each)} is cut off: ${each.scrollWidth} in ${each.clientWidth}`);
    if (box.right > width + 1 || box.left < -1)
      found.add(`${name(each)} sticks out: ${Math.round(box.left)} to ${Math.round(box.right)} of ${width}`);
  }
  const pen = document.createElement('canvas').getContext('2d');
  for (const each of document.querySelectorAll('input:placeholder-shown')) {
    const style = getComputedStyle(each);
    pen.font = style.font;
    const cross = each.type === 'search' ? 24 : 0; // what empties the field
    const room = each.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight) - cross;
    const wide = pen.measureText(each.placeholder).width;
    if (room > 0 && wide > room + 1)
      found.add(`${name(each)} cuts "${each.placeholder}" off: ${Math.round(wide)} in ${Math.round(room)}`);
  }
  return [...found].slice(0, 10);
}"""
_MENU = """() => [...document.querySelectorAll('[role=menuitem]')].map((each) => {
  const words = each.querySelector(':scope > span') ?? each;
  const lines = Math.round(words.getBoundingClientRect().height / parseFloat(getComputedStyle(words).lineHeight));
  return [words.textContent, getComputedStyle(words).fontWeight, lines];
})"""


def sticking_out(page: Page) -> list[str]:
    """Nothing, where all is well. Asked once the page has drawn what it knows."""
    page.evaluate(DRAWN)
    return cast("list[str]", page.evaluate(_LOOK, _SCROLLERS))


def menu_items(page: Page) -> list[tuple[str, str, int]]:
    """Words, weight and number of lines of each item in the open menu."""
    return [(str(words), str(weight), int(lines)) for words, weight, lines in page.evaluate(_MENU)]
