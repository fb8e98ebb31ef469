"""What bridge commands and the command line share.

The pet's own initiative, the bubble's text, file transfer. Below the bridge.
"""
