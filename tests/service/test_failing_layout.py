"""Is a run that passes recorded again with other contents of unset memory?"""

from __future__ import annotations

from pathlib import Path

from whence.languages import open_recording
from whence.model import Outcome, WhyResult
from whence.service import recorded_runs
from whence.service.failure_tree import FailureTree, WhyRequest, open_tree
from whence.service.recording import RecordRequest
from whence.subject.trial import BuildAndTest

# Fresh memory from malloc is 0, so the test passes by luck.
UNSET = """
struct node { int id, is_marked; };
void *malloc(unsigned long);
int main(void) {
    struct node *n = malloc(sizeof *n);
    n->id = 3;
    return n->is_marked ? 4 : 0;
}
"""


def recorded(
    tmp_path: Path,
    text: str,
    build: str = "$CC -g -w -o program program.c",
    test: str = "./program",
) -> Path:
    source = tmp_path / "source"
    source.mkdir()
    (source / "program.c").write_text(text)
    commands = BuildAndTest(test, build)
    out = tmp_path / "out"
    request = RecordRequest(str(source), commands, tmp_path, "c", 1 << 30, out, seeks_failure=True)
    folder, _ = recorded_runs.recorded(request, lambda _: None)
    return folder


def test_the_layout_in_which_the_run_fails_is_used_and_named(tmp_path: Path) -> None:
    recording = open_recording(recorded(tmp_path, UNSET))
    assert recording.outcome is Outcome.FAIL
    assert recording.document["layout"] == "filled"
    tree = open_tree(recording, WhyRequest())
    assert isinstance(tree, FailureTree)
    result: WhyResult = tree.result(was_interrupted=False)
    assert any("layout filled" in note for note in result.notes)


def test_a_test_that_passes_in_every_layout_is_recorded_as_it_is(tmp_path: Path) -> None:
    recording = open_recording(recorded(tmp_path, "int main(void) { return 0; }\n"))
    assert recording.outcome is Outcome.PASS
    assert recording.document["layout"] == ""


def test_all_layouts_are_tried_in_one_tree(tmp_path: Path) -> None:
    """The step that reads no source runs once for all layouts; what the test wrote is gone."""
    log = tmp_path / "log"
    build = f"echo configured >>{log} && $CC -g -w -o program program.c"
    recorded(tmp_path, "int main(void) { return 0; }\n", build, "mkdir new && ./program")
    assert log.read_text() == "configured\n" * 2  # the run without a layout has its own tree


def test_the_last_layout_is_tried_without_the_option_of_the_one_before(tmp_path: Path) -> None:
    """Read behind a block: it is zero only if each block has pages of its own."""
    text = """
        #include <stdlib.h>
        int main(void) {
            int *p = malloc(24), *q = malloc(24);
            q[0] = 5;
            return p[8] == 0 && q[0] == 5 ? 3 : 0;
        }
    """
    recording = open_recording(recorded(tmp_path, text))
    assert recording.outcome is Outcome.FAIL
    assert recording.document["layout"] == "apart"
    assert recording.again is not None
    assert recording.again.outcome is Outcome.FAIL
