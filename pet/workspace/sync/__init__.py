"""Changes from outside: the folder watcher, and conflict copies that sync programs leave."""
