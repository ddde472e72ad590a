"""Does the comparison work on Python programs as on C programs?"""

from __future__ import annotations

from pathlib import Path

from tests.darwin.comparing import check_suspect, compared, line_of

GOOD = """import sys

def fee(days, member):
    if days >= 30:
        return 500
    if member == "gold":
        return 0
    return 10 * days

print(fee(int(sys.argv[1]), sys.argv[2]))
"""


def test_a_wrong_branch_of_a_python_program_is_the_suspect(tmp_path: Path) -> None:
    bad = GOOD.replace("days >= 30", "days > 30")
    result = compared(tmp_path, GOOD, bad, "30 none", name="p.py")
    suspect = check_suspect(result, "bad", line_of(bad, "days > 30"))
    assert suspect.condition == "days > 30"


def test_code_that_a_python_program_lacks_is_in_the_reference(tmp_path: Path) -> None:
    bad = GOOD.replace('    if member == "gold":\n        return 0\n', "")
    result = compared(tmp_path, GOOD, bad, "3 gold", name="p.py")
    check_suspect(result, "good", line_of(GOOD, "gold"))
