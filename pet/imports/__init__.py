"""Import of other programs' data: workspaces, memory lists and conversations.

A reader per format produces ``SourceContents``; ``plan`` compares them with the pet's files, changing nothing;
``apply`` writes through the versioned store, and undoes. Readers stream, refuse hostile archives and skip what is too
large. The owner's text is never replaced.
"""
