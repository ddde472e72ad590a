"""How is a run of a program recorded?  One folder a language."""
