"""Lines that the weekly question is about: contradictions and passed plans, never what only looks alike."""

from __future__ import annotations

from datetime import date

import pytest

from pet.extras.questions.rechecks import Recheck, find_ended, find_rechecks
from pet.language.contradictions import ended_on, refutes, says_the_same, stance_of
from pet.memory.store.about_owner import Statement, statements

TODAY = date(2026, 11, 26)


def lines(*texts: str, name: str = "USER.md") -> list[Statement]:
    return statements(name, "# About\n\n" + "".join(f"- {text}\n" for text in texts))


def log(day: str, *texts: str) -> list[Statement]:
    body = "".join(f"\n## [10:00:00] fact\n\n{text}\n" for text in texts)
    return statements(f"memory/{day}.md", f"# Memory Log: {day}\n{body}")


def asked(core: list[Statement], logged: list[Statement] | None = None, noted: date | None = None) -> list[Recheck]:
    return find_rechecks(core, logged or [], lambda _each: noted, TODAY)


def contradicts(one: str, other: str) -> bool:
    mine, theirs = stance_of(one), stance_of(other)
    return bool(mine and theirs and mine.against(theirs))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Lives in Oslo", "Owner: I live in Rome now"),
        ("Owner: User's sister lives in Oslo", "My sister lives in Bergen"),
        ("Works at Acme", "Works for Bolt since May"),
        ("Name: Alex", "Your name is Bo"),
        ("Birthday: 3 May", "My birthday is 4 May"),
        ("Favourite colour: blue", "My favourite colour is red"),
        ("Married", "Is single"),
        ("Drinks coffee", "No longer drinks coffee"),
        ("Eats meat", "Is vegan"),
        ("住在北京", "我现在住在上海"),
        ("在腾讯工作", "在阿里上班"),
        ("我妹妹住在北京", "妹妹住在广州"),
        ("最喜欢的颜色是蓝色", "最喜欢的颜色是红色"),
        ("喝咖啡", "不喝咖啡了"),
        ("单身", "已婚"),
        ("Vive en Lugo", "Vivo en Vigo"),
        ("Trabaja en Zara", "Trabaja para Inditex"),
        ("Bebe café", "Ya no bebe café"),
        ("Su color favorito es el azul", "Mi color favorito es el rojo"),
        ("El usuario se llama Alex", "Me llamo Bruno"),
    ],
)
def test_two_lines_that_cannot_both_hold_contradict_each_other(one: str, other: str) -> None:
    assert contradicts(one, other)
    assert contradicts(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Likes tea", "Likes coffee"),
        ("喜欢茶", "喜欢咖啡"),
        ("Le gusta el té", "Le gusta el café"),
        ("Lives in Oslo", "My brother lives in Rome"),
        ("Lives in Oslo", "Lives in Oslo, Norway"),
        ("Lives in Oslo", "Used to live in Rome"),
        ("Lives in Oslo", "Lived in Rome"),
        ("Lives in Oslo", "Lives in Rome in summer"),
        ("Lives in Oslo", "Might be living in Rome soon"),
        ("Lives in Oslo and Rome", "Lives in Oslo"),
        ("Lives in Oslo", "Lives in Rome (until 2026-03-01)"),
        ("Works at Acme", "Works in marketing"),
        ("Works at Acme", "Worked at Bolt before"),
        ("My friend is called Anna", "My friend is called Ben"),
        ("Has a dog", "Has a cat"),
        ("Drinks coffee", "Doesn't drink tea"),
        ("Speaks French", "Speaks German"),
        ("住在北京", "我妈妈住在上海"),
        ("住在北京", "以前住在上海"),
        ("住在北京", "住在北京朝阳区"),
        ("养了一只猫", "养了一只狗"),
        ("喝咖啡", "不喝茶"),
        ("Vive en Lugo", "Su hermano vive en Vigo"),
        ("Vive en Lugo", "Antes vivía en Vigo"),
        ("Tiene un perro", "Tiene un gato"),
        ("", "-"),
        ("Name: -", "Name: Ida"),
        ("姓名：——", "姓名：小雨"),
    ],
)
def test_two_lines_that_only_look_alike_do_not(one: str, other: str) -> None:
    assert not contradicts(one, other)
    assert not contradicts(other, one)


