"""The outside world behind small resources: the lake, the engine, compute, experiment tracking."""
