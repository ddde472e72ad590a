"""Reading invoices and rates."""

from __future__ import annotations

from datetime import date
from decimal import Decimal, InvalidOperation

from ledger.currency import Rate, Rates
from ledger.invoice import Invoice, Item
from ledger.money import DECIMALS, Money


class Mistake(Exception):
    """Something is wrong in a line of the input."""

    def __init__(self, number: int, line: str, what: object) -> None:
        super().__init__(f"line {number}: {what}: {line}")


def read_invoice(text: str) -> Invoice:
    invoice = Invoice()
    for number, line in meaningful_lines(text):
        try:
            if "|" in line:
                invoice.items.append(parse_item(line))
            else:
                parse_setting(invoice, line)
        except (ValueError, InvalidOperation) as error:
            raise Mistake(number, line, error) from error
    return invoice


def read_rates(text: str) -> Rates:
    rates = []
    for number, line in meaningful_lines(text):
        try:
            day, currency, euros = line.split()
            rates.append(Rate(date.fromisoformat(day), currency, Decimal(euros)))
        except (ValueError, InvalidOperation) as error:
            raise Mistake(number, line, error) from error
    return Rates(rates)


def meaningful_lines(text: str) -> list[tuple[int, str]]:
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
    count, _, unit = quantity.partition(" ")
    return Item(
        date.fromisoformat(day),
        text,
        Decimal(count),
        unit.strip(),
        parse_money(price),
        Decimal(vat),
    )


def parse_money(text: str) -> Money:
    amount, currency = text.split()
    return Money(Decimal(amount), known_currency(currency))


def known_currency(code: str) -> str:
    if code not in DECIMALS:
        raise ValueError(f"unknown currency {code}; known are {', '.join(DECIMALS)}")
    return code


def parse_setting(invoice: Invoice, line: str) -> None:
    key, _, value = line.partition(" ")
    value = value.strip()
    if key == "invoice":
        invoice.number = value
    elif key == "client":
        invoice.client = value
    elif key == "in":
        invoice.currency = known_currency(value)
    elif key == "discount":
        invoice.discount = Decimal(value)
    elif key == "credit":
        invoice.credit = Decimal(value)
    else:
        raise ValueError(f"unknown setting {key}")
