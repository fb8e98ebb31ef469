"""The supervised child: started, shared, restarted once, stopped; its KV states are erased on wish."""

from __future__ import annotations

import http.client
import json
import os
import shutil
import signal
import stat
import sys
import threading
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest

from pet.errors import LocalModelRefused
from pet.extras.local_models import supervisor as supervisor_module
from pet.extras.local_models.host import HostPlan
from pet.extras.local_models.machine import Machine, this_machine
from pet.extras.local_models.supervisor import SLOTS, SavedSlots, ServerAddress, State, Supervisor
from tests.support.models.gguf_bytes import chat_model, gguf
from tests.support.models.local_model import find_smollm2
from tests.support.waiting import wait_for

ROOMY = Machine(memory=64_000_000_000, free_memory=32_000_000_000, cores=2)


def ask(address: ServerAddress, path: str, *, key: str | None = None, post: bool = False) -> int:
    request = urllib.request.Request(
        address.url + path,
        data=b"{}" if post else None,
        headers={
            "Authorization": f"Bearer {address.key if key is None else key}",
            "Content-Type": "application/json",
        },
    )
    try:
        with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=300) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as error:
        return error.code


@pytest.fixture
def make(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Supervisor]]:
    monkeypatch.setattr(supervisor_module, "_ANSWER_SECONDS", 300.0)  # on a busy machine a child is slow, not lost
    made: list[Supervisor] = []

    def supervisor(machine: Machine = ROOMY, **options: object) -> Supervisor:
        made.append(Supervisor(tmp_path / "minds", tmp_path / "private", machine=lambda: machine, **options))  # type: ignore[arg-type]
        return made[-1]

    yield supervisor
    for each in made:
        each.close()


class TestWithoutAModel:
    def test_missing_download_is_refused(self, make: Callable[..., Supervisor]) -> None:
        supervisor = make()
        with pytest.raises(LocalModelRefused) as refused:
            supervisor.acquire("qwen3-4b")
        assert refused.value.problem == "absent"
        assert supervisor.state == State(phase="failed", local_model="qwen3-4b", problem="local_model_absent")

    @pytest.mark.parametrize(
        ("machine", "problem"),
        [
            (Machine(memory=0, free_memory=0, cores=1, runnable="no_cpu"), "no_cpu"),
            (Machine(memory=0, free_memory=0, cores=1, runnable="no_runtime"), "no_runtime"),
            (Machine(memory=500_000_000, free_memory=0, cores=1), "memory"),
            (Machine(memory=64_000_000_000, free_memory=1_100_000_000, cores=1), "memory_now"),
        ],
    )
    def test_unsupported_machine_gets_a_reason(
        self, make: Callable[..., Supervisor], tmp_path: Path, machine: Machine, problem: str
    ) -> None:
        file = model_file(tmp_path)
        with pytest.raises(LocalModelRefused) as refused:
            make(machine).acquire(f"file:{file}")
        assert refused.value.problem == problem

    @pytest.mark.parametrize("chosen", ["nothing", "file:relative.gguf", "file:"])
    def test_unknown_choice_is_refused(self, make: Callable[..., Supervisor], chosen: str) -> None:
        with pytest.raises(LocalModelRefused) as refused:
            make().acquire(chosen)
        assert refused.value.problem == "unknown"

    def test_file_that_is_gone_is_refused(self, make: Callable[..., Supervisor], tmp_path: Path) -> None:
        with pytest.raises(LocalModelRefused) as refused:
            make().acquire(f"file:{tmp_path / 'gone.gguf'}")
        assert refused.value.problem == "gone"

    def test_model_that_does_not_load_is_reported(self, make: Callable[..., Supervisor], tmp_path: Path) -> None:
        supervisor = make()
        with pytest.raises(LocalModelRefused) as refused:
            supervisor.acquire(f"file:{model_file(tmp_path)}")  # a header without weights
        assert refused.value.problem == "not_loaded"
        assert supervisor.state.phase == "failed"
        assert not (tmp_path / "private" / "mind.json").exists()


def model_file(folder: Path) -> Path:
    file = folder / "model.gguf"
    with file.open("wb") as opened:
        opened.write(gguf(chat_model()))
        opened.truncate(400_000_000)
    return file


def test_plan_survives_its_line() -> None:
    plan = HostPlan(model="/模型/a b.gguf", key="k\n", threads=3)
    assert HostPlan(**json.loads(plan.line())) == plan
    assert plan.line().count("\n") == 1


def test_this_machine_is_known() -> None:
    machine = this_machine()
    assert machine.cores >= 1
    assert machine.memory > 100_000_000
    assert machine.runnable in ("", "no_cpu")


CHILD = """
import json, pathlib, sys, time
sys.stdin.readline()
print(json.dumps({"url": f"http://127.0.0.1:{sys.argv[2]}"}), flush=True)
sys.stdin.read()
while not pathlib.Path(sys.argv[1]).exists():
    time.sleep(0.01)
"""


