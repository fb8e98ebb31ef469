"""Settings that were last written with their most closed value, recorded in the program's state.

A settings file that was damaged, cut or deleted no longer says so. Such a setting keeps its closed value until it is
written again: that a line is missing doesn't say that the owner wants it open. Nor does another value beside a line
that is missing: what is left of both may be one line.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass

from pet.settings.program_state import JsonState


@dataclass(frozen=True, slots=True)
class ClosedValues:
    """``key``: of the record in the state. ``records``: write changes to the state; False only reads it."""

    state: JsonState
    key: str = "closed_settings"
    records: bool = True

    def lost(self, written: Mapping[str, bool | None]) -> list[str]:
        """Return the settings that were last written closed and are not written now, or only beside such a one.

        ``written``: whether each has its closed value; None: it isn't there, or can't be read.
        """
        stored = self.state.read().get(self.key)
        before = {each for each in stored if isinstance(each, str)} if isinstance(stored, list) else set()
        lost = [name for name, closed in written.items() if closed is None and name in before]
        if lost:
            lost = [name for name, closed in written.items() if not closed and name in before]
        now = {*lost, *(name for name, closed in written.items() if closed)}
        if self.records and now != before:
            with suppress(OSError):  # recorded when the settings are read again
                self.state.update({self.key: sorted(now)})
        return lost