def test_the_older_of_two_lines_is_asked_about() -> None:
    core = lines("Lives in Oslo (2026-03-02)", "Likes tea", "Lives in Rome (2026-09-01)")
    (question,) = asked(core)
    assert (question.stale.text, question.newer and question.newer.text) == (core[0].text, core[2].text)
    assert question.day == date(2026, 3, 2)
    (turned,) = asked(lines("Lives in Rome (2026-09-01)", "Lives in Oslo (2026-03-02)"))
    assert turned.key == question.key


def test_a_newer_line_of_a_log_contradicts_a_core_file_and_an_older_one_does_not() -> None:
    core = lines("Lives in Oslo")
    (question,) = asked(core, log("2026-11-20", "Owner: Lives in Rome"), date(2026, 3, 2))
    assert (question.stale.file, question.newer and question.newer.file) == ("USER.md", "memory/2026-11-20.md")
    assert asked(core, log("2026-11-20", "Owner: Lives in Rome"), date(2026, 11, 21)) == []
    assert asked(core, log("2026-11-20", "Pet: Lives in Rome"), date(2026, 3, 2)) == []
    assert asked(core, log("2026-11-20", "Owner: Lives in Rome"), None) == []
    assert asked([], [*log("2026-11-19", "Lives in Oslo"), *log("2026-11-20", "Lives in Rome")]) == []


@pytest.mark.parametrize(
    "text",
    [
        "Training for a marathon (2026-03-02)",
        "Plans to move to Oslo in May 2026 (2026-03-02)",
        "Going to visit Ana in June (2026-03-02)",
        "Looking for a flat (2026-05-02)",
        "在备考雅思 (2026-03-02)",
        "打算五月搬家 (2026-03-02)",
        "Entrena para un maratón (2026-03-02)",
        "Busca piso (2026-04-02)",
    ],
)
def test_a_plan_or_state_that_may_have_passed_is_asked_about(text: str) -> None:
    (question,) = asked(lines(text))
    assert question.stale.text == text
    assert question.newer is None


@pytest.mark.parametrize(
    "text",
    [
        "Training for a marathon (2026-10-02)",
        "Training for a marathon (2027-03-02)",
        "Training for a marathon",
        "Plans to move to Oslo in May 2027 (2026-03-02)",
        "Plans to run on 12 December (2026-11-02)",
        "Training for a marathon (2026-03-02) (until 2026-05-01)",
        "Waiting for the result of the cancer test (2026-03-02)",
        "Preparing for her father's funeral (2026-03-02)",
        "Pregnant, looking forward to June (2026-01-02)",
        "Waiting for the key sk-ant-api03-aaaaaaaaaaaaaaaaaaaaaaaa (2026-03-02)",
        "Likes tea (2026-03-02)",
        "打算明年五月搬家 (2026-10-02)",
    ],
)
def test_what_is_young_to_come_over_painful_or_secret_is_not(text: str) -> None:
    assert asked(lines(text)) == []


def test_contradictions_come_first_and_a_line_is_asked_about_once() -> None:
    core = lines("Training for a marathon (2025-03-02)", "Lives in Oslo (2026-03-02)", "Lives in Rome (2026-09-01)")
    assert [each.stale.text[:8] for each in asked(core)] == ["Lives in", "Training"]


def test_the_day_until_which_a_line_held_is_read_in_every_language() -> None:
    assert ended_on("A (until 2026-11-26)") == ended_on("甲（到 2026-11-26 为止）") == date(2026, 11, 26)
    assert ended_on("A (hasta 2026-11-26).") == date(2026, 11, 26)
    assert ended_on("A (until 2026-13-26)") is ended_on("A until 2026-11-26") is None
    assert [each.group for each in lines("Plans to run (until 2026-11-26)", "Plans to run")] == ["lately", "plans"]


def test_odd_lines_break_nothing() -> None:
    odd = [
        "x" * 400_000,
        "a " * 200_000,
        "我" * 10_000,
        "lives in " * 5_000,
        "\u202e",
        "Lives in",
        "not " * 40,
        "不" * 99,
    ]
    assert asked(lines(*odd), log("2026-11-20", *odd), date(2026, 3, 2)) == []