class TestChildThatEnds:
    """A process in the place of the model's, which ends only once the file ``may_end`` is there."""

    @pytest.fixture
    def may_end(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
        file, ports = tmp_path / "may_end", iter(range(1, 100))
        monkeypatch.setattr(
            supervisor_module,
            "child_command",
            lambda _name: [sys.executable, "-c", CHILD, str(file), str(next(ports))],
        )
        yield file
        file.touch()

    def test_start_waits_for_its_end(self, make: Callable[..., Supervisor], tmp_path: Path, may_end: Path) -> None:
        """The address of the one that ends leads nowhere."""
        supervisor, chosen = make(), f"file:{model_file(tmp_path)}"
        first = supervisor.acquire(chosen)
        supervisor.release()
        with ThreadPoolExecutor(2) as pool:
            stopped = pool.submit(supervisor.stop)
            wait_for("the end to begin", lambda: supervisor.pid is None)
            second = pool.submit(supervisor.acquire, chosen)
            wait_for("the start", lambda: second.done() or supervisor._starting.locked())
            may_end.touch()
            stopped.result(60)
            assert second.result(60) != first
        assert supervisor.pid is not None

    def test_one_stopped_before_it_was_there_is_ended(
        self, make: Callable[..., Supervisor], tmp_path: Path, may_end: Path
    ) -> None:
        """Else it would run beside the next one, without the home's lock."""
        may_end.touch()

        def tell(state: State) -> None:
            if state.phase == "starting":
                with ThreadPoolExecutor(1) as pool:
                    pool.submit(supervisor.stop).result(60)

        supervisor, chosen = make(on_state=tell), f"file:{model_file(tmp_path)}"
        with pytest.raises(LocalModelRefused) as refused:
            supervisor.acquire(chosen)
        assert refused.value.problem == "stopped"
        assert supervisor.pid is None
        other = make()
        assert other.acquire(chosen) and other.pid is not None

    @pytest.mark.parametrize("where", ["resolve_model", "restore"])
    def test_one_stopped_as_it_starts_neither_starts_nor_is_ready(
        self,
        make: Callable[..., Supervisor],
        tmp_path: Path,
        may_end: Path,
        monkeypatch: pytest.MonkeyPatch,
        where: str,
    ) -> None:
        """Before it was told that it starts, and while it gets its saved states back."""
        may_end.touch()
        supervisor = make()
        owner = supervisor_module if where == "resolve_model" else SavedSlots
        kept = getattr(owner, where)

        def stopped_meanwhile(*args: object) -> object:
            found = kept(*args)
            supervisor.stop()
            return found

        monkeypatch.setattr(owner, where, stopped_meanwhile)
        with pytest.raises(LocalModelRefused) as refused:
            supervisor.acquire(f"file:{model_file(tmp_path)}")
        assert refused.value.problem == "stopped"
        assert (supervisor.state, supervisor.in_use) == (State(), False)

    def test_what_a_killed_program_left_leads_nobody_to_it(
        self, make: Callable[..., Supervisor], tmp_path: Path, may_end: Path
    ) -> None:
        """The next one loads the model for a while before it leaves its own address."""
        may_end.touch()
        (tmp_path / "private").mkdir()
        chosen = f"file:{model_file(tmp_path)}"
        left = {"url": "http://127.0.0.1:1", "key": "k", "local_model": chosen}
        (tmp_path / "private" / "mind.json").write_text(json.dumps(left), encoding="utf-8")
        make().acquire(chosen, warming=True)
        with pytest.raises(LocalModelRefused) as refused:
            make().acquire(chosen)
        assert refused.value.problem == "starting_elsewhere"

    def test_idle_end_leaves_the_one_a_request_just_took(
        self, make: Callable[..., Supervisor], tmp_path: Path, may_end: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """It slept, and wakes: until it has its saved states back, no request counts yet."""
        may_end.touch()
        now = [0.0]
        supervisor, chosen = make(now=lambda: now[0]), f"file:{model_file(tmp_path)}"
        address = supervisor.acquire(chosen)
        supervisor.release()
        now[0] = 1_790.0
        monkeypatch.setattr(SavedSlots, "restore", lambda *_: supervisor._stop_idle())
        assert supervisor.acquire(chosen) == address
        assert supervisor.pid is not None
        supervisor.release()
        supervisor._stop_idle()
        assert supervisor.pid is None


@pytest.mark.real_model
class TestRealChild:
    def test_serves_on_loopback_with_its_key_alone(self, make: Callable[..., Supervisor], tmp_path: Path) -> None:
        told: list[str] = []
        supervisor = make(on_state=lambda state: told.append(state.phase))
        address = supervisor.acquire("tiny")
        assert address.url.startswith("http://127.0.0.1:")
        assert ask(address, "/v1/models") == 200
        assert ask(address, "/v1/models", key="wrong") == 401
        assert supervisor.acquire("tiny") == address
        left = tmp_path / "private" / "mind.json"
        assert stat.S_IMODE(left.stat().st_mode) == 0o600
        supervisor.stop()
        assert told == ["starting", "ready", "absent"]
        assert not left.exists()
        with pytest.raises(urllib.error.URLError):
            ask(address, "/health")

    def test_second_program_of_the_home_uses_the_same_child(self, make: Callable[..., Supervisor]) -> None:
        first, second = make(), make()
        assert second is not first
        address = first.acquire("tiny")
        assert second.acquire("tiny") == address
        assert second.pid is None
        first.stop()
        third = second.acquire("tiny")
        assert third != address
        assert second.pid is not None

    def test_two_starts_at_once_make_one_child(self, make: Callable[..., Supervisor]) -> None:
        supervisor, addresses = make(), list[ServerAddress]()
        threads = [threading.Thread(target=lambda: addresses.append(supervisor.acquire("tiny"))) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(set(addresses)) == 1

    def test_another_model_waits_for_a_reply_and_then_takes_its_place(
        self, make: Callable[..., Supervisor], tmp_path: Path
    ) -> None:
        copy = Path(shutil.copy(find_smollm2(), tmp_path / "copy.gguf"))
        os.truncate(copy, 300_000_000)  # large enough to be chosen; what follows the weights is not read
        supervisor = make()
        first = supervisor.acquire("tiny")
        with pytest.raises(LocalModelRefused) as refused:
            supervisor.acquire(f"file:{copy}")
        assert (refused.value.problem, refused.value.retryable) == ("occupied", True)
        assert ask(first, "/health") == 200
        supervisor.release()
        assert supervisor.acquire(f"file:{copy}") != first

    def test_two_homes_have_a_port_each(self, make: Callable[..., Supervisor], tmp_path: Path) -> None:
        first, other = make(), Supervisor(tmp_path / "minds", tmp_path / "other", machine=lambda: ROOMY)
        try:
            assert first.acquire("tiny").url != other.acquire("tiny").url
        finally:
            other.close()

    def test_crash_is_mended_once_and_then_told(self, make: Callable[..., Supervisor]) -> None:
        supervisor = make()
        first = supervisor.acquire("tiny")
        kill(supervisor)
        second = supervisor.acquire("tiny")
        assert second != first
        kill(supervisor)
        with pytest.raises(LocalModelRefused) as refused:
            supervisor.acquire("tiny")
        assert refused.value.problem == "killed"
        assert supervisor.state == State(phase="failed", local_model="tiny", problem="local_model_killed")
        assert ask(supervisor.acquire("tiny"), "/health") == 200  # the owner's next message tries again

    def test_forgetting_erases_saved_states_and_slots(self, make: Callable[..., Supervisor], tmp_path: Path) -> None:
        supervisor = make()
        address = supervisor.acquire("tiny")
        computed = [complete(address, slot) for slot in SLOTS]
        assert [complete(address, slot) for slot in SLOTS] == [1, 1]  # all but one token is still there
        supervisor.release()
        (tmp_path / "private" / "old-0.kv").write_bytes(b"memory")
        supervisor.forget()
        assert saved(tmp_path) == []
        assert [complete(address, slot) for slot in SLOTS] == computed
        assert ask(address, "/health") == 200

    def test_kv_states_are_saved_after_the_warming_and_private(
        self, make: Callable[..., Supervisor], tmp_path: Path
    ) -> None:
        supervisor, other = make(), make()
        supervisor.acquire("tiny", warming=True)
        with pytest.raises(LocalModelRefused) as refused:
            other.acquire("tiny")  # its prompts would be in what is saved
        assert refused.value.problem == "starting_elsewhere"
        supervisor.release()
        for slot in SLOTS:
            supervisor.save(slot, "start", "")
        assert [stat.S_IMODE(file.stat().st_mode) for file in saved(tmp_path)] == [0o600, 0o600]
        supervisor.save(1, "other", "")  # of another SOUL.md
        assert [file.stem.split("-")[2:] for file in sorted(saved(tmp_path))] == [["0", "start"], ["1", "other"]]
        supervisor.publish()
        assert other.acquire("tiny").url
        assert other.unsaved({0: "start"}) == set()  # the first one's

    def test_first_message_after_a_sleep_finds_what_was_saved(self, make: Callable[..., Supervisor]) -> None:
        clock = [0.0]
        supervisor = make(now=lambda: clock[0])
        address = supervisor.acquire("tiny", warming=True)
        for slot in SLOTS:
            complete(address, slot)
            supervisor.save(slot, "start", "")
        supervisor.release()
        supervisor.acquire("tiny")
        for slot in SLOTS:  # asleep, it lets go of what it has computed
            ask(address, f"/slots/{slot}?action=erase", post=True)
        supervisor.release()
        clock[0] += 3600
        assert supervisor.state.phase == "asleep"
        supervisor.acquire("tiny")
        assert [complete(address, slot) for slot in SLOTS] == [1, 1]

    def test_nothing_is_saved_of_a_child_that_others_may_use(
        self, make: Callable[..., Supervisor], tmp_path: Path
    ) -> None:
        supervisor = make()
        supervisor.acquire("tiny", warming=True)
        assert supervisor.unsaved({0: "a", 1: "b"}) == {0, 1}
        supervisor.publish()
        supervisor.save(0, "a", "")
        assert saved(tmp_path) == [] and supervisor.unsaved({0: "a", 1: "b"}) == set()

    def test_forgetting_during_a_reply_is_done_after_it(
        self, make: Callable[..., Supervisor], tmp_path: Path
    ) -> None:
        supervisor = make()
        address = supervisor.acquire("tiny")
        (tmp_path / "private" / "old-0.kv").write_bytes(b"memory")
        supervisor.forget()
        assert saved(tmp_path) == []
        (tmp_path / "private" / "late-0.kv").write_bytes(b"memory")
        supervisor.release()
        wait_for("the second erasure", lambda: not saved(tmp_path))
        assert ask(address, "/health") == 200

    def test_file_that_shrinks_while_it_runs_is_refused_in_words(
        self, make: Callable[..., Supervisor], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        copy = Path(shutil.copy(find_smollm2(), tmp_path / "copy.gguf"))
        monkeypatch.setattr("pet.extras.local_models.model_store.tiny_file", lambda: copy)
        supervisor = make()
        address = supervisor.acquire("tiny")
        os.truncate(copy, copy.stat().st_size * 3 // 4)
        complete(address)
        wait_for("the end of the child", lambda: supervisor.state.phase == "absent")
        with pytest.raises(LocalModelRefused) as refused:
            supervisor.acquire("tiny")
        assert refused.value.problem == "not_loaded"
        assert supervisor.state == State(phase="failed", local_model="tiny", problem="local_model_not_loaded")

    def test_idle_child_is_ended(self, make: Callable[..., Supervisor]) -> None:
        supervisor = make(stop_seconds=0.05)
        supervisor.acquire("tiny")
        supervisor.release()
        wait_for("the end of the child", lambda: supervisor.pid is None)
        assert supervisor.state.phase == "absent"


def complete(address: ServerAddress, slot: int = 0) -> int:
    """Make the model compute; it may end over it. How many tokens of the message it had not computed before."""
    message = {"role": "user", "content": "hello " * 50}
    body = json.dumps({"messages": [message], "max_tokens": 8, "id_slot": slot, "cache_prompt": True}).encode()
    request = urllib.request.Request(
        address.url + "/v1/chat/completions",
        data=body,
        headers={"Authorization": f"Bearer {address.key}", "Content-Type": "application/json"},
    )
    with suppress(OSError, http.client.HTTPException):
        answer = urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=60).read()
        return int(json.loads(answer)["timings"]["prompt_n"])
    return 0


def saved(folder: Path) -> list[Path]:
    return list((folder / "private").glob("*.kv"))


def kill(supervisor: Supervisor) -> None:
    pid = supervisor.pid
    assert pid is not None
    os.kill(pid, signal.SIGKILL)
    wait_for("its end", lambda: supervisor.state.phase == "absent")


def test_model_replaced_under_the_same_name_gets_no_state_of_the_old_one(
    make: Callable[..., Supervisor], tmp_path: Path
) -> None:
    supervisor = make()
    file = tmp_path / "mine.gguf"

    def write(name: str, at: int) -> None:
        with file.open("wb") as opened:
            opened.write(gguf({**chat_model(), "general.name": name}))
            opened.truncate(400_000_000)
        os.utime(file, ns=(at, at))

    write("Older", 1_000)
    older = supervisor.cached_check(f"file:{file}")
    write("Newer", 2_000)  # of the same size
    newer = supervisor.cached_check(f"file:{file}")
    assert (older.name, newer.name) == ("Older", "Newer")
    names = [{f"{supervisor_module._name_start(each)}-{slot}-start.kv" for slot in SLOTS} for each in (older, newer)]
    assert not names[0] & names[1]
    folder = tmp_path / "private"
    folder.mkdir(exist_ok=True)
    for name in {*names[0], *names[1], "other-model-0.kv"}:
        (folder / name).write_bytes(b"state")
    SavedSlots(folder).save(ServerAddress(url="http://127.0.0.1:9", key="k"), newer, 0, "start", "")
    assert {each.name for each in folder.glob("*.kv")} == {*names[1], "other-model-0.kv"}
