"""What exists and what it is made from: the asset graph. Thin bodies, checks, partitions, definitions."""
