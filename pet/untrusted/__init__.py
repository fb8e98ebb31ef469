"""What others wrote is opened here: files that may be pipes, pictures, and JSON, TOML and YAML.

Each reader has bounds and refuses what goes past them; none imports anything else of the package.
"""
