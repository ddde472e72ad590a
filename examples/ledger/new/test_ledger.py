"""What the ledger promises.  Run: python3 test_ledger.py"""

from pathlib import Path

from ledger.parser import Mistake, read_invoice, read_rates
from ledger.report import by_month, statement

DATA = Path(__file__).parent / "data"
RATES = read_rates((DATA / "rates.txt").read_text())
MARCH = read_invoice((DATA / "march.txt").read_text())


def test_settings_are_read() -> None:
    assert MARCH.number == "2024-031"
    assert MARCH.client == "Nordlicht GmbH"
    assert len(MARCH.items) == 5


def test_mistakes_name_their_line() -> None:
    said = ""
    try:
        read_invoice("invoice 7\n2024-03-01 | too | few\n")
    except Mistake as mistake:
        said = str(mistake)
    assert "line 2" in said


def test_halves_go_up() -> None:
    invoice = read_invoice("2024-02-01 | Stamp | 1 | 0.125 EUR | 0")
    assert "0.13 EUR" in statement(invoice, RATES)


def test_months_are_summed() -> None:
    invoice = read_invoice(
        "2024-01-05 | A | 2 | 10.00 EUR | 0\n"
        "2024-02-05 | B | 1 | 10.00 USD | 0\n"
        "2024-01-31 | C | 1 |  5.00 EUR | 0\n"
    )
    assert by_month(invoice, RATES) == "2024-01  25.00 EUR\n2024-02  9.10 EUR"


def test_the_invoice_of_march() -> None:
    to_pay = statement(MARCH, RATES).split("to pay")[1].strip()
    assert to_pay == "4,671.63 EUR", to_pay


if __name__ == "__main__":
    test_settings_are_read()
    test_mistakes_name_their_line()
    test_halves_go_up()
    test_months_are_summed()
    test_the_invoice_of_march()
