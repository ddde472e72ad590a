"""Which sizes are in a range such as "3-7"?"""


def size(text: str) -> str:
    """Return the size of a range."""
    first, sign, last = text.partition("-")
    if not sign:
        return "one" if first.isdigit() else "none"
    if not (first.isdigit() and last.isdigit()):
        return "bad"
    count = int(last) - int(first)
    if count < 0:
        return "backwards"
    return "large" if count > 5 else "small"
