"""The g2w engine: gameplay video in, clean data for world models out, with the proof."""

__version__ = "0.1.0"
