"""A user's program: a report of orders as a table, as text, CSV and HTML."""

from prettytable import PrettyTable

ORDERS = [
    ("tea", 3, 4.5, "2024-01-03"),
    ("coffee", 12, 17.25, "2024-01-05"),
    ("cocoa", 1, 2.0, None),
]

table = PrettyTable()
table.field_names = ["item", "count", "price", "day"]
table.align["item"] = "l"
table.align["price"] = "r"
table.float_format = ".2"
for order in ORDERS:
    table.add_row(order)
print(table)
print(table.get_string(sortby="count", reversesort=True, fields=["item", "count"]))
table.add_column("total", [count * price for _, count, price, _ in ORDERS])
table.del_row(2)
print(table.get_csv_string())
print(table.get_html_string(attributes={"id": "orders"}))
lines = table.get_string(border=False, header=False).splitlines()
assert len(lines) == 2, lines
