"""Explanations for the reports under test: of a wrong invoice, and with arbitrary text."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from tests.report.strategies import numbers, predicates, results, statements, texts, values
from whence.model import (
    Alternative,
    Cause,
    ChangeId,
    ChangeKind,
    Explanation,
    Failure,
    Hunk,
    Influence,
    Link,
    LinkKind,
    Missing,
    Predicate,
    Reported,
    Result,
    Span,
    Statement,
    WhyResult,
)

FILE = "src/invoice.c"
BAD = Path(__file__).with_name("invoice.c").read_text("utf-8")
GOOD = BAD.replace("return tenths / 10;", "return (tenths + 5) / 10;").replace(
    "    return sum;\n", "    sum = reduced(sum);\n    return sum;\n"
)
LINES = tuple(BAD.splitlines())


def edit(number: int, at: Span, to: Span, removed: str, added: str, function: str) -> Reported:
    """Return a change of some lines of the invoice."""
    hunk = Hunk(at, to, removed.encode(), added.encode())
    ids = (ChangeId(number),)
    return Reported(ids[0], ids, FILE, FILE, ChangeKind.EDIT, at, to, (hunk,), function)


ROUNDING = edit(
    4,
    Span(7, 1),
    Span(7, 1),
    "    return (tenths + 5) / 10;\n",
    "    return tenths / 10;\n",
    "rounded",
)
REDUCING = edit(9, Span(21, 1), Span(20, 0), "    sum = reduced(sum);\n", "", "total")
CHECKING = edit(
    2,
    Span(27, 1),
    Span(25, 1),
    "    assert(due > 0);\n",
    "    assert(due == atol(argv[1]));\n",
    "main",
)
HEADER = Reported(
    ChangeId(1),
    (ChangeId(1),),
    "src/tax.h",
    "src/tax.h",
    ChangeKind.ADD,
    Span(0, 0),
    Span(1, 2),
    (Hunk(Span(0, 0), Span(1, 2), b"", b"#pragma once\n#define TAX 7\n"),),
    None,
)


def _statement(line: int, function: str, **values: str) -> Statement:
    return Statement(FILE, line, function, LINES[line - 1].strip(), values)


_LOST = Missing(
    Statement(FILE, 21, "total", "sum = reduced(sum);", {"sum": "905"}), FILE, 20, (ChangeId(9),)
)

CAUSES = (
    Cause(
        id=0,
        key="failure",
        parent=None,
        level=0,
        influence=Influence.FAILURE,
        predicate=Predicate(
            FILE,
            26,
            "main",
            "due == atol(argv[1])",
            "false",
            {"due": "1003", "atol(argv[1])": "905"},
            passing="true",
        ),
        because="`due` was 1003 because line 20 added `rounded(atol(prices[i]))` to it",
        statements=(
            replace(
                _statement(7, "rounded", rounded="504"), instances=2, passing={"rounded": "505"}
            ),
            replace(_statement(20, "total", sum="1003"), instances=2, passing={"sum": "1005"}),
            replace(_statement(21, "total", sum="1003"), passing={"sum": "905"}),
            replace(_statement(25, "main", due="1003"), passing={"due": "905"}),
            replace(_statement(26, "main", due="1003"), passing={"due": "905"}),
        ),
        instances=31,
        children=(1,),
        changes=(ChangeId(4), ChangeId(9)),
        missing=(_LOST,),
    ),
    Cause(
        id=1,
        key="for 19",
        parent=0,
        level=1,
        influence=Influence.DIRECT,
        predicate=Predicate(FILE, 19, "total", "i < count", "true", {"i": "1", "count": "2"}),
        because="`i < count` held with i=1, count=2",
        statements=(_statement(19, "total", i="1"),),
        instances=4,
        times=2,
    ),
)

WHY = WhyResult(
    status="explained",
    reason=None,
    failure=Failure("assert", "Assertion `due == atol(argv[1])' failed.", "assert main", FILE, 26),
    point="the failed assertion at src/invoice.c:26",
    causes=CAUSES,
    marks={},
    sources={FILE: LINES},
    of_steps=118,
    of_lines=11,
    solver_calls=7,
    events=51_230,
    seconds={},
)


def _link(step: LinkKind, line: int, function: str, says: str, **about: Any) -> Link:
    text = about.pop("text", LINES[line - 1].strip())
    return Link(step, FILE, line, function, text, says, **about)


CHAIN = (
    _link(
        LinkKind.CHANGE,
        7,
        "rounded",
        "the changed line computes something else",
        failing={"rounded": "504"},
        passing={"rounded": "505"},
        changes=(ChangeId(4),),
        cause=0,
        times=2,
    ),
    _link(
        LinkKind.VALUE,
        20,
        "total",
        "`sum` takes it on",
        failing={"sum": "1003"},
        passing={"sum": "1005"},
        cause=0,
        times=2,
    ),
    _link(
        LinkKind.MISSING,
        20,
        "total",
        "this does not run any more: it was removed",
        text="sum = reduced(sum);",
        passing={"sum": "905"},
        changes=(ChangeId(9),),
        cause=0,
    ),
    _link(
        LinkKind.VALUE,
        25,
        "main",
        "so `due` is another",
        failing={"due": "1003"},
        passing={"due": "905"},
        cause=0,
    ),
    _link(
        LinkKind.FAILURE,
        26,
        "main",
        "and so the assertion fails",
        failing={"due": "1003"},
        passing={"due": "905"},
        cause=0,
    ),
)


def result(**other: Any) -> Result:
    """Return the result of the search for the invoice."""
    known = Result(
        command="explain",
        status="explained",
        reason=None,
        failure=WHY.failure,
        total=71,
        executed=23,
        root=(ROUNDING, REDUCING),
        auxiliary=(HEADER,),
        alternatives=(),
        runs=12,
        builds=9,
        cached=3,
        seconds={"search": 1.2, "trace": 2.0, "semantics": 0.5, "total": 3.7},
        notes=("the test is flaky: it passed once on the bad version",),
    )
    return replace(known, **other)


def invoice(*, about: dict[str, Any] | None = None, **other: Any) -> Explanation:
    """Return an explanation: prices are no longer rounded, and the discount is no longer applied.

    `about` replaces fields of the result, `other` fields of the explanation.
    """
    known = Explanation(
        result(**about or {}),
        CHAIN,
        WHY,
        (
            Alternative(
                (CHECKING,),
                is_dodge=True,
                why="with it reverted, the assertion no longer looks at the amount",
            ),
        ),
        sources={FILE: tuple(GOOD.splitlines())},
    )
    return replace(known, **other)


def isolated(reason: str = "no front end knows the language of main.rs") -> Explanation:
    """Return an explanation without a chain, as if nothing could be recorded."""
    return Explanation(result(status="isolated", reason=reason))


def long_chain(length: int) -> Explanation:
    """Return the explanation of the invoice with a chain of this length."""
    return invoice(chain=(CHAIN[0], *([CHAIN[1]] * (length - 2)), CHAIN[-1]))


# --- any text --------------------------------------------------------------------------------

_spans = st.builds(Span, st.integers(0, 5), st.integers(0, 3))
_content = st.binary(max_size=20) | texts.map(lambda t: t.encode("utf-8", "surrogatepass"))
_hunks = st.builds(Hunk, _spans, _spans, _content, _content)
changes = st.builds(
    Reported,
    st.integers(0, 9).map(ChangeId),
    st.lists(st.integers(0, 9).map(ChangeId), min_size=1, max_size=3).map(tuple),
    texts,
    texts,
    st.sampled_from(ChangeKind),
    _spans,
    _spans,
    st.lists(_hunks, max_size=3).map(tuple),
    st.none() | texts,
)
_some = st.lists(changes, max_size=3).map(tuple)
_ids = st.lists(st.integers(0, 9).map(ChangeId), max_size=2).map(tuple)
links = st.builds(
    Link,
    st.sampled_from(LinkKind),
    texts,
    st.integers(0, 9),
    texts,
    texts,
    texts,
    values,
    values,
    _ids,
    st.none() | st.integers(0, 4),
    numbers,
)
_missing = st.builds(Missing, statements, texts, numbers, _ids)


@st.composite
def explanations(draw: st.DrawFn) -> Explanation:
    """Draw an explanation with arbitrary texts."""
    why = draw(results())
    causes = tuple(
        replace(
            cause,
            predicate=replace(draw(predicates), passing=draw(st.none() | texts)),
            statements=tuple(replace(s, passing=draw(values)) for s in cause.statements),
            changes=draw(_ids),
            missing=tuple(draw(st.lists(_missing, max_size=1))),
        )
        for cause in why.causes
    )
    return Explanation(
        result(
            status=draw(st.sampled_from(["explained", "isolated", "unexplained"])),
            reason=draw(st.none() | texts),
            failure=why.failure,
            root=draw(_some),
            auxiliary=draw(_some),
            notes=tuple(draw(st.lists(texts, max_size=8))),
        ),
        tuple(draw(st.lists(links, max_size=4))) * draw(st.integers(1, 8)),
        draw(st.sampled_from([None, replace(why, causes=causes)])),
        tuple(
            draw(st.lists(st.builds(Alternative, _some, _some, st.booleans(), texts), max_size=5))
        ),
        draw(st.none() | texts),
        draw(st.sampled_from(["good", "reverted"])),
        {draw(texts): tuple(draw(st.lists(texts, max_size=3)))},
    )
