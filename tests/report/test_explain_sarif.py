"""Does the SARIF log obey the standard, and does it have what GitHub and VS Code need?

Instead of the schema, `SHAPES` holds the rules of version 2.1.0 for every object that we write.
"""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import Any
from urllib.parse import unquote

import pytest
from hypothesis import given, settings

from tests.report.explained import (
    BAD,
    CHAIN,
    FILE,
    GOOD,
    HEADER,
    REDUCING,
    ROUNDING,
    edit,
    explanations,
    invoice,
    isolated,
    long_chain,
)
from whence.model import ChangeId, ChangeKind, Explanation, Reported, Span
from whence.report.sarif import RULE, explain_sarif

# For each object: required keys, optional keys, and the kind of the values that are objects.
SHAPES: dict[str, tuple[set[str], set[str]]] = {
    "log": ({"$schema", "version", "runs"}, set()),
    "run": ({"tool", "results"}, {"originalUriBaseIds", "columnKind", "newlineSequences"}),
    "tool": ({"driver"}, set()),
    "driver": ({"name", "rules"}, {"version", "semanticVersion"}),
    "rule": (
        {"id", "shortDescription", "fullDescription", "help"},
        {"name", "defaultConfiguration", "properties"},
    ),
    "result": (
        {"ruleId", "message", "locations", "partialFingerprints"},
        {"ruleIndex", "level", "relatedLocations", "codeFlows", "fixes"},
    ),
    "location": ({"physicalLocation"}, {"id", "message", "logicalLocations"}),
    "physicalLocation": ({"artifactLocation", "region"}, set()),
    "artifactLocation": ({"uri"}, {"uriBaseId"}),
    "region": ({"startLine"}, {"startColumn", "endLine", "endColumn", "snippet"}),
    "threadFlowLocation": ({"location"}, {"executionOrder", "importance", "state"}),
    "fix": ({"artifactChanges"}, {"description"}),
    "artifactChange": ({"artifactLocation", "replacements"}, set()),
    "replacement": ({"deletedRegion"}, {"insertedContent"}),
    "message": ({"text"}, set()),
    "logicalLocation": ({"name", "kind"}, set()),
}
URI = re.compile(r"(?:[A-Za-z0-9_.~/-]|%[0-9A-F]{2})+")


def fits(what: str, of: dict[str, Any]) -> dict[str, Any]:
    required, optional = SHAPES[what]
    assert required <= set(of) <= required | optional, (what, of)
    assert all(of[name] not in ("", None) for name in required), (what, of)
    return of


def check_log(log: dict[str, Any]) -> None:
    """Check the rules of the standard that we rely on."""
    fits("log", log)
    assert log["version"] == "2.1.0"
    assert log["$schema"].startswith("https://")
    for run in log["runs"]:
        fits("run", run)
        rules = fits("driver", fits("tool", run["tool"])["driver"])["rules"]
        for rule in rules:
            fits("rule", rule)
            for name in ("shortDescription", "fullDescription", "help"):
                check_message(rule[name])
                assert len(rule[name]["text"]) <= 1024
        assert len({rule["id"] for rule in rules}) == len(rules)
        assert run["columnKind"] in ("utf16CodeUnits", "unicodeCodePoints")
        for result in run["results"]:
            check_result(result, rules, set(run["originalUriBaseIds"]))


def check_result(result: dict[str, Any], rules: list[Any], bases: set[str]) -> None:
    fits("result", result)
    assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
    assert result["level"] in ("none", "note", "warning", "error")
    related = result.get("relatedLocations", [])
    assert 1 <= len(result["locations"]) <= 10
    assert len(related) <= 1000
    ids = [one["id"] for one in related]
    assert len(set(ids)) == len(ids)
    check_message(result["message"], {str(number) for number in ids})
    for location in (*result["locations"], *related):
        check_location(location, bases)
    assert all(isinstance(value, str) for value in result["partialFingerprints"].values())
    for flow in result.get("codeFlows", []):
        assert len(flow["threadFlows"]) == 1
        locations = flow["threadFlows"][0]["locations"]
        assert 1 <= len(locations) <= 1000
        for one in locations:
            fits("threadFlowLocation", one)
            check_location(one["location"], bases)
            check_message(one["location"]["message"])
            assert one["importance"] in ("important", "essential", "unimportant")
            for value in one.get("state", {}).values():
                check_message(value)
        order = [one["executionOrder"] for one in locations]
        assert order == sorted(order)
        assert order[0] >= 0
    for fix in result.get("fixes", []):
        fits("fix", fix)
        check_message(fix["description"])
        assert fix["artifactChanges"]
        for change in fix["artifactChanges"]:
            fits("artifactChange", change)
            assert change["replacements"]
            for one in change["replacements"]:
                check_region(fits("replacement", one)["deletedRegion"])


