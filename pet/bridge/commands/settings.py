"""Settings, the prompt preview, the list of skills, and saved connections to models.

A connection is chosen by default, for a pet or a conversation. A key can be stored but never read.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from pet.access import MemoryMode
from pet.bridge.command import Client, command
from pet.engine.system_prompt import PromptView
from pet.errors import ProviderFault, SettingsInvalid
from pet.events import ErrorInfo
from pet.model import ModelChoice
from pet.serde import vars_of
from pet.services.connections import ASK_SECONDS, ConnectionInfo, test_model, too_late
from pet.settings.connections import Connection
from pet.settings.schema import Settings

if TYPE_CHECKING:
    from pet.app.pet import Pet
    from pet.settings.connections import ModelInUse


@dataclass(frozen=True, slots=True, kw_only=True)
class SettingsView(Settings):
    """All settings; ``overridden``: those that an environment variable or pet.toml sets."""

    overridden: list[str]
    problems: list[ErrorInfo]


@dataclass(frozen=True, slots=True)
class SettingsCommands:
    app: Pet

    @command(Client.CHAT)
    def get_settings(self) -> SettingsView:
        """Return the settings of this pet; those from its pet.toml count as overridden."""
        written = self.app.effective.written()
        problems = [ErrorInfo.of(problem) for problem in written.problems]
        return SettingsView(**vars_of(written.settings), overridden=written.overridden, problems=problems)

    @command(Client.CHAT)
    def change_settings(self, changes: dict[str, str | int | float | bool]) -> SettingsView:
        """Change the named settings, all or none. Raises SettingsInvalid."""
        self.app.settings.change(changes)
        return self.get_settings()

    @command(Client.CHAT, Client.TERMINAL)
    def preview_prompt(self, memory: bool, read_only: bool = False, conversation: str | None = None) -> PromptView:
        """Return the system prompt that would be sent.

        ``conversation``: use its model; None: the default.
        """
        return self.app.preview_prompt(memory=MemoryMode.of(memory, read_only=read_only), conversation=conversation)


@dataclass(frozen=True, slots=True, kw_only=True)
class SkillInfo:
    """``problem``: "" or a code; a skill with a problem isn't offered to the pet."""

    name: str
    description: str
    origin: Literal["pet", "shared"]
    problem: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SkillList:
    skills: list[SkillInfo]


