"""Arguments: numbers with commas, rows with semicolons; prints the determinant of a 2x2 matrix, or why there is none."""

import argparse

parser = argparse.ArgumentParser()
parser.add_argument("rows")
parser.add_argument("--scale", type=float, default=1.0)
parser.add_argument("--name", choices=["det", "trace"], default="det")
options = parser.parse_args()

rows = [[float(part) for part in row.split(",")] for row in options.rows.split(";")]
if len({len(row) for row in rows}) != 1:
    raise SystemExit("rows of different lengths")
if len(rows) != len(rows[0]):
    raise SystemExit("not square")
if len(rows) != 2:
    raise SystemExit("only 2x2")
(a, b), (c, d) = rows
value = a * d - b * c if options.name == "det" else a + d
value *= options.scale
if value == 0:
    print("singular")
elif value < 0:
    print("negative")
else:
    print("positive")
