from __future__ import annotations

from pathlib import Path

import pytest

from tests.frontend.driver.toolchain import Toolchain, install


@pytest.fixture(scope="session")
def runtime(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One runtime for all tests, compiled by the first test that links."""
    home = tmp_path_factory.mktemp("runtime")
    tools = install(home, home, home / "made")
    tools.write(main_c="int main(void) { return 0; }\n")
    assert tools.cc("main.c").status == 0
    return tools.runtime


@pytest.fixture
def tools(tmp_path: Path, runtime: Path) -> Toolchain:
    return install(tmp_path, tmp_path / "tree", runtime)
