"""What a page may call, and how many calls of it wait."""

from __future__ import annotations

import json
import queue
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest

from pet.desktop.web_engine import (
    MOST_AT_ONCE,
    MOST_CHARACTERS,
    MOST_WAITING,
    PageCalls,
    call_arguments,
    is_call,
    reply_script,
)

CHAT = "file:///ui/chat.html"
PATIENCE = 180


@dataclass
class Window:
    """As much of pywebview's window as a call needs."""

    original_url: str
    answer: Callable[[object, object], str]
    uid: str = "master"
    ran: queue.Queue[str] = field(default_factory=queue.Queue)

    @property
    def _functions(self) -> dict[str, Callable[[object, object], str]]:
        return {"invoke": self.answer}

    def run_js(self, script: str) -> None:
        self.ran.put(script)


def echo(name: object, arguments: object) -> str:
    return f"{name} {arguments}"


def test_a_call_is_answered_where_it_was_made() -> None:
    window: Any = Window(CHAT, echo)
    PageCalls(window, window.run_js).call("invoke", ["get_status", '{"a": 1}'], "123")
    script = window.ran.get(timeout=PATIENCE)
    assert script == reply_script("123", 'get_status {"a": 1}')
    value = json.loads(script.partition("{value:")[2].rpartition("})")[0])
    assert json.loads(value) == 'get_status {"a": 1}'


@pytest.mark.parametrize("function", ["pywebviewMoveWindow", "pywebviewEventHandler", "invoke.call", "", None, 3])
def test_nothing_else_can_be_called(function: object) -> None:
    window: Any = Window(CHAT, echo)
    PageCalls(window, window.run_js).call(function, ["x", "{}"], "1")
    PageCalls(window, window.run_js).call("invoke", ["last", ""], "2")
    assert window.ran.get(timeout=PATIENCE) == reply_script("2", "last ")
    assert window.ran.empty()


@pytest.mark.parametrize("call_id", ["", "1'];alert(1)//", "9" * 33, "１", None, 7])
def test_an_id_is_a_number(call_id: object) -> None:
    assert not is_call("invoke", call_id)
    assert is_call("invoke", "3e-7")


@pytest.mark.parametrize("given", [None, 3, {}, "{}", "[", "null", '"x"', "[" * 100_000])
def test_other_arguments_become_what_invoke_refuses(given: object) -> None:
    assert call_arguments(given) == (None, None)


@pytest.mark.parametrize(
    ("given", "wanted"), [([], (None, None)), (["a"], ("a", None)), ('["a", "b", "c"]', ("a", "b"))]
)
def test_arguments_are_a_name_and_a_text(given: object, wanted: tuple[object, object]) -> None:
    assert call_arguments(given) == wanted


def test_a_call_that_hangs_holds_up_no_other() -> None:
    hang = threading.Event()
    window: Any = Window(CHAT, lambda name, _arguments: str(hang.wait(PATIENCE)) if name == "slow" else "quick")
    call = PageCalls(window, window.run_js).call
    call("invoke", ["slow", ""], "1")
    call("invoke", ["quick", ""], "2")
    assert window.ran.get(timeout=PATIENCE) == reply_script("2", "quick")
    hang.set()
    assert window.ran.get(timeout=PATIENCE) == reply_script("1", "True")


def test_a_page_that_floods_takes_neither_all_threads_nor_the_memory() -> None:
    hang = threading.Event()
    running: list[object] = []

    def slow(name: object, _arguments: object) -> str:
        running.append(name)
        hang.wait(PATIENCE)
        return str(name)

    window: Any = Window(CHAT, slow)
    call = PageCalls(window, window.run_js).call
    before = threading.active_count()
    for number in range(MOST_WAITING * 2):
        call("invoke", [number, "{}"], str(number))
    assert threading.active_count() - before <= MOST_AT_ONCE
    hang.set()
    answered = [window.ran.get(timeout=PATIENCE) for _ in range(MOST_WAITING)]
    while reply_script("0", "0") not in answered:  # those that ran side by side answer in any order
        answered.append(window.ran.get(timeout=PATIENCE))
    call("invoke", ["after", "{}"], "7")
    while window.ran.get(timeout=PATIENCE) != reply_script("7", "after"):
        pass
    assert len(running) <= MOST_WAITING + MOST_AT_ONCE + 1


def test_huge_arguments_do_not_pile_up() -> None:
    hang = threading.Event()
    came: list[int] = []

    def slow(_name: object, arguments: object) -> str:
        came.append(len(str(arguments)))
        hang.wait(PATIENCE)
        return ""

    window: Any = Window(CHAT, slow)
    call = PageCalls(window, window.run_js).call
    huge = "x" * (MOST_CHARACTERS // 4)
    for number in range(50):
        call("invoke", ["x", huge], str(number))
    hang.set()
    call("invoke", ["x", "{}"], "99")
    while window.ran.get(timeout=PATIENCE) != reply_script("99", ""):
        pass
    assert sum(came) <= MOST_CHARACTERS + len(huge) + 2


def test_a_call_that_fails_does_not_end_the_others() -> None:
    def gone(name: object, _arguments: object) -> str:
        if name == "gone":
            raise RuntimeError
        return "here"

    window: Any = Window(CHAT, gone)
    call = PageCalls(window, window.run_js).call
    for number, name in enumerate(["gone", "next"]):
        call("invoke", [name, "{}"], str(number))
    assert window.ran.get(timeout=PATIENCE) == reply_script("1", "here")
