"""Which changes broke the test, and how?  After Yi et al., "A Synergistic Analysis Method for
Explaining Failed Regression Tests", called AFTER in this package.
"""
