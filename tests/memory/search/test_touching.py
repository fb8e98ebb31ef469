"""Messages that touch what the body allows, without a question: the line about it goes along."""

from __future__ import annotations

import random
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest

from pet.language import read_rows
from pet.language.mentions import touched_facts
from pet.memory.search.memory_index import open_index
from tests.memory.gated import recalled
from tests.memory.search.recall_set.filler import everyday_notes
from tests.memory.search.recall_set.workspaces import TODAY, write_logs

LEAST = 0.85
TOUCHING = {
    "en": [
        ("I have a slipped disc, the physio forbade lifting", "I'll carry the washing machine up on my own tonight"),
        ("I get dizzy above the third floor", "Booked us the glass-floor viewing platform"),
        ("My knee is operated on, no running until March", "Thinking of joining the half marathon on Sunday"),
        ("I'm allergic to sulphites", "Going to open that bottle of red to celebrate"),
        ("I take warfarin", "Got a huge bag of spinach and kale from the market"),
        ("I take metronidazole until Friday", "Toast with champagne tomorrow at the wedding!"),
        ("Grapefruit is forbidden because of my statins", "Ordered a fresh pink juice at brunch"),
        ("My dog is called Biscuit", "Biscuit just ate a whole bar of dark chocolate"),
        ("My cat is called Miso", "Can Miso have some of my onion soup?"),
        ("Rex is our beagle, he gets pancreatitis from fat", "Giving Rex the leftover bacon"),
        ("I have celiac disease", "Trying the new bakery's sourdough this afternoon"),
        ("I'm lactose intolerant", "Making a cheese fondue for myself"),
        ("My son Theo is allergic to bees", "Theo wants to help the neighbour with the hives"),
        ("I can't swim", "They invited me to go kayaking down the river"),
        ("I had my wisdom teeth out on Monday", "Steak house tonight, can't wait"),
        ("I'm pregnant, fourteen weeks", "Sushi platter and a glass of prosecco for lunch"),
        ("My ankle is sprained", "We're off to the ice rink with the kids"),
        ("I have high blood pressure", "Salted crisps and liquorice for the film"),
        ("I take doxycycline", "Sunbathing all Saturday at the lake"),
        ("Ben is allergic to cats", "Ben comes to meet the new kittens"),
        ("I'm on antibiotics until Sunday", "Beer garden after work"),
        ("My back is out, no lifting", "Picking up the new wardrobe alone"),
        ("I had laser surgery on my eyes", "Going swimming tomorrow"),
        ("Mila is diabetic", "Baking a triple chocolate cake for Mila"),
        ("I get seasick", "Fishing trip on a trawler on Friday"),
        ("I can't climb stairs since the operation", "New flat viewing on the fifth floor, no lift"),
    ],
    "zh": [
        ("我腰椎间盘突出，医生不让搬重东西", "今晚打算自己把洗衣机搬上楼"),
        ("我恐高", "订了玻璃栈道的票"),
        ("我对酒精过敏", "朋友带了一瓶白酒来，今晚开了它"),
        ("我在吃头孢，吃到周五", "明天婚礼上要喝香槟"),
        ("我乳糖不耐", "下午去买杯拿铁加双份奶"),
        ("我的狗叫可可", "可可刚刚吃了半块黑巧克力"),
        ("我家猫叫团子", "能给团子吃点葡萄吗"),
        ("我膝盖做了手术，三月前不能跑步", "周日想报名半程马拉松"),
        ("儿子小宇对蜜蜂过敏", "小宇想去帮邻居看蜂箱"),
        ("我有痛风", "晚上约了吃海鲜大排档"),
        ("我不会游泳", "他们约我去漂流"),
        ("我怀孕十四周了", "中午吃刺身拼盘"),
        ("爸爸有糖尿病", "给爸爸买了一盒月饼和糖"),
        ("我崴了脚", "周末去爬香山"),
        ("我胃炎犯了", "晚上约了麻辣火锅"),
        ("小雨对猫毛过敏", "带小雨去猫咖"),
        ("我晕船", "报了个海钓团"),
        ("我在吃消炎药", "同事聚会要喝啤酒"),
    ],
}


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_fact_that_a_message_touches_goes_along(language: str, tmp_path: Path) -> None:
    pairs = TOUCHING[language]
    notes = [fact for fact, _ in pairs] + list(everyday_notes("zh" if language == "zh" else "en", 150, seed=11))
    random.Random(2).shuffle(notes)
    write_logs(tmp_path / "pet", notes)
    with closing(open_index(tmp_path / "pet", tmp_path / "cache")) as index:
        index.refresh()
        missed = [
            message
            for fact, message in pairs
            if not any(fact in hit.snippet for hit in recalled(index, message, TODAY))
        ]
    assert len(missed) <= (1 - LEAST) * len(pairs), missed


def test_each_row_matches_its_pair_and_not_the_other() -> None:
    for row in read_rows("touching.json")["rows"]:
        (message, fact), (other, still) = row["is"], row["is_not"]
        touched = partial(touched_facts, asked="asked" in row)
        assert any(pattern.search(fact) for pattern in touched(message)), row["is"]
        assert not any(pattern.search(still) for pattern in touched(other)), row["is_not"]


def test_what_to_give_everyone_asks_for_the_tastes_of_others(tmp_path: Path) -> None:
    tastes = (
        "Ingrid collects postcards of lighthouses",
        "Lars loves squid",
        "Dad reads crime novels",
    )
    mine = [f"I like {thing}" for thing in ("coffee black", "long walks", "rye bread", "early mornings", "old maps")]
    write_logs(tmp_path / "pet", [*everyday_notes("en", 60, seed=8), *tastes, *mine])
    with closing(open_index(tmp_path / "pet", tmp_path / "cache")) as index:
        index.refresh()
        hits = recalled(index, "What could I give everyone in the family for Christmas?", TODAY)
    sent = "\n".join(hit.snippet for hit in hits)
    assert all(taste in sent for taste in tastes), sent
    assert len(hits) <= 11
