"""Ranks of several models, and the intervals that contain all of them at once."""
