"""The commands that pages and other processes may call, by area.

An area is a class whose ``@command`` methods are its commands, with the types they take and return. Policy belongs
below. ``lifecycle`` must stay cheap to import, since a second start of the program needs its types.
"""
