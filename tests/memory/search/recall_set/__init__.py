"""Labelled questions about the notes of four invented owners, and memories of any size that hold those notes.

``data/owner_*.jsonl``: one fact a line, with a question in its own words (``plain``), two in other words
(``other_words``) and one in the other language. ``held_out.jsonl``: one more owner, of whom nothing is
fitted; ``unseen_*.jsonl``, ``judged_*.jsonl``, ``last_*.jsonl`` and ``final_*.jsonl``: three more each.
``paraphrases*.jsonl``: facts of many people with
questions about them, and ``small_talk.jsonl``, for fitting only.
``*asks_for_nothing.jsonl``: messages for which nothing is recalled.
``touches.jsonl``: messages that ask nothing and concern a fact. Written for this project, under its licence.
"""
