# SPDX-License-Identifier: Apache-2.0
"""A page in a headless Chromium, driven through the pipe of its DevTools protocol, without a library."""

import base64
import json
import os
import pathlib
import select
import shutil
import subprocess
import tempfile
import time

NAMES = ("chromium", "chromium-browser", "google-chrome")


def find_browser():
    return next((path for path in map(shutil.which, NAMES) if path), None)


class Browser:
    """One page. `messages` collects errors and warnings of the console, exceptions, and requests for anything
    but the page itself."""

    def __init__(self, width=1400, height=900, seconds=240):
        self.deadline = time.monotonic() + seconds
        self.profile = tempfile.mkdtemp(prefix="browser-")
        self.messages, self.next_id, self.buffer = [], 0, b""
        to_child, self.send_end = os.pipe()
        self.receive_end, from_child = os.pipe()
        self.page = None

        def use_pipes():  # the protocol's are descriptors 3 and 4; these may be among the two pairs
            first, second = os.dup(to_child), os.dup(from_child)
            first, second = os.dup2(first, 60), os.dup2(second, 61)
            os.dup2(first, 3)
            os.dup2(second, 4)

        self.process = subprocess.Popen(
            [find_browser(), "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
             "--no-first-run", "--hide-scrollbars", "--remote-debugging-pipe",
             f"--user-data-dir={self.profile}", f"--window-size={width},{height}", "about:blank"],
            preexec_fn=use_pipes, close_fds=False, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)
        os.close(to_child)
        os.close(from_child)
        targets = self.call("Target.getTargets")["targetInfos"]
        target = next(t["targetId"] for t in targets if t["type"] == "page")
        self.page = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(domain + ".enable")
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        os.close(self.send_end)
        os.close(self.receive_end)
        shutil.rmtree(self.profile, ignore_errors=True)

    def receive(self):
        while b"\0" not in self.buffer:
            left = self.deadline - time.monotonic()
            if left <= 0 or not select.select([self.receive_end], [], [], left)[0]:
                raise TimeoutError("the browser does not answer")
            chunk = os.read(self.receive_end, 1 << 20)
            if not chunk:
                raise EOFError("the browser has ended")
            self.buffer += chunk
        message, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(message)

    def call(self, method, **parameters):
        self.next_id += 1
        message = {"id": self.next_id, "method": method, "params": parameters}
        if self.page:
            message["sessionId"] = self.page
        os.write(self.send_end, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.receive()
            if answer.get("id") == message["id"]:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]
            self.note(answer)

    def note(self, event):
        method, parameters = event.get("method"), event.get("params", {})
        if method == "Runtime.exceptionThrown":
            details = parameters["exceptionDetails"]
            self.messages.append(details.get("exception", {}).get("description", details["text"]))
        elif method == "Runtime.consoleAPICalled" and parameters["type"] in ("error", "warning", "assert"):
            self.messages.append(json.dumps(parameters["args"]))
        elif method == "Log.entryAdded" and parameters["entry"]["level"] in ("error", "warning"):
            self.messages.append(parameters["entry"]["text"])
        elif method == "Network.requestWillBeSent" and parameters["request"]["url"] != self.url:
            self.messages.append("asks for " + parameters["request"]["url"])

    def open(self, path):
        self.url = pathlib.Path(path).resolve().as_uri()
        self.call("Page.navigate", url=self.url)
        self.wait("document.documentElement?.dataset.ready === 'true'")
        self.settle()

    def wait(self, condition, seconds=60):
        end = time.monotonic() + seconds
        while not self.run(condition):
            if time.monotonic() > end:
                raise TimeoutError(f"{condition} does not become true: {self.messages}")
            time.sleep(0.05)

    def run(self, script):
        """The value of an expression, or of a promise for one."""
        result = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            raise RuntimeError(f"{script}: {result['exceptionDetails']}")
        return result["result"].get("value")

    def settle(self):
        """Until what changed has been drawn: drawings learn of their size between two frames."""
        self.run("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")

    def set_theme(self, theme):
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": theme}])

    def take_screenshot(self, path):
        self.settle()
        picture = base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"])
        pathlib.Path(path).write_bytes(picture)
        return picture
