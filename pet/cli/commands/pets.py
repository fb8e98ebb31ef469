"""``pet pets``: list, create, rename, copy, delete and select pets.

Works without composing a pet, so that listing never creates one.
"""

from __future__ import annotations

from contextlib import suppress

from pet.bridge.channel import NotListening
from pet.bridge.commands.pets import PetCommands
from pet.bridge.socket_server import RunningPet
from pet.cli.arguments import Given
from pet.cli.running_pet import meant_pet, pets_on_desktop, status_of_running
from pet.cli.terminal import Terminal, interruptible, padded, print_json, safe
from pet.i18n import Texts
from pet.paths import Home
from pet.providers.local_models import local_models_kind
from pet.services.home import open_pets
from pet.services.pet_files import choose_pet, record_choice
from pet.settings.program_state import JsonState, note_used
from pet.workspace.pet_registry import list_ids, require_known_pet
from pet.workspace.pet_toml import display_name
from pet.workspace.pets import Pets, named_pet


def pets(home: Home, pet_id: str | None, given: Given, texts: Texts) -> int:
    terminal, house = Terminal.standard(), open_pets(home)
    state = JsonState(home.state_file)
    word, name = named_pet(home, given.id, texts), given.name or ""
    match given.action:
        case "create":
            record_choice(home, state)
            made = house.create(name, texts.language, given.copy_profile)
            _print_done(terminal, given, texts, "created", made, home)
        case "rename":
            house.rename(word, name)
            _print_done(terminal, given, texts, "renamed", word, home)
        case "duplicate":
            record_choice(home, state)
            made = house.duplicate(word, name)
            _print_done(terminal, given, texts, "duplicated", made, home)
        case "delete":
            return _delete(house, word, given, terminal, texts, home)
        case "switch":
            require_known_pet(house.root(word))
            note_used(state, word)
            _switch_running(home, word)
            _print_done(terminal, given, texts, "switched", word, home)
        case _:
            _show(house, pet_id, given, terminal, texts, home)
    return 0


def _show(house: Pets, pet_id: str | None, given: Given, terminal: Terminal, texts: Texts, home: Home) -> None:
    there = house.list()
    any_pet = there or pet_id is not None
    current = choose_pet(home, meant_pet(home, pet_id), JsonState(home.state_file)) if any_pet else ""
    here = pets_on_desktop(home)
    rows = [
        {
            "id": each.id,
            "name": display_name(each.root, each.id, texts),
            "workspace": str(each.root),
            "current": each.id == current,
            "on_desktop": each.id in here,
            "conversations": each.conversations,
            "changed_at": each.changed_at,
        }
        for each in there
    ]
    if given.json:
        print_json(terminal, {"pets": rows})
        return
    if not rows:
        terminal.complain(texts("cli.pets.none"))
    ids, names = (padded([safe(str(row[key])) for row in rows]) for key in ("id", "name"))
    for row, pet, name in zip(rows, ids, names, strict=True):
        mark, where = "*" if row["current"] else " ", texts("cli.pets.here") if row["on_desktop"] else ""
        terminal.say(f"{mark} {pet}  {name}  {row['workspace']}  {where}".rstrip())


def _delete(house: Pets, pet_id: str, given: Given, terminal: Terminal, texts: Texts, home: Home) -> int:
    name = display_name(house.root(pet_id), pet_id, texts)
    if not given.yes:
        if not terminal.can_ask:
            terminal.complain(texts("cli.pets.needs_yes", id=pet_id))
            return 1
        with interruptible():
            answer = terminal.ask(texts("cli.pets.delete_question", name=safe(name), id=pet_id)) or ""
        if answer.strip().casefold() not in texts("cli.pets.yes_words").split():
            terminal.complain(texts("cli.pets.not_deleted"))
            return 1
    house.delete(pet_id)
    local_models_kind()(home, language=lambda: texts.language).erase_saved()  # they hold its soul
    if given.json:
        print_json(terminal, {"id": pet_id, "pets": list_ids(home)})
    else:
        terminal.say(texts("cli.pets.deleted", name=safe(name), folder=home.bin))
    return 0


def _print_done(terminal: Terminal, given: Given, texts: Texts, what: str, pet_id: str, home: Home) -> None:
    root = home.workspace(pet_id)
    name = display_name(root, pet_id, texts)
    if given.json:
        print_json(terminal, {"id": pet_id, "name": name, "workspace": str(root)})
    else:
        terminal.say(texts(f"cli.pets.{what}", name=safe(name), id=pet_id, workspace=root))


def _switch_running(home: Home, pet_id: str) -> None:
    """Restart the running desktop pet, if any, with the other pet. Raises CommandFailed."""
    if status_of_running(home) is not None:
        with suppress(NotListening):  # it ended meanwhile
            RunningPet(home).call(PetCommands.switch_pet, pet=pet_id)
