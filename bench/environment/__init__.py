"""Faults of the environment, put into real programs: are they located?"""
