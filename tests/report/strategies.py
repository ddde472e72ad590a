"""Cause trees with arbitrary texts."""

from __future__ import annotations

from hypothesis import strategies as st

from whence.model import Cause, Failure, Influence, Mark, Predicate, Statement, WhyResult

NASTY = (
    *("</script />", "</script ", "<!-- <script "),
    *("</script><script>alert(1)</script>", "<img src=x onerror=alert(1)>", "<!--", "-->", "]]>"),
    *("\"'>", "' onmouseover='alert(1)", "&lt;b&gt;", "&#60;b", "$policy ${data} $$", "`", "`a`b`"),
    *("</title></style></noscript></textarea>", "<svg/onload=alert(1)>", "javascript:alert(1)"),
    *("a->b", "\u202eevil\u2066", "\u2028\u2029", "\x1b[2J\x07\r\n\t\0", "\udcff", "\ud800"),
    *("\u200b\ufeff", "\u3164", "x" * 3000, "__proto__", "constructor", "漢字 שלום 🙂"),
)

texts = st.one_of(
    st.text(st.characters(exclude_categories=()), max_size=20), st.sampled_from(NASTY)
)
values = st.dictionaries(texts, texts, max_size=2)
numbers = st.integers(1, 9)
statements = st.builds(Statement, texts, numbers, texts, texts, values, numbers)
predicates = st.builds(Predicate, texts, numbers, texts, texts, texts, values)


@st.composite
def results(draw: st.DrawFn) -> WhyResult:
    """Draw a tree of some causes, with the sources of some of their files."""
    parents = [None, *(draw(st.integers(0, at)) for at in range(draw(st.integers(0, 4))))]
    causes = tuple(_cause(draw, number, parents) for number in range(len(parents)))
    files = [statement.file for cause in causes for statement in cause.statements]
    marks = st.dictionaries(st.sampled_from(range(len(causes))), st.sampled_from(Mark))
    return WhyResult(
        status="explained",
        reason=draw(st.none() | texts),
        failure=Failure("assert", draw(texts), draw(texts), draw(texts), 3),
        point=draw(texts),
        causes=causes,
        marks=draw(marks),
        sources={file: tuple(draw(st.lists(texts, max_size=3))) for file in files[:2]},
        of_steps=10,
        of_lines=5,
        solver_calls=1,
        events=1,
        seconds={"total": 0.1},
        notes=tuple(draw(st.lists(texts, max_size=2))),
    )


def _cause(draw: st.DrawFn, number: int, parents: list[int | None]) -> Cause:
    children = tuple(child for child, parent in enumerate(parents) if parent == number)
    return Cause(
        id=number,
        key=f"{number} {draw(texts)}",
        parent=parents[number],
        level=draw(numbers),
        influence=draw(st.sampled_from(Influence)),
        predicate=draw(predicates),
        because=draw(texts),
        statements=tuple(draw(st.lists(statements, max_size=3))),
        instances=draw(numbers),
        times=draw(numbers),
        children=children or draw(st.sampled_from([None, ()])),
        is_proved=draw(st.booleans()),
        is_cut=draw(st.booleans()),
    )
