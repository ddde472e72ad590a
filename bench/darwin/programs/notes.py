"""Makes HTML of notes with light marks, from standard input.

# title   * item   > quoted   `code`   *strong*   [text](address)   an empty line ends a paragraph
"""

import sys

ESCAPES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;"}


def escape(text):
    return "".join(ESCAPES.get(c, c) for c in text)


class Inline:
    """Turns the marks in one piece of text into HTML."""

    def __init__(self, text):
        self.text = text
        self.at = 0
        self.out = []

    def render(self):
        while self.at < len(self.text):
            c = self.text[self.at]
            if c == "\\" and self.at + 1 < len(self.text):
                self.out.append(escape(self.text[self.at + 1]))
                self.at += 2
            elif c == "`":
                self.code()
            elif c == "*":
                self.strong()
            elif c == "[":
                self.link()
            else:
                self.out.append(escape(c))
                self.at += 1
        return "".join(self.out)

    def code(self):
        end = self.text.find("`", self.at + 1)
        if end < 0:
            self.literal()
            return
        self.out.append("<code>" + escape(self.text[self.at + 1:end]) + "</code>")
        self.at = end + 1

    def strong(self):
        end = self.text.find("*", self.at + 1)
        if end < 0 or self.text[self.at + 1] == " ":
            self.literal()
            return
        inside = Inline(self.text[self.at + 1:end]).render()
        self.out.append("<b>" + inside + "</b>")
        self.at = end + 1

    def link(self):
        middle = self.text.find("](", self.at)
        end = self.text.find(")", middle) if middle >= 0 else -1
        if end < 0:
            self.literal()
            return
        address = self.text[middle + 2:end]
        if address.startswith("javascript:"):
            address = "#"
        inside = Inline(self.text[self.at + 1:middle]).render()
        self.out.append('<a href="' + escape(address) + '">' + inside + "</a>")
        self.at = end + 1

    def literal(self):
        self.out.append(escape(self.text[self.at]))
        self.at += 1


def title(line):
    level = 0
    while level < len(line) and line[level] == "#":
        level += 1
    if not 1 <= level <= 3 or level == len(line) or line[level] != " ":
        return None
    return level, line[level + 1:].strip()


class Blocks:
    """Collects lines into blocks."""

    def __init__(self):
        self.out = []
        self.kind = ""
        self.lines = []

    def close(self):
        if not self.lines:
            return
        if self.kind == "list":
            items = ["<li>" + Inline(one).render() + "</li>" for one in self.lines]
            self.out.append("<ul>" + "".join(items) + "</ul>")
        elif self.kind == "quote":
            text = " ".join(self.lines)
            self.out.append("<blockquote>" + Inline(text).render() + "</blockquote>")
        else:
            self.out.append("<p>" + Inline(" ".join(self.lines)).render() + "</p>")
        self.lines = []

    def add(self, kind, line):
        if kind != self.kind:
            self.close()
        self.kind = kind
        self.lines.append(line)

    def feed(self, line):
        found = title(line)
        if found is not None:
            self.close()
            level, text = found
            self.out.append(f"<h{level}>" + Inline(text).render() + f"</h{level}>")
        elif not line.strip():
            self.close()
        elif line.startswith("* "):
            self.add("list", line[2:])
        elif line.startswith(">"):
            self.add("quote", line[1:].lstrip())
        elif self.kind == "list" and self.lines and line.startswith("  "):
            self.lines[-1] += " " + line.strip()
        else:
            self.add("text", line.strip())


def main():
    blocks = Blocks()
    for line in sys.stdin.read().split("\n"):
        blocks.feed(line)
    blocks.close()
    print("\n".join(blocks.out))


main()
