"""The ways to a model, for owners who have chosen none: what runs or lies on this computer comes first."""

from __future__ import annotations

import asyncio
import shlex

from pet.cli.format import gigabytes
from pet.cli.terminal import safe
from pet.i18n import Texts
from pet.providers.local_models import LocalModels

_MOST_SERVERS = 3


def ways_to_a_model(local: LocalModels, host: str, texts: Texts) -> list[str]:
    """Look on the usual local ports and in the folders of other programs, and return a title and a line for each way,
    with its command. Sends no key and opens no chat."""
    words = {name: word for word, name in local.servers.items()}
    lines = [
        texts("cli.found.server", name=each.name, model=safe(each.models[0]), id=words[each.name])
        for each in asyncio.run(local.find_servers())[:_MOST_SERVERS]
    ]
    runs = not local.problem()
    choices = local.choices() if runs else ()
    mine = [each for each in choices if each.here and not each.fits and each.kind == "catalogue"]
    others = [each for each in local.scan_other_programs() if not each.fits] if runs and not mine else []
    model = next(iter(mine or others), None)
    download = next((each for each in choices if each.recommended and not each.here), None)
    if model is not None:
        key = "cli.found.model_own" if model.kind == "catalogue" else "cli.found.model"
        lines.append(texts(key, name=safe(model.name), by=safe(model.by), id=safe(shlex.quote(model.id))))
    title = texts("cli.found.title" if lines else "cli.found.title_none", host=safe(host))
    if download is not None:
        size = gigabytes(download.size, texts)
        lines.append(texts("cli.found.download", name=download.name, size=size, id=download.id))
    lines += [texts("cli.found.key"), texts("cli.found.demo")]
    return [title, *(f"  {line}" for line in lines)]
