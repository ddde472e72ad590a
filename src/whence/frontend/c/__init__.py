"""C and C++ through LLVM: how does a program log what a replay cannot compute?"""
