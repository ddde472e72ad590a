"""Keeps a stock of goods: lines "in NAME N", "out NAME N", "list" on standard input."""

import sys

stock = {}
for number, line in enumerate(sys.stdin, 1):
    words = line.split()
    if not words or words[0].startswith("#"):
        continue
    match words:
        case ["in", name, amount]:
            stock[name] = stock.get(name, 0) + int(amount)
        case ["out", name, amount]:
            if name not in stock:
                print(f"line {number}: no {name}")
                continue
            if stock[name] < int(amount):
                print(f"line {number}: only {stock[name]}")
                continue
            stock[name] -= int(amount)
            if not stock[name]:
                del stock[name]
        case ["list"]:
            for name, amount in sorted(stock.items()):
                print(name, amount)
        case _:
            print(f"line {number}: what?")
print(sum(stock.values()))
