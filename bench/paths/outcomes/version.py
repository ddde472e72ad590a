"""Compares two versions: re groups, tuples, int, a suffix."""

import re
import sys

PATTERN = re.compile(r"v?(\d+)\.(\d+)(?:\.(\d+))?(?:-(alpha|beta|rc)(\d*))?$")


def key(text: str) -> tuple[object, ...]:
    match = PATTERN.match(text)
    if not match:
        raise SystemExit("no-version")
    major, minor, patch, stage, number = match.groups()
    rank = ("alpha", "beta", "rc").index(stage) if stage else 3
    return (int(major), int(minor), int(patch or 0), rank, int(number or 0))


old, new = key(sys.argv[1]), key(sys.argv[2])
if new == old:
    print("same")
elif new < old:
    print("older")
elif new[0] > old[0]:
    print("major")
elif new[1] > old[1]:
    print("minor")
elif new[:3] == old[:3]:
    print("stage-final" if new[3] == 3 else "stage")
else:
    print("patch")