@dataclass(frozen=True, slots=True)
class SkillCommands:
    app: Pet

    @command(Client.CHAT)
    def list_skills(self) -> SkillList:
        """Return the skills of the pet, with those it can't load."""
        return SkillList(
            skills=[
                SkillInfo(name=skill.name, description=skill.description, origin=skill.origin, problem=skill.problem)
                for skill in self.app.skills.list_all()
            ]
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ConnectionList:
    """``default``: an id of the list, ``computer`` for a local model, "" for the demo; an id that is not in the list
    was removed. ``pet``, ``pet_model``: the choice in this pet's pet.toml, "" for the default."""

    connections: list[ConnectionInfo]
    default: str
    pet: str
    pet_model: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ConnectionSaved:
    id: str
    list: ConnectionList


@dataclass(frozen=True, slots=True, kw_only=True)
class WindowInfo:
    """The model's context window in tokens, 0 if unknown, and where it is known from. ``possible``: a larger one
    that the server would give; until it is set up so, the server cuts longer requests without a word."""

    tokens: int
    source: Literal["setting", "server", "default", "family", "unknown"]
    possible: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TestReply:
    ok: bool
    model: str
    milliseconds: int
    error: ErrorInfo | None
    window: WindowInfo | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelList:
    models: list[str]
    error: ErrorInfo | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelChosen:
    chosen: ModelChoice | None


@dataclass(frozen=True, slots=True)
class ConnectionCommands:
    app: Pet

    @command(Client.CHAT, Client.TERMINAL)
    def list_connections(self) -> ConnectionList:
        """Return the saved connections, and the default one."""
        own = self.app.effective.own()
        return ConnectionList(
            connections=self.app.connections.listed(),
            default=self.app.connections.default(),
            pet=own.connection or "",
            pet_model=own.model or "",
        )

    @command(Client.CHAT)
    def save_connection(self, connection: Connection) -> ConnectionSaved:
        """Add or change a connection; a change of host deletes its key. ``id`` "": a new one."""
        if not connection.id:
            connection = self.app.connections.add(connection)
        else:
            self.app.connections.save(connection)
        return ConnectionSaved(id=connection.id, list=self.list_connections())

    @command(Client.CHAT)
    def remove_connection(self, connection: str = "") -> ConnectionList:
        """Remove a connection and its key; "" for the default."""
        self.app.connections.remove(connection)
        return self.list_connections()

    @command(Client.CHAT)
    def use_connection(self, connection: str = "") -> ConnectionList:
        """Make a connection the default; "" ends the use of a local model or the demo."""
        self.app.connections.use(connection)
        return self.list_connections()

    @command(Client.CHAT)
    def set_key(self, key: str, keep: Literal["keyring", "session", "file"], connection: str = "") -> ConnectionList:
        """Store the API key of a connection; it can't be read.

        ``keep``: where it is stored. ``connection`` "": the default.
        """
        self.app.connections.set_key(connection, key, keep)
        return self.list_connections()

    @command(Client.CHAT)
    def set_header(
        self, name: str, value: str, keep: Literal["keyring", "session", "file"], connection: str = ""
    ) -> ConnectionList:
        """Store a header that goes with each request of a connection; its value can't be read, "" removes it.

        ``keep``: where the connection's headers are stored. ``connection`` "": the default.
        """
        self.app.connections.set_header(connection, name, value, keep)
        return self.list_connections()

    @command(Client.CHAT)
    def delete_key(self, connection: str = "") -> ConnectionList:
        """Delete the API key of a connection; "" for the default."""
        self.app.connections.delete_key(connection)
        return self.list_connections()

    @command(Client.CHAT, Client.TERMINAL)
    def test_connection(self, connection: str = "") -> TestReply:
        """Request one word from the model of a connection, without any file of the pet; "" for the default."""
        started = self.app.clock.monotonic()
        try:
            used = self._used(connection)
            model = self.app.loop.submit(test_model(self.app.models.provider, used)).result()
            milliseconds = round((self.app.clock.monotonic() - started) * 1000)
            facts = self.app.loop.submit(self.app.models.ask_facts(used)).result()
        except (ProviderFault, SettingsInvalid) as fault:
            return TestReply(ok=False, model="", milliseconds=0, error=ErrorInfo.of(fault))
        window = None
        if facts is not None:
            window = WindowInfo(tokens=facts.window, source=facts.source, possible=facts.possible)
        return TestReply(
            ok=True, model=model or used.settings.model, milliseconds=milliseconds, error=None, window=window
        )

    @command(Client.CHAT)
    def list_models(self, connection: str = "", every: bool = False) -> ModelList:
        """Return the models for talking that the server of a connection lists; "" for the default.

        ``every``: also those that are retired or don't talk.
        """
        try:
            used = self._used(connection)
            if isinstance(used.problem, ProviderFault) and used.problem.kind == "no_model":
                used = replace(used, problem=None)
            models = self.app.loop.submit(asyncio.wait_for(self._models(used, every), ASK_SECONDS)).result()
        except (ProviderFault, SettingsInvalid) as fault:
            return ModelList(models=[], error=ErrorInfo.of(fault))
        except TimeoutError:
            return ModelList(models=[], error=ErrorInfo.of(too_late(used.settings)))
        return ModelList(models=models, error=None)

    @command(Client.CHAT, Client.TERMINAL)
    def choose_model(self, conversation: str, connection: str, model: str = "") -> ModelChosen:
        """Choose the model of one conversation, from its next message on.

        ``connection`` "": that of the pet, or the default; ``computer``: ``model`` is the id of a local model.
        ``model`` "": the connection's own.
        """
        chosen = self.app.connections.choice(connection, model) if connection else None
        self.app.conversations.open(conversation).choose_model(chosen)
        return ModelChosen(chosen=chosen)

    @command(Client.CHAT)
    def use_small_way(self, conversation: str) -> None:
        """Have the model of a conversation take notes as small models do, from its next message on."""
        used = self.app.effective.in_use(self.app.conversations.open(conversation).model)
        self.app.models.remote.facts.choose_notebook(used.settings)

    @command(Client.CHAT)
    def set_pet_model(self, connection: str, model: str = "") -> ConnectionList:
        """Set the connection and model of this pet, in its pet.toml.

        ``connection`` "": as set for all pets; ``computer``: ``model`` is the id of a local model.
        """
        self.app.set_pet_model(connection, model)
        return self.list_connections()

    def _used(self, connection: str) -> ModelInUse:
        return self.app.effective.in_use(self.app.connections.choice(connection) if connection else None)

    async def _models(self, used: ModelInUse, every: bool) -> list[str]:
        return await (await self.app.models.provider(used)).list_models(every=every)
