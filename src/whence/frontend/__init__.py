"""A run of a program, written down: one folder a language."""
