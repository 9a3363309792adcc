"""People decide which proposals become assets: decisions, votes and agreement."""
