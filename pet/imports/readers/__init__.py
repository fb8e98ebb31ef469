"""Readers of other programs' formats, from ``ImportSource`` to ``SourceContents``; ``detect`` picks one.

Readers stream, skip what is too large or broken with a reason, and raise ImportRefused only if nothing is readable.
"""
