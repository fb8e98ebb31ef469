"""Normalised words of a text: tokens, stems, numbers, spelling. Pure."""
