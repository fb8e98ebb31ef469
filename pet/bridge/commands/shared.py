"""Argument and reply types that several areas share."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedFile:
    """Where something was put that the owner asked for."""

    path: str
