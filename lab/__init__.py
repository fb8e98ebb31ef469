"""Long runs, measurements and pictures about the program, run by hand or at night; neither shipped nor tests."""
