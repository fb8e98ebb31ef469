"""Menu entries, rendered by every platform."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

Action = Callable[[], None]
_KEY = re.compile(r"\(&(.)\)|&(.)")


@dataclass(frozen=True, slots=True, kw_only=True)
class MenuItem:
    """A menu entry. ``&`` in its text marks a mnemonic. ``children`` builds its submenu each time that opens."""

    text: str
    act: Action | None = None  # None: no action, or a submenu
    checked: bool | None = None  # None: not checkable
    one_of: bool = False  # one of a radio group
    starts_group: bool = False
    children: Callable[[], Sequence[MenuItem]] | None = None
    sign: str = ""  # icon, where a platform shows one: a file of ``assets/menu/signs``


def plain(text: str) -> str:
    """Remove mnemonic markers, for a platform without them."""
    return _KEY.sub(lambda mark: "&" if mark[2] == "&" else mark[2] or "", text)
