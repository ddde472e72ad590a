"""Compares versions of a package, as release.py does, by a key of tokens.

release_keys.py VERSION REQUIREMENT...      a requirement: >=1.2  <2  !=1.5  ~=1.4.2  ==1.*
"""

import re
import sys

TOKEN = re.compile(r"(\d+)|([a-z]+)|(.)")
RANKS = {"a": -3, "alpha": -3, "b": -2, "beta": -2, "c": -1, "rc": -1}
REQUIREMENT = re.compile(r"(~=|==|!=|<=|>=|<|>)(.*)")


class Broken(Exception):
    pass


def tokens(text):
    for match in TOKEN.finditer(text):
        if match[1]:
            yield "number", int(match[1])
        elif match[2]:
            yield "word", match[2]
        else:
            yield "sign", match[3]


class Reader:
    """Reads a version from its tokens."""

    def __init__(self, text):
        self.left = list(tokens(text))
        self.numbers = []
        self.stage = (0, 0)
        self.post = 0

    def next(self, kind):
        if self.left and self.left[0][0] == kind:
            return self.left.pop(0)[1]
        return None

    def number(self):
        found = self.next("number")
        if found is None:
            raise Broken("number expected")
        return found

    def read(self):
        if self.left and self.left[0] == ("word", "v"):
            self.left.pop(0)
        self.numbers.append(self.number())
        while len(self.left) > 1 and self.left[0] == ("sign", ".") and self.left[1][0] == "number":
            self.left.pop(0)
            self.numbers.append(self.number())
        word = self.next("word")
        if word is not None:
            if word not in RANKS:
                raise Broken("unknown stage " + word)
            self.stage = (RANKS[word], self.next("number") or 0)
        if self.left[:2] == [("sign", "."), ("word", "post")]:
            del self.left[:2]
            self.post = self.number() + 1
        if self.left:
            raise Broken("left over: " + "".join(str(value) for _, value in self.left))
        return self


def key(version, width):
    """Return a list that orders versions."""
    numbers = version.numbers + [0] * (width - len(version.numbers))
    return [*numbers, *version.stage, version.post]


def order(one, other):
    width = max(len(one.numbers), len(other.numbers))
    left, right = key(one, width), key(other, width)
    for a, b in zip(left, right):
        if a != b:
            return -1 if a < b else 1
    return 0


def same_start(one, other, count):
    numbers = one.numbers + [0] * count
    return numbers[:count] == other.numbers[:count]


def holds(version, requirement):
    match = REQUIREMENT.fullmatch(requirement)
    if match is None:
        raise Broken("no operator: " + requirement)
    sign, text = match[1], match[2]
    if sign == "~=":
        least = Reader(text).read()
        if len(least.numbers) < 2:
            raise Broken("~= needs two numbers")
        return order(version, least) >= 0 and same_start(version, least, len(least.numbers) - 1)
    if text.endswith(".*"):
        wanted = Reader(text[:-2]).read()
        return same_start(version, wanted, len(wanted.numbers)) == (sign == "==")
    found = order(version, Reader(text).read())
    table = {
        "==": found == 0, "!=": found != 0, "<": found < 0, ">": found > 0,
        "<=": found <= 0, ">=": found >= 0,
    }
    return table[sign]


def main(arguments):
    try:
        version = Reader(arguments[0]).read()
        for requirement in arguments[1:]:
            if not holds(version, requirement):
                print("does not fit", requirement)
                return 1
    except Broken as error:
        print("error:", error)
        return 2
    print("fits", "prerelease" if version.stage[0] < 0 else "final")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
