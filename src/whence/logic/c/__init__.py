"""What do the operations of C and C++ say about bits?"""
