"""What the pet does about events, the pointer and other pets, without a window."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, cast

import pytest

from pet.body.bodies import own_timing
from pet.body.creature import BARE, Wear
from pet.body.life import Surroundings
from pet.body.outings import Pace
from pet.bridge.commands.desktop import PointerPlace
from pet.bridge.commands.skins import PetLook, SkinSheet
from pet.desktop.pet_actor import UNKNOWN_BODY, PetActor, Worn
from pet.events import (
    LifeChanged,
    MemoryGiven,
    MemoryPaused,
    Mood,
    MoodChanged,
    PetReplaced,
    PetTravels,
    SettingsChanged,
    TabMemoryChanged,
)
from tests.body.stage import Recorder, Time, dice
from tests.desktop.pet_parts import LOOK, Move, Port, with_life

RANDOM = {"least": lambda: 0.0, "half": lambda: 0.5, "most": lambda: 1.0}


class Skin(Recorder):
    settles = False
    timing = staticmethod(own_timing)


class Surface:
    def __init__(self) -> None:
        self.hidden = False
        self.calm = False
        self.bodies: list[str] = []
        self.sheets: list[SkinSheet] = []
        self.broken = False
        self.covered = (0, 0)
        self.marks: list[bool] = []
        self.held = self.faded = False
        self.named = ""
        self.skin = Skin()

    def width(self) -> int:
        return 192

    def height(self) -> int:
        return 208

    def wants_calm(self) -> bool:
        return self.calm

    def body(self, body: str) -> Worn:
        self.bodies.append(body)
        return self.skin

    def sheet(self, sheet: SkinSheet) -> Worn | None:
        self.sheets.append(sheet)
        return None if self.broken else self.skin

    def cover(self, left: int, right: int) -> None:
        self.covered = left, right

    def shift(self, dx: float) -> None:
        self.shifted = dx

    def fade(self, faded: bool) -> None:
        self.faded = faded

    def mark_read(self, marked: bool) -> None:
        self.marks.append(marked)

    def carried(self, held: bool) -> None:
        self.held = held

    def setAccessibleName(self, name: str) -> None:  # noqa: N802
        self.named = name


class Pet:
    """The pet, five seconds after it came."""

    def __init__(
        self,
        look: PetLook | None = LOOK,
        *,
        body: str = "soulpet",
        random: Callable[[], float] | None = None,
        late: bool = False,
    ) -> None:
        self.time, self.surface, self.port = Time(), Surface(), Port(look=look, late=late)
        around = Surroundings(random or dice(), lambda: 14)
        self.actor = PetActor(cast(Any, self.surface), cast(Any, self.port), self.time.agenda, around, body)
        self.actor.begin()
        if not late:
            self.time.passes(5_000)
        self.port.calls.clear()

    @property
    def act(self) -> str:
        return self.actor.player.act

    @property
    def state(self) -> Wear:
        return replace(self.surface.skin.shown[-1].wear, mouth="")

    def hears(self, how: str, dx: int = 0, dy: int = 0, walk: int = 0) -> None:
        self.actor.on_event(PetTravels(dx=dx, dy=dy, how=how, walk=walk))  # type: ignore[arg-type]

    def feels(self, mood: Mood) -> None:
        self.actor.on_event(MoodChanged(mood=mood))

    def clicks(self) -> None:
        self.actor.pressed(0, 0, 0)
        self.actor.released(0, 0, 50, shift=False)

    def clicks_twice(self) -> None:
        self.clicks()
        self.actor.pressed(0, 0, 200, double=True)
        self.actor.released(0, 0, 250, shift=False)

    def dragged(self, to: float, *, at: float = 0, shift: bool = False) -> None:
        self.actor.pressed(0, 0, 0)
        self.actor.dragged(to, 0, at or 500)
        self.actor.released(to, 0, (at or 500) + (5 if at else 500), shift=shift)


# --- looks ----------------------------------------------------------------------------------------


def test_it_shows_moods_opens_the_chat_by_double_click_and_the_menu_by_right_click() -> None:
    pet = Pet()
    assert pet.surface.named == "Bun"
    pet.feels(Mood.WAITING)
    assert pet.act == "waiting"
    pet.clicks_twice()
    pet.actor.menu()
    pet.time.passes(2_000)
    assert [each for each in pet.port.calls if each != "reading"] == ["toggle_chat", "pet_menu"]


@pytest.mark.parametrize(("body", "at_once"), [(UNKNOWN_BODY, []), ("soulpet", ["soulpet"]), ("", [""])])
def test_it_is_drawn_before_the_core_has_answered_where_its_body_is_known(body: str, at_once: list[str]) -> None:
    pet = Pet(body=body, late=True)
    assert pet.surface.bodies == at_once
    assert bool(pet.surface.skin.shown) is bool(at_once)
    pet.port.requests[0](LOOK)
    assert pet.surface.skin.shown
    assert pet.act == "wave"


def test_of_an_unknown_body_the_first_is_drawn_only_if_no_answer_comes_for_long() -> None:
    pet = Pet(None, body=UNKNOWN_BODY)
    assert pet.surface.bodies == []  # the core may not be there yet
    pet.time.passes(15_000)
    assert pet.surface.bodies == [""]
    answered = Pet(None, body=UNKNOWN_BODY)
    answered.port.look = replace(LOOK, sheet=SkinSheet(skin="soulpet/moss", stamp="moss"))
    answered.actor.refresh()
    answered.time.passes(20_000)
    assert answered.surface.bodies == ["soulpet/moss"]


def test_it_asks_for_its_look_again_when_the_settings_changed_and_names_the_pictures_it_has() -> None:
    pet = Pet()
    for event in (SettingsChanged(), LifeChanged()):
        pet.actor.on_event(event)
    assert pet.port.have == ["", "drawn", "drawn"]
    pet.actor.on_event(MemoryGiven())
    assert len(pet.port.have) == 3


@pytest.mark.parametrize("broken", [True, False])
def test_a_skin_of_pictures_is_drawn_and_a_broken_one_leaves_our_own_body(broken: bool) -> None:
    pet = Pet()
    pet.surface.broken = broken
    sheet = SkinSheet(skin="cat", stamp="1", image="data:image/webp;base64,AAAA")
    pet.port.look = replace(LOOK, sheet=sheet)
    pet.actor.on_event(SettingsChanged())
    assert pet.surface.sheets == [sheet]
    assert pet.surface.bodies == (["soulpet", ""] if broken else ["soulpet"])
    assert pet.actor.pose().sheet == (None if broken else sheet)


def test_while_another_pet_comes_the_pose_is_of_that_one_and_not_of_the_old_skin() -> None:
    pet = Pet()
    pet.port.look = replace(LOOK, sheet=SkinSheet(skin="cat", stamp="1", image="data:image/webp;base64,AAAA"))
    pet.actor.on_event(SettingsChanged())
    pet.actor.on_event(PetReplaced(body="soulpet/moss"))
    pose = pet.actor.pose()
    assert (pose.body, pose.sheet) == ("soulpet/moss", None)


def test_it_looks_as_the_newest_answer_says_and_closes_its_sprout_with_every_pause() -> None:
    pet = Pet(late=True)
    pet.actor.on_event(MemoryPaused(paused=True))
    older, newer = pet.port.requests
    newer(replace(LOOK, name="Newer", paused=True))
    older(replace(LOOK, name="Older"))
    pet.time.passes(5_000)
    assert (pet.surface.named, pet.state) == ("Newer", Wear(bud=True, drowsy=True))


def test_its_sprout_closes_for_a_conversation_without_memory() -> None:
    pet = Pet()
    pet.actor.on_event(TabMemoryChanged(off=True))
    assert pet.state == Wear(bud=True)


def test_it_holds_and_wears_what_the_day_brings() -> None:
    pet = Pet(with_life(holds=True, wears="cap", weather="near"))
    assert pet.state == Wear(holds=True, wears="cap", near=True)


def test_it_is_marked_for_some_seconds_when_an_agent_was_given_lines() -> None:
    pet = Pet()
    pet.actor.on_event(MemoryGiven())
    pet.time.passes(6_000)
    assert pet.surface.marks == [True, False]


@pytest.mark.parametrize(
    ("setting", "system", "calm"),
    [("on", False, True), ("off", True, False), ("system", True, True), ("system", False, False)],
)
def test_it_holds_still_where_motion_is_reduced(setting: str, system: bool, calm: bool) -> None:
    pet = Pet()
    pet.surface.calm = system
    pet.port.look = replace(LOOK, reduced_motion=setting)  # type: ignore[arg-type]
    pet.actor.on_event(SettingsChanged())
    assert pet.actor.player.moving is not calm


def test_the_pose_is_what_it_shows_now() -> None:
    pet = Pet()
    pet.feels(Mood.THINKING)
    pose = pet.actor.pose()
    assert (pose.does, pose.act, pose.body) == ("thinking", "thinking", "soulpet")


# --- touched --------------------------------------------------------------------------------------


def test_it_tells_that_it_was_touched_after_a_poke_that_stays_a_single_one_and_when_it_is_set_down() -> None:
    pet = Pet()
    pet.clicks_twice()
    pet.time.passes(2_000)
    assert pet.port.times("touched") == 0  # the chat opens: the poke was meant for that
    pet.clicks()
    pet.time.passes(2_000)
    assert pet.port.times("touched") == 1
    pet.dragged(40)
    assert pet.port.times("touched") == 2
    pet.time.passes(2_000)
    assert pet.port.times("touched") == 2  # after a drag there is no click


def test_a_click_takes_the_note_that_it_holds_but_asks_for_silence_while_it_reads_aloud() -> None:
    pet = Pet(with_life(holds=True))
    pet.clicks()
    pet.time.passes(1_000)
    assert pet.port.times("take_held") == 1
    assert pet.port.times("touched") == 0
    pet.port.calls.clear()
    pet.feels(Mood.TALKING)
    pet.clicks()
    pet.time.passes(1_000)
    assert pet.port.times("hush") == 1
    assert pet.port.times("take_held") == 0


@pytest.mark.parametrize("shift", [True, False])
def test_let_go_with_shift_it_floats_there(shift: bool) -> None:
    pet = Pet()
    pet.dragged(40, shift=shift)
    assert pet.port.moves == [Move(40, 0, False, False, 0), Move(40, 0, True, shift, 0)]
    assert not pet.surface.held


def test_it_is_carried_to_the_side_it_is_dragged_to() -> None:
    pet = Pet()
    pet.actor.pressed(0, 0, 0)
    pet.actor.dragged(4, 0, 10)
    assert pet.act == "idle"
    pet.actor.dragged(40, 0, 20)
    assert (pet.act, pet.surface.held) == ("carried-right", True)
    pet.actor.dragged(20, 0, 30)
    assert pet.act == "carried-left"
    pet.actor.released(20, 0, 500, shift=False)
    assert pet.act == "dropped"


def test_let_go_in_a_swing_it_flies_on_and_lands() -> None:
    pet = Pet()
    pet.dragged(120, at=60)
    assert (pet.act, pet.port.moves[-1].done) == ("thrown-right", False)
    pet.time.passes(300)
    assert pet.act == "thrown-right"
    for _each in range(100):
        pet.time.passes(0 if pet.port.moves[-1].done else 32)
    assert pet.act == "landed"
    assert pet.port.moves[-1].dx > 120


def test_a_finger_that_rests_opens_the_menu_and_is_no_click() -> None:
    pet = Pet()
    pet.actor.pressed(0, 0, 0)
    pet.actor.held_long()
    pet.actor.released(0, 0, 900, shift=False)
    pet.time.passes(2_000)
    assert pet.port.calls == ["pet_menu"]


def test_the_pointer_wakes_it_and_expects_the_chat() -> None:
    pet = Pet()
    pet.feels(Mood.ASLEEP)
    pet.actor.entered(free=True)
    assert pet.act == "wake"
    pet.time.passes(100)
    assert pet.port.calls[1:] == ["reading", "expect_chat"]


def test_a_pet_that_walks_under_the_pointer_expects_no_chat() -> None:
    pet = Pet()
    pet.hears("walk", 300, walk=2_000)
    pet.time.passes(500)
    pet.actor.entered(free=True)
    pet.time.passes(100)
    assert "expect_chat" not in pet.port.calls
    pet.time.passes(5_000)
    pet.actor.left()
    pet.actor.entered(free=True)
    pet.time.passes(100)
    assert "expect_chat" in pet.port.calls


def test_it_looks_up_while_something_is_dragged_over_it_and_takes_it_or_looks_away() -> None:
    pet = Pet()
    pet.actor.drag_entered()
    assert pet.act == "listening"
    pet.actor.drag_left()
    assert pet.act == "idle"
    pet.actor.drag_entered()
    assert pet.actor.dropped()
    assert pet.act == "given"
    pet.actor.drag_left()
    assert pet.act == "given"


# --- ways -----------------------------------------------------------------------------------------


def test_it_falls_and_says_where_it_is_only_at_the_end() -> None:
    pet = Pet()
    pet.hears("fall", 0, 400, walk=3)
    assert pet.act == "carried"
    pet.time.passes(1_000)
    assert pet.port.moves[-1] == Move(0, 400, True, False, 3)
    assert [each.done for each in pet.port.moves].count(True) == 1
    assert len(pet.port.moves) < 30


@pytest.mark.parametrize(("at", "flies"), [(1_000, False), (70, True)])
def test_taken_in_its_fall_it_is_the_hand_that_moves_it_whenever_an_earlier_order_arrives(
    at: int, flies: bool
) -> None:
    pet = Pet()
    pet.hears("fall", 0, 400, walk=3)
    pet.time.passes(100)
    pet.actor.pressed(0, 0, 0)
    assert pet.port.moves[-1].done
    pet.port.moves.clear()
    pet.hears("fall", 0, 380, walk=4)
    pet.actor.dragged(60, 0, 50)
    pet.hears("fall", 0, 370, walk=5)
    pet.actor.dragged(120, 0, 60)
    pet.actor.released(120, 0, at, shift=False)
    pet.time.passes(5_000)
    end = pet.port.moves[-1]
    assert end.done
    assert end.dx > 120 if flies else end == Move(120, 0, True, False, 0)
    assert {each.walk for each in pet.port.moves} == {0}


@pytest.mark.parametrize("finger", [False, True])
def test_ordered_while_a_button_is_down_on_it_it_goes_when_that_was_no_drag(finger: bool) -> None:
    pet = Pet()
    pet.actor.pressed(0, 0, 0)
    pet.hears("fall", 0, 400, walk=4)
    pet.time.passes(200)
    assert pet.port.moves == []
    if finger:
        pet.actor.held_long()
    else:
        pet.actor.released(0, 0, 200, shift=False)
    pet.time.passes(1_000)
    assert pet.port.moves[-1] == Move(0, 400, True, False, 4)


def test_it_waves_when_it_is_called_and_moves_nowhere() -> None:
    pet = Pet()
    pet.hears("wave")
    assert pet.act == "wave"
    pet.time.passes(1_000)
    assert pet.port.moves == []


@pytest.mark.parametrize(("how", "held", "looks"), [("follow", False, 12), ("drag", True, 2)])
def test_it_looks_at_the_pointer_for_some_seconds_and_comes_near(how: str, held: bool, looks: int) -> None:
    pet = Pet()
    pet.port.pointer = PointerPlace(known=True, x=400, y=120, held=held)
    pet.hears(how)
    assert pet.port.calls[-1] == ("stroll", (304 - 192 * 0.6) / 220, True)
    pet.actor.player.play(Mood.THINKING)
    assert pet.act == "idle"  # it still looks
    pet.port.pointer = PointerPlace(known=True, x=100, y=20, held=False)
    pet.time.passes(20_000)
    assert pet.act == "thinking"
    assert (pet.port.times("stroll"), pet.port.times("find_pointer")) == (1, looks)
    pet.time.passes(60_000)
    assert pet.port.times("find_pointer") == looks


def test_it_leaves_alone_what_is_dragged_far_away_and_listens_where_the_pointer_is_unknown() -> None:
    pet = Pet()
    pet.port.pointer = PointerPlace(known=True, x=900, y=120, held=True)
    pet.hears("drag")
    pet.time.passes(13_000)
    assert pet.port.times("stroll") == 0
    pet.port.pointer = PointerPlace(known=False, held=True)
    pet.hears("drag")
    assert pet.act == "idle"
    pet.hears("follow")
    assert pet.act == "listening"


def test_it_sits_on_an_edge_for_a_while_and_gets_up_for_the_owner() -> None:
    pet = Pet()
    pet.hears("sit")
    pet.time.passes(10_000)
    assert (pet.act, pet.port.moves) == ("sit", [])
    pet.feels(Mood.THINKING)
    assert pet.act == "thinking"
    pet.hears("sit")
    pet.feels(Mood.NEUTRAL)
    pet.time.passes(30_000)
    assert pet.act == "idle"


@pytest.mark.parametrize(("moves", "least", "most"), [(True, 7, 16), (False, 2, 6)])
def test_a_lively_pet_is_a_calm_one_while_nobody_holds_the_pointer(moves: bool, least: int, most: int) -> None:
    pet = Pet(replace(LOOK, pace="lively"))
    for at in range(120):
        if at % 8 == 7:
            pet.hears("walk", 100 if at % 16 < 8 else -100, walk=at)
        x = 400 if at % 16 < 7 or at % 16 == 15 else 300  # seen from the pet, which walks
        pet.port.pointer = PointerPlace(known=True, x=x + at if moves else x, y=-90)
        pet.time.passes(5_000)
        if at == 59:
            pet.port.calls.clear()
    assert least <= pet.port.times("stroll") <= most


@pytest.mark.parametrize(("pace", "least", "most"), [("calm", 50_000, 105_000), ("lively", 18_000, 45_000)])
def test_it_goes_somewhere_within_two_minutes_of_being_seen_and_again_and_again(
    pace: Pace, least: int, most: int
) -> None:
    for random, pause in ((RANDOM["least"], least), (RANDOM["most"], most)):
        pet = Pet(replace(LOOK, pace=pace), random=random)
        pet.time.passes(pause - 5_500)
        for times in (0, 1, 2):
            pet.time.passes(pause - 1_000 if times else 0)
            assert pet.port.times("stroll") == times
            pet.time.passes(1_000)
        pet.feels(Mood.THINKING)
        pet.time.passes(600_000)
        assert pet.port.times("stroll") == 3
        pet.feels(Mood.NEUTRAL)
        pet.time.passes(26_000)  # it was to go, and was busy
        assert pet.port.times("stroll") > 3


@pytest.mark.parametrize("why", ["still", "reduced motion", "hidden"])
def test_it_goes_nowhere_where_it_should_not(why: str) -> None:
    looks = {"still": replace(LOOK, pace="still"), "reduced motion": replace(LOOK, reduced_motion="on")}
    pet = Pet(looks.get(why, LOOK))
    if why == "hidden":
        pet.surface.hidden = True
        pet.actor.visibility_changed()
    pet.time.passes(3_600_000)
    assert pet.port.times("stroll") == 0


def test_it_gets_up_from_a_nap_by_itself_by_day() -> None:
    pet = Pet()
    pet.feels(Mood.ASLEEP)
    assert ("stroll", 0, False, "nap") in pet.port.calls  # on its cushion, if it has one
    pet.time.passes(850_000)
    assert ("stroll", 0, False, "rise") in pet.port.calls
    pet.hears("rise")
    assert pet.act == "wake"
    assert "reading" in pet.port.calls


def test_teased_it_runs_after_the_pointer_and_pounces_on_it() -> None:
    pet = Pet()
    pet.port.pointer = PointerPlace(known=True, x=500, y=100)
    for x in (20, 90, 20, 90, 20, 90):
        pet.actor.hovered(x, 100)
        pet.time.passes(120)
    assert [each for each in pet.port.calls if each[0] == "stroll"] == [
        ("stroll", pytest.approx((500 - 96) / 220), True, "run")
    ]
    pet.port.pointer = PointerPlace(known=True, x=120, y=100)
    pet.time.passes(400)
    assert pet.act == "pounce-right"
    pet.time.passes(5_000)
    for x in (20, 90, 20, 90, 20, 90):
        pet.actor.hovered(x, 100)
        pet.time.passes(120)
    assert pet.port.times("stroll") == 1  # it lets itself be teased now and then


def test_a_pointer_that_passes_does_not_tease_it() -> None:
    pet = Pet()
    for x in (0, 60, 120, 190, 120, 60, 0):
        pet.actor.hovered(x, 100)
        pet.time.passes(60)
    for x in (90, 95, 90, 96, 91, 95, 90):  # a hand that trembles
        pet.actor.hovered(x, 100)
        pet.time.passes(60)
    assert pet.port.times("stroll") == 0


def test_motion_reduced_in_the_middle_of_a_jump_ends_the_jump() -> None:
    pet = Pet()
    pet.hears("hop", 200, -100, walk=3)
    pet.time.passes(500)
    assert pet.act == "jump-right"
    pet.port.look = replace(LOOK, reduced_motion="on")
    pet.actor.refresh()
    assert (pet.act, pet.port.moves[-1].done, pet.port.moves[-1].walk) == ("idle", True, 3)
    moves = len(pet.port.moves)
    pet.time.passes(10_000)
    assert len(pet.port.moves) == moves


def test_what_it_brings_from_a_trip_it_shows_and_then_lies_beside_it_for_a_while() -> None:
    pet = Pet(with_life(keeps="acorn"), random=RANDOM["least"])
    pet.hears("leave", 1)
    pet.time.passes(5_000)
    drawn = len(pet.surface.skin.shown)
    pet.time.passes(1_500)
    assert len(pet.surface.skin.shown) == drawn  # off the screen nothing is drawn
    pet.time.passes(2_500)
    assert (pet.act, pet.surface.skin.shown[-1].wear.souvenir) == ("show", "shell")
    pet.time.passes(60_000)
    assert (pet.surface.skin.shown[-1].wear.souvenir, pet.surface.skin.shown[-1].wear.keeps) == ("shell", "acorn")
    pet.time.passes(240_000)
    assert (pet.surface.skin.shown[-1].wear.souvenir, pet.surface.skin.shown[-1].wear.keeps) == ("", "acorn")


def test_it_walks_towards_its_owners_pointer_after_a_hard_day() -> None:
    pet = Pet(with_life(weather="near"), random=RANDOM["most"])
    pet.port.pointer = PointerPlace(known=True, x=-400)
    pet.time.passes(110_000)
    assert [each for each in pet.port.calls if each[0] == "stroll"] == [("stroll", -1, False)]


def test_hidden_on_its_way_it_does_not_walk_on_the_spot_when_it_is_back() -> None:
    pet = Pet()
    pet.hears("walk", -900)
    assert pet.act == "walk-left"
    for hidden in (True, False):
        pet.surface.hidden = hidden
        pet.actor.visibility_changed()
    assert pet.act == "idle"


def test_hidden_in_a_hand_it_is_in_none_when_it_is_back() -> None:
    pet = Pet()
    pet.actor.pressed(0, 0, 0)
    pet.actor.dragged(40, 0, 20)
    assert pet.act.startswith("carried")
    for hidden in (True, False):
        pet.surface.hidden = hidden
        pet.actor.visibility_changed()
    pet.actor.dragged(80, 0, 60)
    assert (pet.act, pet.surface.held) == ("idle", False)


def test_hidden_it_has_no_call() -> None:
    pet = Pet()
    pet.surface.hidden = True
    pet.actor.visibility_changed()
    pet.time.passes(2_000)
    assert pet.time.calls == 0


# --- other pets -----------------------------------------------------------------------------------


def test_a_pet_that_has_come_near_is_looked_at_and_greeted_then_its_own_life_goes_on() -> None:
    pet = Pet(random=RANDOM["half"])
    pet.hears("greet", -200)
    assert pet.surface.skin.glances[-1] == 12
    pet.time.passes(1_500)
    assert pet.act == "nod"
    pet.time.passes(5_000)
    assert (pet.act, pet.port.times("stroll")) == ("idle", 0)


def test_a_pet_with_something_to_do_does_not_look_up() -> None:
    pet = Pet(random=RANDOM["half"])
    pet.feels(Mood.THINKING)
    looks = len(pet.surface.skin.glances)
    pet.hears("greet", -200)
    pet.time.passes(5_000)
    assert (pet.act, len(pet.surface.skin.glances)) == ("thinking", looks)


@pytest.mark.parametrize(("dx", "steps"), [(240, [("stroll", (240 - 192 * 0.72) / 220, True)]), (100, [])])
def test_a_pet_that_fell_asleep_is_joined(dx: int, steps: list[object]) -> None:
    pet = Pet(random=RANDOM["half"])
    pet.hears("join", dx)
    pet.time.passes(2_000)
    assert [each for each in pet.port.calls if each != "find_pointer"] == [*steps, "nap"]


def test_other_pets_move_nothing_where_motion_is_reduced() -> None:
    pet = Pet(replace(LOOK, reduced_motion="on"))
    for how in ("greet", "look", "join"):
        pet.hears(how, 200)
    pet.time.passes(5_000)
    assert (pet.surface.skin.glances, pet.port.calls) == ([], [])


def test_a_pet_that_sleeps_beside_it_is_leaned_on_in_its_sleep_and_only_there() -> None:
    pet = Pet()
    pet.hears("lean", -1)
    assert pet.state == BARE
    pet.feels(Mood.ASLEEP)
    pet.time.passes(10_000)
    assert pet.state == Wear(leans=-1)


def test_a_pet_that_comes_at_its_place_is_drawn_already_and_if_it_stays_away_this_one_is_back() -> None:
    pet = Pet()
    pet.actor.on_event(MemoryPaused(paused=True))
    assert pet.state == Wear(bud=True, drowsy=True)
    pet.actor.on_event(PetReplaced(body="soulpet/biscuit"))
    assert (pet.surface.bodies[-1], pet.act, pet.state) == ("soulpet/biscuit", "wave", BARE)
    pet.actor.on_event(LifeChanged())
    pet.actor.on_event(MemoryPaused(paused=False))
    pet.time.passes(5_000)
    assert (pet.surface.bodies[-1], pet.state) == ("soulpet/biscuit", BARE)
    pet.port.calls.clear()
    pet.clicks()
    pokes = pet.act
    pet.clicks_twice()
    pet.actor.menu()
    pet.dragged(60)
    assert not pet.actor.dropped()
    pet.time.passes(1_000)
    assert pokes != "idle"
    assert (pet.port.calls, pet.port.moves) == (["toggle_chat"], [])
    pet.actor.on_event(PetReplaced(body=""))
    assert pet.surface.bodies[-1] == "soulpet"
    pet.time.passes(5_000)
    assert pet.surface.bodies[-1] == "soulpet"
