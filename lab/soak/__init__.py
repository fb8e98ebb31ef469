"""Long random runs against ground truth: ``make soak``. Not collected by pytest; the small suites stay in CI."""
