"""Lite cleaner."""
