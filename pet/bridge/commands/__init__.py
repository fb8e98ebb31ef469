"""The commands that pages and other processes may call, by area: thin methods without policy of their own.

Each area is a class whose ``@command`` methods are its commands, beside the types they take and return. Importing an
area's types must stay cheap, since a second start of the program needs a few of them.
"""
