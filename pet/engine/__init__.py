"""Engine: live conversations, turns, rounds and the tool loop. No file or network access of its own."""
