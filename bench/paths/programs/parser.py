"""What is the value of an expression of digits, +, * and brackets?"""

import sys

text = sys.argv[1]
at = 0


def peek():
    return text[at] if at < len(text) else ""


def factor():
    global at
    if peek() == "(":
        at += 1
        value = total()
        if peek() == ")":
            at += 1
        return value
    if peek().isdigit():
        at += 1
        return int(text[at - 1])
    return -1


def product():
    global at
    value = factor()
    while peek() == "*":
        at += 1
        value *= factor()
    return value


def total():
    global at
    value = product()
    while peek() == "+":
        at += 1
        value += product()
    return value


value = total()
print("error" if peek() else value)
