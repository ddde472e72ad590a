"""Benchmarks; each folder holds one, beside a page on how to run it."""
