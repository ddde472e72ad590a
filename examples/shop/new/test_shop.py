"""Both versions pass these tests."""

from shop import Cart


def cart(*prices: int) -> Cart:
    found = Cart()
    for cents in prices:
        found.add(cents)
    return found


assert cart(1000, 500).total() == 1990
assert cart(3000, 2000).total() == 5000
assert cart(1000).total("FRIEND") == 1390
assert cart(5200).total("FRIEND") > 4000
assert cart(1999).total("STAFF") < 2000
print("ok")
