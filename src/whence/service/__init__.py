"""The work behind the commands: kept runs, sessions and background work, for any user interface."""
