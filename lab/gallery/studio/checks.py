"""What axe says of a page as it is shown, contrast included, and the walk through a page with the Tab key."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from playwright.sync_api import Page

_AXE = Path(__file__).resolve().parents[3] / "ui" / "node_modules" / "axe-core" / "axe.min.js"
_RUN = """async ([only]) => {
  const ends = (one) => one.effect?.getComputedTiming().endTime ?? 0;
  const passing = document.getAnimations().filter((one) => Number.isFinite(ends(one)));
  for (const one of passing) one.finish();  // in a page that is hidden meanwhile it would never end
  const options = only.length ? { runOnly: { type: "rule", values: only } } : {};
  // A tooltip belongs to what it describes, not to a part of the page.
  const found = await axe.run({ exclude: ["#tooltip"] }, { ...options, resultTypes: ["violations", "incomplete"] });
  const short = (rule) => ({
    rule: rule.id,
    help: rule.help,
    places: rule.nodes.map((node) => `${node.target.join(" ")}: ${node.any.concat(node.all, node.none)
      .map((check) => check.message).join("; ")}`),
  });
  return {
    version: axe.version,
    passed: found.passes.map((rule) => rule.id),
    violations: found.violations.map(short),
    incomplete: found.incomplete.map(short),
  };
}"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    rule: str
    help: str
    places: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.rule} ({self.help}): " + " | ".join(self.places)


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """``incomplete``: what axe can't decide by itself, such as words over a picture."""

    version: str
    passed: tuple[str, ...]
    violations: tuple[Finding, ...]
    incomplete: tuple[Finding, ...]


def check(page: Page, *rules: str) -> Checked:
    """All rules of axe, or these alone, on the page as it is once nothing fades any more."""
    if not page.evaluate("typeof axe === 'object'"):
        page.evaluate(_AXE.read_text(encoding="utf-8"))
    found: dict[str, Any] = page.evaluate(_RUN, [list(rules)])
    return Checked(
        version=found["version"],
        passed=tuple(found["passed"]),
        violations=_findings(found["violations"]),
        incomplete=_findings(found["incomplete"]),
    )


def _findings(raw: list[dict[str, Any]]) -> tuple[Finding, ...]:
    return tuple(Finding(rule=each["rule"], help=each["help"], places=tuple(each["places"])) for each in raw)


# --- by keyboard ----------------------------------------------------------------------------------

_STOP = """async () => {
  const ends = (one) => one.effect?.getComputedTiming().endTime ?? 0;
  const passing = document.getAnimations().filter((one) => Number.isFinite(ends(one)));
  for (const one of passing) one.finish();  // in a page that is hidden meanwhile it would never end
  const it = document.activeElement;
  if (!it || it === document.body) return null;
  const words = (node) => (node.innerText ?? node.textContent ?? "").trim();
  const byIds = (ids) => (ids ?? "").split(" ").map((id) => document.getElementById(id)?.textContent ?? "").join(" ");
  const name = it.getAttribute("aria-label") || byIds(it.getAttribute("aria-labelledby")).trim()
    || [...(it.labels ?? [])].map(words).join(" ").trim() || words(it) || it.title || "";
  const box = it.getBoundingClientRect();
  const probe = document.body.appendChild(document.createElement("i"));
  probe.style.color = "var(--accent)";
  const accent = getComputedStyle(probe).color;
  probe.remove();
  const ringed = (node) => {
    const look = getComputedStyle(node);
    const outline = look.outlineStyle !== "none" && parseFloat(look.outlineWidth) >= 1;
    const border = parseFloat(look.borderTopWidth) >= 1 && look.borderTopColor === accent;
    return outline || (border && node.matches(":focus-within"));
  };
  // A slider shows it on its knob, whose style nobody may ask for: the rule itself is looked for.
  const knobbed = (rule) => {
    const [whole, part] = (rule.selectorText ?? "").split("::");
    return part === "-webkit-slider-thumb" && it.matches(whole) && parseFloat(rule.style.outline) >= 1;
  };
  const sheets = it.type === "range" ? [...document.styleSheets] : [];
  let ring = sheets.some((sheet) => [...sheet.cssRules].some(knobbed)) ? "knob" : null;
  for (let node = it, up = 0; node && up < 4 && !ring; node = node.parentElement, up += 1) {
    if (ringed(node)) ring = node.className || node.tagName;
  }
  const seen = box.width > 0 && box.height > 0 && box.bottom > 0 && box.right > 0
    && box.top < innerHeight && box.left < innerWidth;
  const all = [...document.querySelectorAll("*")];
  return { at: all.indexOf(it), tag: it.tagName.toLowerCase(), look: it.className?.toString() ?? "", name, ring, seen,
    top: box.top, left: box.left };
}"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stop:
    """Where the Tab key came to. ``ring``: what shows the focus, the element or one around it."""

    at: int
    tag: str
    look: str
    name: str
    ring: str | None
    seen: bool
    top: float
    left: float


def walk(page: Page, most: int = 120) -> list[Stop]:
    """All stops of the Tab key, until one comes round again: from where the focus was, and on from the start."""
    page.evaluate("() => { document.activeElement?.blur(); getSelection()?.removeAllRanges(); }")
    stops: list[Stop] = []
    for _ in range(most):
        page.keyboard.press("Tab")
        raw: dict[str, Any] | None = page.evaluate(_STOP)
        if raw is None:  # at the end of the page
            continue
        stop = Stop(**raw)
        if stops and stops[-1].at == stop.at:  # a field with parts of its own, such as hours and minutes
            continue
        if any(before.at == stop.at for before in stops):
            return sorted(stops, key=lambda stop: stop.at)
        stops.append(stop)
    raise AssertionError(f"the Tab key comes to no end: {[stop.name for stop in stops[-5:]]}")
