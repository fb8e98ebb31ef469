"""The ways to a model, for owners who have chosen none: what runs or lies on this computer comes first."""

from __future__ import annotations

import shlex

from pet.cli.format import gigabytes
from pet.cli.terminal import safe
from pet.i18n import Texts
from pet.local_models.library import Library
from pet.providers.local_servers import LOCAL_SERVERS
from pet.services.found_models import FoundModels, find_here


def ways_to_a_model(library: Library, host: str, texts: Texts) -> list[str]:
    """Look around, and return a title and a line for each way, with its command."""
    models = find_here(library)
    lines = [*_here(models, texts)]
    title = texts("cli.found.title" if lines else "cli.found.title_none", host=safe(host))
    if models.download is not None:
        size = gigabytes(models.download.size, texts)
        lines.append(texts("cli.found.download", name=models.download.name, size=size, id=models.download.id))
    lines += [texts("cli.found.key"), texts("cli.found.demo")]
    return [title, *(f"  {line}" for line in lines)]


def _here(models: FoundModels, texts: Texts) -> list[str]:
    words = {name: word for word, name in LOCAL_SERVERS.items()}
    lines = [
        texts("cli.found.server", name=each.name, model=safe(each.models[0]), id=words[each.name])
        for each in models.servers
    ]
    if models.model is not None:
        key = "cli.found.model_own" if models.model.kind == "catalogue" else "cli.found.model"
        id_ = safe(shlex.quote(models.model.id))
        lines.append(texts(key, name=safe(models.model.name), by=safe(models.model.by), id=id_))
    return lines
