"""Which page does a link such as `/shop/lamp;2?color=red&page=3#top` show, and what does it cost?"""

import sys

PRICES = {"lamp": 40, "desk": 120, "chair": 75}
DIGITS = "0123456789"
HEX = "0123456789abcdef"


class Link:
    """A link, in parts."""

    def __init__(self, path, query, anchor):
        self.path = path
        self.query = query
        self.anchor = anchor

    def get(self, key, default=""):
        for name, value in self.query:
            if name == key:
                return value
        return default


def decoded(text):
    """Return a text with `%41` and `+` in place."""
    found = ""
    at = 0
    while at < len(text):
        c = text[at]
        if c == "+":
            found += " "
        elif c == "%" and at + 2 < len(text) and text[at + 1] in HEX and text[at + 2] in HEX:
            found += chr(HEX.index(text[at + 1]) * 16 + HEX.index(text[at + 2]))
            at += 2
        else:
            found += c
        at += 1
    return found


def pairs(text):
    found = []
    for part in text.split("&"):
        if part == "":
            continue
        name, equals, value = part.partition("=")
        found.append((decoded(name), decoded(value)))
    return found


def parsed(text):
    anchor = query = ""
    if "#" in text:
        text, _, anchor = text.partition("#")
    if "?" in text:
        text, _, query = text.partition("?")
    path = [decoded(part) for part in text.split("/") if part != ""]
    return Link(path, pairs(query), anchor)


def number(text, default):
    if text == "":
        return default
    value = 0
    for c in text:
        if c not in DIGITS:
            return default
        value = value * 10 + DIGITS.index(c)
    return value


def price(item, count):
    single = PRICES.get(item, 0)
    total = single * count
    if count >= 5:
        total -= total // 10
    return total


def shop(link):
    item, _, count = link.path[1].partition(";")
    wanted = number(count, 1)
    if item not in PRICES:
        return "no such item"
    color = link.get("color", "white")
    cost = price(item, wanted)
    if color != "white":
        cost += 5 * wanted
    return f"{wanted} {color} {item}: {cost}"


def listing(link):
    page = number(link.get("page"), 1)
    size = number(link.get("size"), 10)
    if size > 50:
        size = 50
    first = (page - 1) * size
    return f"items {first} to {first + size - 1}"


def shown(link):
    if not link.path:
        return "home"
    if link.path[0] == "shop" and len(link.path) == 2:
        return shop(link)
    if link.path[0] == "list":
        return listing(link)
    return "not found"


def main():
    link = parsed(sys.argv[1])
    page = shown(link)
    if link.anchor:
        page += f" at {link.anchor}"
    print(page)
    return 1 if page == "not found" else 0


sys.exit(main())
