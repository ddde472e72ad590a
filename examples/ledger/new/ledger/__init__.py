"""A small ledger: text in, invoice out."""
