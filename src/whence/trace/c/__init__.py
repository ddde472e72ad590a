"""What a recorded run of a C or C++ program answers."""
