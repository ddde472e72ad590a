"""`whence why --interactive`: how does a user browse and prune a cause tree in a terminal?

The screen runs in the main thread and never waits: another thread computes the causes below a
cause.  Meanwhile the main thread asks the tree for known causes, marks and sources, so these must
be fast and thread-safe.
"""

from __future__ import annotations

import asyncio
import os
import shlex
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import ClassVar, Literal

from rich.text import Text
from textual import on
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container, Vertical, VerticalScroll
from textual.message import Message
from textual.widgets import Footer, Input, Static, Tree
from textual.widgets.tree import TreeNode

from whence.cli.editor import editor_command
from whence.cli.panes import (
    LOOK,
    CauseView,
    Page,
    PaneState,
    Row,
    SourcePane,
    StatementPane,
    row_of,
)
from whence.cli.phrases import HELP, cause_sentence, escaped, path_text, statement_text
from whence.cli.tree_nodes import causes_from, contains, nodes_from
from whence.errors import UserError
from whence.model import Cause, Mark, Statement
from whence.service.background import Answer, Background
from whence.service.tree_session import BrowsableTree, SavedTree

_URGENT, _LAST = -1, sys.maxsize  # ranks of computations: the user waits for it, or nobody does


def run_interactive(tree: BrowsableTree, *, title: str) -> None:
    """Let the user browse the tree until they quit; the tree then has their marks."""
    check_terminal()
    app = WhyApp(tree, title=title)
    with suppress(KeyboardInterrupt):
        app.run()
    app.stop()
    if app.return_code:
        raise SystemExit(app.return_code)  # our bug; Textual has shown the traceback


def check_terminal() -> None:
    """Raise an error unless a user is at a terminal."""
    # Textual needs only standard error, but who redirects the output wants text.
    streams = {"input": sys.stdin, "output": sys.stdout, "error": sys.stderr}
    missing = [name for name, stream in streams.items() if not (stream and stream.isatty())]
    if not missing and os.environ.get("TERM") != "dumb":
        return
    why = f"standard {missing[0]} is not one" if missing else "$TERM is dumb"
    raise UserError(
        f"--interactive needs a terminal, but {why}.\n"
        "Instead, --html FILE writes the tree as a page to browse, and --depth N prints its "
        "first levels.",
        slug="no-terminal",
    )


