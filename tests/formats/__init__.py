"""Homes as earlier versions of the program wrote them (``homes/``), and that each opens with today's."""
