"""Memory for other agents: their positions, calls under the gate, the MCP protocol, their settings and hooks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pet.extra import Extra, ExtraParts
from pet.extras.agents.settings import AgentSettings

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pet.app.pet import Pet
    from pet.cli.arguments import Subcommand
    from pet.events import Event
    from pet.extras.agents.book import AgentBook


def _make(app: Pet) -> ExtraParts:
    from pet.events import SettingsChanged
    from pet.extras.agents.commands import AgentCommands
    from pet.extras.agents.display import AgentActivity, AgentQuestions
    from pet.extras.agents.events import AgentsChanged
    from pet.extras.agents.gateway import AgentGateway

    book, bubble = _book(app), app.bubble
    questions = AgentQuestions(app=app, book=book)
    gateway = AgentGateway(
        files=app,
        pet=app.gate,
        book=book,
        index=app.index.get,
        reminders=app.reminders.snapshot,
        ask=questions.ask_agent,
    )
    activity = AgentActivity(app=app, book=book, note_work=gateway.note_work)
    app.closing.callback(activity.close)
    commands = AgentCommands(app=app, gateway=gateway, activity=activity, questions=questions)

    def start() -> None:
        app.emitter.subscribe(activity.on_event, SettingsChanged, name="agent-activity")
        app.emitter.subscribe(bubble.on_event, AgentsChanged, name="agent-questions")

    return ExtraParts(commands=(commands,), start=start)


def _book(app: Pet) -> AgentBook:
    from pet.events import MemoryGiven
    from pet.extras.agents.events import AgentsChanged
    from pet.extras.agents.views import open_book

    def changed(reads: bool) -> None:
        app.emitter.emit(AgentsChanged())
        if reads:
            app.emitter.emit(MemoryGiven())

    return open_book(app, changed)


def _forget(app: Pet, _event: Event) -> None:
    from pet.extras.agents.views import drop_forgotten

    drop_forgotten(app, _book(app))


def _subcommands() -> Mapping[str, Subcommand]:
    from pet.cli.arguments import Option, Subcommand

    install = Subcommand(words=("CLIENT",), options=(Option("--print", dest="show"),))
    of_client = {"install": install, "remove": Subcommand(words=("CLIENT",))}
    moods = ("neutral", "happy", "sad", "surprised")
    return {
        "mcp": Subcommand(actions={"serve": Subcommand(), **of_client}, run="pet.extras.agents.cli.mcp"),
        "agent": Subcommand(
            actions={"event": Subcommand(words=("[CLIENT]",)), **of_client}, run="pet.extras.agents.cli.agent"
        ),
        "say": Subcommand(
            words=("TEXT",),
            options=(Option("--mood", "|".join(moods), moods), Option("--from", "NAME", dest="sender")),
            run="pet.extras.agents.cli.say",
        ),
    }


EXTRA = Extra(make=_make, settings=AgentSettings, subcommands=_subcommands, forget=_forget)
