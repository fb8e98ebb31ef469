"""The system prompt as a pure function of files, gate and settings. Reads nothing, asks no clock."""
