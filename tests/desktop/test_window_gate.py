"""The gate between the threads that make windows and the end of the program."""

from __future__ import annotations

import threading

from pet.desktop.core_client import WindowGate


def test_closed_gate_makes_no_window() -> None:
    gate, made = WindowGate(), list[str]()
    gate.run(lambda: made.append("before"))
    gate.close()
    gate.run(lambda: made.append("after"))
    assert made == ["before"]


def test_close_waits_for_window_being_made() -> None:
    gate, begun, go = WindowGate(), threading.Event(), threading.Event()
    events: list[str] = []

    def make() -> None:
        begun.set()
        go.wait(10)
        events.append("made")

    def close() -> None:
        gate.close()
        events.append("closed")

    maker, closer = threading.Thread(target=gate.run, args=(make,)), threading.Thread(target=close)
    maker.start()
    assert begun.wait(10)
    closer.start()
    go.set()
    maker.join(10)
    closer.join(10)
    assert events == ["made", "closed"]
