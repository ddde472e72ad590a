"""Real C and C++ regressions from upstream histories."""