def test_a_thousand_entries_a_day_are_bounded() -> None:
    logged = [
        each
        for day in range(1, 21)
        for each in log(f"2026-11-{day:02}", *[f"Lives in T{day}-{at}" for at in range(1000)])
    ]
    questions = asked(lines("Lives in Oslo"), logged, date(2026, 3, 2))
    assert len(questions) == 2_000


def ended(core: list[Statement], logged: list[Statement], noted: date | None = date(2026, 3, 2)) -> list[Recheck]:
    return find_ended(core, logged, lambda _each: noted, TODAY)


def test_what_a_later_log_ends_is_found_with_the_day_of_the_end() -> None:
    core = lines("Grandma Rosa lives with us", "Allergic to peanuts (2026-04-02)", "Likes tea", "Drives a Volvo")
    logged = [
        *log("2026-11-19", "Owner: Rosa died this morning", "Owner: sold the Volvo"),
        *log("2026-11-20", "Owner: turns out I'm not allergic to peanuts", "Pet: Rosa passed away"),
    ]
    questions = [(each.text, each.newer and each.newer.text, each.over) for each in ended(core, logged)]
    assert questions == [
        ("Allergic to peanuts (2026-04-02)", "Owner: turns out I'm not allergic to peanuts", date(2026, 11, 20)),
        ("Grandma Rosa lives with us", "Owner: Rosa died this morning", date(2026, 11, 19)),
        ("Drives a Volvo", "Owner: sold the Volvo", date(2026, 11, 19)),
    ]


@pytest.mark.parametrize(
    ("fact", "note"),
    [
        ("Drives a Volvo (2026-11-21)", "Owner: sold the Volvo"),  # the later one is the new car
        ("Drives a Volvo (until 2026-11-20)", "Owner: sold the Volvo"),
        ("Drives a Volvo", "Pet: sold the Volvo"),
        ("Drives a Volvo", "Owner: sold the Volvo, the code was sk-ant-api03-aaaaaaaaaaaaaaaaaaaaaaaa"),
        ("Drives a Volvo", "Owner: my brother sold his Volvo"),
    ],
)
def test_what_ends_nothing_is_not_asked_about(fact: str, note: str) -> None:
    assert ended(lines(fact), log("2026-11-20", note)) == []


def test_a_line_of_unknown_day_is_not_asked_about() -> None:
    assert ended(lines("Drives a Volvo"), log("2026-11-20", "Owner: sold the Volvo"), None) == []


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("I live in Oslo", "Lives in Oslo"),
        ("My sister is called Runa", "Sister's name is Runa"),
        ("I'm allergic to peanuts", "Has a peanut allergy"),
        ("Is vegetarian", "I am a vegetarian"),
        ("I work as a nurse at the Clyde clinic", "Works at the Clyde clinic as a nurse"),
        ("My birthday is on 4 May", "Birthday: 4 May"),
        ("Goes to the gym on Mondays with a friend", "Goes with a friend on Mondays to the gym"),
        ("我对花生过敏", "用户对花生过敏"),
        ("我妹妹叫小雨", "妹妹的名字是小雨"),
        ("我住在北京", "住在北京"),
        ("Vivo en Lugo", "Vive en Lugo"),
        ("Really likes green tea", "I like green tea"),
        ("Doesn't eat meat", "I don't eat meat"),
        ("The wifi router is behind the sofa", "Wifi router: behind the sofa (2026-03-02)"),
        ("Owner: plays the cello", "Cello is what I play"),
        ("Soy alérgica a las nueces", "Es alérgica a las nueces"),
    ],
)
def test_two_lines_say_the_same_in_other_words(one: str, other: str) -> None:
    assert says_the_same(one, other) and says_the_same(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Likes tea", "Ana likes tea"),
        ("Wants a dog", "Has a dog"),
        ("Allergic to peanuts", "Not allergic to peanuts"),
        ("Birthday 4 May", "Birthday 5 May"),
        ("I live in Oslo", "I lived in Oslo"),
        ("Moved to Oslo", "Moving to Oslo"),
        ("Ana lent Ben 20 euros", "Ben lent Ana 20 euros"),
        ("Likes tea", "Likes tea and coffee"),
        ("Takes 5 mg of bisoprolol", "Takes 10 mg of bisoprolol"),
        ("My sister lives in Rome", "My brother lives in Rome"),
        ("喜欢茶", "不喜欢茶"),
        ("我借给阿强电钻", "阿强借给我电钻"),
        ("我妈妈住在北京", "我住在北京"),
        ("Loves tea", "Hates tea"),
        ("Lives in Oslo", "Might live in Oslo"),
        ("Will meet Ana on Monday", "Met Ana on Monday"),
        ("Gave up coffee", "Gave up coffee again"),
        ("Me gusta el té", "No me gusta el té"),
        ("Bought milk", "Buy milk"),
        ("Ana's dog bit Rex", "Rex bit Ana's dog"),
        ("Name: Ida", "My cat's name is Ida"),
        ("Prefers tea to coffee", "Prefers coffee to tea"),
        ("My sister hates my brother", "My brother hates my sister"),
        ("The cat is older than the dog", "The dog is older than the cat"),
        ("Works in the morning, rests in the evening", "Rests in the morning, works in the evening"),
        ("Allergic to nuts, not to eggs", "Allergic to eggs, not to nuts"),
        ("Le gusta más el té que el café", "Le gusta más el café que el té"),
        ("I can swim", "I can't swim"),
        ("", ""),
    ],
)
def test_two_lines_with_the_same_words_may_say_different_things(one: str, other: str) -> None:
    assert not says_the_same(one, other) and not says_the_same(other, one)


