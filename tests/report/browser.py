"""A real browser to open pages in: one on PATH, or the Chromium inside a wheel.

The package `kaleido` 0.2.1 contains Chromium 88 with its libraries, for drawing charts; later
versions do not.  Its page loads a script as the charting library, and our script in its place
evaluates any expression: see `_Kaleido`.
"""

from __future__ import annotations

import fcntl
import json
import os
import select
import shutil
import subprocess
import sys
import tempfile
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Protocol

PROGRAMS = (
    *("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"),
    *("chromium-headless-shell", "chrome-headless-shell", "microsoft-edge"),
)
_FLAGS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-breakpad"),
)
_SECONDS = 60


class NoBrowser(Exception):
    """No browser can be started; the message says what was tried."""


class Browser(Protocol):
    """One page in a browser."""

    name: str

    def open(self, html: str) -> None:
        """Load a page; only what earlier pages stored remains."""

    def evaluate(self, expression: str) -> Any:
        """Return the value of a JavaScript expression in the page; wait for a promise."""

    def press(self, *keys: str) -> None:
        """Press keys, each given by its name or its character."""

    def click(self, selector: str) -> None:
        """Click in the middle of an element, on whatever is visible there."""

    def resize(self, width: int, height: int) -> None: ...

    def troubles(self) -> list[str]:
        """Return errors, dialogs and requests since the last call; a correct page causes none."""

    def close(self) -> None: ...


def start() -> Browser:
    """Return the first browser that starts."""
    tried = []
    for program in filter(None, map(shutil.which, PROGRAMS)):
        try:
            return _Chromium(program)
        except (OSError, EOFError) as error:
            tried.append(f"{program}: {error}")
    try:
        return _Kaleido()
    except (OSError, EOFError) as error:
        tried.append(f"kaleido: {error}")
    raise NoBrowser(f"{'; '.join(tried)} (looked on PATH for {', '.join(PROGRAMS)})")


class _Answers:
    """The output of a browser: JSON messages, each ended by one byte."""

    def __init__(self, process: subprocess.Popen[bytes], source: int, end: bytes) -> None:
        self._process = process
        self._source = source
        self._end = end
        self._left = b""

    def read(self) -> dict[str, Any]:
        while self._end not in self._left:
            poll = select.poll()  # unlike select(), for any number of open files
            poll.register(self._source, select.POLLIN)
            if not poll.poll(1000 * _SECONDS):
                raise TimeoutError(f"it has not answered for {_SECONDS} s")
            more = os.read(self._source, 1 << 20)
            if not more:
                raise EOFError(f"it ended with status {self._process.wait(_SECONDS)}")
            self._left += more
        line, self._left = self._left.split(self._end, 1)
        message: dict[str, Any] = json.loads(line)
        return message

    def close(self) -> None:
        try:
            self._process.wait(5)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        os.close(self._source)


_MIDDLE = """(() => {
    const element = document.querySelector(%s);
    element.scrollIntoView({block: "center"});
    const box = element.getBoundingClientRect();
    return [box.left + box.width / 2, box.top + box.height / 2];
})()"""


# A browser reads from descriptor 3 and writes to 4; a shell can only move descriptors below 10.
_IN_ITS_PLACES = """
import os, sys
os.dup2(int(sys.argv[1]), 3)
os.dup2(int(sys.argv[2]), 4)
os.execv(sys.argv[3], sys.argv[3:])
"""