class WhyApp(App[None]):
    """The tree, the statements of the selected cause, and their source."""

    TITLE = "whence why"
    ENABLE_COMMAND_PALETTE = False
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (140, "-wide")]  # noqa: RUF012  # as Textual types it
    CSS = LOOK
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("b", "mark('benign')", "Benign"),
        Binding("r", "mark('root')", "Root"),
        Binding("p", "path", "Path"),
        Binding("e", "edit", "Edit"),
        Binding("v", "values", "Values"),
        Binding("slash", "search", "Search", key_display="/"),
        Binding("escape", "close_search", show=False),
        Binding("n", "next(1)", show=False),
        Binding("N", "next(-1)", show=False),
        Binding("question_mark", "help", "Help", key_display="?"),
        Binding("q", "quit", "Quit"),
        Binding("ctrl+c", "quit", show=False, priority=True),
    ]

    class Computed(Message):
        """The causes below a cause were computed, or computing them failed."""

        def __init__(self, number: int, answer: Answer) -> None:
            super().__init__()
            self.number = number
            self.answer = answer

    def __init__(self, tree: BrowsableTree, *, title: str) -> None:
        super().__init__()
        self._tree = tree
        self._subject = title
        self._session = tree.session if isinstance(tree, SavedTree) else None
        self._expanded = set(self._session.expanded if self._session else ())
        computed = self._session.computed if self._session else ()
        # By the key of a cause: its place in the order of an earlier session.
        self._ranks = {key: rank for rank, key in enumerate(computed)}
        self._resume = self._session.selected if self._session else None
        self._shown: dict[int, TreeNode[Row]] = {}
        self._files: dict[str, list[str]] = {}
        self._background = Background(tree, self._post_answer)
        self._detailed: TreeNode[Row] | None = None  # the node whose statements are shown
        self._sought = ""  # the text that the user searches

    def _post_answer(self, number: int, answer: Answer) -> None:
        self.post_message(self.Computed(number, answer))

    def stop(self) -> None:
        """Save the session, and cancel the computation under way."""
        if self._session:
            self._session.save()
        self._background.stop()

    # -- the screen ----------------------------------------------------------------------------

    def compose(self) -> ComposeResult:
        # Kept in attributes: while the screen closes, looking widgets up fails.
        self._heading = Static(id="title")
        self._causes = CauseView(self._row(0))
        self._sentence = Static(id="sentence")
        self._statements = StatementPane()
        self._source = SourcePane()
        self._search = Input(id="search", placeholder="search the causes computed so far")
        yield self._heading
        with Container(id="panes"):
            yield self._causes
            with Vertical(id="right"):
                with VerticalScroll(id="because", can_focus=False):
                    yield self._sentence
                yield self._statements
                yield self._source
        yield self._search
        footer = Footer()
        footer.compact = True
        yield footer

    def on_mount(self) -> None:
        self._listen()
        root = self._causes.root
        self._shown[0] = root
        self._causes.focus()
        self._causes.cursor_line = 0
        if self._session is None or self._session.is_new:
            root.expand()
        self._unfold_again(root)
        self._show_title()

    @property
    def _selected(self) -> TreeNode[Row]:
        return self._causes.cursor_node or self._causes.root

    def _row(self, number: int) -> Row:
        return Row(self._tree.cause(number), self._tree.marks.get(number))

    def _show_title(self) -> None:
        marks = [row_of(node).mark for node in self._shown.values()]
        text = Text(escaped(self._subject), "bold", end="")
        text.append(f"   {len(marks)} cause{'s' * (len(marks) != 1)} so far", "not bold dim")
        for mark in Mark:
            if mark in marks:
                text.append(f", {marks.count(mark)} {mark.value}", "not bold dim")
        self._heading.update(text)

    @on(Tree.NodeHighlighted)
    def _show_cause(self) -> None:
        node = self._detailed = self._selected
        if not node.is_root:
            self._resume = None  # the cursor has moved, so the old position is out of date
        cause = row_of(node).cause
        self._sentence.update(cause_sentence(cause))
        self._statements.show(cause.statements)
        if self._session and self._resume is None:
            self._session.selected = cause.key
        self._show_source()

    @on(StatementPane.Moved)
    def _show_source(self) -> None:
        cause = row_of(self._selected).cause
        file, line = self._position()
        if file not in self._files:
            self._files[file] = []
            with self._reporting():
                self._files[file] = self._tree.source(file) if file else []
        lit = frozenset(each.line for each in cause.statements if each.file == file)
        self._source.show(file, self._files[file], lit=lit, line=line)

    def _position(self) -> tuple[str, int]:
        """Return the file and line of the selected statement, or else of the predicate."""
        where = self._statement or row_of(self._selected).cause.predicate
        return where.file, where.line

    @property
    def _statement(self) -> Statement | None:
        if self._detailed is not self._selected:
            self._show_cause()  # a key came before the event that the cursor moved
        return self._statements.selected

    @contextmanager
    def _reporting(self) -> Iterator[None]:
        """Show an error of the block, and go on."""
        try:
            yield
        except Exception as error:
            self._complain(error)

    def _complain(self, error: Exception) -> None:
        is_ours = not isinstance(error, UserError)
        self._say(f"{type(error).__name__}: {error}" if is_ours else str(error), "error")

    def _say(self, text: str, severity: Literal["information", "warning", "error"]) -> None:
        lines = "\n".join(map(escaped, text.splitlines()))
        self.clear_notifications()
        self.notify(lines, severity=severity, markup=False)

    # -- unfolding -----------------------------------------------------------------------------

    def action_unfold(self) -> None:
        node = self._selected
        if node.is_expanded and node.children:
            self._causes.move_cursor(node.children[0])
        elif node.allow_expand and not node.is_expanded:
            node.expand()

    def action_fold(self) -> None:
        node = self._selected
        if node.is_expanded and node.allow_expand:
            node.collapse()
        elif node.parent is not None:
            self._causes.move_cursor(node.parent)

    @on(Tree.NodeExpanded)
    def _is_unfolded(self, event: Tree.NodeExpanded[Row]) -> None:
        if event.node.is_expanded and self._is_shown(event.node):  # the event is old: look again
            self._note_expanded(row_of(event.node), True)
            self._want(event.node, rank=_URGENT)

    @on(Tree.NodeCollapsed)
    def _is_folded(self, event: Tree.NodeCollapsed[Row]) -> None:
        row = row_of(event.node)
        if event.node.is_expanded or not self._is_shown(event.node):
            return
        self._note_expanded(row, False)
        if row.state is PaneState.WAITING:
            self._background.drop(row.cause.id.__eq__)
            self._set_state(event.node, PaneState.NEW)

    def _is_shown(self, node: TreeNode[Row]) -> bool:
        return self._shown.get(row_of(node).cause.id) is node

    def _note_expanded(self, row: Row, is_expanded: bool) -> None:
        key = row.cause.key
        if (key in self._expanded) == is_expanded:
            return
        self._expanded ^= {key}
        if self._session:
            with self._reporting():
                self._session.expand(key, is_expanded)

    def _want(self, node: TreeNode[Row], *, rank: int) -> None:
        row = row_of(node)
        if row.state is PaneState.NEW and row.mark is not Mark.BENIGN:
            self._set_state(node, PaneState.WAITING)
            self._background.want(row.cause.id, rank=rank)
            self._show_current()

    def _show_current(self) -> None:
        node = self._shown.get(-1 if self._background.current is None else self._background.current)
        if node is not None:
            self._set_state(node, PaneState.COMPUTING)

    def _set_state(self, node: TreeNode[Row], state: PaneState) -> None:
        row_of(node).state = state
        node.refresh()

    @on(Computed)
    def _is_computed(self, message: Computed) -> None:
        node = self._shown.get(message.number)
        if node is not None and not self._background.is_dropped:
            if isinstance(message.answer, Exception):
                self._complain(message.answer)
                self._set_state(node, PaneState.NEW)
                node.collapse()
            else:
                with self._reporting():
                    self._add(node, message.answer)
                self._set_state(node, PaneState.KNOWN)
        self._background.end()
        self._show_current()

    def _add(self, node: TreeNode[Row], numbers: tuple[int, ...]) -> None:
        """Show the causes below a cause, and compute what an earlier session computed."""
        key = row_of(node).cause.key
        self._ranks.setdefault(key, len(self._ranks))
        if self._session:
            with self._reporting():
                self._session.note_computed(key)
        row_of(node).cause = self._tree.cause(row_of(node).cause.id)  # now with its children
        node.allow_expand = bool(numbers)
        for number in numbers:
            row = self._row(number)
            is_leaf = row.mark is Mark.BENIGN or row.cause.children == ()
            child = node.add(Text(), row, allow_expand=not is_leaf)
            self._shown[number] = child
            self._unfold_again(child)
        self._show_title()
        if node is self._selected:
            self._show_cause()

    def _unfold_again(self, node: TreeNode[Row]) -> None:
        key = row_of(node).cause.key
        if node.allow_expand and (key in self._ranks or key in self._expanded):
            self._want(node, rank=self._ranks.get(key, _LAST))
        if node.allow_expand and key in self._expanded:
            node.expand()
        if key == self._resume:
            self._causes.call_after_refresh(self._resume_at, node)

    def _resume_at(self, node: TreeNode[Row]) -> None:
        if self._resume is not None:
            self._causes.move_cursor(node)

    # -- marks ---------------------------------------------------------------------------------

    def action_mark(self, word: str) -> None:
        node, mark = self._selected, Mark(word)
        row = row_of(node)
        if row.cause.id == 0 and mark is Mark.BENIGN:
            self._say("The failure itself cannot be benign.", "warning")
            return
        with self._reporting():
            self._tree.mark(row.cause.id, None if row.mark is mark else mark)
        was, row.mark = row.mark, self._tree.marks.get(row.cause.id)
        if row.mark is Mark.BENIGN:
            self._cut(node)
        elif was is Mark.BENIGN:
            node.allow_expand = row.cause.children != ()
            self._unfold_again(node)
        node.refresh()
        self._show_title()
        if row.mark is Mark.ROOT:
            self.action_path()

    def _cut(self, node: TreeNode[Row]) -> None:
        """Remove the causes below a cause, and cancel their computation."""
        below = causes_from(node)
        self._background.drop(below.__contains__)
        for number in below - {row_of(node).cause.id}:
            del self._shown[number]
        node.remove_children()
        node.allow_expand = False
        self._set_state(node, PaneState.NEW)

    def action_path(self) -> None:
        steps: list[Cause] = []
        node: TreeNode[Row] | None = self._selected
        while node is not None:
            steps.append(row_of(node).cause)
            node = node.parent
        self.push_screen(Page("From this cause to the failure", path_text(steps)))

    # -- pages and editor ----------------------------------------------------------------------

    def action_help(self) -> None:
        self.push_screen(Page("Keys and signs", HELP))

    def action_values(self) -> None:
        if self._statement is not None:
            self.push_screen(Page("Values", statement_text(self._statement)))

    def action_edit(self) -> None:
        file, line = self._position()
        editor = os.environ.get("VISUAL") or os.environ.get("EDITOR") or ""
        with self._reporting():
            path = self._tree.source_path(file) if file else None
            if path is None:
                self._say(
                    f"{file or 'This cause'} has no source file that can be opened here.", "warning"
                )
            elif not editor.strip():
                self._say("Set $VISUAL or $EDITOR to the command of your editor.", "warning")
            else:
                self._run(editor_command(editor, path, line))

    def _run(self, command: list[str]) -> None:
        """Give the terminal to a command until it ends."""
        with self.suspend(), self._ignoring_interrupts():
            status = subprocess.run(command, check=False).returncode
        if status:
            self._say(f"{shlex.join(command)} ended with status {status}.", "warning")

    def _listen(self) -> None:
        """Exit in order on SIGINT from outside; Ctrl-C in the terminal is a key."""
        with suppress(NotImplementedError):  # on Windows
            asyncio.get_running_loop().add_signal_handler(signal.SIGINT, self.exit)

    @contextmanager
    def _ignoring_interrupts(self) -> Iterator[None]:
        """Leave Ctrl-C to the command that has the terminal, although we receive it too."""
        with suppress(NotImplementedError):
            asyncio.get_running_loop().remove_signal_handler(signal.SIGINT)
        before = signal.signal(signal.SIGINT, lambda *_: None)  # the command would inherit SIG_IGN
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, before)
            self._listen()

    # -- searching -----------------------------------------------------------------------------

    def action_search(self) -> None:
        self._search.add_class("-open")
        self._search.value = ""
        self._search.focus()

    @on(Input.Submitted)
    def _start_search(self, event: Input.Submitted) -> None:
        self.action_close_search()
        self._sought = event.value
        self.action_next(1)

    @on(Input.Blurred)
    def action_close_search(self) -> None:
        if self._search.has_class("-open"):
            self._search.remove_class("-open")
            self._causes.focus()

    def action_next(self, step: int) -> None:
        """Go to the next cause that contains the searched text; `step` -1: to the previous one."""
        nodes = list(nodes_from(self._causes.root))
        start = nodes.index(self._selected)
        ahead = [nodes[(start + step * n) % len(nodes)] for n in range(1, len(nodes) + 1)]
        found = next((node for node in ahead if contains(row_of(node).cause, self._sought)), None)
        if not self._sought:
            return
        if found is None:
            self._say(f"No cause computed so far contains {self._sought!r}.", "information")
        else:
            self._reveal(found)

    def _reveal(self, node: TreeNode[Row]) -> None:
        above = node.parent
        while above is not None:
            above.expand()
            above = above.parent
        self._causes.call_after_refresh(self._causes.move_cursor, node)
