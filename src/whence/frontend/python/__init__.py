"""Python programs: how they are recorded, and what their values and operations are."""