def check_message(message: dict[str, Any], ids: set[str] = frozenset()) -> None:  # type: ignore[assignment]
    text = fits("message", message)["text"]
    text.encode("utf-8")
    assert set(re.findall(r"\[[^\]]*\]\(([^)]*)\)", text)) <= ids
    assert not re.search(r"\{\d+\}", text)


def check_location(location: dict[str, Any], bases: set[str]) -> None:
    fits("location", location)
    place = fits("physicalLocation", location["physicalLocation"])
    artifact = fits("artifactLocation", place["artifactLocation"])
    uri = artifact["uri"]
    if "uriBaseId" in artifact:
        assert artifact["uriBaseId"] in bases
        assert not uri.startswith("/")
    else:
        assert uri.startswith("file:///")
        uri = uri.removeprefix("file:")
    assert URI.fullmatch(uri), uri
    check_region(place["region"])
    for one in location.get("logicalLocations", []):
        fits("logicalLocation", one)
    if "message" in location:
        check_message(location["message"])


def check_region(region: dict[str, Any]) -> None:
    fits("region", region)
    assert region["startLine"] >= 1
    assert region.get("endLine", region["startLine"]) >= region["startLine"]
    assert region["startColumn"] >= 1
    if region.get("endLine", region["startLine"]) == region["startLine"]:
        assert region.get("endColumn", 1) >= region["startColumn"]


def results_of(explanation: Explanation) -> list[dict[str, Any]]:
    log = explain_sarif(explanation)
    check_log(log)
    found: list[dict[str, Any]] = log["runs"][0]["results"]
    return found


@pytest.mark.parametrize(
    "explanation",
    [invoice(), isolated(), long_chain(5000), invoice(about={"auxiliary": (HEADER,) * 3000})],
    ids=["invoice", "isolated", "long", "many"],
)
def test_it_is_sarif(explanation: Explanation) -> None:
    check_log(explain_sarif(explanation))


@given(explanations())
@settings(max_examples=40, deadline=None)
def test_any_explanation_is_sarif(explanation: Explanation) -> None:
    root = tuple(replace(change, file=change.file or "a") for change in explanation.result.root)
    whole = replace(explanation, result=replace(explanation.result, root=root))
    log = explain_sarif(whole)
    check_log(log)
    assert json.loads(json.dumps(log)) == log
    assert len(log["runs"][0]["results"]) == len(root)


