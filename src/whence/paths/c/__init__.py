"""Conditions over the inputs of C and C++ programs."""
