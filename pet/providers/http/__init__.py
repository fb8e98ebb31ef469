"""One model server over HTTP, for every protocol: its address and proxy, a transport with limits, what went wrong.

Knows no protocol: those build their requests and read their streams above it.
"""
