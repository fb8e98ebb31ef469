"""Which lines of the notebook a message may replace: a wrong one becomes a note, and nothing is lost."""

from __future__ import annotations

import pytest

from pet.engine.notebook_decisions import Correct, Decision, Note, NothingToNote, settle
from pet.prompt.small_model_prompts import Line, lines_of


def settled(line: str, new: str, message: str) -> Decision:
    return settle(Correct(0, new), message, lines_of("MEMORY.md", f"- {line} (2026-01-02)\n"))


TOM = ("Owner: my brother Tom lives in Oslo", "my brother Tom lives in Bergen")
LYON = ("Owner: I live in Lyon", "I live in Rome")
SUZHOU = ("主人：我住在苏州", "我住在上海")
SOMEBODY_ELSE = [
    (*TOM, "I've moved to Bergen."),
    (TOM[0], "my brother Sam lives in Bergen", "My brother Sam moved to Bergen."),
    (*TOM, "My boss has moved to Bergen."),
    (*LYON, "My sister lives in Rome now."),
    (*LYON, "She moved to Rome."),
    (*LYON, "Sam moved to Rome last week."),
    ("Owner: I drink my coffee black", "I drink my coffee with sugar", "My wife takes her coffee with sugar now."),
    ("Owner: my sister Priya is expecting a baby", "my sister Priya is a vet", "Priya's husband is a vet now."),
    ("Owner: my dog Rufus is eight years old", "my dog Rufus is nine years old", "My cat turned nine."),
    ("Owner: I work at a bakery", "I work at a library", "My colleague quit, she works at a library now."),
    (*SUZHOU, "我弟弟搬到上海了。"),
    (*SUZHOU, "小王搬到上海了。"),
    ("主人：我女儿叫朵朵，今年五岁", "我女儿叫朵朵，今年六岁", "我儿子六岁了。"),
    ("主人：我妈妈住在绵阳", "我妈妈住在成都", "我搬到成都了。"),
    ("主人：我在杭州做设计师", "我在上海做老师", "我表姐现在在上海当老师。"),
]
ANOTHER_MATTER = [
    ("Owner: my dog Rufus is eight years old", "my dog Rufus has a new kennel", "Rufus has a new kennel now."),
    ("Owner: I work at a bakery in Leeds", "I don't like Leeds any more", "I don't like Leeds any more."),
    ("Owner: my exam is on 14 January", "my exam is on 12 January", "The dentist moved me to 12 January."),
    ("Owner: I have a cat called Miso", "I live in Rome", "We've moved, it's Rome now."),
    ("主人：我养了一只猫叫煤球", "我养了一只猫叫煤球，搬到了六楼", "我搬到六楼了。"),
    ("主人：我每周三晚上上瑜伽课", "我每周三晚上加班", "我现在每周三晚上都要加班。"),
]
ONE_MORE = [
    ("Likes: strong coffee", "alcohol", "just so you know, i don't drink alcohol"),
    ("Owner: I'm allergic to shellfish", "I'm allergic to peanuts", "I'm allergic to peanuts now."),
    ("Owner: I like green tea", "I like oolong", "I also like oolong now."),
    ("Owner: I like green tea", "I like oolong", "I like oolong these days."),
    ("Owner: my cat is called Miso", "my cat is called Mochi", "We now have a second cat, my cat Mochi."),
    ("Owner: I speak French", "I speak Dutch", "I've learned to speak Dutch now."),
    ("主人：我对芒果过敏", "我对花生过敏", "我现在对花生也过敏了。"),
    ("主人：我喜欢喝拿铁", "我喜欢喝美式", "我现在也喜欢喝美式了。"),
    ("主人：我养了一只猫叫煤球", "我养了一只猫叫雪球", "我又养了一只猫，现在叫雪球。"),
]
NOT_SO = [
    (*LYON, "I'm thinking about moving to Rome now."),
    (*LYON, "If I moved to Rome, I'd miss you."),
    (*LYON, "I wish I lived in Rome, not here."),
    (*LYON, "I used to live in Rome."),
    (*LYON, "We might move to Rome, actually."),
    (*LYON, "I haven't moved to Rome, maybe next year."),
    (*LYON, "I now live in Rome for two weeks, on holiday."),
    (*SUZHOU, "我想搬到上海。"),
    (*SUZHOU, "要是我搬到上海了就好了。"),
    (*SUZHOU, "我以前住在上海。"),
    (*SUZHOU, "我可能要搬去上海了。"),
]
NOBODYS_WORDS = [
    ("Owner: my car is a blue Skoda", "my car is a red Seat", "My car is a red Fiat now."),
    ("Owner: my exam is on 14 January", "my exam is on 15 January", "My exam isn't on a Monday any more, sadly?"),
]


