"""What is on an invoice, and what it comes to."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal

from ledger.money import Money, percent, zero
from ledger.rates import Rates


@dataclass(frozen=True)
class Item:
    day: date
    text: str
    quantity: Decimal
    unit: str
    price: Money
    vat: Decimal

    def net(self) -> Money:
        return self.price * self.quantity


@dataclass
class Invoice:
    number: str = ""
    client: str = ""
    currency: str = "EUR"
    discount: Decimal = Decimal(0)
    items: list[Item] = field(default_factory=list)


def net_of(item: Item, invoice: Invoice, rates: Rates) -> Money:
    """Return what an item costs, in the currency of the invoice, discount taken off."""
    price = rates.convert(item.net(), invoice.currency, item.day)
    price = price - percent(price, invoice.discount)
    return price.rounded()


def total_net(invoice: Invoice, rates: Rates) -> Money:
    total = zero(invoice.currency)
    for item in invoice.items:
        total = total + net_of(item, invoice, rates)
    return total


def vat_by_rate(invoice: Invoice, rates: Rates) -> dict[Decimal, Money]:
    """Return the tax for each rate; it is rounded once for all items of a rate."""
    sums: dict[Decimal, Money] = {}
    for item in invoice.items:
        before = sums.get(item.vat, zero(invoice.currency))
        sums[item.vat] = before + net_of(item, invoice, rates)
    return {rate: percent(sums[rate], rate).rounded() for rate in sorted(sums)}


def total_gross(invoice: Invoice, rates: Rates) -> Money:
    total = total_net(invoice, rates)
    for tax in vat_by_rate(invoice, rates).values():
        total = total + tax
    return total
