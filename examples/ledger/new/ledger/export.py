"""The invoice for a spreadsheet."""

from __future__ import annotations

import csv
import io

from ledger.currency import Rates
from ledger.invoice import Invoice, net_of

COLUMNS = ("day", "text", "quantity", "unit", "net", "currency", "vat")


def to_csv(invoice: Invoice, rates: Rates) -> str:
    """Return a table with one item a row."""
    table = io.StringIO()
    writer = csv.writer(table, lineterminator="\n")
    writer.writerow(COLUMNS)
    for item in invoice.items:
        net = net_of(item, invoice, rates)
        writer.writerow(
            [item.day, item.text, item.quantity, item.unit, net.amount, net.currency, item.vat]
        )
    return table.getvalue().rstrip("\n")
