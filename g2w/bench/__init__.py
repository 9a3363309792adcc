"""The benchmark: sets with ground truth, judges, metrics, statistics and the report. Runs from a plain script."""
