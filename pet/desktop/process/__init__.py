"""The process and its surroundings: environment variables, log, restart, start at login, what the session offers."""
