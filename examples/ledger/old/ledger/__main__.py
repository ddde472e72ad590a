"""python3 -m ledger INVOICE RATES"""

import sys
from pathlib import Path

from ledger.parser import read_invoice, read_rates
from ledger.report import statement


def main() -> int:
    if len(sys.argv) != 3:
        print(__doc__, file=sys.stderr)
        return 2
    invoice_file, rates_file = sys.argv[1:]
    rates = read_rates(Path(rates_file).read_text())
    invoice = read_invoice(Path(invoice_file).read_text())
    print(statement(invoice, rates))
    return 0


if __name__ == "__main__":
    sys.exit(main())
