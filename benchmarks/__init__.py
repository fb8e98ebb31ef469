"""Measurements of the program, as ratios within one run. They judge nothing: `make bench` prints what it found."""
