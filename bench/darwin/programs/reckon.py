"""Evaluates an expression by recursive descent: reckon.py "2 * (3 + 4)"."""

import sys


class Problem(Exception):
    pass


class Parser:
    def __init__(self, text):
        self.text = text
        self.at = 0
        self.depth = 0

    def peek(self):
        while self.at < len(self.text) and self.text[self.at] == " ":
            self.at += 1
        if self.at < len(self.text):
            return self.text[self.at]
        return ""

    def accept(self, sign):
        if self.peek() == sign:
            self.at += 1
            return True
        return False

    def number(self):
        self.peek()
        start = self.at
        while self.at < len(self.text) and self.text[self.at].isdigit():
            self.at += 1
        if start == self.at:
            raise Problem("syntax error")
        return int(self.text[start : self.at])

    def factor(self):
        if self.accept("-"):
            return -self.factor()
        if self.accept("("):
            self.depth += 1
            if self.depth > 5:
                raise Problem("too deep")
            value = self.sum()
            self.depth -= 1
            if not self.accept(")"):
                raise Problem("syntax error")
            return value
        return self.number()

    def power(self):
        base = self.factor()
        if self.accept("^"):
            exponent = self.power()
            if exponent < 0 or exponent > 20:
                raise Problem("bad exponent")
            result = 1
            for _ in range(exponent):
                result = result * base
            return result
        return base

    def term(self):
        value = self.power()
        while True:
            if self.accept("*"):
                value = value * self.power()
            elif self.accept("/"):
                by = self.power()
                if by == 0:
                    raise Problem("division by zero")
                value = value // by
            else:
                return value

    def sum(self):
        value = self.term()
        while True:
            if self.accept("+"):
                value = value + self.term()
            elif self.accept("-"):
                value = value - self.term()
            else:
                return value


def grade(value):
    if value < 0:
        return "negative"
    if value == 0:
        return "zero"
    if value <= 9:
        return "one digit"
    return "large"


def main(arguments):
    parser = Parser(arguments[1])
    try:
        value = parser.sum()
        if parser.peek() != "":
            raise Problem("syntax error")
    except Problem as problem:
        print(problem)
        return
    print(value, grade(value))


main(sys.argv)
