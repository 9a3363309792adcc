"""What a clip is worth: measurements, one table of thresholds, near-duplicates, and the choice."""
