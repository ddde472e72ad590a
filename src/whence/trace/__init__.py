"""A recorded run, asked: who defined this, what decided that it ran, where are we."""
