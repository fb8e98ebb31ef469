"""Engine: live conversations, turns, rounds and the tool loop. Does no file or network I/O itself."""
