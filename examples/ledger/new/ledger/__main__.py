"""python3 -m ledger INVOICE RATES [--csv]"""

import sys
from pathlib import Path

from ledger.export import to_csv
from ledger.parser import read_invoice, read_rates
from ledger.report import statement


def main() -> int:
    if len(sys.argv) not in (3, 4):
        print(__doc__, file=sys.stderr)
        return 2
    invoice_file, rates_file, *options = sys.argv[1:]
    rates = read_rates(Path(rates_file).read_text())
    invoice = read_invoice(Path(invoice_file).read_text())
    print(to_csv(invoice, rates) if "--csv" in options else statement(invoice, rates))
    return 0


if __name__ == "__main__":
    sys.exit(main())
