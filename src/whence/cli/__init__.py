"""The command line: the only package that prints and exits."""

from whence.cli.startup import load_numpy

load_numpy()
