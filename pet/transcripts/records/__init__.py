"""Records of a transcript: types, JSON lines, and the order of several machines' records. Pure.

A line of an unknown kind becomes ``Unknown``; one without a required field raises ValueError.
"""
