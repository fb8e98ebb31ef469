"""settings.toml: what the owner writes counts at once, what can't be used is named, what we write loses nothing."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pet.access import MemoryMode
from pet.errors import SettingsInvalid
from pet.i18n import LANGUAGES, Texts
from pet.settings.pet_settings import read_pet_settings
from pet.settings.schema import NAMES, Settings, check, decode_settings, values_of
from pet.settings.store import SettingsStore


class Home:
    """A settings file with its store, and a count of the changes told."""

    def __init__(self, folder: Path, environ: dict[str, str] | None = None, text: str | bytes | None = None) -> None:
        self.file = folder / "config" / "settings.toml"
        self.told = 0
        if text is not None:
            self.write(text)
        self.store = SettingsStore(self.file, environ or {}, self._tell)

    def _tell(self) -> None:
        self.told += 1

    def write(self, text: str | bytes) -> None:
        """As an editor saves: a new file in the old one's place."""
        self.file.parent.mkdir(parents=True, exist_ok=True)
        fresh = self.file.with_suffix(".new")
        fresh.write_bytes(text if isinstance(text, bytes) else text.encode())
        os.replace(fresh, self.file)

    def problems(self) -> list[tuple[str, object]]:
        return [(problem.error_code, problem.args_.get("setting")) for problem in self.store.problems()]


def test_the_shipped_values_hold_without_a_file(tmp_path: Path) -> None:
    home = Home(tmp_path)
    assert home.store.current() == Settings()
    assert home.problems() == []
    assert not home.file.exists()


def test_what_the_owner_writes_counts_with_the_next_look(tmp_path: Path) -> None:
    home = Home(tmp_path, text='model = "a"\n')
    assert home.store.current().model == "a"
    home.write('model = "b"\nhistory_days = 3\n')
    assert (home.store.current().model, home.store.current().history_days) == ("b", 3)
    assert home.told == 1
    home.file.unlink()
    assert home.store.current() == Settings()


def test_a_bad_value_keeps_the_one_before_and_is_named(tmp_path: Path) -> None:
    home = Home(tmp_path, text="history_days = 3\n")
    home.write('history_days = 30000\ntheme = "pink"\nmodel = "b"\n')
    settings = home.store.current()
    assert (settings.history_days, settings.theme, settings.model) == (3, "system", "b")
    assert home.problems() == [("settings_out_of_range", "history_days"), ("settings_not_a_choice", "theme")]
    home.write("history_days = 5\n")
    assert (home.store.current().history_days, home.problems()) == (5, [])


@pytest.mark.parametrize("text", ["model = \n", b"\xff\xfe\x00", b"model = '\x80'", "x" * 2_000_000])
def test_a_file_that_is_no_toml_changes_nothing_and_is_never_overwritten(tmp_path: Path, text: str | bytes) -> None:
    home = Home(tmp_path, text="history_days = 3\n")
    home.write(text)
    before = home.file.read_bytes()
    assert home.store.current().history_days == 3
    assert home.problems() == [("settings_file_broken", None)]
    with pytest.raises(SettingsInvalid):
        home.store.change({"history_days": 4})
    assert home.file.read_bytes() == before
    assert [entry.name for entry in home.file.parent.iterdir() if entry.suffix not in (".toml", ".lock")] == []


def test_a_broken_line_is_named_by_its_number(tmp_path: Path) -> None:
    home = Home(tmp_path, text='model = "a"\n\ntheme = = "dark"\n')
    assert [problem.args_["line"] for problem in home.store.problems()] == [3]


def test_a_change_keeps_comments_order_and_unknown_names(tmp_path: Path) -> None:
    text = '# mine\nmodel = "a"  # the small one\nfuture_thing = 7\n\n[table]\ninner = 1\n'
    home = Home(tmp_path, text=text)
    assert home.store.change({"model": "b", "history_days": 4}).model == "b"
    written = home.file.read_text(encoding="utf-8")
    assert '# mine\nmodel = "b"  # the small one\nfuture_thing = 7\n' in written
    assert written.endswith("[table]\ninner = 1\n")
    assert SettingsStore(home.file, {}, lambda: None).current().history_days == 4
    assert home.told == 1