def test_the_check_can_fail() -> None:
    log = explain_sarif(invoice())
    log["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["region"]["startLine"] = 0
    with pytest.raises(AssertionError):
        check_log(log)


# --- what it says ----------------------------------------------------------------------------


def test_each_change_of_the_root_is_a_result_at_its_lines() -> None:
    found = results_of(invoice())
    assert [one["ruleId"] for one in found] == [RULE, RULE]
    place = found[0]["locations"][0]["physicalLocation"]
    assert place["artifactLocation"] == {"uri": FILE, "uriBaseId": "%SRCROOT%"}
    assert place["region"] == {
        "startLine": 7,
        "startColumn": 1,
        "endLine": 7,
        "endColumn": 24,
        "snippet": {"text": "    return tenths / 10;"},
    }
    assert found[1]["locations"][0]["physicalLocation"]["region"]["startLine"] == 20


def test_the_first_sentence_is_a_title() -> None:
    message = results_of(invoice())[0]["message"]["text"]
    assert message.startswith(
        "This change broke the test: Assertion `due == atol(argv[1])' failed. "
        "With it and 2 other changes reverted, the test passes. See [the failure](1), "
    )


def test_the_chain_is_the_code_flow() -> None:
    locations = results_of(invoice())[0]["codeFlows"][0]["threadFlows"][0]["locations"]
    assert [one["importance"] for one in locations] == [
        *("essential", "important", "essential", "important", "essential"),
    ]
    assert locations[1]["location"]["message"]["text"] == (
        "`sum` takes it on. good: sum = 1005, failing: sum = 1003"
    )
    assert locations[1]["state"] == {"sum": {"text": "1003"}}
    assert locations[1]["location"]["logicalLocations"][0]["name"] == "total"


def test_the_failure_and_the_other_changes_are_related() -> None:
    related = results_of(invoice())[0]["relatedLocations"]
    assert [one["message"]["text"] for one in related] == [
        "the failure",
        "also broke it: src/invoice.c:20 in total",
        "auxiliary: src/tax.h (new file)",
    ]


def test_a_result_that_is_not_explained_says_so() -> None:
    found = results_of(isolated("there is no recorder (for Rust)"))[0]
    assert "Not explained: There is no recorder (for Rust)." in found["message"]["text"]
    assert "codeFlows" not in found


def test_a_call_through_a_table_is_not_shown_as_a_link() -> None:
    link = replace(CHAIN[1], says="`table[i](1)` was called with {0}")
    flows = results_of(invoice(chain=(link,)))[0]["codeFlows"]
    text = flows[0]["threadFlows"][0]["locations"][0]["location"]["message"]["text"]
    assert text.startswith("`table[i] (1)` was called with { 0 }.")


@pytest.mark.parametrize(
    ("file", "uri"),
    [
        ("a b/ü#?.c", "a%20b/%C3%BC%23%3F.c"),
        ("c:d.c", "c%3Ad.c"),
        ("/usr/include/x.h", "file:///usr/include/x.h"),
    ],
)
def test_any_path_is_a_uri(file: str, uri: str) -> None:
    change = replace(ROUNDING, file=file)
    found = results_of(invoice(about={"root": (change,)}))[0]
    place = found["locations"][0]["physicalLocation"]["artifactLocation"]
    assert place["uri"] == uri
    assert unquote(uri).removeprefix("file://") == file


def test_a_fingerprint_does_not_depend_on_line_numbers() -> None:
    moved = replace(ROUNDING, id=ChangeId(70), new=Span(99, 1), hunks=ROUNDING.hunks)
    prints = [
        results_of(invoice(about={"root": (change,)}))[0]["partialFingerprints"]
        for change in (ROUNDING, moved, REDUCING)
    ]
    assert prints[0] == prints[1] != prints[2]


# --- the fix ---------------------------------------------------------------------------------


def fixed(explanation: Explanation, bad: str) -> str | None:
    """Return the bad text with the fix applied, or None if there is no fix."""
    fixes = results_of(explanation)[0].get("fixes")
    if not fixes:
        return None
    (change,) = fixes[0]["artifactChanges"]
    starts = [0]
    for line in bad.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    after = (len(starts) + 1, 1)
    for one in reversed(change["replacements"]):
        region = one["deletedRegion"]
        assert (region["endLine"], region["endColumn"]) < after  # no replacement touches another
        after = (region["startLine"], region["startColumn"])
        first = starts[region["startLine"] - 1] + region["startColumn"] - 1
        end = starts[region["endLine"] - 1] + region["endColumn"] - 1
        bad = bad[:first] + one.get("insertedContent", {"text": ""})["text"] + bad[end:]
    return bad


def reverted(*changes: Reported) -> Explanation:
    return invoice(about={"root": changes, "auxiliary": ()})


def test_the_fix_makes_the_good_version() -> None:
    assert fixed(reverted(ROUNDING, REDUCING), BAD) == GOOD


@pytest.mark.parametrize(
    ("bad", "good", "changes"),
    [
        ("a\nb", "a\nx\n", [(Span(2, 1), Span(2, 1), "x\n", "b")]),  # the last line has no line end
        ("b", "a\nb", [(Span(1, 1), Span(0, 0), "a\n", "")]),
        ("a\n", "a\nb", [(Span(2, 1), Span(1, 0), "b", "")]),
        ("a\nb\n", "", [(Span(0, 0), Span(1, 2), "", "a\nb\n")]),
        (
            "a\nb\n",  # two adjacent changes
            "x\ny\nb\n",
            [(Span(1, 1), Span(1, 1), "x\n", "a\n"), (Span(2, 1), Span(1, 0), "y\n", "")],
        ),
    ],
)
def test_a_fix_at_any_place(
    bad: str, good: str, changes: list[tuple[Span, Span, str, str]]
) -> None:
    edits = [edit(number, *about, "f") for number, about in enumerate(changes)]
    assert fixed(reverted(*edits), bad) == good


@pytest.mark.parametrize(
    "change",
    [HEADER, replace(ROUNDING, kind=ChangeKind.RENAME), replace(ROUNDING, hunks=())],
)
def test_only_edits_of_text_have_a_fix(change: Reported) -> None:
    assert fixed(reverted(ROUNDING, change), BAD) is None


def test_bytes_that_are_not_utf_8_have_no_fix() -> None:
    hunk = replace(ROUNDING.hunks[0], removed=b"\xff\n")
    assert fixed(reverted(replace(ROUNDING, hunks=(hunk,))), BAD) is None
