"""The home that is shown: its files, its words, its pictures."""
