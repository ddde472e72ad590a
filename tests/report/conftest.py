"""A real browser for the tests of pages.

WHENCE_BROWSER=required makes it a failure if there is none; otherwise these tests are skipped.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from tests.report import browser as browsers
from tests.report.browser import Browser, NoBrowser


@pytest.fixture(scope="session")
def started() -> Iterator[Browser]:
    try:
        browser = browsers.start()
    except NoBrowser as error:
        if os.environ.get("WHENCE_BROWSER") == "required":
            pytest.fail(f"no browser: {error}")
        pytest.skip(f"no browser: {error}")
    yield browser
    browser.close()
