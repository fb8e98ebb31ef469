"""Pets of a home: create, rename, duplicate, export, delete, and their pet.toml."""
