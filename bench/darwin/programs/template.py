"""Fills a template: template.py NAME=VALUE... < TEMPLATE

`{{ name|filter:argument }}` is a value; `{% if name %}`, `{% else %}`, `{% for x in names %}` and
`{% end %}` decide what is written; `{# ... #}` is left out.  A value with commas is a list.
"""

import sys


class Wrong(Exception):
    """The template is wrong."""


class Piece:
    """A part of a template: its kind, its text, and the line that it begins in."""

    def __init__(self, kind, text, line):
        self.kind = kind
        self.text = text
        self.line = line


def pieces(text):
    """Cut a template into pieces."""
    ends = {"{{": "}}", "{%": "%}", "{#": "#}"}
    found = []
    at = start = 0
    line = 1
    while at < len(text):
        opening = text[at : at + 2]
        if opening not in ends:
            if text[at] == "\n":
                line += 1
            at += 1
            continue
        if at > start:
            found.append(Piece("text", text[start:at], line))
        closing = ends[opening]
        end = text.find(closing, at + 2)
        if end < 0:
            raise Wrong("line %d: no %s" % (line, closing))
        if opening != "{#":
            kind = "value" if opening == "{{" else "tag"
            found.append(Piece(kind, text[at + 2 : end].strip(), line))
        at = start = end + 2
    if at > start:
        found.append(Piece("text", text[start:at], line))
    return found


class Scope:
    """The values of names; an inner scope looks into the one around it."""

    def __init__(self, values, around=None):
        self.values = values
        self.around = around

    def get(self, name):
        if name in self.values:
            return self.values[name]
        if self.around is not None:
            return self.around.get(name)
        return ""


def shortened(value, argument):
    limit = int(argument or "10")
    if len(value) <= limit:
        return value
    return value[: limit - 2] + ".."


def padded(value, argument):
    width = int(argument or "8")
    missing = width - len(value)
    if missing <= 0:
        return value
    return " " * missing + value


def escaped(value, argument):
    found = ""
    for sign in value:
        if sign == "<":
            found += "&lt;"
        elif sign == ">":
            found += "&gt;"
        elif sign == "&":
            found += "&amp;"
        else:
            found += sign
    return found


def counted(value, argument):
    word = argument or "item"
    count = int(value) if value.isdigit() else len(value)
    if count == 1:
        return "1 " + word
    return "%d %ss" % (count, word)


def default(value, argument):
    if value == "":
        return argument
    return value


def plus(value, argument):
    return str(int(value) + int(argument or "1"))


FILTERS = {
    "upper": lambda value, argument: value.upper(),
    "short": shortened,
    "pad": padded,
    "escape": escaped,
    "count": counted,
    "default": default,
    "plus": plus,
}


def evaluated(text, scope, line):
    """Return the value of `name|filter:argument|...`."""
    parts = text.split("|")
    name = parts[0].strip()
    if name.startswith('"') and name.endswith('"') and len(name) > 1:
        value = name[1:-1]
    else:
        value = scope.get(name)
    for part in parts[1:]:
        filter_name, _, argument = part.strip().partition(":")
        if filter_name not in FILTERS:
            raise Wrong("line %d: no filter %s" % (line, filter_name))
        value = FILTERS[filter_name](value, argument)
    return value


def truth(text, scope, line):
    """Is a condition true: `name`, `not name`, or `name == "text"`?"""
    text = text.strip()
    if text.startswith("not "):
        return not truth(text[4:], scope, line)
    if "==" in text:
        left, _, right = text.partition("==")
        return evaluated(left, scope, line) == evaluated(right, scope, line)
    value = evaluated(text, scope, line)
    return value != "" and value != "0" and value != "no"


class Template:
    """A template that can be filled."""

    def __init__(self, text):
        self.pieces = pieces(text)
        self.ends = {}
        self.elses = {}
        self.match()

    def match(self):
        """Find the end of each block."""
        opened = []
        for at, piece in enumerate(self.pieces):
            if piece.kind != "tag":
                continue
            word = piece.text.split(" ")[0]
            if word in ("if", "for"):
                opened.append(at)
            elif word == "else":
                if not opened or opened[-1] in self.elses:
                    raise Wrong("line %d: else without if" % piece.line)
                self.elses[opened[-1]] = at
            elif word == "end":
                if not opened:
                    raise Wrong("line %d: end of nothing" % piece.line)
                self.ends[opened.pop()] = at
            else:
                raise Wrong("line %d: no tag %s" % (piece.line, word))
        if opened:
            raise Wrong("line %d: no end" % self.pieces[opened[-1]].line)

    def fill(self, scope):
        return self.filled(0, len(self.pieces), scope)

    def filled(self, at, stop, scope):
        found = ""
        while at < stop:
            piece = self.pieces[at]
            if piece.kind == "text":
                found += piece.text
            elif piece.kind == "value":
                found += evaluated(piece.text, scope, piece.line)
            elif piece.text.startswith("if "):
                found += self.chosen(at, scope)
                at = self.ends[at]
            else:
                found += self.repeated(at, scope)
                at = self.ends[at]
            at += 1
        return found

    def chosen(self, at, scope):
        piece = self.pieces[at]
        end = self.ends[at]
        middle = self.elses.get(at, end)
        if truth(piece.text[3:], scope, piece.line):
            return self.filled(at + 1, middle, scope)
        return self.filled(middle + 1, end, scope)

    def repeated(self, at, scope):
        piece = self.pieces[at]
        end = self.ends[at]
        middle = self.elses.get(at, end)
        words = piece.text.split(" ")
        if len(words) != 4 or words[2] != "in":
            raise Wrong("line %d: for NAME in NAMES" % piece.line)
        values = [one for one in scope.get(words[3]).split(",") if one]
        if not values:
            return self.filled(middle + 1, end, scope)
        found = ""
        for number, value in enumerate(values, 1):
            inner = {words[1]: value, "number": str(number), "last": "no"}
            if number == len(values):
                inner["last"] = "yes"
            found += self.filled(at + 1, middle, Scope(inner, scope))
        return found


def main():
    values = {}
    for argument in sys.argv[1:]:
        name, _, value = argument.partition("=")
        values[name] = value
    try:
        print(Template(sys.stdin.read()).fill(Scope(values)), end="")
    except Wrong as problem:
        print(problem)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
