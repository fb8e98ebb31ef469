"""The pet's body: what is drawn, and when. Pure: no window, no thread, no clock; milliseconds throughout.

``creature`` and ``bodies`` compose drawings, ``acts`` and ``life`` say what follows what, ``timeline`` plays it on an
``agenda``, ``motion`` and ``travels`` move it over the screen, ``sheets`` does the same for skins of pictures.
"""
