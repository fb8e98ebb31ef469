"""Pictures of the real program, made by a script so that they stay true: ``python -m lab.gallery``."""
