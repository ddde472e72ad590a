"""The invoice as text."""

from __future__ import annotations

from ledger.currency import Rates
from ledger.invoice import Invoice, Item, net_of, total_due, total_net, vat_by_rate
from ledger.money import Money, show

WIDTH = 64


def header(invoice: Invoice) -> str:
    title = f"Invoice {invoice.number}"
    return f"{title} for {invoice.client}" if invoice.client else title


def statement(invoice: Invoice, rates: Rates) -> str:
    """Return the whole invoice, ready to print."""
    parts = [header(invoice), "-" * WIDTH]
    parts.extend(item_line(item, invoice, rates) for item in invoice.items)
    parts.append("-" * WIDTH)
    parts.append(total_line("net", total_net(invoice, rates)))
    for rate, tax in vat_by_rate(invoice, rates).items():
        parts.append(total_line(f"VAT {rate} %", tax))
    if invoice.credit:
        parts.append(total_line("paid before", Money(-invoice.credit, invoice.currency)))
    parts.append(total_line("to pay", total_due(invoice, rates)))
    return "\n".join(parts)


def total_line(label: str, amount: Money) -> str:
    return label.rjust(WIDTH - 20) + show(amount).rjust(20)


def item_line(item: Item, invoice: Invoice, rates: Rates) -> str:
    left = f"{item.day}  {item.text}{quantity_text(item)}"
    return left.ljust(WIDTH - 18) + show(net_of(item, invoice, rates)).rjust(18)


def quantity_text(item: Item) -> str:
    """Return the quantity in brackets, nothing for a single piece."""
    if item.unit:
        return f" ({item.quantity} {item.unit})"
    return f" ({item.quantity})" if item.quantity != 1 else ""


def by_month(invoice: Invoice, rates: Rates) -> str:
    """Return what was earned in each month, one a line."""
    sums = {}
    for item in invoice.items:
        month = item.day.strftime("%Y-%m")
        earned = net_of(item, invoice, rates)
        sums[month] = sums[month] + earned if month in sums else earned
    return "\n".join(f"{month}  {show(sums[month])}" for month in sorted(sums))
