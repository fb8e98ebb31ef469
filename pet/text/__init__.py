"""Pure functions on text: sections framed, formulas as plain characters, unseen characters revealed.

Does no I/O and imports nothing else of the package. Editing a file's text is in ``pet.workspace``, splitting words
and masking secrets in ``pet.language``.
"""
