"""Adds up lines "NAME: AMOUNT" of standard input; "-" takes away; "#" begins a comment."""

import sys
from collections import defaultdict


class Unknown(Exception):
    pass


totals: dict[str, int] = defaultdict(int)
for line in sys.stdin.read().splitlines():
    line = line.partition("#")[0].strip()
    if not line:
        print("blank")
        continue
    try:
        name, amount = line.split(":")
    except ValueError:
        print("no-colon")
        continue
    try:
        value = int(amount)
        if value == 0:
            raise Unknown
    except ValueError:
        print("no-amount")
    except Unknown:
        print("zero")
    else:
        totals[name.strip().lower()] += value
        if value < 0:
            print("taken")
if any(total < 0 for total in totals.values()):
    print("in-debt")
best = max(totals, key=totals.get, default=None)
print("nobody" if best is None else "rent-is-most" if best == "rent" else "other-is-most")
print("large" if sum(totals.values()) >= 1000 else "small")
