"""Who works when?  A dict of lists, sets, sorting with a key, a generator, a dataclass."""

from dataclasses import dataclass


@dataclass(order=True)
class Shift:
    start: int
    end: int
    who: str = ""

    def overlaps(self, other: "Shift") -> bool:
        return self.start < other.end and other.start < self.end


def check(shifts: list[tuple[str, int, int]], most: int = 10) -> str:
    made = sorted(Shift(start, end, who) for who, start, end in shifts)
    if not made:
        return "nobody"
    for one in made:
        if one.end <= one.start:
            return "backwards"
        if one.end - one.start > most:
            return "too long"
    hours: dict[str, int] = {}
    for one in made:
        hours[one.who] = hours.get(one.who, 0) + one.end - one.start
    if max(hours.values()) > 2 * most:
        return "overworked"
    for first, second in zip(made, made[1:]):
        if first.overlaps(second):
            return "twice there" if first.who == second.who else "together"
    if made[0].start > 8:
        return "late start"
    return "alone" if len(set(hours)) == 1 else "in turn"
