"""The API key: one per origin, in the place the owner chose, and told to nobody."""

from __future__ import annotations

import asyncio
import json
import os
import stat
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import keyring
import pytest
from keyring.backend import KeyringBackend
from keyring.errors import InitError, KeyringLocked, NoKeyringError, PasswordDeleteError, PasswordSetError

from pet.errors import KeyStoreFailed
from pet.i18n import LANGUAGES, Texts
from pet.paths import Home, find_home
from pet.providers.provider_cache import ProviderCache
from pet.settings import api_keys
from pet.settings.api_keys import Keep, KeyStore, check_key
from pet.settings.connections import is_loopback, origin_of, plain_http_warning
from pet.settings.schema import Settings

ANTHROPIC = "https://api.anthropic.com"
OTHER = "https://other.invalid"
KEY = "sk-ant-0123456789abcdef"


class MemoryKeyring(KeyringBackend):
    """A real backend, but in memory; ``error`` is raised by each call, ``hangs`` blocks it as an open prompt does."""

    priority = 1.0

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.kept: dict[tuple[str, str], str] = {}
        self.error: Exception | None = None
        self.hangs: threading.Event | None = None

    def _before(self) -> None:
        if self.hangs is not None:
            self.hangs.wait(60)
        if self.error is not None:
            raise self.error

    def get_password(self, service: str, username: str) -> str | None:
        self._before()
        return self.kept.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        self._before()
        self.kept[service, username] = password

    def delete_password(self, service: str, username: str) -> None:
        self._before()
        if (service, username) not in self.kept:
            raise PasswordDeleteError("not there")
        del self.kept[service, username]


@pytest.fixture
def backend() -> Iterator[MemoryKeyring]:
    before = keyring.get_keyring()
    ours = MemoryKeyring()
    keyring.set_keyring(ours)
    yield ours
    if ours.hangs is not None:
        ours.hangs.set()
    keyring.set_keyring(before)


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return find_home(tmp_path)


def _store(home: Home, **environ: str) -> KeyStore:
    return KeyStore(home, environ, keyring_seconds=30)


def _key(store: KeyStore, origin: str) -> str | None:
    secret = store.get(origin)
    return secret.reveal() if secret else None


def test_the_keyring_keeps_a_key_for_one_origin(home: Home, backend: MemoryKeyring) -> None:
    _store(home).set(ANTHROPIC, f"  {KEY}\n", "keyring")
    assert backend.kept == {("soulpet", ANTHROPIC): KEY}
    store = _store(home)
    assert (_key(store, ANTHROPIC), _key(store, OTHER)) == (KEY, None)
    status = store.status(ANTHROPIC)
    assert (status.set, status.source, status.last4, status.keyring_available) == (True, "keyring", "cdef", True)
    assert store.status(OTHER).source == "none"
    assert not home.key_file.exists()


def test_a_session_key_ends_with_the_session(home: Home, backend: MemoryKeyring) -> None:
    store = _store(home)
    store.set(ANTHROPIC, KEY, "session")
    assert (store.status(ANTHROPIC).source, _key(store, ANTHROPIC)) == ("session", KEY)
    assert backend.kept == {}
    assert _key(_store(home), ANTHROPIC) is None


