"""Daily logs, and an index over profile, memory and logs that finds what was meant.

Owns how a log is written down, how a file is cut into entries, and everything about searching them. Refuses to
change the pet's files: the index is derived from them, lives in the cache folder and may be deleted at any time.
"""
