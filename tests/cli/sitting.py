"""A user who sits at the interactive screen, in a test."""

from __future__ import annotations

import asyncio
import functools
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from textual.events import Key
from textual.keys import _character_to_key
from textual.pilot import Pilot
from textual.widgets import Tree

from whence.cli.interactive import WhyApp
from whence.service.tree_session import BrowsableTree, SavedTree, TreeSession

from .fake_tree import FakeTree

SQUARES = "a * a != b * b + c * c"


def at_a_screen(test: Callable[..., Awaitable[None]]) -> Callable[..., None]:
    @functools.wraps(test)
    def run(*arguments: Any, **named: Any) -> None:
        async def whole() -> None:
            await test(*arguments, **named)

        asyncio.run(whole())

    return run


class User:
    """A user who presses keys, waits until the screen is up to date, and reads it."""

    def __init__(self, app: WhyApp, pilot: Pilot[None]) -> None:
        self.app = app
        self._pilot = pilot

    async def press(self, *keys: str) -> None:
        for key in keys:
            self._post(key)
            await self.wait()

    async def press_at_once(self, *keys: str) -> None:
        """Press keys so fast that nothing happens in between."""
        for key in keys:
            self._post(key)
        await self._settle()

    def _post(self, key: str) -> None:
        is_character = len(key) == 1
        name = _character_to_key(key) if is_character else key
        self.app.post_message(Key(name, key if is_character else None))

    async def wait(self) -> None:
        """Wait until no computation is under way."""
        await self._settle()
        while self.app._background.current is not None:
            await asyncio.sleep(0.001)
            await self._settle()

    async def sees(self, text: str) -> None:
        """Check that the text is on the screen, now or soon: notifications are delayed."""
        for _ in range(5000):
            if text in self.text:
                return
            await asyncio.sleep(0.005)
            await self._settle()
        raise AssertionError(f"no {text!r} in\n{self.text}")

    async def _settle(self) -> None:
        # `Pilot.press` would wait until the processor is idle: a tenth of a second for each key.
        for _ in range(4):  # messages cause other messages, which refresh the screen
            await self._pilot.pause(0)

    @property
    def lines(self) -> list[str]:
        strips = self.app.screen._compositor.render_strips()
        return [strip.text.rstrip() for strip in strips]

    @property
    def text(self) -> str:
        return "\n".join(self.lines)

    @property
    def causes(self) -> list[str]:
        """The predicates of the tree that are visible or below the screen, but not folded."""
        tree = self.app.query_one(Tree)
        nodes = [tree.get_node_at_line(line) for line in range(tree.last_line + 1)]
        return [node.data.cause.predicate.text for node in nodes if node and node.data]

    @property
    def selected(self) -> str:
        node = self.app.query_one(Tree).cursor_node
        assert node is not None
        assert node.data is not None
        return str(node.data.cause.predicate.text)

    @property
    def notifications(self) -> list[str]:
        """The notifications on the screen, the latest last."""
        return [each.message for each in self.app._notifications]

    def line(self, text: str) -> str:
        """Return the first line of the screen that contains the text."""
        return next(line for line in self.lines if text in line)


@asynccontextmanager
async def sitting_at(
    tree: BrowsableTree, size: tuple[int, int] = (100, 30), title: str = "why", ready: bool = True
) -> AsyncIterator[User]:
    app = WhyApp(tree, title=title)
    async with app.run_test(size=size, notifications=True) as pilot:
        user = User(app, pilot)
        await (user.wait() if ready else pilot.pause())
        yield user
    app.stop()


def resumed(folder: Path) -> tuple[FakeTree, SavedTree]:
    fake = FakeTree()
    return fake, SavedTree(fake, TreeSession.load(folder / "why.json", "run"))
