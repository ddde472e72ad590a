"""Replays the log of a Python thread in plain Python: the oracle for replay.c."""
