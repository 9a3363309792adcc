"""Real gameplay without a network: ViZDoom episodes, rendered with and without an interface, with their action log."""