def test_removed_settings_are_ignored_and_kept_in_the_file(tmp_path: Path) -> None:
    old = (
        'search_weights = "fixed"\nsearch_meaning_weight = 0.5\nsearch_word_weight = 0.5\n'
        'search_half_life_days = 30\nindex_pieces = "windows"\nindex_piece_tokens = 200\nindex_overlap_tokens = 20\n'
        "max_rounds = 3\ncompact_share = 0.5\ncompact_keep_turns = 4\nrecall_characters = 400\nsearch_count = 9\n"
        "search_min_score = 0.2\nprompt_total_characters = 90000\nheartbeat_minutes = 30\nask_after_count = 2\n"
        "fade_opacity = 20\n"
    )
    home = Home(tmp_path, text=f'model = "a"\n{old}')
    assert home.store.current().model == "a" and home.store.problems() == []
    assert home.store.change({"model": "b"}).model == "b"
    assert home.file.read_text(encoding="utf-8") == f'model = "b"\n{old}'


def test_crlf_and_bom_survive_a_change(tmp_path: Path) -> None:
    home = Home(tmp_path, text=b'\xef\xbb\xbf# mine\r\nmodel = "a"\r\n')
    home.store.change({"model": "b"})
    assert home.file.read_bytes() == b'\xef\xbb\xbf# mine\r\nmodel = "b"\r\n'


def test_a_change_is_all_or_none(tmp_path: Path) -> None:
    home = Home(tmp_path, text='model = "a"\n')
    with pytest.raises(SettingsInvalid) as caught:
        home.store.change({"model": "b", "history_days": 0})
    assert caught.value.error_code == "settings_out_of_range"
    with pytest.raises(SettingsInvalid):
        home.store.change({"model": "b", "no_such_thing": 1})
    assert home.file.read_text(encoding="utf-8") == 'model = "a"\n'
    assert home.told == 0


def test_the_environment_wins_and_is_listed(tmp_path: Path) -> None:
    environ = {"ANTHROPIC_BASE_URL": "http://127.0.0.1:1234/v1", "PET_MODEL": "local", "HOME": "/"}
    home = Home(tmp_path, environ, 'model = "a"\n')
    settings = home.store.current()
    assert (settings.base_url, settings.model) == ("http://127.0.0.1:1234/v1", "local")
    assert home.store.overridden() == ["base_url", "model"]
    assert home.store.change({"model": "b"}).model == "local"
    assert 'model = "b"' in home.file.read_text(encoding="utf-8")


def test_a_bad_variable_is_a_problem_that_names_it_and_does_not_win(tmp_path: Path) -> None:
    home = Home(tmp_path, {"ANTHROPIC_BASE_URL": "ftp://x", "PET_MODEL": "  "}, 'model = "a"\n')
    assert home.store.current().base_url == Settings().base_url
    assert home.store.overridden() == []
    assert home.problems() == [("settings_not_an_address", "ANTHROPIC_BASE_URL")]


def test_a_linked_settings_file_stays_a_link(tmp_path: Path) -> None:
    real = tmp_path / "dotfiles.toml"
    real.write_text('model = "a"\n', encoding="utf-8")
    home = Home(tmp_path)
    home.file.parent.mkdir(parents=True)
    home.file.symlink_to(real)
    home.store.change({"model": "b"})
    assert home.file.is_symlink()
    assert 'model = "b"' in real.read_text(encoding="utf-8")


