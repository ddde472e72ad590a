"""What the operations of Python programs say about objects."""
