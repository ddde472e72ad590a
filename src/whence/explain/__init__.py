"""AFTER: which changes broke the test, and how?"""
