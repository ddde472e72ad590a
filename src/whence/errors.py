"""What can a user have done wrong, and how do we say it?"""

from __future__ import annotations


class UserError(Exception):
    """A mistake outside whence: its message is all the user sees (exit status 2).

    The message says what was wrong, where, and what to do.  `slug` is the anchor of the
    longer explanation in docs/messages.md.  Any other exception is our bug.
    """

    def __init__(self, message: str, *, slug: str) -> None:
        super().__init__(message)
        self.slug = slug