class _Chromium:
    """Speaks the DevTools protocol: JSON over two pipes, each message ended by a zero byte."""

    def __init__(self, program: str) -> None:
        self.name = program
        self._troubles: list[str] = []
        self._folder = tempfile.TemporaryDirectory(prefix="whence-browser-")
        ours_in, theirs_out = _pipe()
        theirs_in, ours_out = _pipe()
        profile = f"--user-data-dir={self._folder.name}/profile"
        command = [program, *_FLAGS, profile, "--remote-debugging-pipe", "about:blank"]
        places = (str(theirs_in), str(theirs_out))
        self._process = subprocess.Popen(
            [sys.executable, "-c", _IN_ITS_PLACES, *places, *command],
            pass_fds=(theirs_in, theirs_out),
            stderr=subprocess.DEVNULL,
        )
        os.close(theirs_in)
        os.close(theirs_out)
        self._to = open(ours_out, "wb")  # noqa: SIM115  closed in `close`
        self._answers = _Answers(self._process, ours_in, b"\0")
        self._last = 0
        self._session: str | None = None
        self._loaded = False
        try:
            target = self.call("Target.createTarget", url="about:blank")["targetId"]
            attached = self.call("Target.attachToTarget", targetId=target, flatten=True)
            self._session = attached["sessionId"]
            for domain in ("Page", "Runtime", "Network", "Log"):
                self.call(f"{domain}.enable")
        except (OSError, EOFError):
            self.close()
            raise

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Call a method of the browser, and return its answer."""
        self._last += 1
        message = {"id": self._last, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        self._to.write(json.dumps(message).encode() + b"\0")
        self._to.flush()
        while True:
            answer = self._read()
            if answer.get("id") == self._last:
                assert "error" not in answer, answer
                result: dict[str, Any] = answer["result"]
                return result

    def _read(self) -> dict[str, Any]:
        message = self._answers.read()
        self._note(message.get("method", ""), message.get("params", {}))
        return message

    def _note(self, event: str, about: dict[str, Any]) -> None:
        self._loaded |= event == "Page.loadEventFired"
        if event == "Network.requestWillBeSent" and about["type"] != "Document":
            self._troubles.append(f"asked for {about['request']['url']}")
        elif event in ("Runtime.exceptionThrown", "Log.entryAdded", "Page.javascriptDialogOpening"):
            self._troubles.append(json.dumps(about))

    def open(self, html: str) -> None:
        path = Path(self._folder.name, "page.html")
        path.write_text(html, "utf-8")
        self._loaded = False
        self.call("Page.navigate", url=path.as_uri())
        while not self._loaded:
            self._read()

    def evaluate(self, expression: str) -> Any:
        options = {"returnByValue": True, "awaitPromise": True, "userGesture": True}
        answer = self.call("Runtime.evaluate", expression=expression, **options)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def press(self, *keys: str) -> None:
        codes = {"ArrowDown": 40, "ArrowUp": 38, "ArrowLeft": 37, "ArrowRight": 39, "Tab": 9}
        codes |= {"Home": 36, "End": 35, "Enter": 13, "Escape": 27}
        for key in keys:
            about: dict[str, Any] = {"key": key, "windowsVirtualKeyCode": codes.get(key, 0)}
            if len(key) == 1 or key == "Enter":
                about["text"] = "\r" if key == "Enter" else key
            self.call("Input.dispatchKeyEvent", type="keyDown", **about)
            self.call("Input.dispatchKeyEvent", type="keyUp", **about)

    def click(self, selector: str) -> None:
        x, y = self.evaluate(_MIDDLE % json.dumps(selector))
        for what in ("mousePressed", "mouseReleased"):
            at = {"x": x, "y": y, "button": "left", "clickCount": 1}
            self.call("Input.dispatchMouseEvent", type=what, **at)

    def resize(self, width: int, height: int) -> None:
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self.call("Emulation.setDeviceMetricsOverride", **size)

    def troubles(self) -> list[str]:
        found, self._troubles = self._troubles, []
        return found

    def close(self) -> None:
        with suppress(BrokenPipeError):
            self._to.close()  # this ends the browser
        self._answers.close()
        self._folder.cleanup()


def _pipe() -> tuple[int, int]:
    """Return a pipe whose ends are neither descriptor 3 nor 4."""
    ends = os.pipe()
    high = [fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 10) for end in ends]
    for end in ends:
        os.close(end)
    return high[0], high[1]


# In kaleido's page, the function that draws a chart instead evaluates its argument in a frame that
# holds the page under test.  Keys and clicks come from a script, so the browser's own reaction to a
# key must be imitated: Enter clicks a button.
_DRIVER = """
let frame = document.createElement("iframe");
const troubles = [];
const drive = {
  load(uri) {
    const script = document.createElement("script");
    script.src = uri;
    document.head.append(script);
    return new Promise((tell) => script.addEventListener("load", () => tell(null)));
  },
  open(html) {
    const before = frame;
    frame = before.cloneNode();
    before.remove();
    document.body.append(frame);
    const page = frame.contentWindow;
    page.addEventListener("error", (event) => troubles.push(event.message));
    page.addEventListener("unhandledrejection", (event) => troubles.push(String(event.reason)));
    page.document.open();
    for (const name of ["alert", "confirm", "prompt"]) page[name] = () => troubles.push(name);
    page.document.addEventListener("securitypolicyviolation", (event) =>
      troubles.push(`${event.violatedDirective} ${event.blockedURI} ${event.sample}`));
    page.document.write(html);
    page.document.close();
    page.focus();
    // Kaleido asks the frame that came last, and ends if that one has gone.
    const last = document.createElement("iframe");
    last.hidden = true;
    document.body.append(last);
    last.contentWindow.kaleido_scopes = scopes;
  },
  troubles() {
    const asked = frame.contentWindow.performance.getEntriesByType("resource");
    return troubles.splice(0).concat(asked.map((entry) => `asked for ${entry.name}`));
  },
  press(key) {
    const target = frame.contentDocument.activeElement || frame.contentDocument.body;
    const about = {key, bubbles: true, cancelable: true};
    const isLeft = target.dispatchEvent(new frame.contentWindow.KeyboardEvent("keydown", about));
    if (isLeft && key === "Enter" && target.click) target.click();
  },
  click(x, y) {
    const target = frame.contentDocument.elementFromPoint(x, y);
    if (target.closest("button, summary")) target.closest("button, summary").focus();
    target.click();
  },
  resize(width, height) {
    frame.width = width;
    frame.height = height;
  },
};
const scopes = {
  async plotly({data}) {
    try {
      const value = await Function("page", `with (page) { return ${data.code}; }`)(
        data.inside ? frame.contentWindow : {}, // its policy would not let itself evaluate this
      );
      return {code: 0, result: JSON.stringify(value === undefined ? null : value)};
    } catch (error) {
      return {code: 1, message: String(error)};
    }
  },
};
Object.defineProperty(window, "kaleido_scopes", {get: () => scopes, set: () => {}});
"""


class _Kaleido:
    """Speaks kaleido's own protocol: a line of JSON in, a line of JSON out."""

    name = "kaleido"

    def __init__(self) -> None:
        spec = find_spec("kaleido")
        if spec is None or spec.origin is None:
            raise FileNotFoundError("it is not installed; see the group `dev` in pyproject.toml")
        home = Path(spec.origin).parent / "executable"
        self._folder = tempfile.TemporaryDirectory(prefix="whence-browser-")
        driver = Path(self._folder.name, "driver.js")
        driver.write_text(_DRIVER, "utf-8")
        program = str(home / "bin" / "kaleido")
        self._process = subprocess.Popen(
            [program, "plotly", f"--plotlyjs={driver}", *_FLAGS[1:]],
            cwd=home,
            env={
                **os.environ,
                "LD_LIBRARY_PATH": f"{home}/lib",
                "FONTCONFIG_PATH": f"{home}/etc/fonts",
                "XDG_DATA_HOME": f"{home}/xdg",
                "HOME": self._folder.name,
            },
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._to = self._process.stdin
        self._answers = _Answers(self._process, os.dup(self._process.stdout.fileno()), b"\n")
        self._process.stdout.close()
        try:
            self._answers.read()  # the browser is ready
            self.resize(1280, 800)
        except (OSError, EOFError):
            self.close()
            raise

    def _run(self, code: str, *, inside: bool = False) -> Any:
        message = {"data": {"code": code, "inside": inside}, "format": "json"}
        self._to.write(json.dumps(message).encode() + b"\n")
        self._to.flush()
        answer = self._answers.read()
        assert answer["code"] == 0, answer
        return json.loads(answer["result"])

    def open(self, html: str) -> None:
        script = Path(self._folder.name, "page.js")  # a file is faster than the pipe
        script.write_text(f"drive.open({json.dumps(html)})", "ascii")
        self._run(f"drive.load({json.dumps(script.as_uri())})")

    def evaluate(self, expression: str) -> Any:
        return self._run(expression, inside=True)

    def press(self, *keys: str) -> None:
        for key in keys:
            self._run(f"drive.press({json.dumps(key)})")

    def click(self, selector: str) -> None:
        x, y = self.evaluate(_MIDDLE % json.dumps(selector))
        self._run(f"drive.click({x}, {y})")

    def resize(self, width: int, height: int) -> None:
        self._run(f"drive.resize({width}, {height})")

    def troubles(self) -> list[str]:
        found: list[str] = self._run("drive.troubles()")
        return found

    def close(self) -> None:
        with suppress(BrokenPipeError):
            self._to.close()  # this ends the browser
        self._answers.close()
        self._folder.cleanup()
