"""The pets of a home: opening and erasing them, their first start, skins and cards."""
