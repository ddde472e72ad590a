"""How does whence report a mistake of the user?"""

from __future__ import annotations

# The name that pip knows.  On PyPI, `whence` is another project: never tell a user to install it.
DISTRIBUTION = "whence-explain"


class UserError(Exception):
    """A mistake outside whence; the user sees only its message (exit status 2).

    The message says what was wrong, where, and what to do.  `slug` is the anchor of a longer
    explanation in docs/messages.md.  Any other exception is a bug of whence.
    """

    def __init__(self, message: str, *, slug: str) -> None:
        super().__init__(message)
        self.slug = slug


def install_command(extra: str) -> str:
    """Return the command that adds the optional packages `extra` to an installed whence.

    pip takes an installed distribution as it is, so this also works after an installation from
    a checkout or from a git URL.
    """
    return f"pip install '{DISTRIBUTION}[{extra}]'"
