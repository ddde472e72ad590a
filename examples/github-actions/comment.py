"""What does a pull request say of a failed test?  Markdown from the JSON of `whence explain`.

    python comment.py [--blob URL] [--artifact URL] explanation.json >comment.md

The JSON comes from a run of code that nobody has reviewed, so none of its text may do anything in
the comment: no markup, no HTML, no mentions, no links, no characters that hide or reorder others.
Code is put in spans and fences that it cannot end, in all other text every sign is escaped, and
the comment as a whole is never longer than GitHub takes.  Only the standard library is needed.
"""

from __future__ import annotations

import argparse
import itertools
import json
import re
import sys
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from typing import Any
from urllib.parse import quote

MARKER = "<!-- whence -->"  # by which the comment is found again, to be updated
MOST = 65_536  # GitHub counts characters; bytes are never fewer
LONGEST = 300  # of a value, a line of code or a name
MOST_LINES = 60  # of one diff, and items of one list
_UNSEEN = frozenset(("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"))
_HOLDS_OFF = "\u200b"  # of an address or a mention, which is seen behind a backslash too


def main() -> None:
    parser = argparse.ArgumentParser(description="Make a comment of the JSON of whence explain.")
    parser.add_argument("file", help="what whence explain --json wrote")
    parser.add_argument("--blob", help="address of the files of the bad version, for links")
    parser.add_argument("--artifact", help="address where the whole report is")
    options = parser.parse_args()
    with open(options.file, encoding="utf-8") as file:
        document = json.load(file)
    made = comment(document, blob=options.blob, artifact=options.artifact)
    sys.stdout.buffer.write(made.encode())


def comment(
    document: dict[str, Any], *, blob: str | None = None, artifact: str | None = None
) -> str:
    """The comment, with as much of what was found as there is room for."""
    page = Page(document, blob)
    end = f"\n[The whole report]({artifact}) has more.\n" if artifact else ""
    left_out = "\n*There is no room here for the rest.*\n"
    room = MOST - len((left_out + end).encode())
    made = f"{MARKER}\n"
    for block in page.blocks():
        if len((made + block).encode()) > room:
            made += left_out
            break
        made += block
    return made + end


# --- text that does nothing ------------------------------------------------------------------


def visible(text: object, most: int = LONGEST) -> str:
    """One line of text, not too long; a sign stands for each character that is none itself."""
    line = str(text)
    line = line if len(line) <= most else line[: most - 1] + "…"
    if line.isascii() and line.isprintable():
        return line
    return "".join(
        char if unicodedata.category(char) not in _UNSEEN else f"⟨{ord(char):04X}⟩"
        for char in line.replace("\t", "    ")
    )


def code(text: object) -> str:
    """Text in a code span that it cannot end."""
    shown = visible(text)
    ticks = "`" * (1 + max(map(len, re.findall("`+", shown)), default=0))
    # One space at each end goes when it is shown, unless all are spaces.
    return f"{ticks} {shown} {ticks}" if shown.strip() else "` `"


def prose(text: object) -> str:
    """A sentence; what it has between backticks is code."""
    words = " ".join(str(text)[:2000].split())
    parts = words.split("`")
    if len(parts) % 2 == 0:
        return _escaped(words)
    return "".join(code(part) if at % 2 else _escaped(part) for at, part in enumerate(parts))


def _escaped(text: str) -> str:
    held_off = re.sub(r"[@#]|:(?=//)|(?i:www)(?=\.)", rf"\g<0>{_HOLDS_OFF}", visible(text, 2000))
    return re.sub(r"[!-/:-@\[-`{-~]", r"\\\g<0>", held_off)


