"""Skills are read as text; unusable ones are listed and not offered."""

from __future__ import annotations

from pathlib import Path

import pytest

from pet.access import OFF, ON
from pet.errors import FileBroken, FileMissing
from pet.i18n import Texts
from pet.tools.toolset import tool_names, tool_specs
from pet.workspace.skills import MAX_BYTES, Skill, Skills, load_skill
from tests.tools.conftest import Bench

GOOD = "---\nname: {name}\ndescription: {description}\n---\n# How\n\nDo it well.\n"


class Shelf:
    def __init__(self, folder: Path) -> None:
        self.pet = folder / "workspace"
        self.shared = folder / "data" / "skills"
        self.pet.mkdir()

    def put(self, folder: str, text: str | bytes, *, shared: bool = False) -> Path:
        file = (self.shared if shared else self.pet / "skills") / folder / "SKILL.md"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text if isinstance(text, bytes) else text.encode())
        return file

    def good(self, name: str, description: str = "Does something.", *, shared: bool = False) -> Path:
        return self.put(name, GOOD.format(name=name, description=description), shared=shared)

    def list_all(self) -> tuple[Skill, ...]:
        return Skills(self.pet, self.shared).list_all()

    def problem(self, text: str | bytes) -> str:
        self.put("x", text)
        (skill,) = self.list_all()
        return skill.problem


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    return Shelf(tmp_path)


def test_no_folder_is_no_skill(shelf: Shelf) -> None:
    assert shelf.list_all() == ()
    assert Skills(shelf.pet / "nowhere", shelf.shared).list_all() == ()


def test_both_folders_are_read_and_the_pets_own_wins(shelf: Shelf) -> None:
    shelf.good("tea", "The shared one.", shared=True)
    shelf.good("walk", shared=True)
    own = shelf.good("tea", "The pet's own.")
    assert [(s.name, s.description, s.origin, s.problem) for s in shelf.list_all()] == [
        ("tea", "The pet's own.", "pet", ""),
        ("walk", "Does something.", "shared", ""),
    ]
    assert shelf.list_all()[0].file == own


def test_the_name_is_what_the_file_says(shelf: Shelf) -> None:
    shelf.put("some folder", GOOD.format(name="tea", description="x"))
    shelf.put("another", GOOD.format(name="tea", description="y"))
    first, second = shelf.list_all()
    assert (first.name, first.description, first.problem) == ("tea", "y", "")
    assert (second.name, second.description, second.problem) == ("tea", "x", "same_name")


def test_a_broken_one_of_the_pets_does_not_hide_the_shared_one(shelf: Shelf) -> None:
    shelf.put("tea", "no front matter")
    shelf.good("tea", shared=True)
    assert [(s.origin, s.problem) for s in shelf.list_all()] == [("shared", ""), ("pet", "no_front_matter")]
    assert [s.origin for s in Skills(shelf.pet, shelf.shared).offered()] == ["shared"]


@pytest.mark.parametrize(
    ("front", "description"),
    [
        ("name: x\ndescription: 'it: quotes'", "it: quotes"),
        ("name: x\ndescription: >-\n  folded\n  over lines\nlicense: MIT", "folded over lines"),
        ("name: x\ndescription: |\n  one\n  two\nmetadata:\n  deep: {a: [1, 2]}", "one two"),
        ("name: x\ndescription: 泡茶的方法\nversion: 1.0", "泡茶的方法"),
        ("name: x\ndescription: 2024-01-01", "2024-01-01"),
        ("name: x\ndescription: yes\nallowed-tools: [a, b]", "yes"),
        ("# comment\nname: 'x'\ndescription: !!python/object/apply:os.system [rm]\ndescription: y", "y"),
    ],
)
def test_front_matter_as_people_write_it(shelf: Shelf, front: str, description: str) -> None:
    shelf.put("x", f"---\n{front}\n---\nbody\n")
    assert [(s.name, s.description, s.problem) for s in shelf.list_all()] == [("x", description, "")]


def test_other_line_ends_and_a_mark_at_the_start(shelf: Shelf) -> None:
    shelf.put("x", b"\xef\xbb\xbf" + GOOD.format(name="x", description="d").replace("\n", "\r\n").encode())
    (skill,) = shelf.list_all()
    assert skill.problem == ""
    assert load_skill(skill) == "# How\n\nDo it well."


