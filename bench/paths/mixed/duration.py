"""Reads a duration such as "1h30m" or "90" and prints seconds.  Argument: the text."""

import re
import sys

UNITS = {"h": 3600, "m": 60, "s": 1}
PART = re.compile(r"(\d+)([hms])")


def seconds(text):
    text = text.strip().lower()
    if text.isdigit():
        return int(text)
    total, at = 0, 0
    while at < len(text):
        match = PART.match(text, at)
        if match is None:
            raise ValueError(f"what is {text[at:]!r}?")
        total += int(match.group(1)) * UNITS[match.group(2)]
        at = match.end()
    if not at:
        raise ValueError("empty")
    return total


try:
    found = seconds(sys.argv[1])
except ValueError as error:
    print("error:", error)
    sys.exit(1)
if found > 3600:
    print("long", found)
elif found == 0:
    print("nothing")
else:
    print(found)
