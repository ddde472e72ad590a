"""Does the JSON of an explanation contain everything that is known?"""

from __future__ import annotations

import json

from hypothesis import given, settings

from tests.report.explained import explanations, invoice, isolated
from whence.model import Explanation
from whence.report.document import to_document
from whence.report.explanation import explain_document, together


def test_it_has_what_every_command_has() -> None:
    document = explain_document(invoice())
    assert document["whence"] == 1
    assert document["command"] == "explain"
    assert document["status"] == "explained"
    assert document["changes"] == {"total": 71, "executed": 23}
    assert [change["id"] for change in document["root"]] == [4, 9]
    assert [change["file"] for change in document["auxiliary"]] == ["src/tax.h"]
    cost = document["cost"]
    assert (cost["runs"], cost["solver_calls"], cost["trace_events"]) == (12, 7, 51_230)
    assert cost["seconds"]["semantics"] == 0.5


def test_the_chain_goes_from_the_change_to_the_failure() -> None:
    chain = explain_document(invoice())["chain"]
    assert [link["step"] for link in chain] == ["change", "value", "missing", "value", "failure"]
    assert chain[1] == {
        "step": "value",
        "file": "src/invoice.c",
        "line": 20,
        "function": "total",
        "text": "sum += rounded(atol(prices[i]));",
        "says": "`sum` takes it on",
        "failing": {"sum": "1003"},
        "passing": {"sum": "1005"},
        "changes": [],
        "cause": 0,
        "times": 2,
        "before": None,
        "gap": False,
        "elsewhere": False,
        "proved": None,
        "proof": "",
    }


def test_a_cause_says_which_changes_it_meets_and_what_is_missing() -> None:
    cause = explain_document(invoice())["causes"][0]
    assert cause["changes"] == [4, 9]
    assert cause["predicate"]["passing"] == "true"
    assert cause["statements"][1]["passing"] == {"sum": "1005"}
    missing = cause["missing"][0]
    assert (missing["file"], missing["line"], missing["changes"]) == ("src/invoice.c", 20, [9])
    assert missing["statement"]["text"] == "sum = reduced(sum);"


def test_alternatives_are_numbers_and_other_has_their_details() -> None:
    document = explain_document(invoice())
    assert document["alternatives"] == [[2]]
    other = document["other"][0]
    assert (other["ids"], other["is_dodge"], other["auxiliary"]) == ([2], True, [])
    assert other["root"][0]["function"] == "main"
    assert other["why"].startswith("with it reverted")


def test_an_explanation_without_a_chain_has_no_causes() -> None:
    document = explain_document(isolated())
    assert document["status"] == "isolated"
    assert document["reason"] == "no front end knows the language of main.rs"
    assert (document["chain"], document["causes"], document["dodged"]) == ([], [], None)
    plain = to_document(isolated().result)
    plain["cost"]["recorded"] = 0
    assert {name: document[name] for name in plain} == plain


@given(explanations())
@settings(max_examples=50, deadline=None)
def test_any_explanation_can_be_written_and_read_back(explanation: Explanation) -> None:
    document = explain_document(explanation)
    assert json.loads(json.dumps(document)) == document
    assert [one["ids"] for one in document["other"]] == document["alternatives"]


def test_words_are_joined_into_a_list() -> None:
    assert together([]) == ""
    assert together(["a"]) == "a"
    assert together(["a", "b"]) == "a and b"
    assert together(["a", "b", "c"]) == "a, b and c"
    assert together(["a", "b", "c", "d"]) == "a, b and 2 more"
