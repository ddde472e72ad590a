"""How does an explanation become SARIF 2.1.0 that GitHub and VS Code show?

1. A result is one change of the root; the chain is its code flow.  Lines are those of the bad
   version, paths are relative to the root of the tree.
2. Texts are made visible: some readers refuse a file with half a surrogate in it.  What would be
   a link `[...](...)` or a placeholder `{0}` in a message gets a space: few readers know how to
   show an escaped bracket, or a doubled brace, as what it stands for.
3. A fix undoes root and auxiliary changes together, as was verified; it is there only if all of
   them are edits of UTF-8 text, for which a replacement is exact.
4. Fingerprints have a name of our own: the one that GitHub computes from the source stays its.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from hashlib import sha256
from itertools import groupby
from typing import Any
from urllib.parse import quote

from whence import __version__
from whence.model import ChangeKind, Explanation, Hunk, Link, LinkKind, Reported, Span
from whence.report.explanation import change_place, good_and_bad_text, line_of, sentence
from whence.report.text import counted
from whence.report.visible import visible

RULE = "breaking-change"
_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_ROOT = "%SRCROOT%"
_MOST = 1000  # locations of one kind that GitHub takes in one result
_MOST_LINKS = 10  # in one message
_ROUND = str.maketrans("[]", "()")
_PLACEHOLDER = re.compile(r"\{(\d+)\}")
_IMPORTANCE = {
    LinkKind.CHANGE: "essential",
    LinkKind.MISSING: "essential",
    LinkKind.FAILURE: "essential",
}

Json = dict[str, Any]


def explain_sarif(explanation: Explanation) -> Json:
    """The explanation as a SARIF log."""
    result = explanation.result
    run = {
        "tool": {"driver": _driver()},
        "originalUriBaseIds": {_ROOT: {"description": {"text": "The tree of the bad version."}}},
        "columnKind": "unicodeCodePoints",
        "results": [_result(change, explanation) for change in result.root],
    }
    return {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}


def _driver() -> Json:
    help_text = (
        "whence ran the test with this change reverted, along with the others of its answer, and "
        "the test passed. The code flow goes from the change to the failure, with the values of "
        "the version that passes and of the one that fails."
    )
    return {
        "name": "whence",
        "version": __version__,
        "semanticVersion": __version__,
        "rules": [
            {
                "id": RULE,
                "name": "BreakingChange",
                "shortDescription": {"text": "This change broke a test."},
                "fullDescription": {
                    "text": "A test passes on the good version and fails on the bad one because "
                    "of this change: with it reverted, it passes again."
                },
                "help": {"text": help_text},
                "defaultConfiguration": {"level": "error"},
                "properties": {"precision": "very-high", "tags": ["correctness", "regression"]},
            }
        ],
    }


def _result(change: Reported, explanation: Explanation) -> Json:
    failure = explanation.result.failure
    related = _related(change, explanation)
    links = [_flow_location(n, link, explanation) for n, link in _placed(explanation.chain)]
    fixes = _fixes(explanation)
    signature = (failure.signature, change.file, *_contents(change))
    return {
        "ruleId": RULE,
        "ruleIndex": 0,
        "level": "error",
        "message": {"text": _message(explanation, related)},
        "locations": [_location(explanation, change.file, *_lines(change), change.function)],
        **({"relatedLocations": related} if related else {}),
        **({"codeFlows": [{"threadFlows": [{"locations": links}]}]} if links else {}),
        "partialFingerprints": {"whenceChange/v1": _digest(signature)},
        **({"fixes": fixes} if fixes else {}),
    }


def _message(explanation: Explanation, related: Sequence[Json]) -> str:
    """Its first sentence is the title of an alert."""
    result = explanation.result
    failure = _words(result.failure.message) or "it fails"
    others = len(result.root) - 1 + len(result.auxiliary)
    also = f" and {counted(others, 'other change')}" if others else ""
    told = [
        f"This change broke the test: {sentence(failure)}",
        f"With it{also} reverted, the test passes.",
    ]
    if result.status != "explained" and result.reason:
        told.append(f"Not explained: {sentence(_words(result.reason))}")
    if explanation.dodged:
        told.append(sentence(_words(explanation.dodged)))
    if related:
        told.append(f"See {', '.join(map(_linked, related[:_MOST_LINKS]))}.")
    return " ".join(told)


def _linked(location: Json) -> str:
    words: str = location["message"]["text"]
    return f"[{words.translate(_ROUND)}]({location['id']})"


def _related(change: Reported, explanation: Explanation) -> list[Json]:
    """The failure, the other changes of the root, and the auxiliary ones."""
    result, failure = explanation.result, explanation.result.failure
    found: list[Json] = []
    if failure.file and failure.line:
        line = failure.line
        found.append(_location(explanation, failure.file, line, line, says="the failure"))
    for role, changes in (("also broke it", result.root), ("auxiliary", result.auxiliary)):
        found += [
            _location(explanation, one.file, *_lines(one), says=f"{role}: {change_place(one)}")
            for one in changes
            if one is not change and one.file
        ]
    return [{"id": number, **one} for number, one in enumerate(found[:_MOST], 1)]


# --- the chain -------------------------------------------------------------------------------


def _placed(chain: Sequence[Link]) -> list[tuple[int, Link]]:
    """The links that are somewhere, numbered; of too many, those at both ends."""
    placed = [(number, link) for number, link in enumerate(chain, 1) if link.file]
    return placed if len(placed) <= _MOST else placed[: _MOST // 2] + placed[-_MOST // 2 :]


def _flow_location(number: int, link: Link, explanation: Explanation) -> Json:
    values = good_and_bad_text(link.passing, link.failing)
    says = " ".join(filter(None, (sentence(_words(link.says)), _words(values)))) or link.step.value
    state = {_words(name) or "?": {"text": _words(v) or "?"} for name, v in link.failing.items()}
    return {
        "location": _location(explanation, link.file, link.line, link.line, link.function, says),
        "executionOrder": number,
        "importance": _IMPORTANCE.get(link.step, "important"),
        **({"state": state} if state else {}),
    }


# --- places ----------------------------------------------------------------------------------


def _location(
    explanation: Explanation,
    file: str,
    first: int,
    last: int,
    function: str | None = None,
    says: str = "",
) -> Json:
    region = _region(explanation, file, max(first, 1), max(first, last, 1))
    found: Json = {"physicalLocation": {"artifactLocation": _artifact(file), "region": region}}
    if says:
        found["message"] = {"text": _words(says)}
    if function:
        found["logicalLocations"] = [{"name": visible(function), "kind": "function"}]
    return found


def _region(explanation: Explanation, file: str, first: int, last: int) -> Json:
    """Whole lines, with their text if we have it."""
    source = explanation.why.sources.get(file, ()) if explanation.why else ()
    region: Json = {"startLine": first, "startColumn": 1, "endLine": last}
    text = "\n".join(source[first - 1 : last])
    if last <= len(source) and all(visible(line) == line for line in source[first - 1 : last]):
        region |= {"endColumn": len(source[last - 1]) + 1, "snippet": {"text": text}}
    return region


def _lines(change: Reported) -> tuple[int, int]:
    first = line_of(change)
    return first, first + max(change.new.count - 1, 0)


def _artifact(file: str) -> Json:
    path = quote(file.encode("utf-8", "surrogatepass"))
    if file.startswith("/"):  # a header of the system
        return {"uri": f"file://{path}"}
    return {"uri": path, "uriBaseId": _ROOT}


def _words(text: str) -> str:
    return _PLACEHOLDER.sub(r"{ \1 }", visible(text).replace("](", "] ("))


def _digest(parts: Iterable[str]) -> str:
    written = "\0".join(parts).encode("utf-8", "surrogatepass")
    return sha256(written).hexdigest()[:32]


def _contents(change: Reported) -> list[str]:
    return [text.decode("latin-1") for h in change.hunks for text in (h.removed, h.added)]


# --- the fix ---------------------------------------------------------------------------------


def _fixes(explanation: Explanation) -> list[Json]:
    result = explanation.result
    changes = (*result.root, *result.auxiliary)
    if result.status == "unexplained" or not all(map(_is_exact, changes)):
        return []
    by_file = sorted(((c.file, h) for c in changes for h in c.hunks), key=_position)
    artifacts = [
        {
            "artifactLocation": _artifact(file),
            "replacements": [_replacement(hunk) for hunk in _joined([h for _, h in hunks])],
        }
        for file, hunks in groupby(by_file, key=lambda one: one[0])
    ]
    words = f"Revert {counted(len(changes), 'change')}: with that the test passes."
    return [{"description": {"text": words}, "artifactChanges": artifacts}] if artifacts else []


def _is_exact(change: Reported) -> bool:
    try:
        for hunk in change.hunks:
            hunk.removed.decode("utf-8")
            hunk.added.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return change.kind is ChangeKind.EDIT and bool(change.file) and bool(change.hunks)


def _position(of: tuple[str, Hunk]) -> tuple[str, int, int]:
    return of[0], _start(of[1]), of[1].old.start


def _start(hunk: Hunk) -> int:
    """The line before which it begins."""
    return hunk.new.start if hunk.new.count else hunk.new.start + 1


def _joined(hunks: Sequence[Hunk]) -> list[Hunk]:
    """Those that touch as one: the order of two replacements at one place is nobody's."""
    found: list[Hunk] = []
    for hunk in hunks:
        if found and _start(found[-1]) + found[-1].new.count == _start(hunk):
            hunk = _both_as_one(found.pop(), hunk)
        found.append(hunk)
    return found


def _both_as_one(one: Hunk, other: Hunk) -> Hunk:
    count = one.new.count + other.new.count
    start = _start(one) if count else one.new.start
    return Hunk(
        Span(one.old.start, one.old.count + other.old.count),
        Span(start, count),
        one.removed + other.removed,
        one.added + other.added,
    )


def _replacement(hunk: Hunk) -> Json:
    """Whole lines; the last one may have no end."""
    first = max(_start(hunk), 1)
    region = {
        "startLine": first,
        "startColumn": 1,
        "endLine": first + hunk.new.count,
        "endColumn": 1,
    }
    if hunk.new.count and not hunk.added.endswith(b"\n"):
        last = hunk.added.decode("utf-8").rpartition("\n")[2]
        region |= {"endLine": first + hunk.new.count - 1, "endColumn": len(last) + 1}
    removed = hunk.removed.decode("utf-8")
    return {
        "deletedRegion": region,
        **({"insertedContent": {"text": removed}} if removed else {}),
    }
