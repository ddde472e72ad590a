"""What do the operations of Python say about objects?"""
