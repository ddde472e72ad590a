"""Recorded runs of Python programs, as the columns that `trace` reads."""
