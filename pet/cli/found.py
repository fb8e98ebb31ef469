"""The ways to a model, for owners who have chosen none: what runs or lies on this computer comes first."""

from __future__ import annotations

import shlex

from pet.cli.terminal import safe
from pet.i18n import Texts
from pet.local_models.library import Library
from pet.local_models.model_store import in_gb
from pet.providers.local_servers import LOCAL_SERVERS
from pet.services.found_models import FoundModels, find_here


def ways_to_a_model(library: Library, host: str, texts: Texts) -> list[str]:
    """Look around, and return a title and a line for each way, with its command."""
    found = find_here(library)
    lines = [*_here(found, texts)]
    title = texts("cli.found.title" if lines else "cli.found.title_none", host=safe(host))
    if found.download is not None:
        size = in_gb(found.download.size)
        lines.append(texts("cli.found.download", name=found.download.name, size=size, id=found.download.id))
    lines += [texts("cli.found.key"), texts("cli.found.demo")]
    return [title, *(f"  {line}" for line in lines)]


def _here(found: FoundModels, texts: Texts) -> list[str]:
    words = {name: word for word, name in LOCAL_SERVERS.items()}
    lines = [
        texts("cli.found.server", name=each.name, model=safe(each.models[0]), id=words[each.name])
        for each in found.servers
    ]
    if found.model is not None:
        key = "cli.found.model_own" if found.model.kind == "catalogue" else "cli.found.model"
        id_ = safe(shlex.quote(found.model.id))
        lines.append(texts(key, name=safe(found.model.name), by=safe(found.model.by), id=id_))
    return lines
