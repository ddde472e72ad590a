"""Reads comma-separated lines and sums a column: table.py COLUMN < text."""

import sys


def split_line(line):
    fields = []
    field = ""
    i = 0
    while i <= len(line):
        if i == len(line):
            fields.append(field.strip())
            break
        c = line[i]
        if c == '"' and not field.strip():
            field, i = read_quoted(line, i + 1)
        elif c == ",":
            fields.append(field.strip())
            field = ""
            i += 1
        else:
            field += c
            i += 1
    return fields


def read_quoted(line, i):
    text = ""
    while i < len(line):
        if line[i] == '"':
            if i + 1 < len(line) and line[i + 1] == '"':
                text += '"'
                i += 2
                continue
            return text, i + 1
        text += line[i]
        i += 1
    return text, i


def is_number(text):
    if text.startswith("-"):
        text = text[1:]
    return text.isdigit()


class Table:
    def __init__(self, header):
        self.header = header
        self.rows = []
        self.short = 0

    def add(self, fields):
        if len(fields) < len(self.header):
            self.short += 1
            return
        self.rows.append(fields)

    def column(self, name):
        for number, title in enumerate(self.header):
            if title.lower() == name.lower():
                return number
        return -1


def summary(table, column):
    total = 0
    numbers = 0
    largest = None
    for row in table.rows:
        text = row[column]
        if not is_number(text):
            continue
        value = int(text)
        total += value
        numbers += 1
        if largest is None or value > largest:
            largest = value
    return total, numbers, largest


def read_table(lines):
    table = None
    for line in lines:
        line = line.rstrip("\n")
        if not line.strip() or line.startswith("#"):
            continue
        fields = split_line(line)
        if table is None:
            table = Table(fields)
        else:
            table.add(fields)
    return table


def main(arguments):
    table = read_table(sys.stdin)
    if table is None:
        print("no table")
        return
    column = table.column(arguments[1])
    if column < 0:
        print("no such column")
        return
    total, numbers, largest = summary(table, column)
    print("rows", len(table.rows), "short", table.short)
    print("numbers", numbers, "sum", total)
    if largest is not None:
        print("largest", largest)


main(sys.argv)
