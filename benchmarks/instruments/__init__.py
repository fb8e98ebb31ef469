"""Instruments: figures, processes, the screen, a paced server, a bare page to compare with."""
