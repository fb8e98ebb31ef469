"""Pure functions on text: secrets masked, sections framed, formulas as plain characters.

Does no I/O and imports nothing else of the package. Editing a file's text is in ``pet.workspace``, splitting words
in ``pet.language``.
"""
