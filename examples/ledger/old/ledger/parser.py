"""Reading invoices and rates."""

from __future__ import annotations

from datetime import date
from decimal import Decimal, InvalidOperation

from ledger.invoice import Invoice, Item
from ledger.money import DECIMALS, Money
from ledger.rates import Rate, Rates


class Mistake(Exception):
    """Something is wrong in a line of the input."""

    def __init__(self, number: int, what: str) -> None:
        super().__init__(f"line {number}: {what}")


def read_invoice(text: str) -> Invoice:
    invoice = Invoice()
    for number, line in lines_of(text):
        try:
            if "|" in line:
                invoice.items.append(parse_item(line))
            else:
                parse_setting(invoice, line)
        except (ValueError, InvalidOperation) as error:
            raise Mistake(number, str(error)) from error
    return invoice


def read_rates(text: str) -> Rates:
    rates = []
    for number, line in lines_of(text):
        try:
            day, currency, euros = line.split()
            rates.append(Rate(date.fromisoformat(day), currency, Decimal(euros)))
        except (ValueError, InvalidOperation) as error:
            raise Mistake(number, str(error)) from error
    return Rates(rates)


def lines_of(text: str) -> list[tuple[int, str]]:
    """Return the lines that say something, with their numbers."""
    found = []
    for number, line in enumerate(text.splitlines(), 1):
        line = line.strip()
        if line and not line.startswith("#"):
            found.append((number, line))
    return found


def parse_item(line: str) -> Item:
    fields = [part.strip() for part in line.split("|")]
    if len(fields) != 5:
        raise ValueError(f"an item has 5 fields, not {len(fields)}")
    day, text, quantity, price, vat = fields
    number, _, unit = quantity.partition(" ")
    return Item(
        date.fromisoformat(day),
        text,
        Decimal(number),
        unit,
        parse_money(price),
        Decimal(vat),
    )


def parse_money(text: str) -> Money:
    amount, currency = text.split()
    if currency not in DECIMALS:
        raise ValueError(f"unknown currency {currency}")
    return Money(Decimal(amount), currency)


def parse_setting(invoice: Invoice, line: str) -> None:
    key, _, value = line.partition(" ")
    value = value.strip()
    if key == "invoice":
        invoice.number = value
    elif key == "client":
        invoice.client = value
    elif key == "in":
        invoice.currency = value
    elif key == "discount":
        invoice.discount = Decimal(value)
    else:
        raise ValueError(f"unknown setting {key}")
