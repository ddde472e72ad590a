"""What failed in a run, and which steps are that?  One module per language."""
