"""Prices of a small shop, in cents."""

SHIPPING = 490
FREE_FROM = 5000


def discount(cents: int, code: str | None) -> int:
    """Return the reduction that a code gives."""
    if code == "FRIEND":
        return cents // 10
    if code == "STAFF":
        return cents // 4
    return 0


def shipping(cents: int) -> int:
    """Return what sending the goods costs."""
    return 0 if cents >= FREE_FROM else SHIPPING


class Cart:
    """What a customer buys."""

    def __init__(self) -> None:
        self.prices: list[int] = []

    def add(self, cents: int, count: int = 1) -> None:
        self.prices.extend([cents] * count)

    def total(self, code: str | None = None) -> int:
        goods = sum(self.prices)
        goods -= discount(goods, code)
        return goods + shipping(goods)
