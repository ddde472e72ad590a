"""Amounts of money."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal

DECIMALS = {"EUR": 2, "USD": 2, "JPY": 0}


@dataclass(frozen=True)
class Money:
    """An exact amount in a currency; `rounded` makes it payable."""

    amount: Decimal
    currency: str

    def __add__(self, other: Money) -> Money:
        self._check(other)
        return Money(self.amount + other.amount, self.currency)

    def __sub__(self, other: Money) -> Money:
        self._check(other)
        return Money(self.amount - other.amount, self.currency)

    def __mul__(self, factor: Decimal) -> Money:
        return Money(self.amount * factor, self.currency)

    def _check(self, other: Money) -> None:
        if self.currency != other.currency:
            raise ValueError(f"cannot add {other.currency} to {self.currency}")

    def rounded(self) -> Money:
        """Return the nearest amount that can be paid; halves go up."""
        unit = Decimal(1).scaleb(-DECIMALS[self.currency])
        return Money(self.amount.quantize(unit, rounding=ROUND_HALF_UP), self.currency)


def percent(money: Money, rate: Decimal) -> Money:
    return money * (rate / 100)


def zero(currency: str) -> Money:
    return Money(Decimal(0), currency)


def show(money: Money) -> str:
    """Return the amount as people write it, such as 1,234.50 EUR."""
    return f"{money.rounded().amount:,} {money.currency}"