def test_a_folder_that_may_not_be_written_is_named(tmp_path: Path) -> None:
    home = Home(tmp_path)
    home.file.parent.write_text("a file where the folder should be", encoding="utf-8")
    with pytest.raises(SettingsInvalid) as caught:
        home.store.change({"model": "b"})
    assert caught.value.error_code == "settings_not_written"


def test_changes_of_several_programs_at_once_are_all_kept(tmp_path: Path) -> None:
    file = tmp_path / "settings.toml"
    code = (
        "import sys; from pathlib import Path; from pet.settings.store import SettingsStore\n"
        "store = SettingsStore(Path(sys.argv[1]), {}, lambda: None)\n"
        "name, values = sys.argv[2], range(20, 30)\n"
        "[store.change({name: value * int(sys.argv[3])}) for value in values]\n"
    )
    names = {"max_tokens": 1, "daily_tokens": 1, "history_days": 1, "prompt_file_characters": 100}
    programs = [
        subprocess.Popen([sys.executable, "-c", code, str(file), name, str(factor)]) for name, factor in names.items()
    ]
    assert [program.wait(60) for program in programs] == [0] * 4
    settings = SettingsStore(file, {}, lambda: None).current()
    assert {name: getattr(settings, name) for name in names} == {name: 29 * factor for name, factor in names.items()}


# --- values -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "value", "problem"),
    [
        ("base_url", "//api.anthropic.com", "not_an_address"),
        ("base_url", "https://owner:secret@host", "not_an_address"),
        ("base_url", "https://host/?key=1", "key_in_address"),
        ("base_url", "https://host/?version=1&access_token=1", "key_in_address"),
        ("base_url", "http://[::1", "not_an_address"),
        ("base_url", "http://host:99999", "not_an_address"),
        ("base_url", "https://ho st", "not_an_address"),
        ("base_url", "file:///etc/passwd", "not_an_address"),
        ("base_url", 5, "not_a_text"),
        ("model", "a\nb", "not_a_model"),
        ("max_tokens", True, "not_a_number"),
        ("max_tokens", 1.5, "not_a_number"),
        ("max_tokens", 0, "out_of_range"),
        ("memory_default", 1, "not_true_or_false"),
        ("effort", "enormous", "not_a_choice"),
        ("shortcut_memory", "M", "not_a_shortcut"),
        ("shortcut_memory", "Ctrl+", "not_a_shortcut"),
        ("shortcut_memory", "Ctrl+Ctrl+M", "not_a_shortcut"),
        ("shortcut_chat", "Shift+M", "shortcut_bare"),
        ("shortcut_pet", "Shift+F5", "shortcut_bare"),
        ("pet_opacity", 5, "out_of_range"),
        ("nothing", 1, "unknown"),
    ],
)
def test_values_that_are_refused(name: str, value: object, problem: str) -> None:
    with pytest.raises(SettingsInvalid) as caught:
        check(name, value)
    assert caught.value.problem == problem
    for language in LANGUAGES:
        said = Texts(language)(f"error.{caught.value.error_code}", **caught.value.args_)
        assert "{" not in said


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("base_url", "http://localhost:11434"),
        ("base_url", "http://[::1]:8080/v1"),
        ("base_url", "https://api.deepseek.invalid/anthropic"),
        ("model", ""),
        ("shortcut_memory", ""),
        ("shortcut_memory", "Ctrl+Alt+F12"),
        ("context_window", 0),
        ("effort", "max"),
    ],
)
def test_values_that_are_taken(name: str, value: object) -> None:
    assert check(name, value) == value


@given(
    st.dictionaries(
        st.sampled_from(NAMES) | st.text(max_size=5),
        st.from_type(object).map(lambda _: None)
        | st.integers()
        | st.text()
        | st.booleans()
        | st.floats()
        | st.lists(st.integers()),
    )
)
def test_any_file_makes_settings_within_their_ranges(raw: dict[str, object]) -> None:
    settings, problems = decode_settings(raw, Settings())
    for name, value in values_of(settings).items():
        assert check(name, value) == value
    assert {problem.args_["setting"] for problem in problems} <= set(raw)


