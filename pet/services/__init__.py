"""Services shared by bridge commands and the command line.

Proactive messages, the bubble's text, file transfer. Below the bridge.
"""
