"""Write the tables of ARCHITECTURE.md: the modules of each package, and the question of each.

    python -m tests.architecture_tables

`make docs` runs it.  A question is the first sentence of the module's docstring, or of the first
comment of a C file.  tests/test_architecture.py checks that the tables are up to date.
"""

from __future__ import annotations

import ast
import re
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[1]
PAGE = CHECKOUT / "ARCHITECTURE.md"
PACKAGE = CHECKOUT / "src" / "whence"
_TABLE = re.compile(r"(<!-- modules: (\S+) -->\n).*?(<!-- /modules -->)", re.DOTALL)
_SENTENCE = re.compile(r".*?[.?](?=\s|$)")


def first_sentence(text: str) -> str:
    """Return the first sentence of a docstring or comment, on one line."""
    paragraph = " ".join(text.strip().partition("\n\n")[0].split())
    found = _SENTENCE.match(paragraph)
    return found[0] if found else paragraph


def question(path: Path) -> str | None:
    """Return the question that a module answers; None if the file has no text of its own."""
    text = path.read_text("utf-8")
    if path.suffix == ".py":
        tree = ast.parse(text)
        is_code = any(isinstance(node, (ast.FunctionDef, ast.ClassDef)) for node in tree.body)
        if path.name == "__init__.py" and not is_code:
            return None
        return first_sentence(ast.get_docstring(tree) or "")
    comment = re.match(r"/\*(.*?)\*/", text, re.DOTALL)
    return first_sentence(re.sub(r"(?m)^ \*", "", comment[1])) if comment else None


def modules(folder: Path) -> list[Path]:
    """Return the modules of one package, without those of the packages in it."""
    return sorted(path for path in folder.iterdir() if path.suffix in (".py", ".c", ".h"))


def packages() -> list[str]:
    """Return every folder with modules, relative to src/whence; `.` is whence itself."""
    folders = {path.parent for path in PACKAGE.rglob("*.py")}
    return sorted(folder.relative_to(PACKAGE).as_posix() for folder in folders if _rows(folder))


def _rows(folder: Path) -> list[str]:
    found = ((path, question(path)) for path in modules(folder))
    return [
        f"| [`{path.name}`]({path.relative_to(CHECKOUT).as_posix()}) | {text} |"
        for path, text in found
        if text is not None
    ]


def table(package: str) -> str:
    """Return the table of one package, as Markdown."""
    head = ["| module | the question that it answers |", "|---|---|"]
    return "\n".join([*head, *_rows(PACKAGE / package), ""])


def with_tables(page: str) -> str:
    """Return the page with each table as the sources have it now."""
    return _TABLE.sub(lambda found: found[1] + table(found[2]) + found[3], page)


if __name__ == "__main__":
    PAGE.write_text(with_tables(PAGE.read_text("utf-8")), "utf-8")
