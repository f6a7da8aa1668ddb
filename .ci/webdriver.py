"""A browser to test with: Chromium, driven through chromedriver (W3C WebDriver), without a package."""

import base64
import json
import shutil
import socket
import subprocess
import time
import urllib.error
import urllib.request

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
# The key codes of the W3C specification's table.
KEYS = {"Tab": "\ue004", "Enter": "\ue007", "Shift": "\ue008", "Escape": "\ue00c", "Space": "\ue00d", "End": "\ue010",
        "Home": "\ue011", "ArrowLeft": "\ue012", "ArrowUp": "\ue013", "ArrowRight": "\ue014", "ArrowDown": "\ue015"}


def is_there() -> bool:
    return bool(shutil.which("chromedriver") and (shutil.which("chromium") or shutil.which("chromium-browser")))


class Browser:
    """One headless window; a context manager."""

    def __init__(self, width=1280, height=1000, scale=1):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.driver = subprocess.Popen(["chromedriver", f"--port={self.port}", "--log-level=SEVERE"],
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.session = ""
        arguments = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
                     "--disable-extensions", "--disable-background-networking", f"--window-size={width},{height}",
                     f"--force-device-scale-factor={scale}"]
        wanted = {"browserName": "chrome", "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"},
                  "goog:chromeOptions": {"args": arguments, "binary": shutil.which("chromium") or shutil.which("chromium-browser")}}
        self.wait_for_driver()
        made = self.call("POST", "/session", {"capabilities": {"alwaysMatch": wanted}})
        self.session = f"/session/{made['sessionId']}"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self.call("DELETE", "")
        finally:
            self.driver.terminate()
            self.driver.wait()

    def wait_for_driver(self):
        for _ in range(100):
            try:
                if self.call("GET", "/status")["ready"]:
                    return
            except OSError:
                time.sleep(0.1)
        raise RuntimeError("chromedriver does not answer")

    def call(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}{self.session}{path}", data, method=method,
                                         headers={"Content-Type": "application/json"})
        try:
            with urllib.request.urlopen(request, timeout=120) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise RuntimeError(json.load(error)["value"]["message"]) from error

    def open(self, path):
        """Opens a file; returns the seconds until it was loaded and a frame was drawn."""
        started = time.monotonic()
        self.call("POST", "/url", {"url": path.resolve().as_uri()})
        self.call("POST", "/execute/async", {"args": [], "script": "requestAnimationFrame(() => requestAnimationFrame(arguments[0]))"})
        return time.monotonic() - started

    def run(self, script, *arguments):
        """The value that a piece of script returns."""
        return self.call("POST", "/execute/sync", {"script": script, "args": list(arguments)})

    def find(self, selector):
        return self.call("POST", "/element", {"using": "css selector", "value": selector})[ELEMENT]

    def click(self, selector):
        self.call("POST", f"/element/{self.find(selector)}/click", {})

    def text(self, selector):
        """What is shown, its no-break spaces as spaces; `None` without such an element."""
        return self.run("return document.querySelector(arguments[0])?.innerText.replaceAll('\u00a0', ' ') ?? null", selector)

    def texts(self, selector):
        return self.run("return [...document.querySelectorAll(arguments[0])].filter((e) => e.checkVisibility()).map((e) => e.innerText.trim())", selector)

    def press(self, *keys, held=()):
        """Keys to whatever has the focus."""
        def act(kind, key):
            return {"type": kind, "value": KEYS.get(key, key)}
        steps = [act("keyDown", key) for key in held]
        for key in keys:
            steps += [act("keyDown", key), act("keyUp", key)]
        steps += [act("keyUp", key) for key in held]
        self.call("POST", "/actions", {"actions": [{"type": "key", "id": "keyboard", "actions": steps}]})

    def drag(self, selector, start, end):
        """The mouse over an element, pressed from one part of its width to another."""
        box = self.run("const e = document.querySelector(arguments[0]); e.scrollIntoView({ block: 'center', behavior: 'instant' });"
                       "const b = e.getBoundingClientRect(); return [b.left, b.top, b.width, b.height]", selector)
        def place(part):
            return {"type": "pointerMove", "duration": 30, "x": round(box[0] + part * box[2]), "y": round(box[1] + box[3] / 2)}
        steps = [place(start)] if start == end else [
            place(start), {"type": "pointerDown", "button": 0}, place((start + end) / 2), place(end), {"type": "pointerUp", "button": 0}]
        self.call("POST", "/actions", {"actions": [{"type": "pointer", "id": "mouse", "actions": steps}]})

    def media(self, **features):
        """Emulates preferences: `media(prefers_color_scheme="dark")`."""
        listed = [{"name": name.replace("_", "-"), "value": value} for name, value in features.items()]
        self.devtools("Emulation.setEmulatedMedia", features=listed)

    def size(self, width, height):
        self.devtools("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=0, mobile=False)

    def devtools(self, command, **parameters):
        return self.call("POST", "/goog/cdp/execute", {"cmd": command, "params": parameters})

    def log(self, kind="browser"):
        return self.call("POST", "/se/log", {"type": kind})

    def picture(self, is_whole=False):
        if is_whole:
            return base64.b64decode(self.devtools("Page.captureScreenshot", captureBeyondViewport=True, format="png")["data"])
        return base64.b64decode(self.call("GET", "/screenshot"))

    def pdf(self):
        return base64.b64decode(self.call("POST", "/print", {"background": False, "page": {"width": 21.0, "height": 29.7}}))
