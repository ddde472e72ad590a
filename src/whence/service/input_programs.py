"""How is the program of a tree opened, in whatever language, to be run with other inputs?"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from whence.errors import UserError
from whence.languages import LANGUAGES
from whence.paths.input_spec import InputSpec
from whence.paths.program import InputProgram
from whence.service.recording import WRONG_LANGUAGE, Say, likely_frontends
from whence.subject.beneath import delete_tree
from whence.subject.trial import BuildAndTest


def open_program(
    tree: Path, commands: BuildAndTest, folder: Path, specs: Sequence[InputSpec] = (),
    frontend: str = "auto", say: Say = lambda _: None,
) -> InputProgram:  # fmt: skip
    """Build the program in `tree`, a workspace of ours, in place; find the inputs of its test.

    `folder` does not exist yet and takes what is kept between runs.  If a front end finds nothing
    to record, the next one is tried.
    """
    names = likely_frontends(tree, commands, frontend)
    openers = [(name, found) for name in names if (found := LANGUAGES[name].open_program)]
    if not openers:
        labels = " and ".join(LANGUAGES[name].label for name in names)
        raise UserError(
            f"Programs in {labels} cannot be run with other inputs yet.\n"
            "This command works on: "
            f"{', '.join(one.label for one in LANGUAGES.values() if one.open_program)}.",
            slug="cannot-change-inputs",
        )
    for name, opener in openers:
        folder.mkdir(parents=True)
        try:
            return opener(tree, commands, folder, specs, say)
        except UserError as error:
            if error.slug not in WRONG_LANGUAGE or name == openers[-1][0]:
                raise
            say(f"nothing was recorded as {LANGUAGES[name].label}; trying another language")
            delete_tree(folder)
    raise AssertionError("the last front end returns or raises")
