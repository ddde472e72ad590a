"""How does the answer of `whence contract` become a page and a SARIF log?"""

from __future__ import annotations

from hashlib import sha256
from html import escape
from typing import Any
from urllib.parse import quote

from whence import __version__
from whence.model import ContractFunction, ContractResult, ContractVerdict
from whence.report.contract import (
    differing_calls,
    headline,
    place_of,
    unjudged,
    used,
    ways,
    wrong_functions,
)
from whence.report.visible import visible
from whence.source_lines import source_lines

RULE_CHANGED, RULE_BROKEN = "unintended-change", "broken-contract"
_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_STYLE = (
    "body{font:16px/1.5 sans-serif;margin:2rem auto;max-width:75rem;padding:0 1rem}"
    "table{border-collapse:collapse;width:100%}"
    "td,th{border:1px solid #999;padding:.3rem .5rem;text-align:left;vertical-align:top}"
    "pre{white-space:pre-wrap;overflow-wrap:anywhere;margin:.3rem 0}"
    ".changed,.broken{color:#a00;font-weight:bold}.kept{color:#070}.unmatched{color:#850}"
)


# --- the page -------------------------------------------------------------------------------------


def contract_page(result: ContractResult) -> str:
    """Return one HTML document that needs no network and has no script."""
    origins, passing = wrong_functions(result)
    parts = [f"<h1>{_shown(headline(result))}</h1>"]
    parts += [_section(function) for function in origins]
    if passing:
        parts.append("<h2>Functions that pass a difference on</h2>")
        parts.append(_table(passing, through=True))
    parts.append("<h2>All functions</h2>")
    parts.append(_table(result.functions, through=False))
    parts += [f"<p>note: {_shown(note)}</p>" for note in result.notes]
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; '
        "style-src 'unsafe-inline'\">"
        f"<title>whence contract</title><style>{_STYLE}</style></head>"
        f"<body>{''.join(parts)}</body></html>"
    )


def _section(function: ContractFunction) -> str:
    call = function.first
    assert call is not None
    arguments = "".join(
        f"<tr><th>{_shown(name)}</th><td><pre>{_shown(value)}</pre></td></tr>"
        for name, value in call.arguments.items()
    )
    differs = "".join(f"<li><pre>{_shown(sentence)}</pre></li>" for sentence in call.differs)
    contract = (
        f"<p>Its contract:</p><pre>{_shown_lines(function.contract)}</pre>"
        if function.contract
        else ""
    )
    suggested = (
        "<p>A suggestion from these calls, if the change is meant:</p>"
        f"<pre>{_shown_lines(function.suggestion)}</pre>" if function.suggestion else ""
    )  # fmt: skip
    rerun = "<p>The good answer is from running the good function on this call's state.</p>"
    within = f"<p>{_shown(unjudged(call))}</p>" if call.within else ""
    uses = f"<p>{_shown(used(call))}</p>" if call.uses else ""
    return (
        f'<h2><span class="{function.verdict.value}">{function.verdict.value}</span> '
        f"{_shown(place_of(function))}</h2>"
        f"<p>{differing_calls(function)[:1].upper()}{differing_calls(function)[1:]}"
        f"{ways(function)}. The first was "
        f"called from {_shown(call.called_from)} with:</p><table>{arguments}</table>"
        f"<table><tr><th>good</th><th>bad</th></tr><tr><td><pre>{_shown(call.good)}</pre></td>"
        f"<td><pre>{_shown(call.bad)}</pre></td></tr></table><ul>{differs}</ul>"
        f"{rerun if call.way == 'rerun' else ''}{within}{uses}{contract}{suggested}"
    )


def _table(functions: Any, *, through: bool) -> str:
    head = "<tr><th>verdict</th><th>function</th><th>calls</th><th>compared</th><th>rerun</th>"
    head += "<th>differ</th>"
    head += "<th>from</th></tr>" if through else "</tr>"
    rows = [
        f'<tr><td class="{each.verdict.value}">{each.verdict.value}</td>'
        f"<td>{_shown(place_of(each))}</td><td>{each.calls}</td><td>{each.compared}</td>"
        f"<td>{each.rerun}</td><td>{each.differing}</td>"
        + (f"<td>{_shown(', '.join(each.through))}</td>" if through else "")
        + "</tr>"
        for each in functions
    ]
    return f"<table>{head}{''.join(rows)}</table>"


def _shown(text: str) -> str:
    return escape(visible(text))


def _shown_lines(text: str) -> str:
    return "\n".join(_shown(line) for line in source_lines(text))


# --- SARIF ----------------------------------------------------------------------------------------


def contract_sarif(result: ContractResult) -> dict[str, Any]:
    """Return a SARIF log with one result for each function where a difference arises."""
    origins, _ = wrong_functions(result)
    run = {
        "tool": {"driver": _driver()},
        "originalUriBaseIds": {
            "%SRCROOT%": {"description": {"text": "The tree of the bad version."}}
        },
        "columnKind": "unicodeCodePoints",
        "results": [_sarif_result(function) for function in origins],
    }
    return {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}


def _driver() -> dict[str, Any]:
    rules = [
        (RULE_CHANGED, "UnintendedChange", "A function changed its behaviour without a contract."),
        (RULE_BROKEN, "BrokenContract", "A function does not do what its contract says."),
    ]  # fmt: skip
    return {
        "name": "whence",
        "version": __version__,
        "rules": [
            {
                "id": rule,
                "name": name,
                "shortDescription": {"text": text},
                "defaultConfiguration": {"level": "warning"},
            }
            for rule, name, text in rules
        ],
    }


def _sarif_result(function: ContractFunction) -> dict[str, Any]:
    call = function.first
    assert call is not None
    is_broken = function.verdict is ContractVerdict.BROKEN
    message = (
        f"{function.function} behaves differently: called from {call.called_from}, the good "
        f"version {call.good}, this one {call.bad}. {' '.join(call.differs)}"
    )
    signature = "\0".join((function.file, function.function, *call.differs))
    where = {
        "artifactLocation": {"uri": quote(function.file), "uriBaseId": "%SRCROOT%"},
        "region": {"startLine": max(function.line, 1)},
    }
    return {
        "ruleId": RULE_BROKEN if is_broken else RULE_CHANGED,
        "ruleIndex": int(is_broken),
        "level": "error" if is_broken else "warning",
        "message": {"text": visible(message).replace("[", "(").replace("]", ")")},
        "locations": [
            {
                "physicalLocation": where,
                "logicalLocations": [{"name": function.function, "kind": "function"}],
            }
        ],
        "partialFingerprints": {
            "whenceContract/v1": sha256(signature.encode("utf-8", "replace")).hexdigest()[:32]
        },
    }
