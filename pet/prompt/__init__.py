"""The system prompt as a pure function of files, gate and settings (PRODUCT §5). Reads nothing, asks no clock."""