def test_nothing_but_front_matter(shelf: Shelf) -> None:
    shelf.put("x", "---\nname: x\ndescription: d\n---")
    (skill,) = shelf.list_all()
    assert (skill.problem, load_skill(skill)) == ("", "")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "no_front_matter"),
        ("# Just text\n", "no_front_matter"),
        ("---\nname: x\ndescription: d\n", "no_front_matter"),
        ("\n---\nname: x\ndescription: d\n---\n", "no_front_matter"),
        ("---\nname: [\n---\n", "bad_front_matter"),
        ("---\n- a\n- b\n---\n", "bad_front_matter"),
        ("---\njust words\n---\n", "bad_front_matter"),
        ("---\n---\n", "bad_front_matter"),
        ("---\n{a: b}: c\nname: x\n---\n", "bad_front_matter"),
        ("---\nname: x\n\tdescription: d\n---\n", "bad_front_matter"),
        ("---\nname: x\ndescription: \x07\n---\n", "bad_front_matter"),
        ("---\ndescription: d\n---\n", "bad_name"),
        ("---\nname: Tea\ndescription: d\n---\n", "bad_name"),
        ("---\nname: ../tea\ndescription: d\n---\n", "bad_name"),
        ("---\nname: 茶\ndescription: d\n---\n", "bad_name"),
        ("---\nname: [x]\ndescription: d\n---\n", "bad_name"),
        (f"---\nname: {'a' * 65}\ndescription: d\n---\n", "bad_name"),
        ("---\nname: x\n---\n", "no_description"),
        ("---\nname: x\ndescription: ''\n---\n", "no_description"),
        ("---\nname: x\ndescription: [d]\n---\n", "no_description"),
        ("---\nname: x\ndescription: d\nmore: " + "y" * 9000 + "\n---\n", "bad_front_matter"),
        ("中文".encode("gbk"), "not_utf8"),
        (b"---\nname: x\ndescription: d\0\n---\n", "not_utf8"),
        (b"x" * (MAX_BYTES + 1), "too_large"),
    ],
)
def test_unusable_skills_are_listed_with_their_problem(shelf: Shelf, text: str | bytes, problem: str) -> None:
    assert shelf.problem(text) == problem
    assert Skills(shelf.pet, shelf.shared).offered() == ()


@pytest.mark.parametrize(
    "front",
    [
        "a: &a [x, x]\nb: &b [*a, *a]\nname: x\ndescription: d",
        "a: &a {k: v}\nb:\n  <<: [*a, *a]\nname: x\ndescription: d",
        "name: &n x\ndescription: *n",
        "description: " + "[" * 4000,
        "description: " + "{a: " * 1900,
        "- " * 4000,
        "? " * 4000,
        "name: !!int '" + "9" * 7000 + "'\ndescription: [",
    ],
)
def test_yaml_that_would_grow_or_sink_is_refused(shelf: Shelf, front: str) -> None:
    assert shelf.problem(f"---\n{front}\n---\n") == "bad_front_matter"


def test_a_tag_runs_nothing(shelf: Shelf, tmp_path: Path) -> None:
    mark = tmp_path / "ran"
    for tag in ("!!python/object/apply:os.system", "!!python/object/new:os.system", "!!python/name:os.system"):
        shelf.put("x", f"---\nname: x\ndescription: {tag} ['touch {mark}']\n---\n")
        assert shelf.list_all()[0].problem in ("no_description", "bad_front_matter")
    assert not mark.exists()


@pytest.mark.parametrize("which", ["file", "folder", "all"])
def test_links_are_refused(shelf: Shelf, tmp_path: Path, which: str) -> None:
    elsewhere = Shelf(_made(tmp_path / "elsewhere"))
    target = elsewhere.good("x")
    skills = shelf.pet / "skills"
    if which == "all":
        skills.symlink_to(target.parents[1])
        assert shelf.list_all() == ()
        return
    (skills / "x" if which == "file" else skills).mkdir(parents=True)
    if which == "file":
        (skills / "x" / "SKILL.md").symlink_to(target)
    else:
        (skills / "x").symlink_to(target.parent)
    assert [(s.name, s.problem) for s in shelf.list_all()] == [("x", "link")]


def _made(folder: Path) -> Path:
    folder.mkdir()
    return folder


