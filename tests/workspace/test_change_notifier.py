"""Changes are told in the order in which they were made, whichever thread comes first to tell them."""

from __future__ import annotations

from pet.events import WorkspaceChanged
from pet.model import Author
from pet.workspace.store import ChangeNotifier


def change(version: str, lost: str | None = None) -> WorkspaceChanged:
    return WorkspaceChanged(file="USER.md", version=version, author=Author.PET, lost=lost)


def test_a_change_that_is_told_late_does_not_follow_a_later_one() -> None:
    told: list[WorkspaceChanged] = []
    notifier = ChangeNotifier(told.append)
    first, second, third = (notifier.next_sequence() for _ in range(3))
    notifier.notify(change("two"), second)
    notifier.notify(change("one"), first)
    assert told == [change("two")]
    notifier.notify(change("two"), third)
    assert told == [change("two")], "nor is it what later ones are compared with"


def test_a_loss_is_told_however_late() -> None:
    told: list[WorkspaceChanged] = []
    notifier = ChangeNotifier(told.append)
    first, second = notifier.next_sequence(), notifier.next_sequence()
    notifier.notify(change("two"), second)
    notifier.notify(change("one", lost="version"), first)
    assert told == [change("two"), change("one", lost="version")]
