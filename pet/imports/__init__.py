"""What other programs know of the owner, taken in: workspaces, memory lists and conversations.

One reader for each format finds what there is, ``plan`` compares it with the pet's files without changing anything,
``apply`` writes it through the versioned store and takes it back. Readers are bounded: they stream, refuse hostile
archives, and skip what is too large. Nothing that the owner wrote is replaced.
"""
