"""The records of a transcript: their types, their lines of JSON, and the order of several machines' records.

A line of an unknown kind becomes ``Unknown``; one that lacks a required field raises ValueError. Pure.
"""
