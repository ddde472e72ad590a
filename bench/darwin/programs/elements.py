"""Reads a small XML document from standard input and reports properties of its elements."""

import sys


class Broken(Exception):
    pass


class Element:
    def __init__(self, name):
        self.name = name
        self.attributes = {}
        self.children = []
        self.text = ""

    def get(self, key):
        return self.attributes.get(key)

    def get_property(self, key, default):
        value = self.attributes.get(key)
        if value is None:
            return default
        if not value.isdigit():
            raise Broken("no number: " + key)
        return int(value)

    def get_flag(self, key):
        value = self.attributes.get(key)
        return value == "yes" or value == "1"


class Reader:
    def __init__(self, text):
        self.text = text
        self.at = 0

    def peek(self):
        if self.at < len(self.text):
            return self.text[self.at]
        return ""

    def take(self, wanted):
        if self.peek() != wanted:
            raise Broken("expected " + wanted)
        self.at += 1

    def skip_spaces(self):
        while self.peek() == " " or self.peek() == "\n":
            self.at += 1

    def name(self):
        start = self.at
        while self.peek().isalnum():
            self.at += 1
        if start == self.at:
            raise Broken("no name")
        return self.text[start : self.at]

    def quoted(self):
        self.take('"')
        start = self.at
        while self.peek() != '"':
            if self.peek() == "":
                raise Broken("open quote")
            self.at += 1
        value = self.text[start : self.at]
        self.at += 1
        return value

    def element(self):
        self.take("<")
        found = Element(self.name())
        self.skip_spaces()
        while self.peek().isalpha():
            key = self.name()
            self.take("=")
            found.attributes[key] = self.quoted()
            self.skip_spaces()
        if self.peek() == "/":
            self.at += 1
            self.take(">")
            return found
        self.take(">")
        self.content(found)
        return found

    def content(self, found):
        while True:
            start = self.at
            while self.peek() != "<":
                if self.peek() == "":
                    raise Broken("open element")
                self.at += 1
            found.text += self.text[start : self.at]
            if self.text[self.at : self.at + 2] == "</":
                self.at += 2
                if self.name() != found.name:
                    raise Broken("wrong end")
                self.take(">")
                return
            found.children.append(self.element())


def area(element):
    width = element.get_property("width", 1)
    height = element.get_property("height", 1)
    size = width * height
    if element.get_flag("hidden"):
        return 0
    for child in element.children:
        size += area(child)
    return size


def depth(element):
    deepest = 0
    for child in element.children:
        below = depth(child)
        if below > deepest:
            deepest = below
    return deepest + 1


def main():
    reader = Reader(sys.stdin.read().strip())
    try:
        root = reader.element()
        print("root", root.name)
        print("area", area(root))
        print("depth", depth(root))
    except Broken as error:
        print("broken:", error)


main()
