"""The ways to a model, for owners who have chosen none: what runs or lies on this computer comes first."""

from __future__ import annotations

import asyncio
import shlex
from dataclasses import dataclass

from pet.cli.format import gigabytes
from pet.cli.terminal import safe
from pet.i18n import Texts
from pet.providers.local_models import LocalModels, LocalServer, ModelOffer

_MOST_SERVERS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundModels:
    """``model``: the best one that lies here and fits into memory; ``download``: the recommended one, if it fits."""

    servers: tuple[LocalServer, ...] = ()
    model: ModelOffer | None = None
    download: ModelOffer | None = None


def find_here(local: LocalModels) -> FoundModels:
    """Look on the usual local ports and in the folders of other programs. Sends no key and opens no chat."""
    models = asyncio.run(local.find_servers())[:_MOST_SERVERS]
    if local.problem():
        return FoundModels(servers=models)
    choices = local.choices()
    mine = [each for each in choices if each.here and not each.fits and each.kind == "catalogue"]
    others = mine or [each for each in local.scan_other_programs() if not each.fits]
    return FoundModels(
        servers=models,
        model=next(iter(others), None),
        download=next((each for each in choices if each.recommended and not each.here), None),
    )


def ways_to_a_model(local: LocalModels, host: str, texts: Texts) -> list[str]:
    """Look around, and return a title and a line for each way, with its command."""
    models = find_here(local)
    lines = [*_here(models, local, texts)]
    title = texts("cli.found.title" if lines else "cli.found.title_none", host=safe(host))
    if models.download is not None:
        size = gigabytes(models.download.size, texts)
        lines.append(texts("cli.found.download", name=models.download.name, size=size, id=models.download.id))
    lines += [texts("cli.found.key"), texts("cli.found.demo")]
    return [title, *(f"  {line}" for line in lines)]


def _here(models: FoundModels, local: LocalModels, texts: Texts) -> list[str]:
    words = {name: word for word, name in local.servers.items()}
    lines = [
        texts("cli.found.server", name=each.name, model=safe(each.models[0]), id=words[each.name])
        for each in models.servers
    ]
    if models.model is not None:
        key = "cli.found.model_own" if models.model.kind == "catalogue" else "cli.found.model"
        id_ = safe(shlex.quote(models.model.id))
        lines.append(texts(key, name=safe(models.model.name), by=safe(models.model.by), id=id_))
    return lines
