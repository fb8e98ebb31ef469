"""``pet connection`` and ``pet pause``, and the models that a conversation can use."""

from __future__ import annotations

import asyncio
from dataclasses import fields, replace
from typing import TYPE_CHECKING, cast
from urllib.parse import urlsplit

from pet.app import Pet
from pet.bridge.commands.lifecycle import LifecycleCommands
from pet.bridge.commands.settings import ConnectionCommands
from pet.bridge.commands.welcome import WelcomeCommands
from pet.bridge.dispatch import CommandFailed
from pet.cli.arguments import Given, UsageProblem
from pet.cli.commands.settings import store_secret
from pet.cli.format import has_others, pet_name, row_about
from pet.cli.found import ways_to_a_model
from pet.cli.running_pet import pause_running
from pet.cli.terminal import Terminal, print_json, safe
from pet.errors import ProviderFault, SettingsInvalid
from pet.i18n import Texts
from pet.model import ModelChoice
from pet.providers.endpoint import PRESETS, Preset
from pet.providers.local_models import model_name
from pet.serde import fields_of
from pet.services.connections import ConnectionInfo
from pet.settings.api_keys import key_word
from pet.settings.connections import COMPUTER, MAIN, Connection, Protocol, is_loopback, key_slot
from pet.settings.schema import Settings, check

if TYPE_CHECKING:
    from pet.providers.provider_cache import AddressOffer

_DEFAULT = "default"
_OFFER_SECONDS = 20.0
_SHOWN_MODELS = 12


def pause(app: Pet, given: Given) -> int:
    """Pause memory, or with ``off`` resume it, in the running pet or for the next start."""
    terminal, texts = Terminal.standard(), app.texts()
    paused = given.action != "off"
    if not pause_running(app.home, app.pet_id, paused=paused):
        LifecycleCommands(app).pause_memory(paused)
    if given.json:
        print_json(terminal, {"pet": app.pet_id, "paused": paused})
    elif has_others(app):
        act = "cli.pause.on_named" if paused else "cli.pause.off_named"
        terminal.say(texts(act, name=pet_name(app), id=app.pet_id))
    else:
        terminal.say(texts("cli.pause.on" if paused else "cli.pause.off"))
    return 0


def key_missing(app: Pet, chosen: ModelChoice | None) -> bool:
    """Return whether the model of a conversation (None: of the pet) needs a key and none is stored."""
    settings = app.effective.in_use(chosen).settings
    near = settings.local_model or settings.demo or is_loopback(settings.base_url)
    slot = key_slot(settings.connection, settings.base_url)
    return not near and app.keys.get(slot) is None and not app.keys.headers(slot)


def connection(app: Pet, given: Given) -> int:
    """Run one action. Raises SettingsInvalid, KeyStoreFailed."""
    terminal, texts, all_ = Terminal.standard(), app.texts(), app.connections
    word = given.id
    match given.action:
        case "add" if given.address.casefold() in app.local_models.servers:
            return _add_local(app, given, terminal, texts)
        case "add":
            if not _is_known(given.address):
                services = ", ".join([*(each.id for each in PRESETS), *app.local_models.servers])
                complaint = texts("cli.connection.no_address", address=safe(given.address), services=services)
                terminal.complain(complaint)
                return 1
            offer = _offer(app, given) if given.model is None and not _preset(given) else None
            if offer is not None and len(offer.models) == 1:
                given.model = offer.models[0]
            elif offer is not None:
                _say_offer(offer, terminal, texts)
            made = all_.add(_new(given))
            terminal.say(texts("cli.connection.added", id=made.id, host=safe(made.title)))
            stored = 0
            if given.keep is not None:
                stored = store_secret(app, given, terminal, texts, key_slot(made.id, made.base_url))
            if not stored:
                _say_offer(_offer(app, given, made), terminal, texts)
            return stored
        case "use":
            _use(app, given, word, terminal, texts)
        case "rename":
            all_.save(replace(all_.find(word), name=given.name or ""))
            terminal.say(texts("cli.connection.renamed", id=word, name=safe(all_.find(word).title)))
        case "key":
            each = all_.find(word)
            return store_secret(app, given, terminal, texts, key_slot(each.id, each.base_url))
        case "header":
            each = all_.find(word)
            slot = key_slot(each.id, each.base_url)
            return store_secret(app, given, terminal, texts, slot, header=given.name or "")
        case "test":
            return _test(app, word, terminal, texts)
        case "remove":
            all_.remove(word)
            terminal.say(texts("cli.connection.removed", id=safe(word)))
        case _:
            _list(app, given, terminal, texts)
    return 0


