"""Overlay synthesis: recipe rows, the exact renderer and the writer of rendered pairs."""
