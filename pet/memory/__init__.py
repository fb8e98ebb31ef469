"""Daily logs and entries, the search index over them, reminders, follow-ups and forgetting.

Only forgetting and the callers of the pure plans change the pet's files. The index is derived from them, lives in the
cache folder and may be deleted at any time.
"""