@pytest.mark.parametrize(
    ("fact", "note"),
    [
        ("Lives in Ghent", "Owner: we moved to Bruges last week"),
        ("Works as a nurse at St. Luke's", "Owner: I started at the hospice on Monday, new job"),
        ("Drives a Skoda", "Owner: our car is a Fiat now"),
        ("Partner is called Milan", "Owner: my boyfriend Jonas and I moved in together"),
        ("Is a vegetarian", "Owner: I eat meat again"),
        ("Goes to the gym on Tuesdays", "Owner: I go to the gym on Fridays now"),
        ("Has two cats", "Owner: we have three cats now"),
        ("Phone is a Pixel 7", "Owner: my phone is an iPhone 15"),
        ("Doesn't drink coffee", "Owner: I drink coffee again"),
        ("Daughter Ida is in third grade", "Owner: Ida is in fourth grade now"),
        ("住在南京", "主人：我搬到苏州了"),
        ("在小学当老师", "主人：我现在是销售"),
        ("不吃辣", "主人：我现在能吃辣了"),
        ("开一辆丰田", "主人：我换了辆比亚迪"),
        ("Vive en Cádiz", "Dueño: me he mudado a Jerez"),
        ("Es profesora de música", "Dueño: ahora soy fotógrafa"),
        ("Plays badminton on Mondays", "Owner: badminton is on Thursdays now"),
        ("Husband is called Piet", "Owner: my wife is Tessa"),
        ("Lives in Utrecht", "Owner: I live in Delft these days"),
        ("Wakes up at six", "Owner: I get up at eight now"),
        ("Favourite food: ramen", "Owner: my favourite food is tacos"),
        ("Works at Philips", "Owner: I work for Bosch now"),
        ("Eats no fish", "Owner: I eat fish again"),
        ("Son Leo is in year 4", "Owner: Leo is in year 5 now"),
        ("Has a dog", "Owner: we have two dogs now"),
        ("车是本田", "主人：换了一辆特斯拉"),
        ("每周三去游泳", "主人：改成周五游泳了"),
        ("养了两只猫", "主人：现在有三只猫了"),
        ("Trabaja como enfermera", "Dueño: ahora soy panadera"),
        ("Tiene dos gatos", "Dueño: ahora tenemos tres gatos"),
        ("Goes swimming on Mondays", "Owner: swimming is on Fridays from now on"),
        ("Plays badminton on Mondays", "Owner: badminton moved to Thursdays"),
        ("每周一上瑜伽课", "主人：瑜伽课改到周四了"),
    ],
)
def test_a_fact_that_a_later_note_contradicts_is_asked_about(fact: str, note: str) -> None:
    core, logged = lines(fact), log("2026-11-20", note)
    assert asked(core, logged, date(2026, 3, 2)) or ended(core, logged)


