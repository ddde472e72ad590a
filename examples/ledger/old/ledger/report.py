"""The invoice as text."""

from __future__ import annotations

from ledger.invoice import Invoice, Item, net_of, total_gross, total_net, vat_by_rate
from ledger.money import show
from ledger.rates import Rates

WIDTH = 60


def statement(invoice: Invoice, rates: Rates) -> str:
    """Return the whole invoice."""
    parts = [header(invoice), "-" * WIDTH]
    parts.extend(item_line(item, invoice, rates) for item in invoice.items)
    parts.append("-" * WIDTH)
    parts.append(total_line("net", show(total_net(invoice, rates))))
    for rate, tax in vat_by_rate(invoice, rates).items():
        parts.append(total_line(f"VAT {rate} %", show(tax)))
    parts.append(total_line("to pay", show(total_gross(invoice, rates))))
    return "\n".join(parts)


def total_line(label: str, amount: str) -> str:
    return label.rjust(WIDTH - 20) + amount.rjust(20)


def item_line(item: Item, invoice: Invoice, rates: Rates) -> str:
    left = f"{item.day}  {item.text}"
    if item.unit:
        left = left + f" ({item.quantity} {item.unit})"
    elif item.quantity != 1:
        left = left + f" ({item.quantity})"
    return left.ljust(WIDTH - 18) + show(net_of(item, invoice, rates)).rjust(18)


def header(invoice: Invoice) -> str:
    title = f"Invoice {invoice.number}"
    if not invoice.client:
        return title
    return title + f" for {invoice.client}"


def by_month(invoice: Invoice, rates: Rates) -> str:
    """Return what was earned in each month, one a line."""
    sums = {}
    for item in invoice.items:
        month = item.day.strftime("%Y-%m")
        earned = net_of(item, invoice, rates)
        sums[month] = sums[month] + earned if month in sums else earned
    return "\n".join(f"{month}  {show(sums[month])}" for month in sorted(sums))