def test_other_files_beside_skills_are_ignored(shelf: Shelf) -> None:
    shelf.good("tea")
    (shelf.pet / "skills" / "README.md").write_text("read me")
    (shelf.pet / "skills" / "empty").mkdir()
    (shelf.pet / "skills" / ".hidden").mkdir()
    (shelf.pet / "skills" / ".hidden" / "SKILL.md").write_text(GOOD.format(name="hidden", description="d"))
    (shelf.pet / "skills" / "odd" / "SKILL.md").mkdir(parents=True)
    assert [(s.name, s.problem) for s in shelf.list_all()] == [("odd", "not_a_file"), ("tea", "")]


def test_a_change_is_seen_at_once_and_the_rest_is_not_read_again(shelf: Shelf) -> None:
    file = shelf.good("tea", "Green.")
    other = shelf.good("walk")
    skills = Skills(shelf.pet, shelf.shared)
    first = skills.list_all()
    assert skills.list_all()[1] is first[1]
    shelf.good("tea", "Black tea.")
    again = skills.list_all()
    assert again[0].description == "Black tea."
    assert again[1] is first[1]
    file.unlink()
    assert [s.name for s in skills.list_all()] == ["walk"]
    other.parent.rename(other.parent.with_name("stroll"))
    assert [s.file.parent.name for s in skills.list_all()] == ["stroll"]


def test_loading_reads_the_file_as_it_is_now(shelf: Shelf) -> None:
    file = shelf.good("tea")
    (skill,) = shelf.list_all()
    file.write_text(GOOD.format(name="tea", description="d").replace("well", "better"))
    assert "better" in load_skill(skill)
    file.write_bytes(b"a\0b")
    with pytest.raises(FileBroken):
        load_skill(skill)
    file.unlink()
    with pytest.raises(FileMissing):
        load_skill(skill)


def test_a_file_swapped_for_a_link_is_not_followed(shelf: Shelf, tmp_path: Path) -> None:
    file = shelf.good("tea")
    (skill,) = shelf.list_all()
    secret = tmp_path / "secret"
    secret.write_text("secret")
    file.unlink()
    file.symlink_to(secret)
    with pytest.raises(FileBroken):
        load_skill(skill)
    file.unlink()
    file.parent.rmdir()
    file.parent.symlink_to(tmp_path)
    with pytest.raises(FileBroken):
        load_skill(skill)


# --- the tool -----------------------------------------------------------------------------------


@pytest.fixture
def skilled(bench: Bench) -> Bench:
    file = bench.desk.root / "skills" / "tea" / "SKILL.md"
    file.parent.mkdir(parents=True)
    file.write_text(GOOD.format(name="tea", description="How to make tea."))
    bench.skills = Skills(bench.desk.root, bench.desk.folder / "none").offered()
    return bench


@pytest.mark.parametrize("memory", [True, False])
def test_a_skill_is_loaded_with_memory_on_and_off(skilled: Bench, memory: bool) -> None:
    skilled.switch.switch(memory)
    skilled.turn = skilled.switch.begin_turn()
    text = skilled.run("skill", name="tea").text
    assert text == skilled.texts("tool.skill.begins", skill="tea") + "\n\n# How\n\nDo it well."


@pytest.mark.parametrize("name", ["coffee", "../tea", "tea/SKILL.md", "", "TEA"])
def test_only_listed_skills_are_loaded(skilled: Bench, name: str) -> None:
    assert skilled.failed("skill", name=name) == "tool_unknown_skill"


def test_a_skill_that_went_away_is_missing(skilled: Bench) -> None:
    context = skilled.context()
    (skilled.desk.root / "skills" / "tea" / "SKILL.md").unlink()
    outcome = skilled.run("skill", context, name="tea")
    assert isinstance(outcome.error, FileMissing)
    assert "skills/tea/SKILL.md" in outcome.text


def test_without_skills_there_is_no_such_tool(bench: Bench) -> None:
    assert bench.failed("skill", name="tea") == "tool_unknown_tool"
    assert "skill" not in tool_names(ON)


def test_the_schema_names_them_in_their_order(skilled: Bench) -> None:
    for access in (ON, OFF):
        last = tool_specs(access, Texts("en"), skilled.skills)[-1]
        assert last.name == "skill"
        assert last.schema["properties"] == {"name": {"type": "string", "enum": ["tea"]}}
