"""Does the program run undisturbed if the recorder cannot start or write?"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.frontend.python.recorded import run_both
from whence.frontend.python.record import HOOK


@pytest.mark.parametrize("settings", [None, "nonsense", "code=/nowhere\ntree=/\n"])
def test_missing_or_wrong_settings_change_nothing(tmp_path: Path, settings: str | None) -> None:
    (tmp_path / "sitecustomize.py").write_bytes((HOOK / "sitecustomize.py").read_bytes())
    if settings is not None:
        (tmp_path / "settings").write_text(settings)
    command = [
        sys.executable,
        "-c",
        "import sys; print(*sys.path[:2], 'sitecustomize' in sys.modules)",
    ]
    ended = subprocess.run(
        command, env={"PYTHONPATH": f"{tmp_path}:/x"}, capture_output=True, text=True
    )
    assert (ended.stdout, ended.stderr) == (" /x False\n", "")


def test_the_sitecustomize_of_the_program_is_imported(tmp_path: Path) -> None:
    files = {
        "own/sitecustomize.py": "import sys\nsys.mark = 'own'\n",
        "program.py": "import sys, os\nprint(sys.mark, sys.modules['sitecustomize'].__file__)\n",
    }
    both = run_both(tmp_path, files, "env", f"PYTHONPATH={tmp_path}/tree/own", sys.executable,
                    "program.py")  # fmt: skip
    assert both.plain == both.recorded  # the command replaces the PYTHONPATH of the hook
    assert "own" in both.plain


def test_a_trace_that_cannot_be_written_changes_nothing(tmp_path: Path) -> None:
    files = {"program.py": "import shutil, sys\nshutil.rmtree(sys.argv[1], 1)\nprint('done')\n"}
    both = run_both(tmp_path, files, sys.executable, "program.py", str(tmp_path / "trace"))
    assert both.recorded == both.plain == "0\ndone\n\n"
