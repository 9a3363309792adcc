"""What is learned: UI removers, world models, perception. torch lives here."""