def _add_local(app: Pet, given: Given, terminal: Terminal, texts: Texts) -> int:
    """Add a server that runs on this computer, by its program's name; use it at once if no model is chosen."""
    name = app.local_models.servers[given.address.casefold()]
    server = next((each for each in WelcomeCommands(app).find_servers().servers if each.name == name), None)
    if server is None:
        terminal.complain(texts("cli.connection.not_running", name=name))
        return 1
    unchosen = not app.effective.is_chosen()
    model = given.model or server.models[0]
    new = Connection(id="", name=given.name or name, base_url=server.base_url, model=model)
    made = app.connections.add(new)
    if unchosen:
        app.connections.use(made.id)
        terminal.say(texts("cli.connection.used", model=safe(model), host=name))
    else:
        terminal.say(texts("cli.connection.added", id=made.id, host=safe(made.title)))
    return 0


def _is_known(word: str) -> bool:
    """Whether it is a service's id or an address; one word alone is a slip of the former. Raises SettingsInvalid for
    an address with a key in it.
    """
    if any(each.id == word.casefold() for each in PRESETS):
        return True
    try:
        check("base_url", word)
    except SettingsInvalid as invalid:
        if invalid.problem != "not_an_address":
            raise
        return False
    return word.casefold() == "localhost" or any(sign in word for sign in ".:/")


def _preset(given: Given) -> Preset | None:
    return next((each for each in PRESETS if each.id == given.address.casefold()), None)


def _offer(app: Pet, given: Given, made: Connection | None = None) -> AddressOffer | None:
    """Return what the address offers, None if it does not answer. ``made``: the connection, once it is saved."""
    settings = replace(
        app.effective.current(),
        connection=made.id if made else "",
        base_url=made.base_url if made else str(check("base_url", given.address)),
        model=made.model if made else "",
        local_model="",
        context_window=0,
    )
    try:
        return app.loop.submit(asyncio.wait_for(app.models.remote.offer(settings), _OFFER_SECONDS)).result()
    except (ProviderFault, TimeoutError):
        return None


def _say_offer(offer: AddressOffer | None, terminal: Terminal, texts: Texts) -> None:
    if offer is None:
        terminal.note(texts("cli.connection.offer_none"))
        return
    if offer.protocols:
        spoken = ", ".join(texts(f"thinking.protocol_{each}") for each in offer.protocols)
        terminal.say(texts("cli.connection.offer_protocols", protocols=spoken))
    if offer.models:
        models = ", ".join(map(safe, offer.models[:_SHOWN_MODELS]))
        more = len(offer.models) - _SHOWN_MODELS
        key = "cli.connection.offer_more" if more > 0 else "cli.connection.offer_models"
        terminal.say(texts(key, models=models, count=max(0, more)))
    if offer.tools is not None:
        terminal.say(texts("cli.connection.offer_tools" if offer.tools else "cli.connection.offer_no_tools"))
    if offer.keyed:
        terminal.say(texts("cli.connection.offer_keyed"))


def _new(given: Given) -> Connection:
    """Return the connection to add, at a URL or a preset's id. Raises UsageProblem, SettingsInvalid."""
    preset = _preset(given)
    model = given.model or (preset.model if preset else "")
    if not model:
        raise UsageProblem("needs_model")
    return Connection(
        id="",
        name=given.name or (preset.name if preset else ""),
        base_url=preset.base_url if preset else given.address,
        protocol=cast("Protocol", given.protocol or "auto"),
        model=model,
    )


