"""Regular expressions that are compiled at first use.

Compiling all 300 took 0.4 of the 2.3 seconds of processor time of ``pet search``, which needs few of them.
"""

from __future__ import annotations

import re
from functools import cached_property
from typing import Any, cast


def lazy_pattern(source: str, flags: int = 0) -> re.Pattern[str]:
    """Return a pattern like ``re.compile``'s, which raises re.error at first use. Not for the functions of ``re``,
    which need a real pattern.
    """
    return cast("re.Pattern[str]", LazyPattern(source, flags))


class LazyPattern:
    """Proxy of a pattern; each method is resolved once and then is an attribute of the instance."""

    def __init__(self, source: str, flags: int) -> None:
        self._arguments = source, flags

    @cached_property
    def _compiled(self) -> re.Pattern[str]:
        return re.compile(*self._arguments)

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._compiled, name)
        setattr(self, name, value)
        return value