def fenced(text: str, language: str) -> str:
    """A block of code that it cannot end."""
    shown = _within(text.split("\n"), MOST // 8, visible)
    runs = re.findall("`+", "\n".join(shown))
    fence = "`" * max(3, 1 + max(map(len, runs), default=0))
    return "\n".join([f"{fence}{language}", *shown, fence]) + "\n"


# --- what was found --------------------------------------------------------------------------


class Page:
    """The parts of a comment, the most important first; each is whole in itself."""

    def __init__(self, document: dict[str, Any], blob: str | None) -> None:
        self._found = document
        self._blob = blob

    def blocks(self) -> Iterator[str]:
        found = self._found
        yield self._head()
        yield from _within(found["root"], MOST // 2, self._change)
        if found.get("dodged"):
            yield f"\n**Beware:** {prose(found['dodged'])}\n"
        if found.get("chain"):
            yield self._before_chain()
            yield from _within([*enumerate(found["chain"], 1)], MOST // 4, self._link)
        auxiliary, others = found.get("auxiliary") or [], found.get("other") or []
        causes = found.get("causes") or []
        several = _counted(len(auxiliary), "auxiliary change")
        summary = f"{several}, also reverted, so that the program builds and runs"
        yield from _details(summary, auxiliary, self._change)
        summary = f"{_counted(len(others), 'other set')} of changes, reverted, make the test pass"
        yield from _details(summary, others, self._other)
        yield from _details(f"The tree of causes ({len(causes)})", causes, self._cause)
        yield from (f"\n> {prose(note)}\n" for note in found.get("notes") or [])

    def _head(self) -> str:
        found, failure = self._found, self._found["failure"]
        total = _counted(found["changes"]["total"], "change")
        is_found = found["status"] != "unexplained"
        what = f"{len(found['root'])} of {total}"
        lines = [f"### whence: {what} broke the test" if is_found else f"### whence: {what} left"]
        if is_found:
            them = "it" if len(found["root"]) == 1 else "them"
            also = " and the auxiliary changes" if found.get("auxiliary") else ""
            lines.append(f"With {them}{also} reverted, the test passes.")
        if found.get("reason"):
            lines.append(("" if is_found else "Not found: ") + prose(found["reason"]))
        place = f" at {self._place(failure)}" if failure.get("file") else ""
        lines.append(f"**Failure**{place}: {code(failure['message'])}")
        return "\n\n".join(lines) + "\n"

    def _change(self, change: dict[str, Any]) -> str:
        line = max(change["new"][0], 1)
        inside = f" in {code(change['function'])}" if change.get("function") else ""
        head = f"\n**{self._place({**change, 'line': line})}**{inside}\n\n"
        return head + fenced(str(change["text"]), "diff")

    def _before_chain(self) -> str:
        changes = "change" if len(self._found["root"]) == 1 else "changes"
        is_good = self._found.get("passing") == "good"
        legend = (
            "*good*: the version that passes; *failing*: the bad version."
            if is_good
            else "*fixed*: with the root reverted; *failing*: as is."
        )
        return f"\n#### From the {changes} to the failure\n\n{legend}\n\n"

    def _link(self, numbered: tuple[int, dict[str, Any]]) -> str:
        number, link = numbered
        is_missing = link["step"] == "missing"
        # A line that is missing is one of the version that passes.
        place = code(f"{link['file']}:{link['line']}") if is_missing else self._place(link)
        text = f"{' (not run)' if is_missing else ''} {code(link['text'])}"
        times = f" ({int(link['times'])} times)" if link["times"] > 1 else ""
        label = "good" if self._found.get("passing") == "good" else "fixed"
        both = (_values(label, link["passing"]), _values("failing", link["failing"]))
        lines = [place + text, prose(link["says"]) + times, ", ".join(filter(None, both))]
        return f"{number}. " + "\n   ".join(filter(None, lines)) + "\n"

    def _other(self, other: dict[str, Any]) -> str:
        places = ", ".join(self._place({**c, "line": max(c["new"][0], 1)}) for c in other["root"])
        dodge = " It only avoids the faulty code." if other.get("is_dodge") else ""
        return f"- {places}:{dodge} {prose(other.get('why') or '')}\n"

    def _cause(self, cause: dict[str, Any]) -> str:
        predicate = cause["predicate"]
        below = "" if cause["parent"] is None else f" (below {int(cause['parent'])})"
        head = f"{int(cause['id'])}{below}: {code(predicate['text'])} at {self._place(predicate)}"
        return f"- {head}. {prose(cause['because'])}\n"

    def _place(self, where: dict[str, Any]) -> str:
        line = int(where.get("line") or 1)
        shown = code(f"{where['file']}:{line}")
        if not self._blob:
            return shown
        file = quote(str(where["file"]).encode("utf-8", "replace"))
        return f"[{shown}]({self._blob}/{file}#L{line})"


def _values(label: str, values: dict[str, str]) -> str:
    told = ", ".join(code(f"{name} = {value}") for name, value in [*values.items()][:8])
    return f"{label}: {told}" if told else ""


def _details(summary: str, items: list[Any], told: Callable[[Any], str]) -> Iterator[str]:
    """Something to unfold."""
    if items:
        body = "".join(_within(items, MOST // 8, told))
        yield f"\n<details><summary>{summary}</summary>\n\n{body}\n</details>\n"


def _within(items: Sequence[Any], room: int, told: Callable[[Any], str] = str) -> list[str]:
    """As many of them, told, as there is room for, and how many more there are."""
    blocks = [told(item) for item in items[:MOST_LINES]]
    ends = itertools.accumulate(len(block.encode()) for block in blocks)
    fit = sum(end <= room for end in ends)
    more = len(items) - fit
    return [*blocks[:fit], f"\n… and {more} more\n"] if more else blocks


def _counted(number: int, noun: str) -> str:
    return f"{int(number)} {noun}{'' if number == 1 else 's'}"


if __name__ == "__main__":
    main()
