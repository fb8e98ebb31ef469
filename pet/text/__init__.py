"""Pure functions on text for the whole program: secrets masked, sections framed, formulas as plain characters.

Does no I/O and imports nothing else of the package. What edits a file's text is in ``pet.workspace.text``, what
searches words in ``pet.memory.text``.
"""
