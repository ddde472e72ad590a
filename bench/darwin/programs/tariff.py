"""What does a parcel cost?  tariff.py COUNTRY SERVICE < PARCELS

Each line is a parcel: its weight in grams, its length, width and height in centimetres, and the
value of what is inside, such as `1200 30x20x10 80`.  Words behind that are wishes: `fragile`,
`signed`, `insured`.
"""

import sys

ZONES = {"de": 1, "at": 2, "ch": 2, "fr": 2, "pl": 2, "us": 3, "jp": 4}
BASE = {1: 390, 2: 890, 3: 1490, 4: 1890}
PER_KILO = {1: 60, 2: 140, 3: 420, 4: 560}
SERVICES = ("slow", "normal", "fast")
MAX_WEIGHT = 31500


class Refused(Exception):
    """A parcel that is not taken."""


class Parcel:
    """A parcel as the customer describes it."""

    def __init__(self, weight, sides, value, wishes):
        self.weight = weight
        self.sides = sides
        self.value = value
        self.wishes = wishes

    def girth(self):
        """The length plus the way around the two other sides."""
        long, middle, short = sorted(self.sides, reverse=True)
        return long + 2 * (middle + short)

    def volume_weight(self):
        """What a parcel of this size counts as, in grams."""
        x, y, z = self.sides
        return x * y * z // 5


def read_sides(text):
    parts = text.split("x")
    if len(parts) != 3:
        raise Refused("three sides are needed")
    sides = []
    for part in parts:
        if not part.isdigit() or int(part) == 0:
            raise Refused("no length: " + part)
        sides.append(int(part))
    return sides


def read_parcel(line):
    words = line.split()
    if len(words) < 3:
        raise Refused("weight, sides and value are needed")
    if not words[0].isdigit():
        raise Refused("no weight: " + words[0])
    if not words[2].isdigit():
        raise Refused("no value: " + words[2])
    wishes = []
    for wish in words[3:]:
        if wish not in ("fragile", "signed", "insured"):
            raise Refused("no such wish: " + wish)
        wishes.append(wish)
    return Parcel(int(words[0]), read_sides(words[1]), int(words[2]), wishes)


def check(parcel, zone):
    """Refuse what cannot be sent."""
    if parcel.weight > MAX_WEIGHT:
        raise Refused("too heavy")
    if parcel.girth() > 300:
        raise Refused("too big")
    if max(parcel.sides) > 120:
        raise Refused("too long")
    if zone > 2 and parcel.value > 5000:
        raise Refused("too dear")


def counted_weight(parcel):
    """Return the weight that is paid for: a big light parcel counts as a heavy one."""
    volume = parcel.volume_weight()
    if volume > parcel.weight:
        return volume
    return parcel.weight


def kilos(weight):
    """Return the kilograms that were begun."""
    return (weight + 999) // 1000


def transport(parcel, zone, service):
    begun = kilos(counted_weight(parcel))
    cost = BASE[zone] + PER_KILO[zone] * (begun - 1)
    if service == "fast":
        cost += cost // 2
        if zone == 1 and begun <= 2:
            cost -= 100
    elif service == "slow" and zone > 1:
        cost -= cost // 10
    return cost


def insurance(parcel):
    """A part of the value; the first 50 are free."""
    if parcel.value <= 50:
        return 0
    cost = (parcel.value - 50) * 2
    if "fragile" in parcel.wishes:
        cost *= 2
    return cost


def customs(parcel, zone):
    """Return what the papers cost outside of the union."""
    if zone < 3:
        return 0
    if parcel.value < 22:
        return 0
    if parcel.value < 150:
        return 350
    return 350 + parcel.value * 3


def extras(parcel):
    cost = 0
    for wish in parcel.wishes:
        if wish == "fragile":
            cost += 400
        elif wish == "signed":
            cost += 150
        elif wish == "insured":
            cost += insurance(parcel)
    return cost


def reduction(costs):
    """From three parcels on, the cheapest one costs half; from ten on, each costs a tenth less."""
    if len(costs) >= 10:
        return sum(cost // 10 for cost in costs)
    if len(costs) >= 3:
        return min(costs) // 2
    return 0


def shown(cents):
    return "%d.%02d" % (cents // 100, cents % 100)


def main():
    if len(sys.argv) != 3:
        print("usage: tariff.py COUNTRY SERVICE")
        return 2
    country, service = sys.argv[1:]
    if country not in ZONES or service not in SERVICES:
        print("no such country or service")
        return 2
    zone = ZONES[country]
    costs = []
    for number, line in enumerate(sys.stdin, 1):
        try:
            parcel = read_parcel(line)
            check(parcel, zone)
        except Refused as problem:
            print("%d: refused, %s" % (number, problem))
            continue
        cost = transport(parcel, zone, service) + extras(parcel) + customs(parcel, zone)
        print("%d: %s" % (number, shown(cost)))
        costs.append(cost)
    total = sum(costs) - reduction(costs)
    print("total %s" % shown(total))
    return 0


if __name__ == "__main__":
    sys.exit(main())
