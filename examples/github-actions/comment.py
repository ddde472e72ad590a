"""Which comment explains a failed test, or says what the changes change?

Markdown, made from the JSON of `whence explain` or of `whence augment`.

    python comment.py [--blob URL] [--artifact URL] explanation.json >comment.md

The JSON comes from a run of code that nobody has reviewed, so its text must have no effect in the
comment: no markup, no HTML, no mentions, no links, no characters that hide or reorder others.
Code stands in spans and fences that it cannot close, all other punctuation is escaped, and the
comment is never longer than GitHub accepts.  Only the standard library is needed.
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

MARKER = "<!-- whence -->"  # the workflow finds an earlier comment by it, to update it
MAX_COMMENT = 65_536  # GitHub's limit in characters; we count bytes, which are never fewer
MAX_LINE = 300  # characters of a value, a line of code or a name; guessed
MAX_ITEMS = 60  # lines of one diff, and items of one list; guessed
_UNSEEN = frozenset(("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"))
_SEPARATOR = "\u200b"  # breaks addresses and mentions, which a backslash does not


def main() -> None:
    parser = argparse.ArgumentParser(description="Make a comment from the JSON of whence.")
    parser.add_argument("file", help="the file that --json wrote (explain or augment)")
    parser.add_argument("--blob", help="URL of the files of the bad version, for links")
    parser.add_argument("--artifact", help="URL of the whole report")
    options = parser.parse_args()
    with open(options.file, encoding="utf-8") as file:
        document = json.load(file)
    made = comment(document, blob=options.blob, artifact=options.artifact)
    sys.stdout.buffer.write(made.encode())


def comment(
    document: dict[str, Any], *, blob: str | None = None, artifact: str | None = None
) -> str:
    """Return the comment, with as many parts of the result as fit."""
    is_augment = document.get("command") == "augment"
    page = AugmentPage(document, blob) if is_augment else Page(document, blob)
    end = f"\n[The whole report]({artifact}) has more.\n" if artifact else ""
    left_out = "\n*The rest does not fit into a comment.*\n"
    room = MAX_COMMENT - len((left_out + end).encode())
    made = f"{MARKER}\n"
    for block in page.blocks():
        if len((made + block).encode()) > room:
            made += left_out
            break
        made += block
    return made + end


# --- text without effects --------------------------------------------------------------------


def visible(text: object, limit: int = MAX_LINE) -> str:
    """Return one line of text, cut at the limit, with a code for each invisible character."""
    line = str(text)
    line = line if len(line) <= limit else line[: limit - 1] + "…"
    if line.isascii() and line.isprintable():
        return line
    return "".join(
        char if unicodedata.category(char) not in _UNSEEN else f"⟨{ord(char):04X}⟩"
        for char in line.replace("\t", "    ")
    )


def code(text: object) -> str:
    """Return text in a code span that the text cannot close."""
    shown = visible(text)
    ticks = "`" * (1 + max(map(len, re.findall("`+", shown)), default=0))
    # Markdown removes one space at each end, unless the text is all spaces.
    return f"{ticks} {shown} {ticks}" if shown.strip() else "` `"


def prose(text: object) -> str:
    """Return a sentence; text between backticks becomes code."""
    words = " ".join(str(text)[:2000].split())
    parts = words.split("`")
    if len(parts) % 2 == 0:
        return _escaped(words)
    return "".join(code(part) if at % 2 else _escaped(part) for at, part in enumerate(parts))


def _escaped(text: str) -> str:
    broken_up = re.sub(r"[@#]|:(?=//)|(?i:www)(?=\.)", rf"\g<0>{_SEPARATOR}", visible(text, 2000))
    return re.sub(r"[!-/:-@\[-`{-~]", r"\\\g<0>", broken_up)


def fenced(text: str, language: str) -> str:
    """Return a block of code that the code cannot close."""
    shown = _within(text.split("\n"), MAX_COMMENT // 8, visible)
    runs = re.findall("`+", "\n".join(shown))
    fence = "`" * max(3, 1 + max(map(len, runs), default=0))
    return "\n".join([f"{fence}{language}", *shown, fence]) + "\n"


# --- what was found --------------------------------------------------------------------------


class Page:
    """The parts of a comment, the most important first; each can stand alone."""

    def __init__(self, document: dict[str, Any], blob: str | None) -> None:
        self._found = document
        self._blob = blob

    def blocks(self) -> Iterator[str]:
        found = self._found
        yield self._head()
        yield from _within(found["root"], MAX_COMMENT // 2, self._change)
        if found.get("dodged"):
            yield f"\n**Beware:** {prose(found['dodged'])}\n"
        if found.get("chain"):
            yield self._before_chain()
            yield from _within([*enumerate(found["chain"], 1)], MAX_COMMENT // 4, self._link)
        auxiliary, others = found.get("auxiliary") or [], found.get("other") or []
        causes = found.get("causes") or []
        several = _counted(len(auxiliary), "auxiliary change")
        summary = f"{several}, also reverted, so that the program builds and runs"
        yield from _details(summary, auxiliary, self._change)
        summary = f"Reverting {_counted(len(others), 'other set')} of changes makes the test pass"
        yield from _details(summary, others, self._other)
        yield from _details(f"The cause tree ({len(causes)})", causes, self._cause)
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
        is_good = self._passing_label() == "good"
        legend = (
            "*good*: the version that passes; *failing*: the bad version."
            if is_good
            else "*fixed*: with the root reverted; *failing*: as is."
        )
        return f"\n#### From the {changes} to the failure\n\n{legend}\n\n"

    def _passing_label(self) -> str:
        """Return the label of values of the passing run."""
        return "good" if self._found.get("passing") == "good" else "fixed"

    def _link(self, numbered: tuple[int, dict[str, Any]]) -> str:
        number, link = numbered
        is_missing = link["step"] == "missing"
        # A statement that did not run is a line of the passing version; there is no link to it.
        place = code(f"{link['file']}:{link['line']}") if is_missing else self._place(link)
        text = f"{' (not run)' if is_missing else ''} {code(link['text'])}"
        times = f" ({int(link['times'])} times)" if link["times"] > 1 else ""
        passing = _values(self._passing_label(), link["passing"])
        both = (passing, _values("failing", link["failing"]))
        lines = [place + text, prose(link["says"]) + times, ", ".join(filter(None, both))]
        return f"{number}. " + "\n   ".join(filter(None, lines)) + "\n"

    def _other(self, other: dict[str, Any]) -> str:
        places = ", ".join(self._place({**c, "line": max(c["new"][0], 1)}) for c in other["root"])
        dodge = " Reverting it only avoids the faulty code." if other.get("is_dodge") else ""
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


class AugmentPage(Page):
    """The parts of a comment that says what the changes of a pull request change."""

    def blocks(self) -> Iterator[str]:
        changes = self._found["changes"]
        counts: dict[str, int] = {}
        for one in changes:
            counts[one["status"]] = counts.get(one["status"], 0) + 1
        listed = ", ".join(f"{int(count)} {prose(status)}" for status, count in counts.items())
        yield f"### whence: {_counted(len(changes), 'change')}: {listed}\n"
        if self._found.get("reason"):
            yield f"\nStopped: {prose(self._found['reason'])}\n"
        shown = [one for one in changes if one["status"] == "exposed"]
        yield from _within(shown, MAX_COMMENT // 2, self._exposed)
        for status, words in (
            ("reached", "that a test executes, and no test shows"),
            ("unreached", "that no test executes"),
            ("unknown", "of which nothing is known"),
            ("equal", "that change nothing that the program does"),
        ):
            own = [one for one in changes if one["status"] == status]
            summary = f"{_counted(len(own), 'change')} {words}"
            yield from _details(summary, own, self._silent)
        yield from (f"\n> {prose(note)}\n" for note in self._found.get("notes") or [])

    def _exposed(self, change: dict[str, Any]) -> str:
        made = "A new test" if change["made"] else "A given test"
        test = f"{made} shows it: {code(change['test']['command'])}\n" if change["test"] else ""
        outputs = change.get("outputs") or {}
        both = "".join(
            f"\n{name}:\n\n{fenced(str(outputs[key]), '')}"
            for key, name in (("good", "Before"), ("bad", "After"))
            if key in outputs
        )
        return f"{self._change(change)}\n{test}{both}"

    def _silent(self, change: dict[str, Any]) -> str:
        line = max(change["new"][0], 1)
        return f"- {self._place({**change, 'line': line})}: {prose(change['because'])}\n"


def _values(label: str, values: dict[str, str]) -> str:
    listed = ", ".join(code(f"{name} = {value}") for name, value in [*values.items()][:8])
    return f"{label}: {listed}" if listed else ""


def _details(summary: str, items: list[Any], drawn: Callable[[Any], str]) -> Iterator[str]:
    """Yield a list that the reader can unfold; nothing if it is empty."""
    if items:
        body = "".join(_within(items, MAX_COMMENT // 8, drawn))
        yield f"\n<details><summary>{summary}</summary>\n\n{body}\n</details>\n"


def _within(items: Sequence[Any], room: int, drawn: Callable[[Any], str] = str) -> list[str]:
    """Return as many drawn items as fit into `room` bytes, then how many more there are."""
    blocks = [drawn(item) for item in items[:MAX_ITEMS]]
    ends = itertools.accumulate(len(block.encode()) for block in blocks)
    fit = sum(end <= room for end in ends)
    more = len(items) - fit
    return [*blocks[:fit], f"\n… and {more} more\n"] if more else blocks


def _counted(number: int, noun: str) -> str:
    return f"{int(number)} {noun}{'' if number == 1 else 's'}"


if __name__ == "__main__":
    main()