# --- shortcuts ----------------------------------------------------------------------------------


def test_keys_that_another_shortcut_has_are_refused_in_whatever_order(tmp_path: Path) -> None:
    store = SettingsStore(tmp_path / "settings.toml", {}, lambda: None)
    store.change({"shortcut_chat": "Ctrl+Alt+K"})
    for name, keys, other in (
        ("shortcut_pet", "Alt+Ctrl+K", "shortcut_chat"),
        ("shortcut_screenshot", "Shift+Ctrl+M", "shortcut_memory"),
    ):
        with pytest.raises(SettingsInvalid) as caught:
            store.change({name: keys})
        assert caught.value.problem == "shortcut_twice"
        assert caught.value.args_ == {"setting": name, "other": other, "keys": keys}
        for language in LANGUAGES:
            assert "{" not in Texts(language)("error.settings_shortcut_twice", **caught.value.args_)
    assert store.current().shortcut_pet == ""
    store.change({"shortcut_chat": "", "shortcut_pet": "Ctrl+Alt+K"})  # both at once: it moved
    assert store.current().shortcut_pet == "Ctrl+Alt+K"


def test_a_file_that_gives_the_same_keys_twice_keeps_the_first_and_says_so() -> None:
    settings, problems = decode_settings({"shortcut_pet": "Ctrl+Shift+M", "shortcut_chat": "Ctrl+Alt+K"}, Settings())
    assert (settings.shortcut_memory, settings.shortcut_chat, settings.shortcut_pet) == (
        "Ctrl+Shift+M",
        "Ctrl+Alt+K",
        "",
    )
    assert [(each.problem, each.args_["setting"]) for each in problems] == [("shortcut_twice", "shortcut_pet")]


# --- pet.toml -----------------------------------------------------------------------------------


def test_a_pet_has_settings_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "pet.toml").write_text(
        'model = "opus"\nlanguage = "zh"\nmemory = false\nother = 1\n', encoding="utf-8"
    )
    pet = read_pet_settings(tmp_path)
    settings, decided = pet.over(Settings(), ["model"])
    assert (settings.model, settings.language, settings.memory_default) == (Settings().model, "zh", False)
    assert decided == ["language", "memory_default", "model"]


def test_a_broken_pet_toml_is_ignored_and_named(tmp_path: Path) -> None:
    assert read_pet_settings(tmp_path).problems == ()
    (tmp_path / "pet.toml").write_text('language = "xx"\nmodel = "opus"\n', encoding="utf-8")
    pet = read_pet_settings(tmp_path)
    assert (pet.language, pet.model) == (None, "opus")
    assert [problem.args_["setting"] for problem in pet.problems] == ["pet.toml: language"]
    (tmp_path / "pet.toml").write_text("model = ", encoding="utf-8")
    pet = read_pet_settings(tmp_path)
    assert (pet.model, [problem.error_code for problem in pet.problems]) == (None, ["settings_file_broken"])


@pytest.mark.parametrize(
    "text", ["memory = false\nmodel = ", 'memory = "no"\n', "format = 999\nmemory = false\n", "memory = true\n\0"]
)
def test_a_memory_switch_of_a_pet_that_can_not_be_read_counts_as_off(tmp_path: Path, text: str) -> None:
    (tmp_path / "pet.toml").write_text(text, encoding="utf-8")
    pet = read_pet_settings(tmp_path)
    assert pet.problems and pet.over(Settings(), [])[0].default_memory_mode is MemoryMode.OFF


def test_a_pet_whose_file_can_not_be_read_recalls_nothing(tmp_path: Path) -> None:
    (tmp_path / "pet.toml").write_text("recall = false\nmodel = ", encoding="utf-8")
    assert not read_pet_settings(tmp_path).over(Settings(), [])[0].recall
