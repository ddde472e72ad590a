"""The nouns that front ends and traces share: operations, source places, graphs, rows of a log."""
