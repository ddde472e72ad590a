"""Prices of a small shop, in cents."""

RATES = {"FRIEND": 10, "STAFF": 25}  # in percent
SHIPPING = 490
FREE_FROM = 5000


def discount(cents: int, code: str | None) -> int:
    """Return the reduction that a code gives."""
    return round(cents * RATES.get(code or "", 0) / 100)


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
        return goods - discount(goods, code) + shipping(goods)
