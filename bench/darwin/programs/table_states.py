"""Another reader of comma-separated lines: one state for each kind of place in the text."""

import sys

START, PLAIN, QUOTED, AFTER = "start", "plain", "quoted", "after"


class Reader:
    def __init__(self):
        self.rows = []
        self.fields = []
        self.field = ""
        self.state = START

    def end_field(self):
        text = self.field if self.state == AFTER else self.field.strip()
        self.fields.append(text)
        self.field = ""
        self.state = START

    def end_line(self):
        is_empty = not self.fields and self.state == START and not self.field.strip()
        if is_empty:
            self.field = ""
            return
        self.end_field()
        self.rows.append(self.fields)
        self.fields = []

    def feed(self, c, following):
        """Take one character; return how many were used."""
        if self.state == QUOTED:
            if c == '"' and following == '"':
                self.field += c
                return 2
            if c == '"':
                self.state = AFTER
            else:
                self.field += c
            return 1
        if c == ",":
            self.end_field()
        elif c == "\n":
            self.end_line()
        elif self.state == START and c == '"':
            self.field = ""
            self.state = QUOTED
        elif self.state == START and c == " ":
            self.field += c
        elif self.state != AFTER:
            self.field += c
            self.state = PLAIN
        return 1


def read_rows(text):
    reader = Reader()
    i = 0
    at_start = True
    while i < len(text):
        if at_start and text[i] == "#":
            while i < len(text) and text[i] != "\n":
                i += 1
            i += 1
            continue
        following = text[i + 1] if i + 1 < len(text) else ""
        at_start = text[i] == "\n"
        i += reader.feed(text[i], following)
    reader.end_line()
    return reader.rows


def find_column(header, name):
    for number in range(len(header)):
        if header[number].lower() == name.lower():
            return number
    return None


def whole(text):
    digits = text[1:] if text.startswith("-") else text
    if digits.isdigit():
        return int(text)
    return None


def main(arguments):
    rows = read_rows(sys.stdin.read())
    if not rows:
        print("no table")
        return
    column = find_column(rows[0], arguments[1])
    if column is None:
        print("no such column")
        return
    width = len(rows[0])
    complete = [row for row in rows[1:] if len(row) >= width]
    short = len(rows) - 1 - len(complete)
    values = []
    for row in complete:
        value = whole(row[column])
        if value is not None:
            values.append(value)
    print("rows", len(complete), "short", short)
    print("numbers", len(values), "sum", sum(values))
    if values:
        print("largest", max(values))


main(sys.argv)
