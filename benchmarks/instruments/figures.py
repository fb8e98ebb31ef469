"""Measured figures, shown as a table for people and as JSON for programs."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """One measured value. ``baseline`` was taken in the same run; ``reach`` is what we aim at."""

    name: str
    value: float
    unit: str
    reach: str = ""
    baseline: float | None = None
    baseline_name: str = ""

    @property
    def ratio(self) -> float | None:
        return self.value / self.baseline if self.baseline else None


def median(values: Iterable[float]) -> float:
    return float(statistics.median(values))


def percentile(values: Sequence[float], part: float) -> float:
    """The value that this part of all values does not exceed."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(part * len(ordered)))]


def table(figures: Sequence[Figure]) -> str:
    rows = [("what", "value", "baseline", "ratio", "reach"), *map(_row, figures)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
    return "\n".join([lines[0], "-" * len(lines[0]), *lines[1:]])


def line(figure: Figure) -> str:
    """Return one figure as a line, for those that are printed one by one."""
    name, value, *rest = _row(figure)
    return ", ".join((f"{name}: {value}", *filter(None, rest)))


def _row(figure: Figure) -> tuple[str, str, str, str, str]:
    baseline = "" if figure.baseline is None else f"{_number(figure.baseline, figure.unit)} {figure.baseline_name}"
    ratio = "" if figure.ratio is None else f"{figure.ratio:.2f}"
    return figure.name, _number(figure.value, figure.unit), baseline.strip(), ratio, figure.reach


def as_data(figures: Sequence[Figure]) -> list[dict[str, object]]:
    return [asdict(figure) | {"ratio": figure.ratio} for figure in figures]


def _number(value: float, unit: str) -> str:
    return f"{value:.3g} {unit}" if value < 100 else f"{value:.0f} {unit}"
