"""Does `whence contract` name the culprit of real regressions, and how many other functions?

For each case the test that shows the regression runs on both versions.  A function counts as named
first if the difference that comes first in the report arises in it.
"""

from __future__ import annotations

import argparse
import json
import resource
import sys
from dataclasses import asdict, dataclass

from bench.python.cases import PythonCase, python_cases
from bench.python.run import add_places, parse_places, shelf_of
from bench.trace.table import text_table
from whence.contract.session import ContractRequest, check_contracts
from whence.errors import UserError
from whence.model import ContractFunction, ContractResult, ContractVerdict
from whence.subject.trial import BuildAndTest

WRONG = (ContractVerdict.CHANGED, ContractVerdict.BROKEN)


@dataclass(frozen=True)
class Row:
    """What was seen of one case."""

    case: str
    rank: int | None  # of the culprit among the functions where a difference arises
    origins: int
    differing: int
    functions: int
    calls: int
    compared: int
    first: str
    culprit: str
    self_report: int | None  # functions reported for good against good
    within: bool = False  # is the culprit named as new or changed within an origin?
    cpu: float = 0.0  # seconds of good against bad, with all its runs
    error: str = ""


def measured(case: PythonCase, *, against_itself: bool) -> Row:
    """Compare the two versions of a case, and perhaps the good version with itself."""
    culprits = {name for _, name in case.functions}
    began = _cpu()
    try:
        result = _compared(case, "good", "bad")
        cpu = round(_cpu() - began, 1)
        itself = len(_wrong(_compared(case, "good", "good"))) if against_itself else None
    except UserError as error:
        why = str(error).partition("\n")[0]
        return Row(case.case.id, None, 0, 0, 0, 0, 0, "", "", None, error=why)
    wrong = _wrong(result)
    origins = [function for function in wrong if not function.through]
    ranks = [n for n, function in enumerate(origins, 1) if function.function in culprits]
    return Row(
        case.case.id, min(ranks, default=None), len(origins), len(wrong), len(result.functions),
        sum(function.calls for function in result.functions),
        sum(function.compared for function in result.functions),
        origins[0].function if origins else "", ", ".join(sorted(map(str, culprits))), itself,
        any(culprits & {*each.first.within} for each in origins if each.first is not None), cpu,
    )  # fmt: skip


def _cpu() -> float:
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)


def _wrong(result: ContractResult) -> list[ContractFunction]:
    return [function for function in result.functions if function.verdict in WRONG]


def _compared(case: PythonCase, good: str, bad: str) -> ContractResult:
    place = case.case.env
    commands = BuildAndTest(test=case.case.test, asked_timeout=300)
    return check_contracts(
        ContractRequest(str(place / good), str(place / bad), commands), lambda _: None
    )


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    add_places(parser)
    parser.add_argument("--itself", action="store_true", help="also compare good with good")
    options = parse_places(parser, arguments)
    missing: dict[str, str] = {}
    rows = []
    for case in python_cases(shelf_of(options), options.only, missing):
        row = measured(case, against_itself=options.itself)
        rows.append(row)
        print(json.dumps(asdict(row)), file=sys.stderr, flush=True)
    cells = [[str(value) for value in asdict(row).values()] for row in rows]
    text = text_table([*asdict(rows[0])], cells) if rows else "no case"
    first = sum(row.rank == 1 for row in rows)
    named = sum(row.rank is not None for row in rows)
    cpu = sum(row.cpu for row in rows)
    total = f"{first} of {len(rows)} named first, {named} named; {cpu:.0f} CPU s"
    print(text, total, *(f"{name}: {why}" for name, why in missing.items()), sep="\n")
    if options.out:
        options.out.write_text(f"{options.note}\n\n{text}\n\n{total}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
