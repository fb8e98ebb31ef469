"""Tokenising, stemming and spelling of English and Chinese text for the search. Pure."""
