"""How does the damage travel from the changes to the failure?  In the order in which it happened.

For each change of the root the shortest way up the tree, from a cause that meets it to the
failure; the ways are joined, and what is told twice is told once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from whence.model import Cause, ChangeId, Influence, Link, Missing, Statement, Step

_MOST_VALUES = 3  # links of one cause that only pass on what is wrong already
Changes = Callable[[str, int], frozenset[ChangeId]]


def chain_of(
    causes: Mapping[int, Cause],
    met: Mapping[int, frozenset[ChangeId]],
    root: frozenset[ChangeId],
    at: Changes,
    failure: str,
) -> tuple[Link, ...]:
    """The links from the root to the failure; none if no cause meets it.

    `met`: the changes that each cause meets; `at`: those that a line lies in.
    """
    ways = [way for change in sorted(root) if (way := _way(causes, met, change))]
    if not ways:
        return ()
    numbers = sorted({number for way in ways for number in way}, key=lambda n: -causes[n].level)
    links: list[Link] = []
    for number in numbers:
        told = {(link.file, link.line, link.step is Step.MISSING) for link in links}
        links += [
            link
            for link in _links(causes[number], root, at, failure)
            if link.step in (Step.FAILURE, Step.BRANCH) or _key(link) not in told
        ]
    return tuple(links)


def _key(link: Link) -> tuple[str, int, bool]:
    return link.file, link.line, link.step is Step.MISSING


def _way(
    causes: Mapping[int, Cause], met: Mapping[int, frozenset[ChangeId]], change: ChangeId
) -> list[int]:
    """The causes from the nearest that meets a change up to the failure's."""
    meeting = [number for number, changes in met.items() if change in changes]
    if not meeting:
        return []
    way = [min(meeting, key=lambda number: (causes[number].level, number))]
    while (parent := causes[way[-1]].parent) is not None:
        way.append(parent)
    return way


def _links(cause: Cause, root: frozenset[ChangeId], at: Changes, failure: str) -> Iterator[Link]:
    for missing in cause.missing:
        own = frozenset(missing.changes) & root
        if own:
            yield _missing(missing, cause, own)
    statements = cause.statements
    is_failure = cause.influence is Influence.FAILURE
    plain = [s for s in statements if not at(s.file, s.line) & root]
    if is_failure:
        plain = [s for s in plain if s is not _last(cause)]
    differing = [s for s in plain if s.passing and not _is_predicate(s, cause)]
    shown = (
        differing
        if len(differing) <= _MOST_VALUES
        else [differing[0], *differing[1 - _MOST_VALUES :]]
    )
    for statement in statements:
        own = at(statement.file, statement.line) & root
        if own and not _is_predicate(statement, cause):
            yield _changed(statement, cause, own)
        elif statement in shown:
            yield _value(statement, cause)
    yield _failed(cause, failure, at, root) if is_failure else _decided(cause, at, root)


def _is_predicate(statement: Statement, cause: Cause) -> bool:
    return (statement.file, statement.line) == (cause.predicate.file, cause.predicate.line)


def _missing(missing: Missing, cause: Cause, own: frozenset[ChangeId]) -> Link:
    statement = missing.statement
    told = _told(statement.values)
    return Link(
        Step.MISSING, missing.file, missing.line, statement.function, statement.text,
        "this no longer runs here" + (f"; it set {told}" if told else ""),
        passing=statement.values, changes=tuple(sorted(own)), cause=cause.id,
    )  # fmt: skip


def _changed(statement: Statement, cause: Cause, own: frozenset[ChangeId]) -> Link:
    failing, passing = _both(statement)
    told = _instead(failing, passing) or _told(statement.values)
    return Link(
        Step.CHANGE, statement.file, statement.line, statement.function, statement.text,
        f"the changed line gives {told}" if told else "the changed line runs",
        failing or statement.values, passing, tuple(sorted(own)), cause.id, statement.instances,
    )  # fmt: skip


def _value(statement: Statement, cause: Cause) -> Link:
    failing, passing = _both(statement)
    return Link(
        Step.VALUE, statement.file, statement.line, statement.function, statement.text,
        f"so {_instead(failing, passing)}",
        failing, passing, (), cause.id, statement.instances,
    )  # fmt: skip


def _decided(cause: Cause, at: Changes, root: frozenset[ChangeId]) -> Link:
    predicate = cause.predicate
    own = tuple(sorted(at(predicate.file, predicate.line) & root))
    statement = next((s for s in cause.statements if _is_predicate(s, cause)), None)
    failing, passing = _both(statement) if statement else ({}, {})
    text = statement.text if statement else ""
    if cause.influence is Influence.ADDRESS:
        says = f"so what is read or written is `{predicate.outcome}`"
    else:
        says = f"so `{predicate.text}` is {predicate.outcome}"
        if own and predicate.passing_text is not None:
            came_out = predicate.passing or predicate.outcome
            says += f"; before, `{predicate.passing_text}` was {came_out}"
        elif predicate.passing is not None:
            says += f" instead of {predicate.passing}"
    if own:
        says = says.replace("so ", "the changed line: ", 1)
    failing |= {predicate.text: predicate.outcome} if predicate.passing is not None else {}
    passing |= {predicate.text: predicate.passing} if predicate.passing is not None else {}
    return Link(
        Step.CHANGE if own else Step.BRANCH, predicate.file, predicate.line, predicate.function,
        text, says, failing, passing, own, cause.id, cause.times,
    )  # fmt: skip


def _last(cause: Cause) -> Statement | None:
    """The statement that a failure shows in: its own, or the last before it."""
    own = next((s for s in cause.statements if _is_predicate(s, cause)), None)
    return own or (cause.statements[-1] if cause.statements else None)


def _failed(cause: Cause, failure: str, at: Changes, root: frozenset[ChangeId]) -> Link:
    predicate, last = cause.predicate, _last(cause)
    failing, passing = _both(last) if last else ({}, {})
    file, line = (last.file, last.line) if last else (predicate.file, predicate.line)
    return Link(
        Step.FAILURE, file, line, last.function if last else predicate.function,
        last.text if last else "", failure, failing, passing,
        tuple(sorted(at(file, line) & root)), cause.id,
    )  # fmt: skip


def _both(statement: Statement) -> tuple[dict[str, str], dict[str, str]]:
    """The values of a statement that differ, in the failing and in the passing run."""
    return {name: statement.values.get(name, "?") for name in statement.passing}, dict(
        statement.passing
    )


def _instead(failing: Mapping[str, str], passing: Mapping[str, str]) -> str:
    return ", ".join(
        f"`{name}` is {value} instead of {passing[name]}"
        for name, value in failing.items()
        if name in passing
    )


def _told(values: Mapping[str, str]) -> str:
    return ", ".join(f"`{name}` = {value}" for name, value in values.items())
