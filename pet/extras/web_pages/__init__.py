"""The tool by which the pet reads a web page that its owner names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pet.extra import Extra, Switch

if TYPE_CHECKING:
    from pet.tools.tool import Tool


def _tools() -> tuple[Tool, ...]:
    from pet.extras.web_pages.tool import FETCH_PAGE

    return (FETCH_PAGE,)


EXTRA = Extra(tools=_tools, switch=Switch(name="web_pages", word="pages"))
