"""Which source of a C or C++ function fails when one of its calls does not do what it should?

The lines of the function stay where they are.  In C, the function gets another name, and behind its
end, on the same line, stands one with the old name, which calls it and checks what it did:

    int half(int n);int whence_checked_half(int n) {
        return n / 2;
    } int half(int n) { ... whence_checked_half(n) ... }

In C++, the body becomes a lambda, so that members, templates and operators are possible:

    int Cart::half(int n) { auto {BODY} = [&]() -> int {
        return n / 2;
    }; ... whence_body() ... }
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

import tree_sitter
import tree_sitter_c
import tree_sitter_cpp

from whence.changes.syntax import grammar_of

PREFIX = "whence_checked_"  # before the name of a checked function
RESULT = "whence_result"
BODY = "whence_body"  # the body of a function of C++
THROWN = "whence_thrown"
CHOSEN = "whence_chosen"
WATCH = "whence_watch"
NOT_NULL = " != 0"  # behind a pointer on the way to a part
GIVEN = "whence_given_"  # before the name of a parameter of C++, as it was at the start
_FAILS = (
    "extern {linkage}void __assert_fail(const char *, const char *, unsigned int, const char *)"
    "{ending};"
)
_UNCAUGHT = (  # std::uncaught_exceptions, which needs no header so
    'extern "C" int whence_uncaught() noexcept __asm__("_ZSt19uncaught_exceptionsv"); '
)
# What holds for the type of one instance of a template may not compile for that of another one.
_HOLDS = (
    "template <class F, class... A> auto whence_holds(int, F f, A&... a) -> decltype(bool(f(a...)))"
    " { return f(a...); } "
    "template <class F, class... A> bool whence_holds(long, F, A&...) { return false; } "
)
_DECLARED_IN = frozenset(
    {
        *("translation_unit", "declaration_list", "preproc_if", "preproc_ifdef", "preproc_else"),
        *("preproc_elif", "preproc_elifdef"),
    }
)
_COMMENT = re.compile(rb'/\*.*?\*/|//[^\n]*|("(?:\\.|[^"\\])*")', re.DOTALL)
_VOID = re.compile(r"(?:\w+\s*\(\s*)?void\s*\)?", re.IGNORECASE)  # also API(void), VOID
_WORD = re.compile(r"\b[A-Za-z_]\w*\b|\"(?:\\.|[^\"\\])*\"")
_NO_TYPE = frozenset(
    {"static", "inline", "virtual", "explicit", "friend", "extern", "constexpr", "typedef"}
)


class NotCheckableError(Exception):
    """The function cannot be checked; the message says why, after "because"."""


@dataclass(frozen=True)
class CallCheck:
    """Which call of a function is checked, and what is claimed about it."""

    conditions: tuple[str, ...]  # on the arguments, at the start of the call
    number: int  # of the call among those for which the conditions hold, from 1
    claim: str | None  # an expression that holds at the end; None: the call must not return
    may_throw: bool = True  # False: no exception may leave the call
    thrown: tuple[str, str] | None = None  # the class of an exception, and a claim about it

    def words(self, name: str) -> str:
        """Return the check as a person would write it."""
        given = f" with {' && '.join(self.conditions)}" if self.conditions else ""
        lines = [f"call {self.number} of {name}{given}:"]
        if not self.may_throw:
            lines.append("assert(no exception leaves the call)")
        elif self.thrown is not None:
            kind, claim = self.thrown
            lines.append(f"assert(the call throws {kind}{f' with {claim}' if claim else ''})")
        elif self.claim is None:
            lines.append("assert(the call does not return)")
        else:
            lines.append(f"assert({self.claim})")
        text = "\n".join(lines)
        return text.replace(RESULT, "result").replace(f"{THROWN}.", "") + "\n"


@dataclass(frozen=True)
class CheckedSource:
    """A source file with a function that is checked."""

    content: bytes
    inserted: tuple[tuple[str, str], ...]  # each text that was put in, and what it stands for


def checked_source(content: bytes, file: str, line: int, check: CallCheck) -> CheckedSource:
    """Return the source of a file in which the function that begins at `line` is checked."""
    for grammar in dict.fromkeys((grammar_of(file), "cpp")):
        module = tree_sitter_c if grammar == "c" else tree_sitter_cpp
        parser = tree_sitter.Parser(tree_sitter.Language(module.language()))
        found = _definition(parser.parse(content).root_node, line)
        if found is not None:
            make = _in_c if grammar == "c" else _in_cxx
            edits = make(_Definition(found), check)
            inserted = tuple(
                (text, content[first:last].decode("utf-8", "surrogateescape"))
                for first, last, text in edits
            )
            return CheckedSource(_edited(content, edits), inserted)
    raise NotCheckableError("its definition is not found in the source")


def _definition(root: tree_sitter.Node, line: int) -> tree_sitter.Node | None:
    """Return the function that begins at a line."""
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if not node.start_point[0] <= line - 1 <= node.end_point[0]:
            continue
        if node.type == "function_definition" and node.start_point[0] == line - 1:
            return node
        waiting.extend(reversed(node.children))
    return None


Edit = tuple[int, int, str]  # from, to, text


def _edited(content: bytes, edits: list[Edit]) -> bytes:
    for first, last, text in sorted(edits, reverse=True):
        content = content[:first] + text.encode("utf-8", "surrogateescape") + content[last:]
    return content


class _Definition:
    """The parts of a definition of a function."""

    def __init__(self, node: tree_sitter.Node) -> None:
        self.node = node
        body = node.child_by_field_name("body")
        declarator = node.child_by_field_name("declarator")
        if body is None or body.type != "compound_statement" or declarator is None:
            raise NotCheckableError("its definition has another form")
        self.body = body
        self.stars = ""
        while declarator is not None and declarator.type != "function_declarator":
            if declarator.type == "pointer_declarator":
                self.stars += "*"
            elif declarator.type == "reference_declarator":
                self.stars += _plain(declarator).partition("(")[0].count("&") * "&"
            else:
                raise NotCheckableError("its definition has another form")
            inner = declarator.child_by_field_name("declarator")
            declarator = inner if inner is not None else declarator.named_children[-1]
        assert declarator is not None
        self.declarator = declarator
        self.name = declarator.child_by_field_name("declarator")
        listed = declarator.child_by_field_name("parameters")
        if self.name is None or listed is None:
            raise NotCheckableError("its definition has another form")
        self.listed = listed

    @property
    def start(self) -> int:
        """Where the definition begins; the parser takes a macro before it for its type."""
        kind = self.node.child_by_field_name("type")
        is_alone = kind is not None and kind.type == "macro_type_specifier" and self._has_another
        return kind.end_byte if kind is not None and is_alone else self.node.start_byte

    @property
    def _has_another(self) -> bool:
        return any(each.type == "ERROR" for each in self.node.children)

    @property
    def is_old(self) -> bool:
        """Are the types of the parameters declared behind the list of their names?"""
        return any(each.type == "declaration" for each in self.node.children)

    def parameters(self) -> Iterator[tuple[str, bool]]:
        """Yield the name of each parameter, and whether it is a reference."""
        for each in self.listed.named_children:
            if each.type == "comment":
                continue
            if each.type == "identifier" and self.is_old:
                yield _plain(each), False
                continue
            if each.type == "variadic_parameter_declaration":
                raise NotCheckableError("it takes any number of arguments")
            declarator = each.child_by_field_name("declarator")
            name = None if declarator is None else _name_in(declarator)
            if name is not None:
                assert declarator is not None
                yield name, declarator.type == "reference_declarator"
            elif each.type == "variadic_parameter":
                raise NotCheckableError("it takes any number of arguments")
            elif _plain(each) != "void":
                raise NotCheckableError("a parameter has no name")

    @property
    def has_result(self) -> bool:
        """Does the function return a value?"""
        kind = self.node.child_by_field_name("type")
        is_void = kind is not None and _VOID.fullmatch(_plain(kind)) and not self._has_another
        return kind is not None and (bool(self.stars) or not is_void)

    def result_type(self) -> str:
        """Return the type of the result; empty if the compiler finds it out."""
        trailing = next(
            (c for c in self.declarator.children if c.type == "trailing_return_type"), None
        )
        if trailing is not None:
            return _plain(trailing).removeprefix("->").strip()
        kind = self.node.child_by_field_name("type")
        if kind is None or not self.has_result:
            return "void"
        words = []
        for each in self.node.children:
            if each.start_byte >= self.declarator.start_byte or each.type.endswith("declarator"):
                break
            if each.type in ("attribute_declaration", "attribute_specifier", "comment"):
                continue
            if _plain(each) not in _NO_TYPE:
                words.append(_plain(each))
        text = " ".join(words) + self.stars
        return "" if text == "auto" else text


def _name_in(declarator: tree_sitter.Node) -> str | None:
    """Return the name that a declarator of a parameter declares."""
    waiting = [declarator]
    while waiting:
        node = waiting.pop(0)
        if node.type == "identifier":
            return _plain(node)
        if node.type != "parameter_list":
            waiting = [*node.named_children, *waiting]
    return None


def _plain(node: tree_sitter.Node) -> str:
    """Return the text of a node on one line, without comments."""
    return _one_line(node.text or b"")


def _one_line(content: bytes) -> str:
    text = _COMMENT.sub(lambda match: match[1] or b" ", content)
    return " ".join(text.decode("utf-8", "surrogateescape").split())


# --- C --------------------------------------------------------------------------------------------


def _in_c(found: _Definition, check: CallCheck) -> list[Edit]:
    assert found.name is not None
    if found.name.type != "identifier" or len(found.declarator.named_children) > 2:
        raise NotCheckableError("its definition has another form")
    begin, start = found.node.start_byte, found.start
    whole = found.node.text or b""
    head = _one_line(whole[start - begin : found.body.start_byte - begin])
    if "#" in head:
        raise NotCheckableError("its head has directives of the preprocessor")
    declared = head
    if found.is_old:
        declared = _one_line(whole[start - begin : found.listed.start_byte - begin]) + "()"
    names = [name for name, _ in found.parameters()]
    name = _plain(found.name)
    call = f"{PREFIX}{name}({', '.join(names)})"
    lines = [
        _FAILS.format(linkage="", ending=""),
        "static int whence_calls;",
        *_chosen(check.conditions, check.number),
    ]
    lines.append(f"__typeof__({call}) {RESULT} = {call};" if found.has_result else f"{call};")
    lines.append(_checked(check, name))
    lines.append(f"return {RESULT};" if found.has_result else "")
    edits = [
        (start, start, f"{declared};"),
        (found.name.start_byte, found.name.start_byte, PREFIX),
        (found.body.end_byte, found.body.end_byte, f" {head} {{ {' '.join(lines)} }}"),
    ]
    if name == "main":  # only a function of this name may end without a result
        edits.append((found.body.end_byte - 1, found.body.end_byte - 1, "return 0; "))
    return edits


# --- C++ ------------------------------------------------------------------------------------------


def _in_cxx(found: _Definition, check: CallCheck) -> list[Edit]:
    assert found.name is not None
    parameters = dict(found.parameters())
    conditions = [
        each for each in check.conditions if not parameters.get(each.removesuffix(NOT_NULL))
    ]  # a reference leads to something
    text = " ".join((*conditions, check.claim or ""))
    used = [name for name in parameters if name in _WORD.findall(text)]
    kept = {name: f"{GIVEN}{name}" for name in used}

    def of_start(expression: str) -> str:
        """Return an expression with the parameters as they were at the start."""
        for name in used:
            if parameters[name]:  # the recorded state has a pointer for a reference
                expression = re.sub(rf"\*{name}\b", name, expression)
                expression = re.sub(rf"\b{name}->", f"{name}.", expression)
        plain = _WORD.sub(lambda match: kept.get(match[0], match[0]), expression)
        return plain if template is None else _for_some_types(plain, [*kept.values(), RESULT])

    template, is_constant = _around(found.node)
    copies = [
        f"auto&& {kept[name]} = {name};" if parameters[name] else f"auto {kept[name]} = {name};"
        for name in used
    ]
    kind = found.result_type()
    arrow = f" -> {kind}" if kind else ""
    name = _plain(found.name)
    is_plain = not found.has_result
    call = f"{BODY}();" if is_plain else f"auto&& {RESULT} = {BODY}();"
    if not check.may_throw:
        call = (
            f"struct {WATCH} {{ bool on; int before; ~{WATCH}() {{ if (on && whence_uncaught() > "
            f"before) {_failing(name)} }} }} whence_watched = "
            f"{{whence_chosen != 0, whence_uncaught()}}; {call}"
        )
    if check.thrown is not None:
        call = _catching(check.thrown, name, is_plain=is_plain)
    back = "" if is_plain else f" return static_cast<decltype({BODY}())&&>({RESULT});"
    claim = None if check.claim is None else of_start(check.claim)
    ends = f"}}; {call} {_checked(replace(check, claim=claim), name)}{back} }}"
    starts = [of_start(each) for each in conditions]
    if is_constant:  # nothing is counted while the compiler computes the call
        starts.insert(0, "!__builtin_is_constant_evaluated()")
    chosen = [*_chosen(starts, check.number)]
    top, body = _outside_of_classes(found.node), found.body
    declared = _FAILS.format(linkage='"C" ', ending=" noexcept") + " "
    if template is None and not is_constant:
        chosen.insert(0, "static int whence_calls;")
    else:  # of all types together
        is_hidden = _is_in_unnamed_namespace(found.node)
        declared += f"{'static' if is_hidden else '__attribute__((weak))'} int whence_calls; "
        declared += _HOLDS if template is not None else ""
    begin = f"{{ {' '.join((*copies, *chosen))} auto {BODY} = [&](){arrow} {{"
    if not check.may_throw:
        declared += _UNCAUGHT
    return [
        (body.start_byte, body.start_byte + 1, begin),
        (body.end_byte - 1, body.end_byte, ends),
        (top.start_byte, top.start_byte, declared),
    ]


def _catching(thrown: tuple[str, str], name: str, *, is_plain: bool) -> str:
    """Return the call of the body that must throw an exception."""
    kind, claim = thrown
    is_other = f"whence_chosen && !({claim})" if claim else "false"
    return (
        f"auto whence_tried = [&]() -> decltype({BODY}()) {{ try {{ return {BODY}(); }} "
        f"catch (const {kind} &{THROWN}) {{ if ({is_other}) {_failing(name)} throw; }} "
        f"catch (...) {{ if (whence_chosen) {_failing(name)} throw; }} }}; "
        + ("whence_tried();" if is_plain else f"auto&& {RESULT} = whence_tried();")
    )


def _for_some_types(expression: str, names: Iterable[str]) -> str:
    """Return an expression of a template that is false for types for which it has no meaning."""
    used = [name for name in names if name in _WORD.findall(expression)]
    if re.search(r"\bthis->", expression):
        expression = re.sub(r"\bthis->", "whence_this.", expression)
    values = [*used, *(["*this"] if "whence_this." in expression else [])]
    given = ", ".join(f"auto &{name.replace('*', 'whence_')}" for name in values)
    body = f"[&]({given}) -> decltype(bool({expression})) {{ return {expression}; }}"
    return f"whence_holds({', '.join(['0', body, *values])})" if values else expression


def _around(node: tree_sitter.Node) -> tuple[tree_sitter.Node | None, bool]:
    """Return the template that a function is part of, and whether it may be a constant."""
    is_constant = any(_plain(each) in ("constexpr", "consteval") for each in node.children)
    above = node.parent
    while above is not None and above.type != "template_declaration":
        above = above.parent
    return above, is_constant


def _is_in_unnamed_namespace(node: tree_sitter.Node) -> bool:
    above = node.parent
    while above is not None:
        if above.type == "namespace_definition" and above.child_by_field_name("name") is None:
            return True
        above = above.parent
    return False


def _outside_of_classes(node: tree_sitter.Node) -> tree_sitter.Node:
    """Return the whole declaration that a node is in; that of the outermost class, if any."""
    top, above = node, node.parent
    while above is not None:
        if above.type == "field_declaration_list":
            top = above
        above = above.parent
    while top.parent is not None and top.parent.type not in _DECLARED_IN:
        top = top.parent
    return top


# --- both -----------------------------------------------------------------------------------------


def _chosen(conditions: Iterable[str], number: int) -> Iterator[str]:
    """Yield the line that says whether a call is the one to check."""
    text = "".join(f"({each}) && " for each in conditions)
    yield f"int {CHOSEN} = {text}++whence_calls == {number};"


def _checked(check: CallCheck, name: str) -> str:
    claim = "" if check.claim is None else f"if (!({check.claim})) "
    return f"if ({CHOSEN}) {{ {claim}{_failing(name)} }}"


def _failing(name: str) -> str:
    return f'__assert_fail("{name} does what it did", __FILE__, __LINE__, "{name}");'
