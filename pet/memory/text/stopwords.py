"""Stop words of questions in English and Chinese; data.

Not in the lists: common words that somebody may look for. Their frequency already makes them count little.
"""

from __future__ import annotations

ENGLISH = frozenset(
    """
a about after again all also am an and any are as at be been before being but by can could d did do does doing
don each else ever few for from had has have having he her hers him his how i if in into is it its just ll m me
more most my myself no not now of off on once only or other our out over own re s same she should so some such t
than that the their them then there these they this those through to too under until up ve very was we were what
when where which while who whom whose why will with would you your yours please tell remember recall really
happen kind name would like mention talk said say know think thing get
    """.split()  # noqa: SIM905 - a list of words is read best as words
)

CHINESE = frozenset(
    """
的 了 吗 呢 吧 啊 呀 嘛 么 我 你 他 她 它 们 是 在 有 和 与 也 都 就 还 又 很 这 那 哪 谁 啥 什 怎 几 个 不 没
把 被 给 让 对 从 到 说 过 着 会 要 想 能 可 以 为 因 所 但 而 或 跟 得 地 之 曾 些 样 次 时 候 上 下 里 去 来 做 叫
什么 哪些 哪个 哪里 哪儿 哪本 哪部 哪种 哪座 哪首 哪家 哪一 怎么 怎样 么样 为什 为啥 是什 是谁 是啥 叫什 叫啥
我们 你们 他们 我的 你的 我在 我是 我有 我想 我最 我曾 你给 你说 你还 还记 记得 得我 的是 是哪 了什 了哪 多少
几个 是不 不是 有没 没有 吗我 么我 了我 了一 个一 一个 一些 的时 时候 曾经 经和 和你 给我 我哪 哪几 告诉 诉我
我说 我和 过什 过哪 的那 那个 这个 那本 那部 那道 有哪 有什 的什 过的 过我 的名 名字 字是 聊了 聊过 们聊 我聊
提到 到过 了吗 我做 做了
    """.split()  # noqa: SIM905
)
"""Characters and pairs found in nearly every question."""

OF_DAYS = frozenset(
    """
talk discuss chat happen convers topic speak up new anyth someth day todo todos plan due
话 题 话题 聊 天 聊天 谈 论 谈论 讨 讨论 事 情 事情 事儿 发 生 发生 多 很多 了很 聊得 什么话 么话 些话 生了 论了
de qué que sobre hablamo charlamo conversamo hicimo hice hicist pasó ocurrió sucedió dijimo dije dijist en el la lo
los las y te nos fue cosa algo día
谈了 谈到 么事 些事 干 干了 这天 那天 一天 当天 安排 待办
    """.split()  # noqa: SIM905
)
"""Tokens of questions that ask for a whole day: "what did we talk about", "我们聊了哪些话题", "de qué hablamos"."""
