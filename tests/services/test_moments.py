"""Words for the moments at which notes matter: when they are asked for, where they are kept, what they change."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from threading import Thread

import pytest

from pet.memory.database import index_file
from pet.memory.memory_index import open_index
from pet.memory.moments import parse_moments
from pet.model import Request, TextPart, Usage
from pet.paths import Home, find_home
from pet.services.moments import DAILY_TOKENS
from tests.services.desk import Desktop, opened
from tests.support.models.scripted import Hold, Scripted, say

NUTS = "Owner: Hazelnuts close up my throat"
LOG = (
    "# Memory Log: 2026-11-20\n\n"
    f"## [08:00:00] fact\n\n{NUTS}\n\n"
    "## [09:00:00] todo @2026-11-25\n\nOwner: Call the dentist at noon\n"
)
MESSAGE = "I am off to the bakery, want anything?"


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return find_home(tmp_path / "home")


@contextmanager
def thinking(home: Home, *script: Scripted, settings: str = "", log: str = LOG) -> Iterator[Desktop]:
    shipped = "" if "moment_words" in settings else "moment_words = true\n"
    with opened(home, *script, settings=shipped + settings, log=log) as desktop:
        index = desktop.app.index.get()
        index.refresh_words()
        yield desktop


def check(desktop: Desktop) -> list[Request]:
    """One look, as the heartbeat's thread takes it; all requests so far."""
    assert desktop.app.moments is not None
    desktop.app.moments.check()
    return desktop.provider.requests


def sent(request: Request) -> str:
    blocks = [block.text for block in request.system]
    return "\n".join([*blocks, *(p.text for m in request.messages for p in m.parts if isinstance(p, TextPart))])


def stored(desktop: Desktop) -> bytes:
    """All bytes of the index on disk."""
    file = index_file(desktop.app.store.root, desktop.app.home.cache)
    return b"".join(each.read_bytes() for each in file.parent.glob(f"{file.name}*"))


def test_the_answer_is_kept_in_the_index_alone_and_brings_the_note(home: Home) -> None:
    with thinking(home, say("1: bakery, birthday cake\n")) as desktop:
        (request,) = check(desktop)
        assert request.tools == () and "1: Hazelnuts close up my throat" in sent(request)
        assert "dentist" not in sent(request)  # a reminder has its own moment
        index = desktop.app.index.get()
        assert b"birthday cake" in stored(desktop)
        assert any(hit.snippet == NUTS for hit in index.search(MESSAGE, 3))
        others = [each for each in home.data.parent.rglob("*") if each.is_file() and "index" not in each.parts]
        assert others and not any(b"birthday cake" in each.read_bytes() for each in others)
        assert len(check(desktop)) == 1  # every note has its answer


def test_a_note_found_by_nothing_but_its_moment(home: Home) -> None:
    with thinking(home, say("1: bakery")) as desktop:
        with closing(open_index(desktop.app.store.root, home.cache, embedder=None)) as index:
            assert index.search("bakery", 3) == []
        check(desktop)
        with closing(open_index(desktop.app.store.root, home.cache, embedder=None)) as index:
            assert [hit.snippet for hit in index.search("bakery", 3)] == [NUTS]


@pytest.mark.parametrize(
    "settings",
    ["memory_default = false\n", "memory_default = false\nmemory_read_only = true\n", "moment_words = false\n"],
)
def test_nothing_is_asked_where_memory_is_not_on(home: Home, settings: str) -> None:
    with thinking(home, say("1: bakery"), settings=settings) as desktop:
        assert check(desktop) == []


def test_nothing_is_asked_while_memory_is_paused_or_a_reply_runs(home: Home) -> None:
    hold = Hold()
    with thinking(home, say("Hel", hold, "lo"), say("1: bakery")) as desktop:
        desktop.app.pause(True)
        assert check(desktop) == []
        desktop.app.pause(False)
        talk = desktop.app.conversations.create(memory=False)
        talk.send("Hi")
        hold.wait_reached()
        assert len(check(desktop)) == 1
        hold.release()
        talk.wait(60)
        assert len(check(desktop)) == 2


def test_an_answer_that_comes_after_a_pause_is_dropped(home: Home) -> None:
    hold = Hold()
    with thinking(home, say(hold, "1: bakery")) as desktop:
        assert desktop.app.moments is not None
        thread = Thread(target=desktop.app.moments.check)
        thread.start()
        hold.wait_reached()
        desktop.app.pause(True)
        hold.release()
        thread.join(60)
        assert b"bakery" not in stored(desktop)


def test_forgetting_a_note_drops_its_moments(home: Home) -> None:
    with thinking(home, say("1: bakery")) as desktop:
        check(desktop)
        forgetting = desktop.app.forgetting
        forgetting.forget(forgetting.find("Hazelnuts close up"))
        assert b"bakery" not in stored(desktop)


def test_a_note_that_was_forgotten_meanwhile_gets_no_moments(home: Home) -> None:
    hold = Hold()
    with thinking(home, say(hold, "1: bakery")) as desktop:
        assert desktop.app.moments is not None
        thread = Thread(target=desktop.app.moments.check)
        thread.start()
        hold.wait_reached()
        forgetting = desktop.app.forgetting
        forgetting.forget(forgetting.find("Hazelnuts close up"))
        hold.release()
        thread.join(60)
        assert b"bakery" not in stored(desktop)


def test_a_day_has_its_limit(home: Home) -> None:
    notes = "".join(
        f"\n## [08:{at // 60:02}:{at % 60:02}] fact\n\nOwner: Fact number {at} is here\n" for at in range(900)
    )
    answer = "\n".join(f"{at}: bakery" for at in range(1, 21))
    log = "# Memory Log: 2026-11-20\n" + notes
    reply = replace(say(answer), usage=Usage(input_tokens=1_400, output_tokens=600))
    with thinking(home, *[reply] * 30, log=log) as desktop:
        for _ in range(30):
            count = len(check(desktop))
        assert 4 <= count <= 5
        spent = desktop.app.state.read()["moments.pet"]
        assert isinstance(spent, list) and spent[0] == "2026-11-21" and spent[1] <= DAILY_TOKENS
        desktop.watch.set("22T12:00")
        assert len(check(desktop)) == count + 1


def test_the_owners_daily_limit_holds(home: Home) -> None:
    with thinking(home, say("Hello"), say("1: bakery"), settings="daily_tokens = 1\n") as desktop:
        talk = desktop.app.conversations.create(memory=False)
        talk.send("Hi")
        talk.wait(60)
        before = len(desktop.provider.requests)
        check(desktop)
        assert len(desktop.provider.requests) == before and b"bakery" not in stored(desktop)


@pytest.mark.parametrize(
    ("reply", "moments"),
    [
        ("1: bakery, birthday cake\n2: -", {1: ("bakery", "birthday cake"), 2: ()}),
        ("Sure! Here they are:\n- 1: tea、cake；bread", {1: ("tea", "cake", "bread")}),
        ("1：面包店，生日蛋糕", {1: ("面包店", "生日蛋糕")}),
        ("3: beyond\n0: before\nnothing", {}),
        ("1: " + "x" * 41 + ", ok", {1: ("ok",)}),
        ("1: a, a, a", {1: ("a",)}),
        ("1: " + ", ".join(map(str, range(100))), {1: tuple(map(str, range(8)))}),
        ("", {}),
    ],
)
def test_replies_of_models_are_read_as_far_as_they_follow_the_form(
    reply: str, moments: dict[int, tuple[str, ...]]
) -> None:
    assert parse_moments(reply, 2) == moments
