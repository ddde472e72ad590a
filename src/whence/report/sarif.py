"""How does an explanation become SARIF 2.1.0 that GitHub and VS Code show?

1. A result is one change of the root; the chain is its code flow.  Lines are those of the bad
   version, paths are relative to the root of the tree.
2. Texts are made visible, because some readers refuse a file with half a surrogate in it.  Text
   that looks like a link `[...](...)` or a placeholder `{0}` gets a space, because few readers
   support escaped brackets or doubled braces.
3. A fix reverts root and auxiliary changes together, as whence verified.  It exists only if all of
   them are edits of UTF-8 text, for which a replacement is exact.
4. Fingerprints have our own name, so that they do not replace the one that GitHub computes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from hashlib import sha256
from itertools import groupby
from operator import itemgetter
from typing import Any
from urllib.parse import quote

from whence import __version__
from whence.model import ChangeKind, Explanation, Hunk, Link, LinkKind, Reported, Span
from whence.report.explanation import (
    both_values,
    change_place,
    line_of,
    passing_label,
    sentence,
)
from whence.report.text import counted
from whence.report.visible import visible
from whence.source_lines import source_lines

RULE = "breaking-change"
_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_ROOT = "%SRCROOT%"
_MAX_LOCATIONS = 1000  # of one kind in one result; a limit of GitHub
_MAX_LINKS = 10  # in one message; guessed
_ROUND = str.maketrans("[]", "()")
_PLACEHOLDER = re.compile(r"\{(\d+)\}")
_IMPORTANCE = {
    LinkKind.CHANGE: "essential",
    LinkKind.MISSING: "essential",
    LinkKind.FAILURE: "essential",
}

Json = dict[str, Any]


def explain_sarif(explanation: Explanation) -> Json:
    """Return the explanation as a SARIF log."""
    result = explanation.result
    return sarif_log(_rule(), [_result(change, explanation) for change in result.root])


def sarif_log(rule: Json, results: Sequence[Json]) -> Json:
    """Return a SARIF log with the results of one rule."""
    driver = {
        "name": "whence",
        "version": __version__,
        "semanticVersion": __version__,
        "rules": [rule],
    }
    run = {
        "tool": {"driver": driver},
        "originalUriBaseIds": {_ROOT: {"description": {"text": "The tree of the bad version."}}},
        "columnKind": "unicodeCodePoints",
        "newlineSequences": ["\r\n", "\n", "\r"],  # as compilers count lines
        "results": list(results),
    }
    return {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}


def _rule() -> Json:
    help_text = (
        "whence reverted this change, together with the others of its answer, and the test passed. "
        "The code flow goes from the change to the failure, with the values of the passing and of "
        "the failing run."
    )
    return {
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
    """Return the message; GitHub takes its first sentence as the title of the alert."""
    result = explanation.result
    failure = sarif_words(result.failure.message) or "it fails"
    others = len(result.root) - 1 + len(result.auxiliary)
    also = f" and {counted(others, 'other change')}" if others else ""
    sentences = [
        f"This change broke the test: {sentence(failure)}",
        f"With it{also} reverted, the test passes.",
    ]
    if result.status != "explained" and result.reason:
        sentences.append(f"Not explained: {sentence(sarif_words(result.reason))}")
    if explanation.dodged:
        sentences.append(sentence(sarif_words(explanation.dodged)))
    if related:
        sentences.append(f"See {', '.join(map(_linked, related[:_MAX_LINKS]))}.")
    return " ".join(sentences)


def _linked(location: Json) -> str:
    words: str = location["message"]["text"]
    return f"[{words.translate(_ROUND)}]({location['id']})"


def _related(change: Reported, explanation: Explanation) -> list[Json]:
    """Return the failure, the other changes of the root, and the auxiliary changes."""
    result, failure = explanation.result, explanation.result.failure
    found: list[Json] = []
    if failure.file and failure.line:
        line = failure.line
        found.append(_location(explanation, failure.file, line, line, says="the failure"))
    for role, changes in (("also broke it", result.root), ("auxiliary", result.auxiliary)):
        found += [
            _location(
                explanation, other.file, *_lines(other), says=f"{role}: {change_place(other)}"
            )
            for other in changes
            if other is not change and other.file
        ]
    return [{"id": number, **location} for number, location in enumerate(found[:_MAX_LOCATIONS], 1)]


# --- the chain -------------------------------------------------------------------------------


def _placed(chain: Sequence[Link]) -> list[tuple[int, Link]]:
    """Return the links that have a file, numbered; of too many, those at both ends."""
    placed = [(number, link) for number, link in enumerate(chain, 1) if link.file]
    half = _MAX_LOCATIONS // 2
    return placed if len(placed) <= _MAX_LOCATIONS else placed[:half] + placed[-half:]


def _flow_location(number: int, link: Link, explanation: Explanation) -> Json:
    values = both_values(link.passing, link.failing, passing_label(explanation))
    gap = "How the step before led here was not followed." if link.gap else ""
    parts = (gap, sentence(sarif_words(link.says)), sarif_words(values))
    says = " ".join(filter(None, parts)) or link.step.value
    state = {
        sarif_words(name) or "?": {"text": sarif_words(v) or "?"}
        for name, v in link.failing.items()
    }
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
    source = explanation.why.sources.get(file, ()) if explanation.why else ()
    return _placed_at(file, _region(source, max(first, 1), max(first, last, 1)), function, says)


def sarif_line(file: str, line: int, function: str) -> Json:
    """Return the location of one line."""
    return _placed_at(file, _region((), max(line, 1), max(line, 1)), function)


def _placed_at(file: str, region: Json, function: str | None = None, says: str = "") -> Json:
    """Return the location of a region of a file."""
    found: Json = {"physicalLocation": {"artifactLocation": _artifact(file), "region": region}}
    if says:
        found["message"] = {"text": sarif_words(says)}
    if function:
        found["logicalLocations"] = [{"name": visible(function), "kind": "function"}]
    return found


def _region(source: Sequence[str], first: int, last: int) -> Json:
    """Return a region of whole lines, with their text if we have it."""
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


def sarif_words(text: str) -> str:
    """Return a text without what readers of SARIF take for a link or a placeholder."""
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
        for file, hunks in groupby(by_file, key=itemgetter(0))
    ]
    words = f"Revert {counted(len(changes), 'change')}: then the test passes."
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
    """Return the line before which the hunk begins."""
    return hunk.new.start if hunk.new.count else hunk.new.start + 1


def _joined(hunks: Sequence[Hunk]) -> list[Hunk]:
    """Return the hunks, adjacent ones joined: SARIF defines no order of adjacent replacements."""
    found: list[Hunk] = []
    for hunk in hunks:
        if found and _start(found[-1]) + found[-1].new.count == _start(hunk):
            hunk = _both_as_one(found.pop(), hunk)
        found.append(hunk)
    return found


def _both_as_one(first: Hunk, second: Hunk) -> Hunk:
    count = first.new.count + second.new.count
    start = _start(first) if count else first.new.start
    return Hunk(
        Span(first.old.start, first.old.count + second.old.count),
        Span(start, count),
        first.removed + second.removed,
        first.added + second.added,
    )


def _replacement(hunk: Hunk) -> Json:
    """Return a replacement of whole lines; the last one may lack its line end."""
    first = max(_start(hunk), 1)
    region = {
        "startLine": first,
        "startColumn": 1,
        "endLine": first + hunk.new.count,
        "endColumn": 1,
    }
    if hunk.new.count and not hunk.added.endswith((b"\n", b"\r")):
        last = source_lines(hunk.added.decode("utf-8"))[-1]
        region |= {"endLine": first + hunk.new.count - 1, "endColumn": len(last) + 1}
    removed = hunk.removed.decode("utf-8")
    return {
        "deletedRegion": region,
        **({"insertedContent": {"text": removed}} if removed else {}),
    }
