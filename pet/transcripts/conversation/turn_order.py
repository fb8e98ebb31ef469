"""Order of a conversation's turns: a tree with one active path. Pure bookkeeping of ids.

Regenerate and edit add a variant of a turn; every variant keeps its following turns.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from pet.transcripts.records.entries import TurnsRemovedSet, VariantSet


@dataclass(slots=True)
class TurnOrder:
    """Active turns in order, and positions between them.

    A removed turn keeps its position, so that it can be restored or superseded. ``parent``: the turn before each,
    fixed when it was added.
    """

    turns: list[str] = field(default_factory=list)
    parent: dict[str, str | None] = field(default_factory=dict)
    removed: set[str] = field(default_factory=set)
    _slot: dict[str, str] = field(default_factory=dict)  # by turn: the first of its variants
    _variants: dict[str, list[str]] = field(default_factory=dict)  # by slot, the oldest first
    _followed: dict[str, list[str]] = field(default_factory=dict)  # by inactive turn: the active turns after it

    @property
    def standing(self) -> list[str]:
        return [turn for turn in self.turns if turn not in self.removed]

    def take_out(self, change: TurnsRemovedSet) -> None:
        if change.removed:
            self.removed.update(change.turns)
        else:
            self.removed.difference_update(change.turns)

    def add(self, turn: str, supersedes: str | None) -> None:
        """Add a turn: in place of the active variant of ``supersedes``, whose following turns go with it; at the end
        if ``supersedes`` is unknown or None.
        """
        slot = self._slot.get(supersedes, turn) if supersedes is not None else turn
        place = self._place_of(slot)
        if place is None:
            if supersedes is not None:
                self._slot.setdefault(supersedes, turn)
            slot, place = turn, len(self.turns)
        self._leave(place)
        self._slot[turn] = slot
        self._variants.setdefault(slot, []).append(turn)
        self.parent[turn] = self.turns[-1] if self.turns else None
        self.turns.append(turn)

    def choose(self, change: VariantSet) -> None:
        """Make a variant active again, with what followed it. No effect if its position is not on the active path."""
        place = self._place_of(self._slot.get(change.turn, change.turn))
        if place is not None and change.turn in self.parent and self.turns[place] != change.turn:
            self._leave(place)
            self.turns += [change.turn, *self._followed.pop(change.turn, ())]

    def variants(self, turn: str) -> list[str]:
        """Return the turn and its alternatives, in the order they were added."""
        return self._variants[self._slot[turn]]

    def inactive(self) -> Iterator[tuple[str, str]]:
        """Yield each inactive turn that is not removed, with the active turn that replaced it or one before it."""
        active = set(self.turns)
        if len(active) == len(self.parent):
            return
        by_slot = {self._slot[turn]: turn for turn in self.turns}
        anchors: dict[str, str | None] = {}  # by turn: itself or the nearest before it with an active variant
        for turn, before in self.parent.items():  # each after the one before it
            has_active = self._slot[turn] in by_slot
            at = anchors[turn] = turn if has_active else None if before is None else anchors[before]
            if at is not None and turn not in active and turn not in self.removed:
                yield turn, by_slot[self._slot[at]]

    def position_after(self, anchor: str | None, positions: dict[str, int]) -> int:
        """Return the number of active turns up to ``anchor``, or to the last turn before it that is active.

        ``positions``: index of each active turn.
        """
        while anchor is not None and anchor not in positions:
            anchor = self.parent[anchor]
        return 0 if anchor is None else positions[anchor] + 1

    def _place_of(self, slot: str) -> int | None:
        """Position of the slot's active variant."""
        if slot not in self._variants:
            return None
        return next((self.turns.index(each) for each in self._variants[slot] if each in self.turns), None)

    def _leave(self, place: int) -> None:
        if place < len(self.turns):
            self._followed[self.turns[place]] = self.turns[place + 1 :]
            del self.turns[place:]