@pytest.mark.usefixtures("backend")
def test_a_key_file_that_can_not_be_read_for_a_moment_keeps_the_other_keys(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    KeyStore(home, {}).set("https://one.invalid", "key-of-the-first-host", "file")
    before = home.key_file.read_bytes()

    def held_by_another_program(file: Path, _most: int = -1) -> bytes:
        raise PermissionError(13, "held by another program", str(file))

    with monkeypatch.context() as meanwhile:
        meanwhile.setattr(api_keys, "read_regular", held_by_another_program)
        with pytest.raises(KeyStoreFailed):
            KeyStore(home, {}).set("https://two.invalid", "key-of-the-second-host", "file")
    assert home.key_file.read_bytes() == before


def test_a_key_that_can_not_be_deleted_from_its_file_now_goes_from_the_keyring_and_is_told(
    home: Home, backend: MemoryKeyring, monkeypatch: pytest.MonkeyPatch
) -> None:
    _store(home).set(ANTHROPIC, KEY, "keyring")
    home.key_file.parent.mkdir(parents=True, exist_ok=True)
    home.key_file.write_text(json.dumps({ANTHROPIC: KEY}), encoding="utf-8")

    def held_by_another_program(file: Path, _most: int = -1) -> bytes:
        raise PermissionError(13, "held by another program", str(file))

    with monkeypatch.context() as meanwhile:
        meanwhile.setattr(api_keys, "read_regular", held_by_another_program)
        with pytest.raises(KeyStoreFailed):
            _store(home).delete(ANTHROPIC)
    assert backend.kept == {}
    _store(home).delete(ANTHROPIC)
    assert not home.key_file.exists()


def test_programs_that_store_keys_at_once_keep_each_others(home: Home, tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from pet.paths import find_home\n"
        "from pet.settings.api_keys import KeyStore\n"
        "store = KeyStore(find_home(Path(sys.argv[1])), {}, keyring_seconds=30)\n"
        "for number in range(12):\n"
        "    origin = f'https://{sys.argv[2]}{number}.invalid'\n"
        "    store.set(origin, 'sk-a-key', 'file'); store._note(origin, kept=True)"
    )
    programs = [subprocess.Popen([sys.executable, "-c", code, str(tmp_path), name]) for name in "ab"]
    assert [program.wait(300) for program in programs] == [0, 0]
    assert len(json.loads(home.key_file.read_text())) == len(_store(home)._noted()) == 24


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such modes")
def test_the_file_is_for_the_owner_only(home: Home, backend: MemoryKeyring) -> None:
    _store(home).set(ANTHROPIC, KEY, "file")
    assert json.loads(home.key_file.read_text()) == {ANTHROPIC: KEY}
    assert stat.S_IMODE(home.key_file.stat().st_mode) == 0o600
    assert _store(home).status(ANTHROPIC).source == "file"
    home.key_file.chmod(0o644)
    assert _key(_store(home), ANTHROPIC) == KEY
    assert stat.S_IMODE(home.key_file.stat().st_mode) == 0o600


@pytest.mark.parametrize("first", ["keyring", "file", "session"])
@pytest.mark.parametrize("then", ["keyring", "file", "session"])
def test_a_key_is_in_one_place_only(home: Home, backend: MemoryKeyring, first: Keep, then: Keep) -> None:
    store = _store(home)
    store.set(ANTHROPIC, KEY, first)
    store.set(ANTHROPIC, "sk-the-newer-one", then)
    assert _key(store, ANTHROPIC) == "sk-the-newer-one"
    assert store.status(ANTHROPIC).source == then
    assert bool(backend.kept) == (then == "keyring")
    assert home.key_file.exists() == (then == "file")
    later = _store(home)
    assert _key(later, ANTHROPIC) == (None if then == "session" else "sk-the-newer-one")


def test_deleting_takes_it_from_every_place_and_only_this_origins(home: Home, backend: MemoryKeyring) -> None:
    store = _store(home)
    store.set(OTHER, "sk-other-origin-key", "file")
    for keep in ("keyring", "file", "session"):
        store.set(ANTHROPIC, KEY, keep)
        store.delete(ANTHROPIC)
        assert _key(store, ANTHROPIC) is None
        assert _key(_store(home), ANTHROPIC) is None
    assert _key(store, OTHER) == "sk-other-origin-key"
    store.delete(ANTHROPIC)  # nothing there: nothing to say


def test_the_environments_key_belongs_to_its_address(home: Home, backend: MemoryKeyring) -> None:
    store = _store(home, ANTHROPIC_API_KEY=KEY)
    assert (_key(store, ANTHROPIC), _key(store, OTHER)) == (KEY, None)
    assert store.status(ANTHROPIC).source == "environment"
    store = _store(home, ANTHROPIC_API_KEY=KEY, ANTHROPIC_BASE_URL=OTHER + "/v1")
    assert (_key(store, ANTHROPIC), _key(store, OTHER)) == (None, KEY)
    store = _store(home, ANTHROPIC_API_KEY=KEY, ANTHROPIC_BASE_URL="http://[")
    assert (_key(store, ANTHROPIC), _key(store, OTHER)) == (None, None)


def test_a_short_key_shows_no_end(home: Home, backend: MemoryKeyring) -> None:
    store = _store(home)
    store.set(ANTHROPIC, "short-key", "session")
    assert store.status(ANTHROPIC).last4 == ""


@pytest.mark.parametrize("key", ["", "  ", "a b", "a\nb", "ключ", "sk-\x00", "x" * 5000])
def test_what_can_be_no_header_is_no_key(home: Home, backend: MemoryKeyring, key: str) -> None:
    with pytest.raises(KeyStoreFailed) as caught:
        _store(home).set(ANTHROPIC, key, "session")
    assert caught.value.error_code == "key_store_bad_key"
    with pytest.raises(KeyStoreFailed):
        check_key(key)


@pytest.mark.parametrize(
    ("error", "problem"),
    [
        (NoKeyringError("none"), "missing"),
        (KeyringLocked("locked"), "locked"),
        (InitError("Prompt dismissed"), "locked"),
        (PasswordSetError("no"), "failed"),
        (OSError("the bus is gone"), "failed"),
    ],
)
def test_a_keyring_that_fails_says_why_and_the_session_still_works(
    home: Home, backend: MemoryKeyring, error: Exception, problem: str
) -> None:
    backend.error = error
    store = _store(home)
    assert _key(store, ANTHROPIC) is None
    with pytest.raises(KeyStoreFailed) as caught:
        store.set(ANTHROPIC, KEY, "keyring")
    assert caught.value.error_code == f"key_store_{problem}"
    assert KEY not in f"{caught.value!r} {caught.value}"
    for language in LANGUAGES:
        assert Texts(language)(f"error.{caught.value.error_code}")
    assert _key(store, ANTHROPIC) is None
    store.set(ANTHROPIC, KEY, "session")
    assert _key(store, ANTHROPIC) == KEY


def test_a_prompt_that_stays_open_holds_nobody_up(home: Home, backend: MemoryKeyring) -> None:
    backend.hangs = threading.Event()
    store = KeyStore(home, {}, keyring_seconds=0.1)
    assert _key(store, ANTHROPIC) is None
    assert not store.status(ANTHROPIC).keyring_available  # not asked a second time
    with pytest.raises(KeyStoreFailed) as caught:
        store.set(ANTHROPIC, KEY, "keyring")
    assert caught.value.error_code == "key_store_slow"
    store.set(ANTHROPIC, KEY, "session")
    assert _key(store, ANTHROPIC) == KEY


def test_without_a_keyring_it_says_so(home: Home) -> None:
    from keyring.backends import null

    before = keyring.get_keyring()
    keyring.set_keyring(null.Keyring())  # type: ignore[no-untyped-call]
    try:
        assert not _store(home).status(ANTHROPIC).keyring_available
    finally:
        keyring.set_keyring(before)


@pytest.mark.parametrize("content", [b"{", b"[]", b'{"https://api.anthropic.com": 5}', b"\xff", b'{"x": "a b"}'])
def test_a_broken_key_file_holds_no_key(home: Home, backend: MemoryKeyring, content: bytes) -> None:
    home.key_file.parent.mkdir(parents=True)
    home.key_file.write_bytes(content)
    os.chmod(home.key_file, 0o600)
    assert _key(_store(home), ANTHROPIC) is None


def test_origins() -> None:
    assert origin_of("HTTPS://API.Anthropic.com:443/v1/") == ANTHROPIC
    assert origin_of("http://127.0.0.1:11434/x") == "http://127.0.0.1:11434"
    assert origin_of("http://[::1]:8080") == "http://[::1]:8080"
    assert origin_of("https://api.anthropic.com.") == ANTHROPIC
    assert origin_of("https://api.anthropic.com.evil.invalid") != ANTHROPIC
    assert origin_of("http://api.anthropic.com") != ANTHROPIC


def test_plain_http_is_fine_on_this_machine_only() -> None:
    """The page reads the same addresses: ui/src/tests/settings/model/model.test.tsx."""
    addresses = json.loads((Path(__file__).parents[1] / "fixtures/addresses.json").read_text("utf-8"))
    assert {url: is_loopback(url) for url in addresses} == addresses
    assert {url: not plain_http_warning(url) for url in addresses} == addresses
    assert not any(plain_http_warning(url.lower().replace("http:", "https:")) for url in addresses)


def test_every_key_there_is_can_be_forgotten_at_once(home: Home, backend: MemoryKeyring) -> None:
    """Also one for an address that the settings no longer name, kept by an earlier start."""
    store = _store(home)
    store.set(ANTHROPIC, KEY, "keyring")
    store.set("https://deepseek.invalid", KEY, "keyring")
    store.set("https://file.invalid", KEY, "file")
    store.set("https://moved.invalid", KEY, "keyring")
    store.set("https://moved.invalid", KEY, "session")
    backend.kept["soulpet", OTHER] = KEY  # noted nowhere: of a time before there were notes
    backend.kept["another program", OTHER] = KEY
    assert KEY not in (home.state / "keys.json").read_text()
    again = _store(home)
    again.forget_all(OTHER)
    assert backend.kept == {("another program", OTHER): KEY}
    assert not home.key_file.exists()
    assert _key(again, ANTHROPIC) is None
    again.forget_all(OTHER)  # nothing is left to forget


def test_slow_keyring_is_retried_when_deleting_all_keys(
    home: Home, backend: MemoryKeyring, monkeypatch: pytest.MonkeyPatch
) -> None:
    _store(home).set(ANTHROPIC, KEY, "keyring")
    backend.hangs = threading.Event()
    store = KeyStore(home, {}, keyring_seconds=0.1)
    assert _key(store, ANTHROPIC) is None  # its prompt is open: as if there were no keyring
    backend.hangs.set()
    monkeypatch.setattr(store, "_seconds", 30)
    store.forget_all(OTHER)
    assert backend.kept == {}


def test_keyring_failure_is_reported_when_deleting_all_keys(home: Home, backend: MemoryKeyring) -> None:
    store = _store(home)
    store.set(ANTHROPIC, KEY, "keyring")
    store.set(OTHER, KEY, "file")
    backend.error = KeyringLocked("locked")
    with pytest.raises(KeyStoreFailed):
        store.forget_all(ANTHROPIC)
    assert not home.key_file.exists()  # the rest went
    backend.error = None
    store.forget_all(ANTHROPIC)
    assert backend.kept == {}


def test_keyring_locked_in_the_middle_is_used_again_once_it_is_open(home: Home, backend: MemoryKeyring) -> None:
    """As gnome-keyring does it: nothing can be read, stored or deleted meanwhile, and nothing is lost."""
    running = _store(home)
    running.set(ANTHROPIC, KEY, "keyring")
    backend.error = KeyringLocked("locked")
    started = _store(home)
    assert (_key(running, ANTHROPIC), _key(started, ANTHROPIC)) == (KEY, None)
    for store in (running, started):
        with pytest.raises(KeyStoreFailed) as caught:
            store.set(ANTHROPIC, "sk-another-key-0000", "keyring")
        assert caught.value.error_code == "key_store_locked"
        with pytest.raises(KeyStoreFailed):
            store.delete(ANTHROPIC)
    assert _key(running, ANTHROPIC) == KEY
    backend.error = None
    assert _key(started, ANTHROPIC) == KEY
    started.delete(ANTHROPIC)
    assert backend.kept == {}


def test_locked_keyring_is_not_told_as_no_key(home: Home, backend: MemoryKeyring) -> None:
    store = _store(home)
    store.set(ANTHROPIC, KEY, "keyring")
    backend.error = KeyringLocked("locked")
    started = _store(home)
    for origin in (ANTHROPIC, OTHER):
        status = started.status(origin)
        assert (status.set, status.source, status.locked) == (False, "none", True)
    started.set(OTHER, KEY, "session")
    assert not started.status(OTHER).locked
    assert not store.status(ANTHROPIC).locked  # it was read before
    backend.error = InitError("no collection")
    assert started.status(ANTHROPIC).locked
    backend.error = None
    status = started.status(ANTHROPIC)
    assert (status.set, status.source, status.locked) == (True, "keyring", False)
    backend.error = RuntimeError("any other failure")
    assert not _store(home).status(ANTHROPIC).locked


def test_request_while_the_keyring_is_locked_fails_with_unlock(home: Home, backend: MemoryKeyring) -> None:
    """Where the key lies in it, or one is always needed; a server without keys is asked as ever."""
    kept = Settings(base_url="https://kept.invalid")
    _store(home).set(origin_of(kept.base_url), KEY, "keyring")
    backend.error = KeyringLocked("locked")
    cache = ProviderCache(_store(home))

    async def ask() -> None:
        for settings in (kept, Settings(base_url=ANTHROPIC)):
            with pytest.raises(KeyStoreFailed) as caught:
                await cache(settings)
            assert caught.value.error_code == "key_store_locked"
        for free in ("https://free.invalid", "http://127.0.0.1:9"):
            await cache(Settings(base_url=free))
        backend.error = None
        await cache(kept)
        await cache.close()

    asyncio.run(ask())


def test_headers_of_a_connection_are_one_secret_beside_its_key(home: Home, backend: MemoryKeyring) -> None:
    store = _store(home, ANTHROPIC_API_KEY=KEY)
    store.set_header(ANTHROPIC, " X-Team ", " blue & green ", "keyring")
    store.set_header(ANTHROPIC, "cf-access-client-secret", "s3cret-value", "keyring")
    again = _store(home)
    sent = {name: value.reveal() for name, value in again.headers(ANTHROPIC).items()}
    assert sent == {"x-team": "blue & green", "cf-access-client-secret": "s3cret-value"}
    assert len(backend.kept) == 1 and not home.key_file.exists()
    status = again.status(ANTHROPIC)
    assert (status.set, status.headers) == (False, ("x-team", "cf-access-client-secret"))
    assert "s3cret" not in repr(status) + repr(again.headers(ANTHROPIC))
    assert again.headers(OTHER) == {} and _store(home, ANTHROPIC_API_KEY=KEY).headers(f"{ANTHROPIC}#work") == {}
    again.set_header(ANTHROPIC, "x-team", "red", "file")  # both are kept elsewhere now
    assert backend.kept == {} and list(_store(home).headers(ANTHROPIC)) == ["cf-access-client-secret", "x-team"]
    again.forget_all(ANTHROPIC)
    assert _store(home).headers(ANTHROPIC) == {} and not home.key_file.exists()


@pytest.mark.parametrize("kept", ["keyring", "file"])
def test_removing_one_header_leaves_the_others_where_they_are(home: Home, backend: MemoryKeyring, kept: Keep) -> None:
    _store(home).set_header(ANTHROPIC, "x-team", "blue", kept)
    _store(home).set_header(ANTHROPIC, "x-other", "green", kept)
    _store(home).set_header(ANTHROPIC, "x-team", "", "session")
    assert list(_store(home).headers(ANTHROPIC)) == ["x-other"]
    assert (len(backend.kept), home.key_file.exists()) == ((1, False) if kept == "keyring" else (0, True))


def test_headers_ask_no_keyring_that_was_given_none(home: Home, backend: MemoryKeyring) -> None:
    backend.error = KeyringLocked("locked")
    assert _store(home).headers(ANTHROPIC) == {}


def test_headers_in_a_locked_keyring_are_not_left_out_nor_lost(home: Home, backend: MemoryKeyring) -> None:
    _store(home).set_header(ANTHROPIC, "x-team", "blue", "keyring")
    backend.error = KeyringLocked("locked")
    store = _store(home)
    with pytest.raises(KeyStoreFailed):
        store.set_header(ANTHROPIC, "x-other", "green", "session")
    with pytest.raises(KeyStoreFailed):
        asyncio.run(ProviderCache(store)(Settings(base_url=ANTHROPIC)))
    backend.error = None
    assert list(_store(home).headers(ANTHROPIC)) == ["x-team"]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("", "x"),
        ("X Team", "x"),
        ("X-Team:", "x"),
        ("Ünï", "x"),
        ("Host", "elsewhere.invalid"),
        ("content-length", "0"),
        ("Transfer-Encoding", "chunked"),
        ("X-Team", "a\r\nX-Other: b"),
        ("X-Team", "blau\u00e4"),
        ("X-Team", "x" * 5_000),
    ],
)
def test_a_header_that_can_not_be_sent_is_refused(home: Home, name: str, value: str) -> None:
    with pytest.raises(KeyStoreFailed) as refused:
        _store(home).set_header(ANTHROPIC, name, value, "file")
    assert refused.value.problem == "bad_header"
    assert not home.key_file.exists()
