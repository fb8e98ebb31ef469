"""Local IPC: the single instance, and the Unix socket or named pipe that carries commands of the table."""
