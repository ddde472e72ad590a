"""C and C++ through LLVM: compile so that a run writes down what cannot be recomputed."""
