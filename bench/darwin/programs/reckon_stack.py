"""Evaluates an expression with two stacks: reckon_stack.py "2 * (3 + 4)"."""

import sys

LEVELS = {"+": 1, "-": 1, "*": 2, "/": 2, "^": 3, "~": 4}


class Wrong(Exception):
    pass


class Machine:
    def __init__(self):
        self.values = []
        self.signs = []
        self.open = 0

    def apply(self):
        sign = self.signs.pop()
        if sign == "~":
            if not self.values:
                raise Wrong("syntax error")
            self.values.append(-self.values.pop())
            return
        if len(self.values) < 2:
            raise Wrong("syntax error")
        right = self.values.pop()
        left = self.values.pop()
        if sign == "+":
            self.values.append(left + right)
        elif sign == "-":
            self.values.append(left - right)
        elif sign == "*":
            self.values.append(left * right)
        elif sign == "/":
            if right == 0:
                raise Wrong("division by zero")
            self.values.append(left // right)
        else:
            if right < 0 or right > 20:
                raise Wrong("bad exponent")
            self.values.append(left**right)

    def push(self, sign):
        while self.signs and self.signs[-1] != "(":
            top = LEVELS[self.signs[-1]]
            own = LEVELS[sign]
            if top < own or (top == own and sign == "^") or sign == "~":
                break
            self.apply()
        self.signs.append(sign)

    def close(self):
        while self.signs and self.signs[-1] != "(":
            self.apply()
        if not self.signs:
            raise Wrong("syntax error")
        self.signs.pop()
        self.open -= 1


def evaluate(text):
    machine = Machine()
    wants_value = True
    i = 0
    while i < len(text):
        c = text[i]
        i += 1
        if c == " ":
            continue
        if c.isdigit():
            start = i - 1
            while i < len(text) and text[i].isdigit():
                i += 1
            machine.values.append(int(text[start:i]))
            wants_value = False
        elif c == "(":
            machine.open += 1
            if machine.open > 5:
                raise Wrong("too deep")
            machine.signs.append(c)
        elif c == ")":
            machine.close()
        elif wants_value:
            if c != "-":
                raise Wrong("syntax error")
            machine.push("~")
        elif c in LEVELS:
            machine.push(c)
            wants_value = True
        else:
            raise Wrong("syntax error")
    while machine.signs:
        machine.apply()
    if len(machine.values) != 1:
        raise Wrong("syntax error")
    return machine.values[0]


def size(value):
    if value < 0:
        return "negative"
    if value == 0:
        return "zero"
    if value < 10:
        return "one digit"
    return "large"


def main(arguments):
    try:
        value = evaluate(arguments[1])
    except Wrong as problem:
        print(problem)
        return
    print(value, size(value))


main(sys.argv)
