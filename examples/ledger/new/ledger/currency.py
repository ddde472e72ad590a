"""Exchange rates: each holds from its day on, until the next one."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from decimal import Decimal

from ledger.money import Money


@dataclass(frozen=True)
class Rate:
    since: date
    currency: str
    euros: Decimal  # that one unit is worth


class NoRate(Exception):
    """There is no rate for a currency on a day."""


class Rates:
    def __init__(self, rates: list[Rate]) -> None:
        self._rates = sorted(rates, key=lambda rate: rate.since)

    def on(self, day: date, currency: str) -> Decimal:
        """Return the rate of a day."""
        found = None
        for rate in self._rates:
            if day <= rate.since:
                break
            if rate.currency == currency:
                found = rate
        if found is None:
            raise NoRate(f"no rate for {currency} on {day}")
        return found.euros

    def convert(self, money: Money, to: str, day: date) -> Money:
        """Return the same value in another currency."""
        if money.currency == to:
            return money
        factor = self.on(day, money.currency) / self.on(day, to)
        return Money(money.amount * factor, to)
