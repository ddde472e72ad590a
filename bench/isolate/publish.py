"""Write measured results into the documents: `python -m bench.isolate.publish RESULT.json...`.

RESULTS.md gets every row of the given `--json` files, the README's table one line a method.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

from bench import CHECKOUT
from bench.isolate import table
from bench.isolate.score import Answer, Place, Row, Summary, summarise

GROUPS = {
    "python": "Python packages from PyPI",
    "c": "SQLite, from npm",
    "synthetic": "a generated C project: 2-change cause among 100 changes",
}
HEAD = ("culprit found", "root ≤ true + 1", "median runs", "all runs", "`fast` needs fewer")
NOTE = "# Every case and method\n\nWritten by publish.py; README.md explains the columns.\n\n"
BLOCK = re.compile(r"(<!-- bench:isolate -->\n).*(<!-- /bench:isolate -->)", re.DOTALL)


def read_rows(files: list[Path]) -> list[Row]:
    document = [row for file in files for row in json.loads(file.read_text("utf-8"))["rows"]]
    return [_row(dict(row)) for row in document]


def _row(document: dict[str, Any]) -> Row:
    del document["finds_any"], document["finds_all"]
    answer = document.pop("answer")
    root = tuple(Place(p["file"], tuple(p["old"]), tuple(p["new"])) for p in answer.pop("root"))
    return Row(**document, answer=Answer(root=root, **answer))


def readme_table(rows: list[Row]) -> str:
    """Return one table for each group, with one line a method."""
    parts = []
    for group, title in GROUPS.items():
        summaries = [summary for summary in summarise(rows) if summary.group == group]
        if summaries:
            body = [_line(summary) for summary in summaries]
            head = (f"{title}, {summaries[0].cases} cases", *HEAD)
            parts.append(table.markdown_table(head, body))
    return "\n\n".join(parts)


def _line(summary: Summary) -> tuple[str, ...]:
    name = "commit-delta" if summary.method == "commit-delta" else f"`{summary.method}`"
    fewer = f"in {summary.fast_fewer} of {summary.compared}" if summary.method != "fast" else ""
    return (
        name,
        f"{summary.found_any} of {summary.cases}",
        f"{summary.small} of {summary.cases}",
        f"{summary.median_runs:g}",
        f"{'over ' if summary.cut else ''}{summary.total_runs}",
        fewer,
    )


def main() -> None:
    rows = read_rows([Path(name) for name in sys.argv[1:]])
    readme = CHECKOUT / "README.md"
    summary = readme_table(rows)
    text = readme.read_text("utf-8")
    readme.write_text(BLOCK.sub(lambda found: f"{found[1]}{summary}\n{found[2]}", text), "utf-8")
    results = Path(__file__).with_name("RESULTS.md")
    results.write_text(NOTE + table.markdown(rows, {}), "utf-8")


if __name__ == "__main__":
    main()
