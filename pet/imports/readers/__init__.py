"""One reader for each format of another program, and ``detect`` that picks it by what is in the source.

A reader turns names and bytes of an ``ImportSource`` into ``SourceContents``. It streams, passes over what is too
large or broken with a reason, and raises ImportRefused only if nothing can be read. It writes nothing and knows no
pet.
"""
