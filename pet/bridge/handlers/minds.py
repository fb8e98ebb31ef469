"""Models on this computer for the pages: list, download, choose, stop. Downloads run on a thread of their own and are
told as events; nothing is fetched or started without a command of the owner's."""

from __future__ import annotations

import logging
from collections.abc import Callable
from threading import Thread

from pet.bridge.api.base import Nothing
from pet.bridge.api.minds import MindArgs, MindInfo, MindList, MindState, MindUsed, UseMindArgs
from pet.errors import MindRefused, PetError
from pet.events import ErrorInfo, Event, MindArrived, MindArriving, MindChanged
from pet.ids import new_id
from pet.minds.keeper import Keeper, State
from pet.minds.library import Choice, Library
from pet.minds.machine import free_disk
from pet.minds.model_store import FILE
from pet.settings.schema import Settings
from pet.settings.store import SettingsStore

_log = logging.getLogger(__name__)


def mind_changed(state: State) -> MindChanged:
    return MindChanged(mind=state.mind, phase=state.phase, problem=state.problem)


class MindCommands:
    """Every public method is the handler of the row of its name."""

    def __init__(
        self,
        library: Library,
        keeper: Keeper,
        store: SettingsStore,
        settings: Callable[[], Settings],
        emit: Callable[[Event], None],
    ) -> None:
        self._library = library
        self._keeper = keeper
        self._store = store
        self._settings = settings
        self._emit = emit
        self._found: list[Choice] = []

    def list_minds(self, _args: Nothing) -> MindList:
        return self._list()

    def look_for_minds(self, _args: Nothing) -> MindList:
        self._found = self._library.look()
        return self._list()

    def fetch_mind(self, args: MindArgs) -> MindList:
        """Raises MindRefused: busy."""
        if self._library.fetching:
            raise MindRefused("busy")
        Thread(target=self._fetch, args=(args.mind,), name="fetch-mind", daemon=True).start()
        return self._list()

    def stop_fetching_mind(self, _args: Nothing) -> None:
        self._library.stop_fetching()

    def remove_mind(self, args: MindArgs) -> MindList:
        """Raises MindRefused: unknown, busy, disk."""
        self._library.remove(args.mind)
        if self._settings().mind == args.mind:
            self._store.change({"mind": ""})
        return self._list()

    def use_mind(self, args: UseMindArgs) -> MindUsed:
        if args.mind:
            try:
                self._keeper.check(args.mind)
            except MindRefused as refused:
                return MindUsed(list=self._list(), error=ErrorInfo.of(refused))
        self._store.change({"mind": args.mind, "demo": False})
        if not args.mind:
            self._keeper.stop()
        else:
            Thread(target=self._load, args=(args.mind,), name="load-mind", daemon=True).start()
        return MindUsed(list=self._list(), error=None)

    def stop_mind(self, _args: Nothing) -> None:
        self._keeper.stop()

    def close(self) -> None:
        self._library.stop_fetching()

    # --- threads --------------------------------------------------------------------------------

    def _fetch(self, mind: str) -> None:
        from pet.minds.fetch import Progress

        def tell(progress: Progress) -> None:
            self._emit(
                MindArriving(
                    mind=mind,
                    done=progress.done,
                    total=progress.total,
                    speed=progress.speed,
                    seconds_left=progress.seconds_left,
                    host=progress.host,
                    checking=progress.checking,
                )
            )

        try:
            self._library.fetch(mind, tell)
        except PetError as refused:
            self._emit(MindArrived(mind=mind, error=ErrorInfo.of(refused)))
        except Exception as error:  # noqa: BLE001  the thread boundary
            incident = new_id()
            _log.error("download failed [%s]", incident, exc_info=error)
            self._emit(MindArrived(mind=mind, error=ErrorInfo(code="internal", args={"id": incident})))
        else:
            self._emit(MindArrived(mind=mind, error=None))

    def _load(self, mind: str) -> None:
        """The keeper tells how that goes."""
        try:
            self._keeper.acquire(mind)
        except MindRefused as refused:
            _log.info("not loaded: %s", refused.error_code)
        else:
            self._keeper.release()

    # --- views ----------------------------------------------------------------------------------

    def _list(self) -> MindList:
        chosen, state, problem = self._settings().mind, self._keeper.state, self._library.problem()
        minds = [_info(each, chosen) for each in (*self._library.choices(), *self._found)]
        if chosen.startswith(FILE) and not any(each.chosen for each in minds):
            self._found += [each for each in self._library.look_at(chosen) if each not in self._found]
            minds = [_info(each, chosen) for each in (*self._library.choices(), *self._found)]
        return MindList(
            minds=minds,
            state=MindState(
                mind=state.mind, phase=state.phase, problem=state.problem, fetching=self._library.fetching
            ),
            problem=f"mind_{problem}" if problem else "",
            free_disk=free_disk(self._library.folder),
        )


def _info(choice: Choice, chosen: str) -> MindInfo:
    about = "mind.about.file" if choice.kind == "found" else f"mind.about.{choice.id}"
    return MindInfo(
        id=choice.id,
        kind=choice.kind,
        name=choice.name,
        by=choice.by,
        about=about,
        licence=choice.licence,
        languages=list(choice.languages),
        size=choice.size,
        need=choice.need,
        here=choice.here,
        part=choice.part,
        fits=f"mind_{choice.fits}" if choice.fits else "",
        recommended=choice.recommended,
        chosen=choice.id == chosen,
        host=choice.host,
        notebook=choice.notebook,
    )
