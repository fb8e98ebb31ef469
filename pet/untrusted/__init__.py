"""Readers of untrusted input: regular files, pictures, and JSON, TOML and YAML.

Each has bounds and refuses input beyond them. Imports nothing else of the package.
"""
