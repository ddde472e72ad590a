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


ADDRESS = """import sys

def check_host(host):
    for c in host:
        if not (c.isalnum() or c == "."):
            return "bad host"
    return ""

def check_port(text):
    port = int(text)
    if port < 1 or port > 65535:
        return "bad port"
    return ""

host, port = sys.argv[1].split(":")
print(check_host(host) or check_port(port) or "good")
"""


def test_only_the_bytes_that_matter_are_edited(tmp_path: Path) -> None:
    """The conditions on the host read other bytes than the one on the port."""
    bad = ADDRESS.replace("65535", "99999")
    result = compared(tmp_path, ADDRESS, bad, "example.org:70000", name="p.py")
    suspect = check_suspect(result, "good", line_of(ADDRESS, "65535"))
    assert suspect.test.command.startswith("python3 p.py example.org:")
    assert suspect.edited <= 2


PRICE = """import sys

def shown(cents):
    return f"{cents // 100}.{cents % 100:02d}"

def price(goods, rebate):
    total = goods - rebate + 490
    return shown(total)

goods = int(sys.argv[1])
rebate = goods * 5 // 100
print(price(goods, rebate), shown(goods))
"""


def test_how_many_digits_a_number_is_printed_with_is_no_branch(tmp_path: Path) -> None:
    """The values are equal if the rebate is 0, which takes a price with fewer digits."""
    bad = PRICE.replace("goods - rebate + 490", "goods + 490")
    result = compared(tmp_path, PRICE, bad, "600", name="p.py")
    suspect = check_suspect(result, "bad", line_of(bad, "goods + 490"))
    assert suspect.is_changed


PROPERTY = """import sys

def int_of(text):
    try:
        return int(text)
    except ValueError:
        return -1

def get_property(attributes, key, default):
    value = attributes.get(key)
    if value is None:
        return default
    return int_of(value)

name, _, text = sys.argv[1].partition("=")
print(get_property({name: text}, "width", 1))
"""


def test_the_key_is_read_in_place_of_the_value(tmp_path: Path) -> None:
    """Thesis, Figure 6.12: only the good version looks at the value, so no branch of the bad one.

    The wrong argument is the first value that differs.
    """
    bad = PROPERTY.replace("int_of(value)", "int_of(key)")
    first, second = compared(tmp_path, PROPERTY, bad, "width=3", name="p.py").suspects
    assert (first.version.value, first.line) == ("good", line_of(PROPERTY, "return int(text)"))
    assert (second.version.value, second.line) == ("bad", line_of(bad, "int_of(key)"))
    assert "'width' for `text`" in second.because
