"""When a reminder is due: the words of a text as a day, a time and a repetition, and back into words.

``due_words.parse_due`` reads one moment or raises DueUnclear: what names no single moment is refused, never guessed.
All times are the owner's local wall time. Pure: no clock, no file; the present moment is an argument.
"""
