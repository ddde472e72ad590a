"""A real browser for the tests of pages.

Without a browser these tests are skipped; with WHENCE_BROWSER=required they fail.
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
