"""Compares versions of a package, and checks one against requirements.

release.py VERSION REQUIREMENT...      a requirement: >=1.2  <2  !=1.5  ~=1.4.2  ==1.*
"""

import sys

STAGES = {"a": 0, "alpha": 0, "b": 1, "beta": 1, "rc": 2, "c": 2}
FINAL = 3
OPERATORS = ("~=", "==", "!=", "<=", ">=", "<", ">")


class BadVersion(Exception):
    pass


class Version:
    def __init__(self, numbers, stage, stage_number, post):
        self.numbers = numbers
        self.stage = stage
        self.stage_number = stage_number
        self.post = post

    def key(self):
        numbers = list(self.numbers)
        while numbers and numbers[-1] == 0:
            numbers.pop()
        return (numbers, self.stage, self.stage_number, self.post)

    def is_prerelease(self):
        return self.stage != FINAL


def split_number(text):
    """Return the number at the start of a text, and the rest."""
    length = 0
    while length < len(text) and text[length].isdigit():
        length += 1
    if length == 0:
        raise BadVersion("number expected")
    return int(text[:length]), text[length:]


def parse(text):
    if text.startswith("v"):
        text = text[1:]
    number, rest = split_number(text)
    numbers = [number]
    while rest.startswith(".") and len(rest) > 1 and rest[1].isdigit():
        number, rest = split_number(rest[1:])
        numbers.append(number)
    stage, stage_number, post = FINAL, 0, 0
    if rest and rest[0].isalpha():
        word = ""
        while rest and rest[0].isalpha():
            word += rest[0]
            rest = rest[1:]
        if word not in STAGES:
            raise BadVersion("unknown stage " + word)
        stage = STAGES[word]
        if rest and rest[0].isdigit():
            stage_number, rest = split_number(rest)
    if rest.startswith(".post"):
        post, rest = split_number(rest[5:])
        post += 1
    if rest:
        raise BadVersion("left over: " + rest)
    return Version(numbers, stage, stage_number, post)


def compare(one, other):
    """Return -1, 0 or 1."""
    if one.key() < other.key():
        return -1
    if one.key() > other.key():
        return 1
    return 0


def fits_prefix(version, text):
    """Does a version fit 1.4.* ?"""
    wanted = parse(text[:-2]).numbers
    numbers = version.numbers + [0] * len(wanted)
    for position, number in enumerate(wanted):
        if numbers[position] != number:
            return False
    return True


def fits_compatible(version, text):
    least = parse(text)
    if len(least.numbers) < 2:
        raise BadVersion("~= needs two numbers")
    if compare(version, least) < 0:
        return False
    for position in range(len(least.numbers) - 1):
        if version.numbers[position] != least.numbers[position]:
            return False
    return True


def fits(version, requirement):
    for operator in OPERATORS:
        if requirement.startswith(operator):
            break
    else:
        raise BadVersion("no operator: " + requirement)
    text = requirement[len(operator):]
    if operator == "~=":
        return fits_compatible(version, text)
    if text.endswith(".*"):
        return fits_prefix(version, text) == (operator == "==")
    order = compare(version, parse(text))
    if operator == "==":
        return order == 0
    if operator == "!=":
        return order != 0
    if operator == "<=":
        return order <= 0
    if operator == ">=":
        return order >= 0
    if operator == "<":
        return order < 0
    return order > 0


def main(arguments):
    try:
        version = parse(arguments[0])
        for requirement in arguments[1:]:
            if not fits(version, requirement):
                print("does not fit", requirement)
                return 1
    except BadVersion as error:
        print("error:", error)
        return 2
    print("fits", "prerelease" if version.is_prerelease() else "final")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
