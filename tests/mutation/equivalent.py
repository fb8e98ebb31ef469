"""Mutants that change nothing that can be seen, each with the reason: by target, by code and change."""

from __future__ import annotations

EQUIVALENT: dict[str, dict[tuple[str, str], str]] = {}
