"""What a question names: its words in one form, and its days."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pet.language.calendar_words import correct_day_names
from pet.language.normalization import is_one_edit, to_simplified
from pet.language.ranges import asks_for_newest, find_ranges, without
from pet.language.tokens import query_tokens, stem, tokenize
from pet.memory.search.query import asks_for_past, parse_query, to_day
from tests.memory.workspaces import TODAY
from tests.support.clocks import START

D = date.fromisoformat


@pytest.mark.parametrize(
    ("question", "first", "last"),
    [
        ("上周二我说了什么", "2026-11-10", "2026-11-10"),
        ("What did we do on 11/03?", "2026-11-03", "2026-11-03"),
        ("dinner 25/12", "2025-12-25", "2025-12-25"),
        ("on 10/10", "2026-10-10", "2026-10-10"),
        ("What was on 3.11.?", "2026-11-03", "2026-11-03"),
        ("since 3.11.", "2026-11-03", "2026-11-21"),
        ("over the weekend", "2026-11-21", "2026-11-22"),
        ("月初说了什么", "2026-11-01", "2026-11-10"),
        ("月底", "2026-11-20", "2026-11-30"),
        ("上月底发生了什么", "2026-10-20", "2026-10-31"),
        ("上上个月中旬", "2026-09-10", "2026-09-21"),
        ("三天前", "2026-11-18", "2026-11-18"),
        ("两三天前", "2026-11-18", "2026-11-19"),
        ("二三十天前", "2026-10-22", "2026-11-01"),
        ("过去两三天", "2026-11-18", "2026-11-21"),
        ("七八月份去了哪里", "2026-07-01", "2026-08-31"),
        ("12月15号这天", "2025-12-15", "2025-12-15"),
        ("去年三月五日", "2025-03-05", "2025-03-05"),
        ("十二月二十三号", "2025-12-23", "2025-12-23"),
        ("大前天", "2026-11-18", "2026-11-18"),
        ("前天", "2026-11-19", "2026-11-19"),
        ("2025年3月", "2025-03-01", "2025-03-31"),
        ("三月份", "2026-03-01", "2026-03-31"),
        ("十月的二十号", "2026-10-20", "2026-10-20"),
        ("去年十月份的20号", "2025-10-20", "2025-10-20"),
        ("10月20那天", "2026-10-20", "2026-10-20"),
        ("twenty-first of October", "2026-10-21", "2026-10-21"),
        ("October twentieth", "2026-10-20", "2026-10-20"),
        ("Oct 20", "2026-10-20", "2026-10-20"),
        ("on the 20th of October", "2026-10-20", "2026-10-20"),
        ("两个月前", "2026-09-01", "2026-09-30"),
        ("过去三天", "2026-11-18", "2026-11-21"),
        ("下周三", "2026-11-25", "2026-11-25"),
        ("去年", "2025-01-01", "2025-12-31"),
        ("last Tuesday", "2026-11-17", "2026-11-17"),
        ("in March", "2026-03-01", "2026-03-31"),
        ("on 2026-03-01?", "2026-03-01", "2026-03-01"),
        ("June 16, 2023", "2023-06-16", "2023-06-16"),
        ("on 12 June", "2026-06-12", "2026-06-12"),
        ("the 3rd of May 2024", "2024-05-03", "2024-05-03"),
        ("the day before yesterday", "2026-11-19", "2026-11-19"),
        ("a couple of weeks ago", "2026-11-04", "2026-11-10"),
        ("three days ago", "2026-11-18", "2026-11-18"),
        ("last month", "2026-10-01", "2026-10-31"),
        ("this weekend", "2026-11-21", "2026-11-22"),
        ("in 2025", "2025-01-01", "2025-12-31"),
        ("29 February", "2024-02-29", "2024-02-29"),
        ("上週二我說了什麼", "2026-11-10", "2026-11-10"),
        ("兩個星期前", "2026-11-04", "2026-11-10"),
        ("上個月五號", "2026-10-05", "2026-10-05"),
        ("25号", "2026-10-25", "2026-10-25"),
        ("二〇二五年三月五日", "2025-03-05", "2025-03-05"),
        ("25年3月", "2025-03-01", "2025-03-31"),
        ("三月初", "2026-03-01", "2026-03-10"),
        ("昨天上午", "2026-11-20", "2026-11-20"),
        ("大大前天", "2026-11-17", "2026-11-17"),
        ("去年的今天", "2025-11-21", "2025-11-21"),
        ("3月3日到3月9日", "2026-03-03", "2026-03-09"),
        ("11月到2月", "2025-11-01", "2026-02-28"),
        ("三月份以来", "2026-03-01", "2026-11-21"),
        ("过去半年", "2026-05-22", "2026-11-21"),
        ("一百天前", "2026-08-13", "2026-08-13"),
        ("刚才", "2026-11-21", "2026-11-21"),
        ("What happened Tuesday?", "2026-11-17", "2026-11-17"),
        ("Monday last week", "2026-11-09", "2026-11-09"),
        ("a week ago today", "2026-11-14", "2026-11-14"),
        ("the fifth of March", "2026-03-05", "2026-03-05"),
        ("on the 5th?", "2026-11-05", "2026-11-05"),
        ("on the 30th of last month", "2026-10-30", "2026-10-30"),
        ("in early March", "2026-03-01", "2026-03-10"),
        ("between March and May", "2026-03-01", "2026-05-31"),
        ("since last Monday", "2026-11-16", "2026-11-21"),
        ("twenty days ago", "2026-11-01", "2026-11-01"),
        ("yesterday evening", "2026-11-20", "2026-11-20"),
        ("two hours ago", "2026-11-21", "2026-11-21"),
    ],
)
def test_days_are_understood(question: str, first: str, last: str) -> None:
    (days,) = find_ranges(question, TODAY)
    assert (days.first, days.last) == (D(first), D(last))


@pytest.mark.parametrize(
    "question",
    [
        "in october on the 20th",
        "What did I do in October, on the 20th?",
        "on the twentieth, in October",
        "the 20th of last October",
        "in October, what did I note on the 20th?",
        "十月我做了什么？我是说20号",
        "上个月，20号那天",
    ],
)
def test_a_day_without_its_month_is_of_the_month_that_is_named(question: str) -> None:
    assert {(days.first, days.last) for days in find_ranges(question, TODAY)} == {(D("2026-10-20"),) * 2}


def test_two_months_and_a_day_stay_what_they_are() -> None:
    assert [str(days.last) for days in find_ranges("in June, in October, on the 20th", TODAY)] == [
        "2026-06-30",
        "2026-10-31",
        "2026-11-20",
    ]
    assert [str(days.last) for days in find_ranges("in June, on the 31st", TODAY)] == ["2026-06-30", "2026-10-31"]


@pytest.mark.parametrize(
    ("question", "first", "last"),
    [
        ("¿Qué hice el 20 de octubre?", "2026-10-20", "2026-10-20"),
        ("el veinte de octubre del año pasado", "2025-10-20", "2025-10-20"),
        ("¿Y en octubre, el día 20?", "2026-10-20", "2026-10-20"),
        ("el 3 de mayo de 2024", "2024-05-03", "2024-05-03"),
        ("¿Qué hice el 20?", "2026-11-20", "2026-11-20"),
        ("del 3 al 9 de marzo", "2026-03-03", "2026-03-09"),
        ("en marzo", "2026-03-01", "2026-03-31"),
        ("desde marzo", "2026-03-01", "2026-11-21"),
        ("en 2025", "2025-01-01", "2025-12-31"),
        ("ayer por la tarde", "2026-11-20", "2026-11-20"),
        ("ANTEAYER", "2026-11-19", "2026-11-19"),
        ("hace tres días", "2026-11-18", "2026-11-18"),
        ("hace una semana", "2026-11-11", "2026-11-17"),
        ("hace un mes", "2026-10-01", "2026-10-31"),
        ("hace dos horas", "2026-11-21", "2026-11-21"),
        ("el lunes pasado", "2026-11-16", "2026-11-16"),
        ("el próximo lunes", "2026-11-23", "2026-11-23"),
        ("este viernes", "2026-11-20", "2026-11-20"),
        ("el lunes de la semana pasada", "2026-11-09", "2026-11-09"),
        ("la semana pasada", "2026-11-09", "2026-11-15"),
        ("el fin de semana pasado", "2026-11-14", "2026-11-15"),
        ("el mes pasado", "2026-10-01", "2026-10-31"),
        ("el año que viene", "2027-01-01", "2027-12-31"),
        ("los últimos tres días", "2026-11-18", "2026-11-21"),
        ("esta mañana", "2026-11-21", "2026-11-21"),
        ("mañana", "2026-11-22", "2026-11-22"),
    ],
)
def test_spanish_days_are_understood(question: str, first: str, last: str) -> None:
    (days,) = find_ranges(question, TODAY)
    assert (days.first, days.last) == (D(first), D(last))


@pytest.mark.parametrize(
    "question", ["por la mañana", "cada lunes", "los lunes", "el 31 de febrero", "hace frío", "el 5 piso", "de mes"]
)
def test_what_is_no_date_in_spanish_is_left_alone(question: str) -> None:
    assert find_ranges(question, TODAY) == []


@pytest.mark.parametrize(
    "question",
    [
        "may I ask", "31 February", "99999-99-99", "10000000 days ago", "I march on", "",
        "每周五我做什么", "每个月5号还房贷", "坐地铁2号线", "5号楼", "7号电池", "一号种子",
        "十几二十天前",
        "every Monday", "on Tuesdays", "the day before my birthday", "Friday the 13th",
    ],
)  # fmt: skip
def test_what_is_no_date_is_left_alone(question: str) -> None:
    assert find_ranges(question, TODAY) == []


@given(st.text(), st.dates(min_value=date(1, 1, 1), max_value=date(9999, 12, 31)))
def test_no_question_breaks_the_reading(question: str, today: date) -> None:
    days = find_ranges(question, today)
    assert all(stretch.first <= stretch.last for stretch in days)
    without(question, days)
    parse_query(question, today)


_OF_DATES = """
上 下 这 个 周 星期 天 日 月 年 前 后 号 初 十 百 一 两 几 半 〇 今 去 大 到 至 之间 以来 过去 最近 last this next
week month year day days ago today yesterday monday march may 29 31 th the of on since from to between and 2024 99 -
""".split()  # noqa: SIM905 - a list of words is read best as words


@given(
    st.lists(st.sampled_from(_OF_DATES), max_size=8),
    st.sampled_from(["", " "]),
    st.one_of(st.dates(), st.sampled_from([date.min, date.max, D("2024-02-29"), D("2026-12-31")])),
)
def test_nothing_made_of_the_words_of_dates_breaks_the_reading(words: list[str], gap: str, today: date) -> None:
    question = parse_query(gap.join(words), today)
    assert all(stretch.first <= stretch.last for stretch in question.days)


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("yestreday", "yesterday"), ("Agust 25", "august 25"), ("last Wensday", "last wednesday"),
        ("on Mondays", "on Mondays"), ("Augusta", "Augusta"), ("Sunday", "Sunday"), ("Mondy", "monday"),
        ("Frida", "Frida"), ("Sundar", "Sundar"), ("sundae", "sundae"), ("sundry", "sundry"), ("Sunray", "Sunray"),
        ("Munday", "Munday"),
    ],
)  # fmt: skip
def test_a_day_with_a_slip_in_it_is_that_day(said: str, meant: str) -> None:
    assert correct_day_names(said) == meant


def test_a_name_that_is_nearly_a_day_is_asked_for_as_a_name() -> None:
    question = parse_query("What does Frida like?", TODAY)
    assert (question.days, question.names) == ((), frozenset({"frida"}))


@pytest.mark.parametrize(
    ("one", "other", "near"),
    [
        ("guitr", "guitar", True), ("gutiar", "guitar", True), ("guitaar", "guitar", True),
        ("guimar", "guitar", True),
        ("guitar", "guitar", False), ("gutair", "guitar", False), ("", "a", True), ("ab", "ba", True),
        ("abcd", "badc", False),
    ],
)  # fmt: skip
def test_one_slip_is_told_from_two(one: str, other: str, near: bool) -> None:
    assert is_one_edit(one, other) is near and is_one_edit(other, one) is near


def test_traditional_characters_are_the_simplified_ones_here() -> None:
    assert tokenize("張曼婷說她的頭髮") == tokenize("张曼婷说她的头发")
    assert parse_query("對了，我妹妹喜歡什麼花？", TODAY).tokens == parse_query("我妹妹喜欢什么花", TODAY).tokens
    assert to_simplified("週三 ok") == "周三 ok"


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("Hey, quick question, do you remember where I keep my bicycle?", "where I keep my bicycle?"),
        ("Could you tell me what I bought?", "what I bought?"),
        ("对了，我想问一下，你还记不记得我在学什么乐器？", "我在学什么乐器？"),
        ("能告诉我车停在哪里吗", "车停在哪里吗"),
    ],
)
def test_what_leads_up_to_a_question_is_not_looked_for(said: str, meant: str) -> None:
    assert parse_query(said, TODAY).tokens == parse_query(meant, TODAY).tokens


@pytest.mark.parametrize(("said", "kept"), [("Hello Kitty cup", "hello"), ("well water", "well")])
def test_what_only_looks_like_leading_up_is_looked_for(said: str, kept: str) -> None:
    assert kept in parse_query(said, TODAY).tokens


@pytest.mark.parametrize("said", ["do you remember?", "Hello", "对了", "你还记得吗"])
def test_where_nothing_follows_all_of_it_is_asked(said: str) -> None:
    assert parse_query(said, TODAY).tokens


def test_words_meet_in_one_form() -> None:
    assert {stem(word) for word in ("painted", "painting", "paints")} == {"paint"}
    assert stem("went") == stem("going") == stem("goes")
    assert stem("careful") == stem("carefully") and stem("community") != stem("communicate")
    assert tokenize("ＦＵＬＬ width") == ["full", "width"]
    assert "云台" in tokenize("去了云台山") and "山" in tokenize("云台山")


def test_a_question_s_own_words_are_not_looked_for() -> None:
    assert query_tokens("When did Caroline go to the support group?") == ["carolin", "go", "support", "group"]
    assert "什么" not in query_tokens("我买了什么连衣裙？")
    assert query_tokens("what was that") == ["what", "be", "that"]  # nothing else: then these


def test_asking_for_a_day_is_told_from_asking_about_it() -> None:
    assert parse_query("What did we talk about yesterday?", TODAY).whole_days
    assert parse_query("在2月8号我们聊了哪些话题呢？", TODAY).whole_days
    assert not parse_query("What cake did I bake yesterday?", TODAY).whole_days
    assert parse_query("What have we talked about lately?", TODAY).whole_days
    assert asks_for_newest("我最近在做什么") and not asks_for_newest("我以前在做什么")


@pytest.mark.parametrize(
    "question",
    [
        "¿Dónde vivía antes?",
        "¿Dónde vivía yo?",
        "¿Dónde viví antes?",
        "¿Dónde trabajé?",
        "¿Dónde vivíamos?",
        "¿Dónde solía vivir?",
        "¿Dónde solíamos ir los domingos?",
        "¿Dónde trabajaba antiguamente?",
        "¿Quién fue mi médico?",
        "¿Cómo se llamaba mi jefe?",
        "¿Qué coche tuve?",
        "¿Qué coche teníamos?",
        "¿Dónde he trabajado?",
        "¿Qué estudié?",
        "¿Qué tomaba por la mañana?",
        "¿Cuál era mi talla?",
        "¿Cuál fue mi primer trabajo?",
        "¿Dónde vivía antes de mudarme?",
        "Where did I use to live?",
        "Where did I live before Madrid?",
        "Where was I living?",
        "Where have I lived?",
        "Who was my doctor?",
        "What car did we have?",
        "Which company did I work for?",
        "Where'd I work?",
        "What was my old address?",
        "Where did I work before?",
        "我以前住哪儿？",
        "我之前在哪家公司？",
        "我住过哪里？",
        "我曾经住在哪里？",
        "我小时候住哪儿？",
        "我上一份工作是什么？",
        "我之前的医生是谁？",
        "我妹妹之前在哪工作？",
        "我原先在哪工作？",
        "我先前住哪？",
        "我原来住哪儿？",
        "我從前住在哪裡？",
    ],
)
def test_a_question_about_what_held_earlier_is_known_by_its_words_and_tense(question: str) -> None:
    assert asks_for_past(question, TODAY)


@pytest.mark.parametrize(
    "question",
    [
        "¿Dónde vivo?",
        "¿Dónde vivo ahora?",
        "¿Qué tengo que hacer antes del viernes?",
        "¿Qué debo tomar antes de dormir?",
        "¿Qué llevo antes de que llegue Ana?",
        "¿Cuándo es mi primera cita?",
        "Entonces, ¿dónde trabajo?",
        "Quería saber dónde vivo",
        "¿Qué café me gusta?",
        "¿Dónde acaba mi ruta?",
        "¿A qué hora empiezo el día?",
        "¿Qué haré el lunes?",
        "¿Todavía vivo en Sevilla?",
        "¿En qué compañía trabajo?",
        "Where do I work?",
        "Where do I live now?",
        "What do I need before Friday?",
        "What should I do first?",
        "What do I take before bed?",
        "How old is my sister?",
        "What is my first name?",
        "I was wondering where I work",
        "I had a question: where do I work?",
        "我睡觉之前要吃什么药？",
        "出门之前我要带什么？",
        "我现在住哪里？",
        "我周五之前要做什么？",
        "开会之前准备什么？",
        "我吃过饭了吗？",
        "我叫什么名字？",
        "原来我住在哪儿？",
    ],
)
def test_a_question_about_now_is_none_about_the_past(question: str) -> None:
    assert not asks_for_past(question, TODAY)


def test_of_a_very_long_question_the_beginning_is_embedded() -> None:
    assert parse_query("Where is Anna?", TODAY).meaning == "Where is Anna?"
    assert 120 <= len(parse_query("日出" * 5_000, TODAY).meaning) <= 150
    assert len(parse_query("sunrise " * 1_300, TODAY).meaning) <= 400


def test_now_is_a_date_or_a_moment() -> None:
    assert to_day(START) == to_day(START.date()) == START.date()


@pytest.mark.parametrize(
    "question",
    [
        "Python 3.11. is out",
        "24/7 support",
        "1/2 cup of sugar",
        "a 10/10 film",
        "每月底付房租",
        "岁月底色",
        "13/32",
        "正月初五",
    ],
)
def test_numbers_that_look_like_a_day_are_words(question: str) -> None:
    assert find_ranges(question, TODAY) == []
