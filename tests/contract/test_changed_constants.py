"""Is a changed constant named for the function that reads it, and no other one?"""

from __future__ import annotations

from pathlib import Path

from whence.contract.changed_constants import ChangedConstants
from whence.contract.session import ContractRequest, check_contracts
from whence.subject.trial import BuildAndTest
from whence.trace.c.source_functions import file_functions
from whence.trace.python.source_functions import module_functions

from .two_versions import origins, verdict_on

SHOP = """
import re
WORD = re.compile("[a-z]+")
LIMIT = 3
OTHER = 5

class Till:
    RATES = {"a": 1, "b": 2}
    names = []

    def rate(self, name):
        return self.RATES.get(name, LIMIT)

def words(text):
    OTHER = 1
    return WORD.findall(text)

Till().rate("b")
words("one Two")
"""
BAD = (
    SHOP.replace('"b": 2', '"b": 3').replace("a-z", "a-zA-Z").replace("OTHER = 5", "OTHER = 6")
    .replace("LIMIT = 3", "LIMIT    = 3")
)  # fmt: skip


def test_changed_constants_are_named_for_unedited_functions(tmp_path: Path) -> None:
    """A constant that a function has as a variable of its own cannot be told apart by its name."""
    for version, text in (("good", SHOP), ("bad", BAD)):
        (tmp_path / version).mkdir()
        (tmp_path / version / "shop.py").write_text(text)
    request = ContractRequest(
        str(tmp_path / "good"), str(tmp_path / "bad"), BuildAndTest(test="python shop.py")
    )
    result = check_contracts(request, lambda _: None)
    assert origins(result) == ["Till.rate", "words"]
    found = [verdict_on(result, name).first for name in ("Till.rate", "words")]
    assert found[0] is not None
    assert found[0].uses == ("Till.RATES (shop.py:8)",)
    assert found[1] is not None
    assert found[1].uses == ("OTHER (shop.py:5)", "WORD (shop.py:3)")


def test_macros_tables_and_constants_of_c_and_cxx_are_compared(tmp_path: Path) -> None:
    source = (
        "#define LIMIT 3\nenum { LAST = 7, MORE };\nstatic int table[] = {1, 2};\n"
        "struct s { int a; };\nint f(int n) { return table[n] + LIMIT + LAST; }\n"
    )
    bad = source.replace("LIMIT 3", "LIMIT 4").replace("{1, 2}", "{1, 3}")
    for version, text in (("good", source), ("bad", bad)):
        (tmp_path / version).mkdir()
        (tmp_path / version / "m.c").write_text(text)
        (tmp_path / version / "same.h").write_text("#define SAME 1\n")
    names = ChangedConstants(tmp_path / "good", tmp_path / "bad")
    functions = [*file_functions(bad.encode(), "m.c")]
    assert [each.name for each in names.used_by(functions)] == ["table", "LIMIT"]
    assert not names.used_by(module_functions(b"def g():\n    return SAME\n", "x.py"))


def test_names_of_other_modules_and_classes_must_be_within_reach(tmp_path: Path) -> None:
    table = "limit = {n}\nother = {n}\nclass Ini:\n    tokens = {n}\nclass Xml:\n    tokens = {n}\n"
    user = "from table import limit{more}\ndef g(lexer):\n    return lexer.tokens, limit, other\n"
    for version, n in (("good", 1), ("bad", 2)):
        (tmp_path / version).mkdir()
        (tmp_path / version / "table.py").write_text(table.format(n=n))
        (tmp_path / version / "table.pyi").write_text(f"limit = {n}\n")
        (tmp_path / version / "user.py").write_text(user.format(more="" if n == 1 else ", other"))
    names = ChangedConstants(tmp_path / "good", tmp_path / "bad")
    functions = [*module_functions(user.format(more="").encode(), "user.py")]
    found = names.used_by(functions, "Ini(a=1)")
    shown = [str(each) for each in found]
    assert shown == ["Ini.tokens (table.py:4)", "limit (table.py:1)", "other (table.py:2)"]
