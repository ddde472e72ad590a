"""What the operations of C and C++ programs say about bits."""
