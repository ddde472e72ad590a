"""Explains failed regression tests: which changes broke it?"""

__version__ = "0.1.0"
