# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# Controls a headless browser over two pipes, with the DevTools protocol: JSON messages that end with a NUL.
import json
import os
import select
import subprocess
import time


class Browser:
    """A browser with one page. Each call waits for its answer."""

    def __init__(self, program, profile, seconds=60):
        to, self.commands = os.pipe()
        self.answers, back = os.pipe()
        self.deadline = time.monotonic() + seconds
        self.buffer, self.number, self.session = b"", 0, None
        self.loads = 0  # number of pages that were loaded completely

        def place():
            # the browser reads commands from 3 and writes answers to 4; first move both away from there
            high = [os.dup2(fd, n) for fd, n in ((to, 200), (back, 201))]
            os.dup2(high[0], 3)
            os.dup2(high[1], 4)

        self.process = subprocess.Popen(
            [program, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--remote-debugging-pipe",
             "--user-data-dir=" + profile], close_fds=False, preexec_fn=place, stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to)
        os.close(back)
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self.call("Page.enable")

    def close(self):
        self.process.kill()
        self.process.wait()

    def receive(self):
        while b"\0" not in self.buffer:
            left = self.deadline - time.monotonic()
            if left <= 0 or not select.select([self.answers], [], [], left)[0]:
                raise TimeoutError("the browser does not answer")
            data = os.read(self.answers, 1 << 16)
            if not data:
                raise EOFError("the browser ended")
            self.buffer += data
        message, self.buffer = self.buffer.split(b"\0", 1)
        message = json.loads(message)
        self.loads += message.get("method") == "Page.loadEventFired"
        return message

    def call(self, method, **params):
        self.number += 1
        message = {"id": self.number, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.commands, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.receive()
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]

    def open(self, url):
        # without the empty page, a page that differs in its fragment alone would not be loaded again
        for address in ("about:blank", url):
            self.loads = 0
            self.call("Page.navigate", url=address)
            while not self.loads:
                self.receive()

    def value(self, expression):
        """The value of a JavaScript expression."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(f"{expression}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def size(self, width, height=900):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        # two frames later, the page has its new layout
        self.value("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done))).then(() => 0)")

    def key(self, key, modifiers=0):
        codes = {"Enter": 13, "Tab": 9, "ArrowRight": 39, "ArrowLeft": 37, "Escape": 27}
        text = {"Enter": "\r"}.get(key, key if len(key) == 1 else "")
        self.call("Input.dispatchKeyEvent", type="keyDown", key=key, text=text, modifiers=modifiers,
                  windowsVirtualKeyCode=codes.get(key, ord(key[0].upper()) if key.isalnum() else 0))
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key, modifiers=modifiers)

    def mouse(self, kind, x, y, modifiers=0):
        button = "none" if kind == "mouseMoved" and not self.is_down else "left"
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button=button, buttons=int(self.is_down), clickCount=1,
                  modifiers=modifiers)

    is_down = False

    def drag(self, x1, y1, x2, y2, modifiers=0):
        self.mouse("mouseMoved", x1, y1)
        self.is_down = True
        self.mouse("mousePressed", x1, y1, modifiers)
        self.mouse("mouseMoved", (x1 + x2) / 2, (y1 + y2) / 2, modifiers)
        self.mouse("mouseMoved", x2, y2, modifiers)
        self.is_down = False
        self.mouse("mouseReleased", x2, y2, modifiers)
