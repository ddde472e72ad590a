"""Which seats does an argument such as B3-B6 name?  Slices, format, dict, chained comparisons."""

import sys

ROWS = {"A": 4, "B": 8, "C": 12}


def seats(text: str) -> list[str]:
    if len(text) == 2:
        text = text + "-" + text
    if len(text) != 5 or text[2] != "-":
        raise ValueError("shape")
    row, first, last = text[0], text[1], text[-1]
    if text[3] != row:
        raise ValueError("two-rows")
    width = ROWS[row.upper()]
    if not 1 <= int(first) <= int(last) <= width:
        raise ValueError("range")
    return [f"{row}{n:02d}" for n in range(int(first), int(last) + 1)]


try:
    found = seats(sys.argv[1])
except KeyError:
    print("no-row")
except ValueError as error:
    print(error if str(error) in ("shape", "two-rows", "range") else "not-a-digit")
else:
    print("many" if len(found) > 3 else "single" if len(found) == 1 else "few")
    if found[0][1:] == "07":
        print("seven-first")
    if "C" in found[-1]:
        print("last-row")
