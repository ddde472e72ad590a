"""Where does whence keep files that it can make again?"""

from __future__ import annotations

import os
from collections.abc import Mapping


def cache_directory(env: Mapping[str, str]) -> str:
    """Return $WHENCE_CACHE, or whence's folder in the user's cache."""
    home = env.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return env.get("WHENCE_CACHE") or os.path.join(home, "whence")
