"""`python -m whence.cli.compared_tests`: which functions do the tests of a run see changed?

Only the pytest plugin starts this module.  The argument is a `PytestRequest` without a test, as
JSON.  The answer is written to answer.json in the current directory, whatever happens.
"""

from __future__ import annotations

import io
import json
import os
import signal
import sys
import threading
from pathlib import Path

from whence.cli.console import VisibleConsole
from whence.contract.session import ContractRequest, check_contracts
from whence.errors import UserError
from whence.report.contract import contract_text
from whence.report.contract_files import contract_page
from whence.service.pytest_request import PytestRequest, command, globs_of_tests, work_tree
from whence.subject.trial import BuildAndTest

_PAGE = "contract.html"


def main() -> None:
    request = PytestRequest(**json.loads(sys.argv[1]))
    signal.signal(signal.SIGINT, signal.default_int_handler)
    threading.Thread(target=_interrupt_at_end, daemon=True).start()
    try:
        text = answer(request)
    except KeyboardInterrupt:
        text = f"stopped after {request.seconds:g} s (--whence-time), before anything was found"
    except UserError as error:
        text = str(error)
    except Exception as error:  # a bug of whence must not spoil the user's test run
        text = f"whence itself failed: {type(error).__name__}: {error}"
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Path("answer.json").write_text(json.dumps({"text": text, "is_last": True}))


def _interrupt_at_end() -> None:
    """Wait until standard input ends, then interrupt the main thread."""
    while os.read(0, 1000):
        pass
    ident = threading.main_thread().ident
    assert ident is not None
    signal.pthread_kill(ident, signal.SIGINT)


def answer(request: PytestRequest) -> str:
    """Return what the tests of the run show, and write the page."""
    top = work_tree(request)
    contract = ContractRequest(
        request.good, str(top), BuildAndTest(test=command(request, top)), repo=top,
        keep=(*globs_of_tests(request, top), *request.keep),
    )  # fmt: skip
    result = check_contracts(contract, lambda _: None)
    console = VisibleConsole(
        file=io.StringIO(), width=request.width, force_terminal=request.colour,
        color_system="standard" if request.colour else None, highlight=False, soft_wrap=True,
    )  # fmt: skip
    with console.capture() as captured:
        console.print(contract_text(result))
    folder = Path(request.html)
    if not folder.exists():
        folder.mkdir(parents=True)
        (folder / ".gitignore").write_text("*\n")  # or the page is a change of the next run
    (folder / _PAGE).write_text(contract_page(result), "utf-8")
    page = os.path.relpath(folder / _PAGE, request.started_in)
    return f"{captured.get().rstrip()}\nEvery function: {page}"


if __name__ == "__main__":
    main()
