"""No line is proposed for USER.md that a later note may have ended; one that no later note names still is."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.memory.care_desk import CareDesk

OLD, NEW = "2026-03-02", "2026-08-14"
TODAY = "2026-11-21"

PAIRS = [
    ("My grandfather Otto is 88 and sleeps in our study", "Otto passed away in his sleep last night"),
    ("Grandma Wilma lives with us", "Nana's funeral was on Tuesday, we all cried"),
    ("My dog is called Pepper", "Pepper is buried under the pear tree now"),
    ("My grandmother Rosa is 91 and lives with us", "She died this morning"),
    ("My cat is called Miso", "Had to have the poor old cat put to sleep"),
    ("Takes bisoprolol 5 mg with breakfast, must not drink grapefruit juice", "From today it's a new tablet"),
    ("Must not eat grapefruit because of bisoprolol", "The doctor took me off bisoprolol"),
    ("Allergic to penicillin", "The allergist tested me: not allergic to penicillin at all"),
    ("Allergic to cats", "Turns out the allergy was only dust"),
    ("Lena is pregnant and due in May", "Lena's little Max was born this morning"),
    ("I'm pregnant, due in June", "Our baby came at four, 3,200 grams"),
    ("My husband is called Karl", "The divorce from Karl went through"),
    ("My wife is called Ruth", "Signed the papers, we are officially separated"),
    ("My boss is called Petra", "From Monday on my new manager is Jonas"),
    ("My flatmate is called Nils", "Nils moved out today"),
    ("My girlfriend is called Ana", "Ana and I broke up"),
    ("Vegetarian since school", "Had a steak, the first meat in ten years, and it stays so"),
    ("Promised Olga the ladder back by Easter", "Brought Olga her ladder"),
    ("Has asthma", "The lung clinic says: no asthma, never had any"),
    ("My best friend is Will, he lives in Leeds", "Will doesn't talk to me any more"),
    ("我外公叫李建国，和我们一起住", "外公今天早上走了"),
    ("我对芒果过敏", "医生说我其实不过敏，芒果可以吃"),
    ("我老婆叫王芳", "离婚手续今天办完了"),
    ("嫂子怀孕了，预产期在五月", "嫂子昨晚生了个女儿"),
    ("我老板叫陈伟", "换领导了，新来的姓赵"),
    ("室友叫小杰", "小杰搬走了"),
    ("不能喝酒，因为在吃头孢", "头孢停了"),
    ("我的狗叫可可", "可可今天去世了"),
    ("长期服药：二甲双胍", "药换成达格列净了"),
    ("Mi abuela se llama Pilar y vive con nosotros", "Pilar falleció anoche"),
    ("Mi perro se llama Trasto", "Hemos enterrado a Trasto en el huerto"),
    ("Soy alérgica al marisco", "Las pruebas dicen que no tengo alergia"),
    ("Mi marido se llama Joaquín", "Por fin estamos divorciados"),
    ("Estoy embarazada de gemelos", "Di a luz ayer, los dos están bien"),
    ("Mi jefe se llama Ramón", "Ramón se jubila, la nueva jefa es Marta"),
    ("No puedo comer gluten", "Nunca fue celiaquía: vuelvo a comer gluten"),
    ("Mi novia se llama Irene", "Irene y yo lo hemos dejado"),
    # one language later noted in another
    ("我外婆和我们一起住，外婆的生日是三月八日", "Grandma died yesterday"),
    ("My husband is called Bo", "今天正式离婚了"),
    ("My mother's name is Inge", "Mi madre ha muerto"),
]
ON_TWO_DAYS = [
    ("Lives in Oslo", "Moved to Bergen with everything"),
    ("Has Tom's drill on loan", "Gave the drill back to Tom"),
    ("Drives a red Volvo", "Sold the Volvo"),
    ("Takes ramipril every evening", "Dr Lee switched me to candesartan"),
    ("Smokes a pack a day", "Last cigarette ever, today"),
    ("Works at Acme as a cook", "First day at Bolt!"),
    ("住在杭州西湖边", "从西湖边搬走了"),
    ("Trabaja en una panadería", "Me han despedido de la panadería"),
]
UNRELATED = [
    "It rained all day and the bus was late",
    "Painted the shed green",
    "今天下雨，公交晚点了",
    "把棚子刷成了绿色",
    "Hoy ha llovido y el autobús ha llegado tarde",
    "He pintado la valla de verde",
]


@pytest.fixture
def care(tmp_path: Path) -> CareDesk:
    desk = CareDesk(tmp_path)
    desk.put("USER.md", "# About you\n\n## Name\n\n- Ida\n")
    return desk


def proposed(care: CareDesk, fact: str) -> bool:
    care.keep()
    return fact in care.text("USER.md")


@pytest.mark.parametrize(("fact", "later"), PAIRS)
def test_what_a_later_log_names_is_not_proposed(care: CareDesk, fact: str, later: str) -> None:
    care.note(OLD, f"Owner: {fact}")
    care.note(NEW, f"Owner: {later}", category="event")
    assert not proposed(care, fact)


@pytest.mark.parametrize(("fact", "later"), ON_TWO_DAYS)
def test_what_was_noted_twice_and_then_ended_is_not_proposed(care: CareDesk, fact: str, later: str) -> None:
    for day in ("2026-02-01", OLD):
        care.note(day, f"Owner: {fact}")
    care.note(NEW, f"Owner: {later}", category="general")
    assert not proposed(care, fact)


@pytest.mark.parametrize("fact", [fact for fact, _ in PAIRS])
def test_what_no_later_note_names_is_proposed(care: CareDesk, fact: str) -> None:
    care.note("2026-01-10", f"Owner: {fact}, so far", category="event")  # what was said before is no later note
    care.note(OLD, f"Owner: {fact}")
    care.note(NEW, *UNRELATED, category="event")
    assert proposed(care, fact)


@pytest.mark.parametrize("fact", [fact for fact, _ in ON_TWO_DAYS])
def test_what_was_noted_twice_and_not_named_again_is_proposed(care: CareDesk, fact: str) -> None:
    for day in ("2026-02-01", OLD):
        care.note(day, f"Owner: {fact}")
    care.note(NEW, *UNRELATED, category="event")
    assert proposed(care, fact)


ROSA, DEAD = "My grandmother Rosa lives with us", "Rosa died this morning"


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("MEMORY.md", f"# Memory\n\n- {DEAD} ({NEW})\n"),
        ("MEMORY.md", f"# Memory\n\n## What happened\n{DEAD}\n"),  # without a day: it may be the newer one
        ("USER.md", f"# About you\n\n- {DEAD}\n"),
        ("memory/archive.md", f"# Memory Log: {NEW}\n\n## [10:00:00] event\n\n{DEAD}\n"),
        (f"memory/{TODAY}.md", f"# Memory Log: {TODAY}\n\n## [08:00:00] event\n\n{DEAD}\n"),
        (f"memory/{NEW}.md", f"# Memory Log: {NEW}\n\n## [08:00:00] todo @2026-12-24 ✓\n\n{DEAD}\n"),
        (f"memory/{NEW}.md", f"# Memory Log: {NEW}\n\n## [08:00:00] event\n\nPet: I am sorry that {DEAD}\n"),
        (f"memory/{NEW}.md", f"# {NEW}\n\nA long day. {DEAD}.\n"),  # written by hand
        ("memory/2026-11-22.md", f"# 2026-11-22\n\n{DEAD}.\n"),  # already tomorrow where it was written
    ],
)
def test_a_later_note_of_any_kind_counts(care: CareDesk, file: str, text: str) -> None:
    care.note(OLD, f"Owner: {ROSA}")
    care.put(file, text)
    care.keep()
    assert ROSA not in care.text("USER.md")


def test_of_one_days_notes_the_later_one_counts(care: CareDesk) -> None:
    care.note(OLD, f"Owner: {ROSA}", f"Owner: {DEAD}")
    care.note("2026-03-03", "Owner: Ben never eats gluten, his doctor says", "Owner: Ben is allergic to hazelnuts")
    assert not proposed(care, ROSA)
    assert "Ben is allergic to hazelnuts (2026-03-03)" in care.text("USER.md")
    assert "gluten" not in care.text("USER.md")


def test_an_earlier_note_in_memory_md_ends_nothing(care: CareDesk) -> None:
    care.put("MEMORY.md", "- Rosa was in hospital (2026-01-05)\n")
    care.note(OLD, f"Owner: {ROSA}")
    assert proposed(care, ROSA)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Allergic to hazelnuts", "Allergic to kiwi"),
        ("我对花生过敏", "我对虾过敏"),
        ("Soy alérgica al polen", "Soy alérgica al kiwi"),
    ],
)
def test_another_allergy_does_not_end_one(care: CareDesk, one: str, other: str) -> None:
    care.note(OLD, f"Owner: {one}")
    care.note(NEW, f"Owner: {other}")
    care.keep()
    assert one in care.text("USER.md") and other in care.text("USER.md")


@pytest.mark.parametrize("later", ["Allergic to nothing", "Not allergic to hazelnuts", "我对什么都不过敏"])
def test_the_denial_of_an_allergy_ends_it(care: CareDesk, later: str) -> None:
    care.note(OLD, "Owner: Allergic to hazelnuts", "Owner: 我对花生过敏")
    care.note(NEW, f"Owner: {later}")
    care.keep()
    assert "hazelnuts" not in care.text("USER.md").replace(later, "")
    assert "花生" not in care.text("USER.md")
