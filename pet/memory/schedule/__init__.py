"""Parse when a reminder is due: words to a day, a time and a repetition, and back to words.

``due_words.parse_due`` returns one moment or raises DueUnclear; ambiguous words are refused. All times are the
owner's local wall time. Pure: the present moment is an argument.
"""
