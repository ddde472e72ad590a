"""What is on an invoice, and what it comes to."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal

from ledger.currency import Rates
from ledger.money import Money, percent, sum_of, zero


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
    discount: Decimal = Decimal(0)  # per cent
    credit: Decimal = Decimal(0)  # in the currency of the invoice
    items: list[Item] = field(default_factory=list)


def net_of(item: Item, invoice: Invoice, rates: Rates) -> Money:
    """Return what an item costs, in the currency of the invoice, discount taken off."""
    full = rates.convert(item.net(), invoice.currency, item.day)
    return (full - percent(full, invoice.discount)).rounded()


def total_net(invoice: Invoice, rates: Rates) -> Money:
    return sum_of([net_of(item, invoice, rates) for item in invoice.items], invoice.currency)


def vat_by_rate(invoice: Invoice, rates: Rates) -> dict[Decimal, Money]:
    """Return the tax for each rate; it is rounded once for all items of a rate."""
    sums: dict[Decimal, Money] = {}
    for item in invoice.items:
        so_far = sums.get(item.vat, zero(invoice.currency))
        sums[item.vat] = so_far + net_of(item, invoice, rates)
    return {rate: percent(sums[rate], rate).rounded() for rate in sorted(sums)}


def total_due(invoice: Invoice, rates: Rates) -> Money:
    """Return what is still to be paid."""
    taxes = sum_of(vat_by_rate(invoice, rates).values(), invoice.currency)
    return total_net(invoice, rates) + taxes - Money(invoice.credit, invoice.currency)
