"""Everyday notes that answer none of the labelled questions, to make a memory of any size; pure and repeatable."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator

_ENGLISH = """
Had {dish} for lunch with {who} at {place}
{who} said the {thing} at {place} was {quality}
Watched {show} with {who}, it was {quality}
Bought a {item} for {number} pounds at {place}
Walked {number} kilometres past {place} and met {who}
The meeting about {topic} took {number} minutes and {who} was {mood}
The {thing} in the {room} broke again, {who} looked at it
{who} told me about {topic} over {dish}
Wants to try the {dish} at {place} some time
It rained all day, stayed in the {room} and read about {topic}
{who} and {who} argued about {topic}
Finished the {item} for {who}, it came out {quality}
Felt {mood} after the talk with {who} about {topic}
The bus to {place} was {number} minutes late
Sorted the {room} and found an old {item}
{who} recommended {show}
Slept {number} hours, dreamt of {place}
The queue at {place} was {quality}, left without the {item}
{who} sent a picture of {place}
Tried a recipe for {dish}, {quality}
Talked with {who} about moving the {thing} to the {room}
Decided not to buy the {item} after all
A parcel with a {item} came for {who}
Listened to a programme on {topic}, {quality}
"""
_CHINESE = """
中午和{who}在{place}吃了{dish}
{who}说{place}的{thing}{quality}
和{who}一起看了{show}，觉得{quality}
在{place}花了{number}块钱买了{item}
沿着{place}走了{number}公里，碰见了{who}
关于{topic}的会开了{number}分钟，{who}有点{mood}
{room}里的{thing}又坏了，{who}来看过
{who}边吃{dish}边讲{topic}
想找时间去{place}尝尝{dish}
下了一整天雨，在{room}里看了些{topic}的东西
{who}跟{who}为了{topic}吵了起来
给{who}做的{item}完工了，{quality}
和{who}谈完{topic}之后很{mood}
去{place}的公交晚了{number}分钟
收拾{room}时翻出一个旧{item}
{who}推荐了{show}
睡了{number}个小时，梦见了{place}
{place}排队太长，没买成{item}
{who}发来{place}的照片
照着菜谱做了{dish}，{quality}
和{who}商量把{thing}搬到{room}去
最后还是没买那个{item}
{who}的快递到了，是个{item}
听了一期讲{topic}的节目，{quality}
"""
_WORDS = {
    "en": {
        "dish": "lentil soup|pancakes|fish and chips|a cheese toastie|mushroom risotto|ramen|a burrito|potato salad"
        "|pumpkin pie|dumplings|a falafel wrap|tomato soup|grilled mackerel|scones|noodles|an apple crumble",
        "who": "Oscar|Lena|Mr Brandt|Yusuf|Harriet|Old Dai|Bettina|Marcus|Ines|Pavel|Dilys|the postman|Aunt Rhona"
        "|Callum|Sunita|Dr Voss|the twins|Elodie|Rhys|Nadia",
        "place": "the harbour|the covered market|Elm Street|the library|the garden centre|the new cinema|Hall Lane"
        "|the canal|the bus depot|the museum café|the hardware store|the sports hall|the park|the pharmacy"
        "|the charity shop|the pier",
        "thing": "sofa|printer|lamp|radio|coffee machine|shelf|projector|window|fan|door handle|kettle|clock|heater",
        "show": "a documentary about octopuses|the new detective series|a black and white comedy|the cooking contest"
        "|a film about a lighthouse|the quiz show|an old western|the space drama|the football highlights",
        "item": "umbrella|notebook|raincoat|candle|jigsaw puzzle|desk lamp|scarf|frying pan|plant pot|torch|teapot"
        "|suitcase|picture frame|bird feeder|mug|blanket",
        "topic": "tax reform|local elections|gardening|old trains|the office move|holiday plans|wind power"
        "|school fees|the flood of last year|chess openings|street art|the new manager|house prices|recycling",
        "room": "kitchen|hallway|attic|garage|bathroom|cellar|spare room|porch|utility room",
        "quality": "better than expected|rather dull|far too loud|surprisingly good|a bit salty|not worth it|charming"
        "|a disappointment|over too soon|endless|fine|lovely",
        "mood": "tired|cheerful|annoyed|quiet|hopeful|restless|proud|confused|relieved",
    },
    "zh": {
        "dish": "番茄鸡蛋面|煎饼|酸菜鱼|三明治|蘑菇烩饭|馄饨|烤鸭|土豆沙拉"
        "|南瓜饼|饺子|肠粉|冬瓜汤|烤鱼|红豆饼|凉皮|苹果派",
        "who": "老吴|小蕾|布兰特先生|优素福|海棠|邻居阿明|小贝|马克|依娜"
        "|老潘|快递员|三姨|志强|阿苏|冯医生|双胞胎|小朵|瑞丰|娜娜",
        "place": "码头|菜市场|榆树街|图书馆|园艺店|新电影院|大堂路|运河边"
        "|汽车总站|博物馆咖啡厅|五金店|体育馆|公园|药房|旧货店|江边",
        "thing": "沙发|打印机|台灯|收音机|咖啡机|架子|投影仪|窗户|风扇|门把手|水壶|挂钟|暖气",
        "show": "讲章鱼的纪录片|新的侦探剧|一部黑白喜剧|厨艺比赛|一部灯塔的电影|问答节目|老西部片|太空剧|足球集锦",
        "item": "雨伞|笔记本|雨衣|蜡烛|拼图|书桌灯|围巾|平底锅|花盆|手电筒|茶壶|行李箱|相框|喂鸟器|马克杯|毯子",
        "topic": "税改|社区选举|园艺|老火车|办公室搬家|假期安排|风电"
        "|学费|去年的洪水|国际象棋|街头涂鸦|新经理|房价|垃圾分类",
        "room": "厨房|走廊|阁楼|车库|浴室|地下室|客房|门廊|洗衣间",
        "quality": "比想象的好|有点无聊|太吵了|意外地不错|偏咸|不值得|挺有意思|让人失望|太短了|没完没了|还行|很美",
        "mood": "累|开心|烦|沉默|期待|不安|骄傲|糊涂|轻松",
    },
}
_SLOT = re.compile(r"\{([a-z]+)\}")


def everyday_notes(language: str, count: int, seed: int = 7) -> Iterator[str]:
    """``count`` different notes in "en", "zh", or both by turns ("mixed")."""
    chance = random.Random(seed)
    seen: set[str] = set()
    while len(seen) < count:
        each = language if language != "mixed" else ("en", "zh")[len(seen) % 2]
        template = chance.choice((_ENGLISH if each == "en" else _CHINESE).split("\n")[1:-1])
        note = _filled(template, each, chance)
        if note not in seen:
            seen.add(note)
            yield note[0].upper() + note[1:]


def _filled(template: str, language: str, chance: random.Random) -> str:
    def word(slot: re.Match[str]) -> str:
        if slot[1] == "number":
            return str(chance.randint(2, 95))
        return chance.choice(_WORDS[language][slot[1]].split("|"))

    return _SLOT.sub(word, template)
