"""The versions of a file: their log and bytes, which of them are kept, and what can be read off them.

Knows no lock and changes no file of the pet's: ``versioned`` holds the lock, does the writing, and asks here.
"""
