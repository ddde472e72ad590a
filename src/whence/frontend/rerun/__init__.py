"""How is a test run again with a value or a branch of its run changed?

A program is built once and run many times.  Each run may have *interventions*: at one point of
the run a branch goes the other way, or a store leaves other bytes in memory.
"""