@pytest.mark.parametrize(
    ("line", "new", "message"), [*SOMEBODY_ELSE, *ANOTHER_MATTER, *ONE_MORE, *NOT_SO, *NOBODYS_WORDS]
)
def test_true_line_is_kept(line: str, new: str, message: str) -> None:
    found = settled(line, new, message)
    assert found in (Note(), NothingToNote()) or found == Correct(0, message.rstrip("."))
    if message != NOBODYS_WORDS[0][2]:
        assert not isinstance(found, Correct)


@pytest.mark.parametrize(
    ("message", "new"),
    [
        ("Do I live in Rome now?", "I live in Rome"),
        ("what if I lived in Rome now?", "I live in Rome"),
        ("I live in Rome now, just kidding!", "I live in Rome"),
        ("我现在住在上海吗？", "我住在上海"),
        ("我搬到上海了，逗你的。", "我住在上海"),
    ],
)
def test_question_or_joke_writes_nothing(message: str, new: str) -> None:
    assert settled("Owner: I live in Lyon", new, message) == NothingToNote()
    assert settled("主人：我住在苏州", new, message) == NothingToNote()


@pytest.mark.parametrize(
    ("line", "message", "wanted"),
    [
        (TOM[0], "Tom has moved to Bergen.", "my brother Tom lives in Bergen"),
        ("Owner: choir is on Mondays", "Correction: choir is on Fridays, not Mondays.", "choir is on Fridays"),
        ("主人：我每周二晚上排练", "更正一下，排练是周四，不是周二。", "我每周四晚上排练"),
        ("Dueño: el coro es los lunes", "Perdona, el coro es los viernes, no los lunes.", "el coro es los viernes"),
        ("Dueño: mi hermana Inés vive en Vigo", "Inés se ha mudado a Lugo.", "mi hermana Inés vive en Lugo"),
        (
            "Dueño: pago 700 euros de alquiler",
            "Me han subido el alquiler, ahora pago 760 euros.",
            "pago 760 euros de alquiler",
        ),
    ],
)
def test_value_of_the_message_takes_the_old_ones_place(line: str, message: str, wanted: str) -> None:
    """Whatever words the model has for it, and "the one, not the other" also if it takes the message for a fact."""
    assert settled(line, "something else altogether in Paris", message) in (Correct(0, wanted), Note())
    near = settle(Correct(0, line), message, [Line(file="MEMORY.md", index=0, text=f"- {line}")])
    assert near == Correct(0, wanted)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("Owner: my brother lives in Lisbon", "I'm from Porto, not Lisbon."),
        ("Owner: choir is on Mondays", "The bins are emptied on Fridays, not Mondays."),
        ("Owner: choir is on Mondays", "Maybe choir is on Fridays, not Mondays."),
        ("主人：我每周二晚上排练", "垃圾是周四收，不是周二。"),
        ("Dueño: el coro es los lunes", "La basura pasa los viernes, no los lunes."),
        ("Name: Ann", "Call me tomorrow, not today."),
        ("Name: Ann", "My sister's name is Eve, not Ann."),
    ],
)
def test_value_of_another_matter_takes_no_place(line: str, message: str) -> None:
    for decision in (Note(), Correct(0, message)):
        assert not isinstance(settle(decision, message, [Line(file="USER.md", index=0, text=f"- {line}")]), Correct)


@pytest.mark.parametrize(
    ("message", "place"),
    [
        ("My name is Anne, actually.", 0),
        ("Call me Annie, please.", 1),
        ("以后叫我小安吧。", 1),
        ("Llámame Anita.", 1),
        ("Call me tomorrow.", None),
        ("Call me Monday.", None),
    ],
)
def test_name_alone_takes_its_place(message: str, place: int | None) -> None:
    lines = [Line(file="USER.md", index=at, text=text) for at, text in enumerate(["- Name: Ann", "- Call her: Nan"])]
    decision = settle(Note(), message, lines)
    assert (decision.line if isinstance(decision, Correct) else None) == place
    assert not isinstance(decision, Correct) or len(decision.new) < 7


