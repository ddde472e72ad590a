"""What do the panes of the interactive screen look like?"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import ClassVar

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.geometry import Region, Size
from textual.message import Message
from textual.screen import ModalScreen
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.widgets import Static, Tree
from textual.widgets.tree import TreeNode

from whence.cli.phrases import WORDS, escaped, outcome_phrase, place_phrase, values_of
from whence.model import Cause, Mark, Statement

_WIDEST_WORD = max(map(len, WORDS.values()))
_UP_AND_DOWN = (
    Binding("j", "cursor_down", show=False),
    Binding("k", "cursor_up", show=False),
)
_SCROLL = (
    Binding("j", "scroll_down", show=False),
    Binding("k", "scroll_up", show=False),
)
_MIN_COLUMNS = 12  # of text, however narrow the screen is; guessed

# The panes are stacked; on a wide screen they are side by side.
LOOK = """\
#title { height: 1; padding: 0 1; text-wrap: nowrap; text-overflow: ellipsis; }
#panes { height: 1fr; }
#causes, #because, #statements, #source {
    background: $background; padding: 0 1; scrollbar-size: 1 1;
}
#causes, #because, #source {
    border-top: solid $surface-lighten-2; border-title-color: $text-muted;
}
#causes:focus, #statements:focus, #source:focus { background-tint: transparent; }
#causes:focus, #source:focus { border-top: solid $primary; }
#because { height: auto; max-height: 30%; }
#statements { max-height: 40%; }
#source { height: 1fr; min-height: 4; }
#search { display: none; height: 1; border: none; padding: 0 1; }
#search.-open { display: block; }
.-wide #panes { layout: horizontal; }
.-wide #causes, .-wide #right { width: 1fr; height: 1fr; }
.-narrow #causes { height: 2fr; }
.-narrow #right { height: 3fr; }
#causes > .tree--cursor, .statements--cursor { background: $primary 25%; }
#causes:focus > .tree--cursor, #statements:focus > .statements--cursor {
    background: $primary 45%; color: $foreground; text-style: none;
}
.source--number { color: $text-muted; }
.source--lit { background: $primary 20%; }
.source--selected { background: $primary 45%; }
Toast { width: 80; max-width: 90%; }
Page { align: center middle; }
#page {
    width: 100%; max-width: 100; height: auto; max-height: 95%; scrollbar-size: 1 1;
    border: round $primary; padding: 0 1; background: $surface;
}
"""


def _fit(text: Text, width: int) -> Text:
    """Truncate or pad the text to exactly `width` cells."""
    text.truncate(max(width, 1), overflow="ellipsis", pad=True)
    return text


# -- the tree ----------------------------------------------------------------------------------


class PaneState(Enum):
    """Whether the causes below a cause are computed; the value is shown in its row."""

    NEW = ""
    WAITING = "waiting …"
    COMPUTING = "computing …"
    KNOWN = "known"


@dataclass
class Row:
    """A cause as the tree shows it."""

    cause: Cause
    mark: Mark | None
    state: PaneState = PaneState.NEW


class CauseView(Tree[Row]):
    """The causes, one on each line: predicate, place, and how it bears on the cause above."""

    ICON_NODE = "▸ "
    ICON_NODE_EXPANDED = "▾ "
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("right,enter", "app.unfold", "Unfold", key_display="→"),
        Binding("left", "app.fold", "Fold", key_display="←"),
        *_UP_AND_DOWN,
    ]

    def __init__(self, row: Row) -> None:
        super().__init__(Text(), row, id="causes")
        self.auto_expand = False
        self.guide_depth = 2

    def render_label(self, node: TreeNode[Row], base_style: Style, style: Style) -> Text:
        """Return a line that fills the width, so that the right ends of all lines are aligned."""
        row = row_of(node)
        room = self.scrollable_content_region.width - self.guide_depth * _depth(node) - 2
        text = outcome_phrase(row.cause.predicate)
        if row.mark is Mark.ROOT:
            text.stylize("bold")
        elif row.mark is Mark.BENIGN:
            text.stylize("dim strike", 2)
        end = _right_end(row)
        _fit(text, max(room - end.cell_len, _MIN_COLUMNS)).append_text(end)
        text.stylize(style)
        icon = self.ICON_NODE_EXPANDED if node.is_expanded else self.ICON_NODE
        prefix = icon if node.allow_expand else "  "
        return Text.assemble((prefix, base_style + Style.from_meta({"toggle": True})), text)


def row_of(node: TreeNode[Row]) -> Row:
    assert node.data is not None
    return node.data


def _depth(node: TreeNode[Row]) -> int:
    return 0 if node.parent is None else 1 + _depth(node.parent)


def _right_end(row: Row) -> Text:
    text = Text(end="").append(f"  {place_phrase(row.cause.predicate)}", "dim")
    if row.cause.times > 1:
        text.append(f" x{row.cause.times:,}", "yellow")
    word, style = WORDS[row.cause.influence], "cyan"
    if row.state in (PaneState.WAITING, PaneState.COMPUTING):
        word, style = row.state.value, "yellow"
    elif row.mark is Mark.ROOT:
        word, style = "◆ root", "bold magenta"
    elif row.mark is Mark.BENIGN:
        word, style = "benign", "dim"
    return text.append(f"  {word:{_WIDEST_WORD}}", style)


# -- the statements of a cause -----------------------------------------------------------------


class StatementPane(ScrollView, can_focus=True):
    """The statements of a cause in the order in which they ran, with their values.

    There may be thousands, so each line is made only when it is drawn.
    """

    COMPONENT_CLASSES: ClassVar[set[str]] = {"statements--cursor", "statements--line"}
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "move(-1)", show=False),
        Binding("down,j", "move(1)", show=False),
        Binding("pageup", "move(-10)", show=False),
        Binding("pagedown", "move(10)", show=False),
        Binding("home", "move(-1_000_000_000)", show=False),
        Binding("end", "move(1_000_000_000)", show=False),
    ]

    class Moved(Message):
        """The user selected another statement."""

    def __init__(self) -> None:
        super().__init__(id="statements")
        self._shown: tuple[Statement, ...] = ()
        self._cursor = 0
        self._widest = (0, 0, 0)  # columns of place, text and values

    def show(self, statements: tuple[Statement, ...]) -> None:
        """Show these statements, with the cursor on the last."""
        self._shown = statements
        self._widest = (
            _widest(place_phrase, statements),
            _widest(_code, statements),
            _widest(values_of, statements),
        )
        self.virtual_size = Size(0, len(statements))
        self.styles.height = max(len(statements), 1)  # the style sheet limits it
        self._select(len(statements) - 1)

    @property
    def selected(self) -> Statement | None:
        return self._shown[self._cursor] if self._shown else None

    def action_move(self, by: int) -> None:
        self._select(self._cursor + by)
        self.post_message(self.Moved())

    def on_click(self, event: events.Click) -> None:
        self._select(event.y + self.scroll_offset.y)
        self.post_message(self.Moved())

    def on_resize(self) -> None:
        self._select(self._cursor)

    def _select(self, row: int) -> None:
        self._cursor = max(min(row, len(self._shown) - 1), 0)
        self.scroll_to_region(Region(0, self._cursor, 1, 1), animate=False, force=True)
        self.refresh()

    def render_line(self, y: int) -> Strip:
        row, width = y + self.scroll_offset.y, self.scrollable_content_region.width
        if row >= len(self._shown):
            return Strip.blank(width, self.rich_style)
        statement, (first, middle, last) = self._shown[row], self._widest
        last = min(last, max((width - first) // 2, _MIN_COLUMNS))
        middle = min(middle, width - first - last - 4)
        text = _fit(Text(place_phrase(statement), "dim"), first)
        text = Text("  ").join(
            [text, _fit(Text(_code(statement)), middle), Text(values_of(statement), "green")]
        )
        name = "statements--cursor" if row == self._cursor else "statements--line"
        style = self.get_component_rich_style(name)
        strip = Strip(_fit(text, width).render(self.app.console)).apply_style(style)
        return strip.adjust_cell_length(width, style)


def _widest(column: Callable[[Statement], str], statements: tuple[Statement, ...]) -> int:
    return max((cell_len(column(each)) for each in statements), default=0)


def _code(statement: Statement) -> str:
    return escaped(statement.text.strip())


# -- the source --------------------------------------------------------------------------------


class SourcePane(ScrollView, can_focus=True):
    """A source file with line numbers; the lines of a cause are lit, one of them is selected."""

    BINDINGS: ClassVar[list[BindingType]] = [*_SCROLL]
    COMPONENT_CLASSES: ClassVar[set[str]] = {"source--number", "source--lit", "source--selected"}

    def __init__(self) -> None:
        super().__init__(id="source")
        self._lines: list[str] = []
        self._lit: frozenset[int] = frozenset()
        self._line = 0

    def show(self, file: str, lines: list[str], *, lit: frozenset[int], line: int) -> None:
        """Show `file` around `line`; lines count from 1."""
        if lines is not self._lines:
            self._lines = lines
            widest = max((len(each.expandtabs()) for each in lines), default=0)
            self.virtual_size = Size(widest + self._margin, len(lines))
        self._lit, self._line = lit, line
        self.border_title = Text(escaped(f"{file}:{line}" if file else "no source"))
        self.call_after_refresh(self._center)
        self.refresh()

    def _center(self) -> None:
        middle = self.scrollable_content_region.height // 2
        self.scroll_to(0, max(self._line - 1 - middle, 0), animate=False)

    @property
    def _margin(self) -> int:
        return len(str(len(self._lines))) + 3

    def render_line(self, y: int) -> Strip:
        left, top = self.scroll_offset
        number, width = top + y + 1, self.size.width
        if number > len(self._lines):
            note = "The source is not available." if y == 0 and not self._lines else ""
            return Strip([Segment(note, self.rich_style)]).adjust_cell_length(
                width, self.rich_style
            )
        kind, sign = "number", " "
        if number == self._line:
            kind, sign = "selected", "▶"
        elif number in self._lit:
            kind, sign = "lit", "│"
        style = self.get_component_rich_style(f"source--{kind}")
        code_style = self.rich_style if kind == "number" else style
        code = escaped(self._lines[number - 1].rstrip("\r\n").expandtabs())
        shown = Strip([Segment(code, code_style)]).crop(left, left + width)
        gutter = Segment(f"{number:{self._margin - 3}} {sign} ", style)
        return Strip([gutter, *shown]).adjust_cell_length(width, code_style)


# -- modal pages -------------------------------------------------------------------------------


class _Scroll(VerticalScroll):
    BINDINGS: ClassVar[list[BindingType]] = [*_SCROLL]


class Page(ModalScreen[None]):
    """A text to read, until the user goes back."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,enter,question_mark,v,p,r", "app.pop_screen", "Back"),
    ]

    def __init__(self, title: str, body: Text) -> None:
        super().__init__()
        self._heading = title
        self._body = body

    def compose(self) -> ComposeResult:
        with _Scroll(id="page") as scroll:
            scroll.border_title = Text(self._heading)
            scroll.border_subtitle = Text("Esc: back")
            yield Static(self._body)

    def on_click(self, event: events.Click) -> None:
        if event.widget is self:
            self.dismiss()
