"""Messages that ask for nothing that could be remembered: greetings, thanks, yes and no, "go on"; pure.

Owns the phrases, zh and en. Refuses to judge more than a whole short message made of nothing else: with one word
besides them, the score decides.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from itertools import pairwise

from pet.memory.text.simplify import to_simplified

_LONGEST = 60  # characters; what is longer says something

_ENGLISH = """
hello|hi|hey|yo|hiya|there|good morning|good afternoon|good evening|good night|goodnight|good day|morning|night
bye|bye bye|goodbye|good bye|see you|see ya|later|soon|tomorrow|take care|sleep well|sleep tight|sweet dreams
going to bed|going to sleep|off to bed|i'm|i am|i'm off|i'm back|i'm here|i'm home|back|home|here|tired|bored
sleepy|hungry|happy|sad|fine|thanks|thank you|thank|thx|ty|so much|very much|a lot|a bunch|cheers|ok|okay|k
alright|all right|sure|great|cool|nice|wow|amazing|awesome|perfect|lovely|wonderful|interesting|indeed|funny
cute|sweet|kind|good|good job|good work|good idea|well done|yes|yeah|yep|yup|no|nope|nah|maybe|please|exactly
right|correct|wrong|agreed|really|seriously|true|of course|never mind|nevermind|i agree|i see|i know
you're right|you are right|that's right|that's wrong|that's|that is|it's|it is|sounds|sounds good|you're|you are
you're welcome|got it|no problem|no worries|no thanks|sorry|sorry about that|my bad|i love you|love you
i love it|miss you|i miss you|ha|haha|hahaha|heh|hehe|lol|lmao|hm|hmm|um|uh|oh|ah|aw|aww|yay|ugh|oops
how are you|how are you doing|how are you feeling|how do you feel|today|how's it going|what's up|are you there
you there|who are you|what's your name|what is your name|what can you do|how old are you|go on|continue
please continue|carry on|keep going|again|repeat that|can you repeat that|say that again|more|more details|stop
wait|what do you think|what do you mean|that is not what i meant|that's not what i meant|i don't understand
i don't know|i don't get it|let's talk|let's chat|tell me a joke|happy new year|happy birthday|merry christmas
and|but|so|well|now|then|too|also|just|very|the best|i feel|i feel great|bro|dear|friend|buddy
"""
_CHINESE = """
你好 您好 哈喽 哈啰 嗨 嘿 喂 早 早安 早上好 上午好 中午好 下午好 晚上好 午安 晚安 在吗 在不在 在么 你在吗 大家好
谢谢 谢谢你 谢谢您 多谢 感谢 非常感谢 谢啦 辛苦了 辛苦你了 麻烦你了 好 好的 好吧 好呀 好啊 好哒 行 行吧 可以
没问题 没事 没关系 不客气 不用谢 不用了 算了 随便 都行 嗯 嗯嗯 哦 噢 喔 唉 哎 哇 啊 呃 是 是的 是啊 对 对的 对啊
没错 不是 不对 不行 不要 不 没有 当然 也许 可能 真的 真的吗 是吗 同意 我同意 明白 明白了 知道了 懂了 我知道了
我明白了 我不明白 我不懂 我不知道 什么意思 为什么 然后呢 还有呢 还有吗 继续 接着说 再说一遍 再来 等等 停 哈 哈哈
哈哈哈 嘿嘿 嘻嘻 呵呵 呜呜 再见 拜拜 拜 回见 回头见 明天见 下次见 待会见 一会儿见 我走了 我先走了 我回来了
我来了 我去睡了 我睡了 我睡觉了 睡了 我累了 我好累 好累 今天好累 我困了 好困 我好困 我饿了 好饿 我好无聊 好无聊
无聊 我很开心 今天很开心 我今天很开心 我很难过 我不开心 我爱你 爱你 想你 我想你 想你了 你真好 你真棒 你真可爱
你好可爱 太好了 太棒了 真棒 不错 很好 真好 厉害 干得好 加油 对不起 抱歉 不好意思 有意思 真有意思 你是谁 你叫什么
你叫什么名字 你会什么 你会做什么 你能做什么 你几岁 你多大了 你呢 你觉得呢 你怎么看 你怎么样 你还好吗 最近怎么样
今天怎么样 吃了吗 你吃了吗 在干嘛 你在干嘛 你在做什么 聊聊天 随便聊聊 陪我聊聊天 陪我聊天 我们聊聊 讲个笑话
讲个故事 给我讲个笑话 新年快乐 生日快乐 节日快乐 周末愉快 现在几点 现在几点了 几点了
"""
_PARTICLES = frozenset("呀啊哦噢喔呢吧嘛啦哈哟了~")


def is_small_talk(message: str) -> bool:
    """Whether the message consists of such phrases, or of no words at all."""
    text = to_simplified(unicodedata.normalize("NFKC", message)).casefold().replace("\u2019", "'").strip()
    if len(text) > _LONGEST:
        return False
    words = _WORDS.findall(text)
    return all(_is_made_of(run, phrases) for run, phrases in _runs(words))


def _runs(words: Sequence[str]) -> list[tuple[Sequence[str], frozenset[tuple[str, ...]]]]:
    """The message as stretches of one writing: words of letters, single characters of the others."""
    edges = [0, *(at for at, (a, b) in enumerate(pairwise(words), 1) if a.isascii() != b.isascii()), len(words)]
    return [(words[a:b], _EN if words[a].isascii() else _ZH) for a, b in pairwise(edges) if a < b]


def _is_made_of(run: Sequence[str], phrases: frozenset[tuple[str, ...]]) -> bool:
    reached = [True] + [False] * len(run)
    for end in range(1, len(run) + 1):
        begins = range(max(0, end - _MOST_WORDS), end)
        particle = end > 1 and run[end - 1] in _PARTICLES and reached[end - 1]
        reached[end] = particle or any(reached[begin] and tuple(run[begin:end]) in phrases for begin in begins)
    return reached[-1]


_WORDS = re.compile(r"[a-z0-9']+|[^\W_]")
_EN = frozenset(tuple(phrase.split()) for phrase in re.split(r"[|\n]", _ENGLISH) if phrase)
_ZH = frozenset(tuple(phrase) for phrase in _CHINESE.split())
_MOST_WORDS = max(map(len, _EN | _ZH))
