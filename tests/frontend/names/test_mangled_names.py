"""Is a function that is only declared called as in the source?"""

from __future__ import annotations

import pytest

from whence.frontend.c.mangled_names import read_mangled_name

_STRING = "NSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE"


@pytest.mark.parametrize(
    ("symbol", "text", "is_method"),
    [
        (f"_ZNK{_STRING[1:]}4sizeEv", "std::string::size", True),
        (f"_Z{_STRING}C1ERKS4_", "std::string::string", True),
        (f"_Z{_STRING}D1Ev", "std::string::~string", True),
        (f"_Z{_STRING}ixEm", "std::string::operator[]", True),
        ("_ZNSolsEPFRSoS_E", "std::ostream::operator<<", True),
        ("_ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_c", "std::operator<<", False),
        ("_ZNSt6vectorIiSaIiEE9push_backERKi", "std::vector::push_back", True),
        ("_ZNKSt8functionIFiiiEEclEii", "std::function::operator()", True),
        ("_ZNSt5arrayIiLm3EE4fillERKi", "std::array::fill", True),
        ("_ZN2ns3Foo3barEi", "ns::Foo::bar", False),  # Foo may be a namespace
        ("_ZNK2ns3Foo3barEi", "ns::Foo::bar", True),
        ("_ZL5checkiRK" + _STRING + "E", "check", False),
    ],
)
def test_names_of_declared_functions(symbol: str, text: str, is_method: bool) -> None:
    found = read_mangled_name(symbol)
    assert found is not None
    assert (found.text, found.is_method) == (text, is_method)


@pytest.mark.parametrize(
    "symbol", ["main", "_ZTISt9exception", "_ZN", "_ZNS1_3fooEv", "_Z3f", "_Z"]
)
def test_names_that_are_not_understood(symbol: str) -> None:
    assert read_mangled_name(symbol) is None
