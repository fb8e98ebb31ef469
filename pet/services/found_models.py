"""Models that this computer has already: servers that run, and files on the disk. For owners who have chosen none."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

from pet.local_models.library import Library, ModelOffer
from pet.providers.local_servers import LocalServer, find_local_servers

_MOST_SERVERS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundModels:
    """``model``: the best one that lies here and fits into memory; ``download``: the recommended one, if it fits."""

    servers: tuple[LocalServer, ...] = ()
    model: ModelOffer | None = None
    download: ModelOffer | None = None


def find_here(
    library: Library, servers: Callable[[], tuple[LocalServer, ...]] = lambda: asyncio.run(find_local_servers())
) -> FoundModels:
    """Look on the usual local ports and in the folders of other programs. Sends no key and opens no chat."""
    models = servers()[:_MOST_SERVERS]
    if library.problem():
        return FoundModels(servers=models)
    choices = library.choices()
    mine = [each for each in choices if each.here and not each.fits and each.kind == "catalogue"]
    others = mine or [each for each in library.scan_other_programs() if not each.fits]
    return FoundModels(
        servers=models,
        model=next(iter(others), None),
        download=next((each for each in choices if each.recommended and not each.here), None),
    )
