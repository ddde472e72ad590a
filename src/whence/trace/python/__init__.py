"""Recorded runs of Python programs, opened as the columns that `trace` reads."""
