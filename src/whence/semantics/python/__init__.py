"""What the operations of Python programs say: computed, justified and told to the solver."""