def _use(app: Pet, given: Given, word: str, terminal: Terminal, texts: Texts) -> None:
    if given.this_pet:
        model = _required_model(given) if word == COMPUTER else given.model or ""
        app.set_pet_model("" if word == _DEFAULT else word, model)
    else:
        app.connections.use(word)
        if given.model is not None:
            app.connections.save(replace(app.connections.find(word), model=given.model))
    used = app.effective.in_use()
    if used.problem is not None:
        raise used.problem
    settings = used.settings
    decided = [name for name in app.effective.written().overridden if name in ("base_url", "model")]
    if decided and not given.this_pet:
        terminal.complain(texts("cli.settings.overridden", name=", ".join(decided)))
    shown, host = model_and_host(settings, texts)
    key = "cli.connection.used_pet" if given.this_pet else "cli.connection.used"
    terminal.say(texts(key, model=safe(shown), host=safe(host)))


def _required_model(given: Given) -> str:
    """Raises UsageProblem without ``--model``."""
    if given.model is None:
        raise UsageProblem("needs_model")
    return given.model


def model_and_host(settings: Settings, texts: Texts) -> tuple[str, str]:
    """Return the names of the model in use and of the host that receives the conversation."""
    if settings.local_model:
        return model_name(settings.local_model), texts("local_model.host")
    if settings.demo:
        return texts("welcome.demo.name"), texts("local_model.host")
    return settings.model, urlsplit(settings.base_url).netloc


def _test(app: Pet, word: str, terminal: Terminal, texts: Texts) -> int:
    reply = ConnectionCommands(app).test_connection(word)
    if reply.error is not None:
        raise CommandFailed(reply.error)
    terminal.say(texts("cli.connection.works", model=safe(reply.model)))
    return 0


def _list(app: Pet, given: Given, terminal: Terminal, texts: Texts) -> None:
    view = ConnectionCommands(app).list_connections()
    listed, default = view.connections, view.default
    if given.json:
        names = (*(each.name for each in fields(Connection)), "default", "key")
        rows = [{name: value for name, value in fields_of(each).items() if name in names} for each in listed]
        print_json(terminal, {"connections": rows, "default": default, "pet": view.pet})
        return
    unchosen = not app.effective.is_chosen() and key_missing(app, None)
    for each in listed:
        if not (unchosen and each.id == MAIN):  # only the shipped address: the window has it neither
            terminal.say(_row(each, texts))
    if unchosen:
        terminal.say("* " + texts("cli.connection.unchosen"))
    settings = app.settings.current()
    if settings.demo and not settings.local_model:
        terminal.say("* " + row_about(texts("welcome.demo.name"), [texts("local_model.host")], texts))
    if settings.local_model:
        name = safe(model_name(settings.local_model))
        terminal.say(f"* {COMPUTER}  {row_about(name, [texts('local_model.host')], texts)}")
    if default and default != COMPUTER and default not in [each.id for each in listed]:
        terminal.complain(texts("cli.connection.default_gone", id=safe(default)))
    if key_missing(app, None):
        for line in ways_to_a_model(app.local_models, urlsplit(app.effective.current().base_url).netloc, texts):
            terminal.say(line)
    if view.pet:
        terminal.say(texts("cli.connection.of_pet", connection=safe(view.pet), model=safe(view.pet_model)))


def _row(each: ConnectionInfo, texts: Texts) -> str:
    mark = "*" if each.default else " "
    words = {"set": "key", "locked": "key_locked", "unset": "no_key"}
    key = texts(f"cli.connection.{words[key_word(each.key)]}", last4=each.key.last4 or "…")
    about = filter(None, (safe(each.base_url), safe(each.model)))
    keys = [*([key] if each.key_needed or each.key.set else []), *each.key.headers]
    return f"{mark} {each.id}  {row_about(safe(each.title), [*about, *keys], texts)}"


def models_to_choose(app: Pet) -> list[tuple[str, str, str]]:
    """Return the models a conversation can use, local ones last: connection, model, title."""
    remote = [(each.id, each.model, each.title) for each in app.connections.listed()]
    here = [each for each in app.local_models.choices() if each.here and not each.fits]
    chosen = app.settings.current().local_model
    local_models = [(COMPUTER, each.id, each.name) for each in here]
    if chosen and chosen not in [model for _, model, _ in local_models]:
        local_models.append((COMPUTER, chosen, model_name(chosen)))
    return remote + local_models
