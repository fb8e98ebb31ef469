"""Everyday notes of another make than those of ``filler``, for fitting only: what is judged was filled otherwise."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator

_ENGLISH = """
{who} called about the {event} on {day}
The {place} sold out of {food} again
Replied to {number} emails, most of them from {who}
{who} wore a {colour} {thing} to the {event}
Parked by the {place}, paid {number} for two hours
Read {number} pages of a novel set in {town}
Cleaned the {thing}, it took {number} minutes
Heard that {who} is moving to {town}
The {vehicle} smelled of {food} all the way to {town}
Tea with {who}, who talked about {town} for {number} minutes
My {thing} got wet on the way to the {place}
{who} forgot the {event}, nobody minded
Took a photo of a {colour} {vehicle} outside the {place}
Lost at cards against {who}, {number} to nothing
The {event} in {town} was cancelled because of the wind
Ate too much {food} at the {event}
New {colour} paint on the {place} wall
Helped {who} carry a {thing} up the stairs
The radio played songs from {town} while I ironed
A stranger on the {vehicle} asked the way to the {place}
{who} showed me a trick with {food}
Waited {number} minutes for {who} in front of the {place}
Saw a {colour} bird near the {place}
Wrote a postcard to {who} from {town}
"""
_CHINESE = """
{who}打电话来说{day}的{event}
{place}的{food}又卖光了
回了{number}封邮件，大多是{who}的
{who}穿着{colour}的{thing}来{event}
车停在{place}旁边，付了{number}块
看了{number}页写{town}的小说
擦{thing}擦了{number}分钟
听说{who}要搬到{town}
{vehicle}上一路都是{food}的味道
跟{who}喝茶，听他讲了{number}分钟{town}
去{place}的路上{thing}淋湿了
{who}忘了{event}，也没人怪他
在{place}外面拍了一辆{colour}的{vehicle}
打牌输给{who}，零比{number}
{town}的{event}因为刮风取消了
{event}上吃了太多{food}
{place}的墙刷成了{colour}
帮{who}把{thing}搬上楼
熨衣服时收音机放着{town}的歌
{vehicle}上有人问我{place}怎么走
{who}教我一招做{food}
在{place}门口等了{who}{number}分钟
{place}附近飞来一只{colour}的鸟
从{town}给{who}寄了明信片
"""
_WORDS = {
    "en": {
        "who": "Gareth|Fatima|Mrs Okoro|Luca|Svetlana|Jun|Dermot|Aisha"
        "|Wilma|Benedikt|Chloe|Rashid|Tuomas|Old Pete|Mei|Carlos",
        "event": "barbecue|quiz|rehearsal|seminar|flea market|picnic"
        "|reunion|auction|concert|workshop|christening|raffle",
        "day": "Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday",
        "place": "post office|bakery|station|swimming pool|town hall|petrol station"
        "|bookshop|butcher|theatre|laundrette|school|chapel",
        "food": "strawberries|meatballs|popcorn|olives|garlic bread|waffles"
        "|sushi|peanuts|rice pudding|sausages|pickles|cheese",
        "colour": "green|purple|striped|yellow|faded|spotted|grey|orange",
        "thing": "jacket|carpet|rucksack|mirror|bookcase|hat|mattress|curtain|armchair|toolbox|pair of boots",
        "town": "Naples|Oslo|Cork|Lyon|Krakow|Kyoto|Tunis|Boston|Bergen|Quito|Hanoi",
        "vehicle": "tram|van|ferry|train|taxi|lorry|scooter",
    },
    "zh": {
        "who": "阿国|法蒂玛|欧太太|小鲁|薇拉|小君|大德|阿霞|小梅|老贝|可儿|阿施|老皮|美美|卡洛",
        "event": "烧烤|猜谜会|排练|讲座|跳蚤市场|野餐|聚会|拍卖|音乐会|手工课|满月酒|抽奖",
        "day": "周一|周二|周三|周四|周五|周六|周日",
        "place": "邮局|面包房|火车站|游泳馆|镇政府|加油站|书店|肉铺|剧院|洗衣店|学校|教堂",
        "food": "草莓|肉丸|爆米花|橄榄|蒜香面包|华夫饼|寿司|花生|八宝饭|香肠|泡菜|奶酪",
        "colour": "绿色|紫色|条纹|黄色|褪色|斑点|灰色|橙色",
        "thing": "夹克|地毯|背包|镜子|书柜|帽子|床垫|窗帘|扶手椅|工具箱|靴子",
        "town": "那不勒斯|奥斯陆|科克|里昂|克拉科夫|京都|突尼斯|波士顿|卑尔根|基多|河内",
        "vehicle": "电车|面包车|渡轮|火车|出租车|卡车|摩托车",
    },
}
_SLOT = re.compile(r"\{([a-z]+)\}")


def other_everyday_notes(count: int, seed: int = 99) -> Iterator[str]:
    """``count`` different notes, English and Chinese by turns."""
    chance = random.Random(seed)
    seen: set[str] = set()
    while len(seen) < count:
        language, templates = (("en", _ENGLISH), ("zh", _CHINESE))[len(seen) % 2]
        note = _filled(chance.choice(templates.split("\n")[1:-1]), _WORDS[language], chance)
        if note not in seen:
            seen.add(note)
            yield note[0].upper() + note[1:]


def _filled(template: str, words: dict[str, str], chance: random.Random) -> str:
    def word(slot: re.Match[str]) -> str:
        return str(chance.randint(3, 99)) if slot[1] == "number" else chance.choice(words[slot[1]].split("|"))

    return _SLOT.sub(word, template)