@pytest.mark.parametrize(
    ("fact", "note"),
    [
        ("Lives in Ghent", "Owner: we went to Bruges last week"),
        ("Works as a nurse at St. Luke's", "Owner: I was at the hospice on Monday"),
        ("Drives a Skoda", "Owner: my brother's car is a Fiat now"),
        ("Partner is called Milan", "Owner: my friend Jonas and I cooked together"),
        ("Is a vegetarian", "Owner: Ben eats meat again"),
        ("Goes to the gym on Tuesdays", "Owner: I go to choir on Fridays now"),
        ("每周一上瑜伽课", "主人：家长会改到周四了"),
        ("Has two cats", "Owner: Ana has three cats now"),
        ("Phone is a Pixel 7", "Owner: my tablet is an iPad"),
        ("Doesn't drink coffee", "Owner: I drink tea again"),
        ("Daughter Ida is in third grade", "Owner: Leo is in fourth grade now"),
        ("住在南京", "主人：我去苏州玩了"),
        ("在小学当老师", "主人：我妹妹现在是销售"),
        ("不吃辣", "主人：我现在能吃鱼了"),
        ("开一辆丰田", "主人：我妈换了辆比亚迪"),
        ("Vive en Cádiz", "Dueño: mi hermana se ha mudado a Jerez"),
        ("Es profesora de música", "Dueño: ahora soy vegetariana"),
        ("Has two cats", "Owner: we have three dogs"),
        ("Works as a nurse", "Owner: I work nights now"),
        ("Goes to the gym on Tuesdays", "Owner: I went to the gym on Friday"),
        ("Lives in Ghent", "Owner: I'd love to move to Bruges"),
        ("Drives a Skoda", "Owner: I rented a Fiat for the holiday"),
        ("Is a vegetarian", "Owner: I eat fish sometimes at Mum's"),
        ("Phone is a Pixel 7", "Owner: Jo's phone is an iPhone 15"),
        ("住在南京", "主人：打算明年搬到苏州"),
        ("Partner is called Milan", "Owner: my partner and I moved in together"),
        ("Works as a nurse", "Owner: I'm a big fan of the new nurse"),
        ("Husband is called Piet", "Owner: my husband Piet and I went out"),
        ("Partner is called Alexander", "Owner: my partner Alex is away"),
        ("Has two cats", "Owner: I'd like three cats"),
        ("Drives a Skoda", "Owner: drives a red Skoda Octavia now"),
        ("Plays badminton on Mondays", "Owner: I have choir on Thursdays now"),
        ("Plays badminton on Mondays", "Owner: this week badminton is on Thursday"),
        ("Wakes up at six", "Owner: woke up at eight today"),
        ("Phone: 0470 11 22 33", "Owner: my phone is a Pixel 9"),
        ("Phone is a Pixel 7", "Owner: my phone is broken"),
        ("开一辆丰田", "主人：开一辆别人的大众去接人"),
        ("养了两只猫", "主人：邻居有三只猫"),
        ("是老师", "主人：我是妈妈了"),
        ("每周三去游泳", "主人：周五去游泳"),
        ("老公叫李强", "主人：老公是医生"),
        ("Es enfermera", "Dueño: soy una enfermera nueva en planta"),
        ("Son Leo is in year 4", "Owner: Ida is in year 5 now"),
        ("Has two cats", "Owner: we have three cats at the farm"),
        ("Drives a Skoda", "Owner: my car is at the garage"),
        ("Doesn't drink coffee", "Owner: I drank coffee again and slept badly"),
        ("Is a teacher", "Owner: I'm a doctor's patient now"),
        ("Works as a nurse", "Owner: I'm a cook tonight"),
        ("Works as a nurse at St. Luke's", "Owner: my friend got a new job"),
        ("Works as a nurse", "Owner: new job posting at the hospital"),
    ],
)
def test_a_fact_beside_which_a_later_note_may_hold_is_not(fact: str, note: str) -> None:
    core, logged = lines(fact), log("2026-11-20", note)
    assert not asked(core, logged, date(2026, 3, 2)) and not ended(core, logged)


def test_of_what_one_may_have_two_only_a_later_line_that_says_so_is_a_change() -> None:
    core = lines("Drives a Fiat now (2026-03-02)", "Drives a Skoda (2026-09-01)")
    assert asked(core) == []


@pytest.mark.timeout(40)  # a quadratic scan takes minutes
def test_a_line_of_marks_alone_takes_linear_time() -> None:
    assert not refutes("Sold the Volvo", "``` " * 100_000 + "x")
