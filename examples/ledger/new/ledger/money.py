"""Amounts of money, exact until they are rounded."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal

DECIMALS = {"CHF": 2, "EUR": 2, "JPY": 0, "USD": 2}


@dataclass(frozen=True)
class Money:
    """An exact amount in a currency; `rounded` makes it payable."""

    amount: Decimal
    currency: str

    def __add__(self, other: Money) -> Money:
        self._check_same_currency(other)
        return Money(self.amount + other.amount, self.currency)

    def __sub__(self, other: Money) -> Money:
        self._check_same_currency(other)
        return Money(self.amount - other.amount, self.currency)

    def __mul__(self, factor: Decimal) -> Money:
        return Money(self.amount * factor, self.currency)

    def _check_same_currency(self, other: Money) -> None:
        if self.currency != other.currency:
            raise ValueError(f"cannot combine {self.currency} with {other.currency}")

    def rounded(self) -> Money:
        """Return the nearest amount that can be paid; halves go up."""
        smallest = Decimal(1).scaleb(-DECIMALS[self.currency])
        return Money(self.amount.quantize(smallest, rounding=ROUND_HALF_UP), self.currency)


def zero(currency: str) -> Money:
    return Money(Decimal(0), currency)


def sum_of(amounts: Iterable[Money], currency: str) -> Money:
    """Return the sum, zero if there are none."""
    return sum(amounts, start=zero(currency))


def percent(money: Money, rate: Decimal) -> Money:
    return money * (rate / 100)


def show(money: Money) -> str:
    """Return the amount as people write it, such as 1,234.50 EUR."""
    amount = money.rounded().amount
    return f"{amount:,} {money.currency}"
