"""Prices an order: invoice.py COUNTRY CUSTOMER < lines "ITEM COUNT CENTS"."""

import sys

TAX = {"de": 19, "fr": 20, "uk": 20, "us": 0}
FREE_SHIPPING = 5000
MAX_COUNT = 99


class Line:
    def __init__(self, item, count, cents):
        self.item = item
        self.count = count
        self.cents = cents

    def total(self):
        return self.count * self.cents


class Order:
    def __init__(self, country, customer):
        self.country = country
        self.customer = customer
        self.lines = []
        self.problems = 0

    def add(self, text):
        parts = text.split()
        if len(parts) != 3:
            self.problems += 1
            return
        count = number(parts[1])
        cents = number(parts[2])
        if count < 1 or count > MAX_COUNT or cents < 0:
            self.problems += 1
            return
        self.lines.append(Line(parts[0], count, cents))

    def goods(self):
        total = 0
        for line in self.lines:
            total += discounted(line)
        return total


def number(text):
    if text.isdigit():
        return int(text)
    return -1


def discounted(line):
    total = line.total()
    if line.count >= 50:
        return total - total // 5
    if line.count >= 10:
        return total - total // 10
    return total


def loyalty(order, goods):
    if order.customer == "gold":
        return goods // 20
    if order.customer == "silver" and goods > 10000:
        return goods // 50
    return 0


def shipping(order, goods):
    if goods >= FREE_SHIPPING:
        return 0
    weight = 0
    for line in order.lines:
        weight += line.count
    cost = 490
    if weight > 20:
        cost += 250
    if order.country != "de":
        cost += 500
    return cost


def tax(order, net):
    rate = TAX.get(order.country)
    if rate is None:
        return None
    return net * rate // 100


def shown(cents):
    return f"{cents // 100}.{cents % 100:02d}"


def price(order):
    goods = order.goods()
    rebate = loyalty(order, goods)
    sent = shipping(order, goods - rebate)
    net = goods - rebate + sent
    owed = tax(order, net)
    if owed is None:
        return None
    return goods, rebate, sent, net + owed


def main(arguments):
    if len(arguments) != 3:
        print("usage: invoice.py COUNTRY CUSTOMER", file=sys.stderr)
        return 2
    order = Order(arguments[1], arguments[2])
    for text in sys.stdin:
        text = text.strip()
        if not text or text.startswith("#"):
            continue
        order.add(text)
    found = price(order)
    if found is None:
        print("no such country")
        return 0
    goods, rebate, sent, total = found
    print("goods", shown(goods))
    print("rebate", shown(rebate))
    print("shipping", shown(sent))
    print("total", shown(total))
    print("problems", order.problems)
    return 0


sys.exit(main(sys.argv))
