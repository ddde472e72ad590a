"""Explains failed regression tests: which changes broke it, and how."""

__version__ = "0.1.0"
