"""What the bridge's commands and the command line both do, below the two of them.

Works on the store, the engine and the desktop port; several of its data classes go to the pages as they are. Knows
neither commands nor terminals.
"""
