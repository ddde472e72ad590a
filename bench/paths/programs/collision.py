"""Which way should this aircraft turn to stay clear of another one?"""

import sys

own, other, rate, above, below, is_equipped, can_climb = map(int, sys.argv[1:8])


def margin():
    if own < 1000:
        return 300
    return 500 if own < 5000 else 700


def prefers_climb():
    return (above + 100 if can_climb else above) > below


def is_climb_safe():
    return above >= margin() if own < other else below < margin()


def advise():
    if rate > 600 or not is_equipped:
        if prefers_climb() and is_climb_safe():
            return "climb"
        if not prefers_climb() and below >= margin():
            return "descend"
    return "none"


if own > 20000:
    print("high", file=sys.stderr)
if rate < 0:
    print("sinking", file=sys.stderr)
print(advise())