@pytest.mark.parametrize(
    ("line", "new", "message"),
    [
        (*LYON, "We've moved, it's Rome now."),
        (*TOM, "Tom has moved to Bergen."),
        (*TOM, "My brother doesn't live in Oslo any more, it's Bergen."),
        (
            "Owner: my dentist appointment is on 4 May",
            "my dentist appointment is on 8 May",
            "The dentist moved to 8 May.",
        ),
        (
            "Owner: I'm allergic to shellfish",
            "I'm not allergic to shellfish",
            "I'm not allergic to shellfish after all.",
        ),
        ("Owner: I drink my coffee black", "I drink my coffee with milk", "I take my coffee with milk these days."),
        ("Owner: my dog Rufus is eight years old", "my dog Rufus is nine years old", "Rufus turned nine yesterday."),
        ("Owner: my car is a blue Skoda", "my car is a red Fiat", "I sold the Skoda and bought a red Fiat."),
        ("Owner: I play chess on Mondays", "I play chess on Fridays", "Chess is on Fridays now."),
        ("Owner: I work at a bakery", "I work at a library", "I quit the bakery, I work at a library now."),
        ("Name: Ann", "Annie", "I've changed my name to Annie."),
        ("Likes: green tea", "oolong", "I've gone off green tea, oolong is my thing now."),
        (*SUZHOU, "我搬到上海了。"),
        ("主人：我最喜欢的季节是秋天", "我最喜欢的季节是春天", "我现在最喜欢的季节是春天。"),
        ("主人：我儿子叫小宇，上二年级", "我儿子叫小宇，上三年级", "小宇上三年级啦。"),
        ("主人：我妈妈住在绵阳", "我妈妈住在成都", "我妈搬来成都了。"),
        ("主人：我喜欢喝拿铁", "我喜欢喝美式", "我现在改喝美式了，不喝拿铁。"),
        ("主人：我对芒果过敏", "我对芒果不过敏", "我对芒果不过敏了。"),
        ("主人：我女儿叫朵朵，今年五岁", "我女儿叫朵朵，今年六岁", "朵朵六岁了。"),
        ("称呼：小夏", "阿夏", "以后别叫我小夏了，叫阿夏。"),
    ],
)
def test_change_replaces_its_line(line: str, new: str, message: str) -> None:
    assert settled(line, new, message) == Correct(0, new)


@pytest.mark.parametrize(
    ("line", "new", "message"),
    [
        ("主人：我租的房子在六楼", "我不住六楼了", "我搬到二楼了，不住六楼了。"),
        ("主人：我每周五晚上打羽毛球", "我每周五晚上打羽毛球", "羽毛球现在改成周日下午打了。"),
    ],
)
def test_poor_words_of_a_model_give_way_to_the_owners_own(line: str, new: str, message: str) -> None:
    assert settled(line, new, message) == Correct(0, message.rstrip("。"))


@pytest.mark.parametrize(
    ("line", "new", "message", "made"),
    [
        ("主人：我的猫叫团团，三岁了", "团团三岁了", "团团都四岁了！", "我的猫叫团团，四岁了"),
        (
            "Owner: my exam is on 14 January",
            "my exam",
            "They moved my exam to 21 January.",
            "my exam is on 21 January",
        ),
        ("Owner: my dog Rufus is eight years old", "Rufus", "Rufus turned nine!", "my dog Rufus is nine years old"),
        (
            "Owner: my flat is on the third floor",
            "my flat",
            "It's the fifth floor now.",
            "my flat is on the fifth floor",
        ),
    ],
)
def test_value_of_the_message_goes_into_the_old_line(line: str, new: str, message: str, made: str) -> None:
    assert settled(line, new, message) == Correct(0, made)


def test_line_is_found_where_the_model_counts_badly() -> None:
    lines = lines_of("MEMORY.md", "- 主人：我女朋友叫小雨\n- 主人：我喜欢喝茶\n- 主人：我住在学校宿舍\n")
    new, message = "我住在校外租了个单间", "我不住宿舍了，在校外租了个单间。"
    assert settle(Correct(0, new), message, lines) == Correct(2, new)


def test_ordinal_is_the_same_date() -> None:
    new = "my exam is on 21 January"
    assert settled("Owner: my exam is on 14 January", new, "They postponed my exam, it's the 21st now.") == Correct(
        0, new
    )
