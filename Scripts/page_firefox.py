"""The core of the tests of the page in Firefox ESR, which is driven over WebDriver BiDi, for Scripts/page-test."""

import base64
import io
import json
import re
import shutil
import subprocess
import tempfile
import time

ENTER = "\ue006"


class Firefox:
    """A window of Firefox."""

    def __init__(self, width=1400, height=900):
        import websocket
        self.profile = tempfile.mkdtemp()
        self.process = subprocess.Popen(
            ["firefox-esr", "--headless", "--no-remote", "--profile", self.profile, "--remote-debugging-port", "0"],
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        address = next(found.group(0) for line in self.process.stderr if (found := re.search(r"ws://\S+", line)))
        self.socket = websocket.create_connection(address + "/session", suppress_origin=True, timeout=60)
        self.count, self.faults, self.requests = 0, [], []
        self.send("session.new", capabilities={})
        self.context = self.send("browsingContext.getTree")["contexts"][0]["context"]
        self.send("session.subscribe", events=["log.entryAdded", "network.beforeRequestSent", "browsingContext.userPromptOpened"])
        self.send("browsingContext.setViewport", context=self.context, viewport={"width": width, "height": height})

    def send(self, method, **parameters):
        self.count += 1
        self.socket.send(json.dumps({"id": self.count, "method": method, "params": parameters}))
        while True:
            message = json.loads(self.socket.recv())
            if message.get("id") == self.count:
                assert message["type"] == "success", message
                return message["result"]
            self.note(message)

    def note(self, event):
        name, values = event.get("method"), event.get("params", {})
        if name == "network.beforeRequestSent":
            self.requests.append(values["request"]["url"])
        elif name == "browsingContext.userPromptOpened":
            self.faults.append("a dialog opened")
        elif name == "log.entryAdded" and values["level"] == "error" and "status of" not in (values["text"] or ""):
            self.faults.append(values["text"])

    def evaluate(self, expression):
        result = self.send("script.evaluate", expression=f"(async () => JSON.stringify(await ({expression})))()",
                           target={"context": self.context}, awaitPromise=True)
        assert result["type"] == "success", (expression, result)
        return json.loads(result["result"].get("value", "null"))

    def go(self, address):
        self.send("browsingContext.navigate", context=self.context, url=address, wait="complete")

    def wait(self, condition, seconds=30):
        end = time.time() + seconds
        while not self.evaluate(condition):
            assert time.time() < end, condition
            time.sleep(0.1)

    def find(self, selector, text=""):
        """Waits for a visible element with a text, and returns its middle."""
        script = (f"(([...document.querySelectorAll({json.dumps(selector)})].filter(e => e.offsetWidth"
                  f" && (e.textContent + (e.ariaLabel ?? '')).includes({json.dumps(text)})).map(e => {{ e.scrollIntoView({{ block: 'nearest' }});"
                  " const b = e.getBoundingClientRect(); return [b.x + b.width / 2, b.y + b.height / 2]; })[0]) ?? null)")
        self.wait(script)
        return self.evaluate(script)

    def click(self, selector, text="", count=1):
        x, y = self.find(selector, text)
        actions = [{"type": "pointerMove", "x": round(x), "y": round(y)}]
        actions += [{"type": "pointerDown", "button": 0}, {"type": "pointerUp", "button": 0}] * count
        self.act({"type": "pointer", "id": "mouse", "actions": actions})

    def act(self, *sources):
        self.send("input.performActions", context=self.context, actions=list(sources))

    def type(self, text):
        self.act({"type": "key", "id": "keys", "actions": [
            {"type": kind, "value": key} for key in text for kind in ("keyDown", "keyUp")]})

    def wheel(self, selector, delta):
        x, y = self.find(selector)
        self.act({"type": "wheel", "id": "wheel", "actions": [
            {"type": "scroll", "x": round(x), "y": round(y), "deltaX": 0, "deltaY": delta}]})

    def picture(self, path=None):
        from PIL import Image
        data = base64.b64decode(self.send("browsingContext.captureScreenshot", context=self.context)["data"])
        if path:
            with open(path, "wb") as file:
                file.write(data)
        return Image.open(io.BytesIO(data))

    def close(self):
        self.socket.close()
        self.process.terminate()
        self.process.wait(timeout=30)
        shutil.rmtree(self.profile, ignore_errors=True)


def test_firefox(server, pictures):
    browser, address = Firefox(), f"http://127.0.0.1:{server.port}/"
    try:
        browser.go(address)
        browser.click("dialog input")
        browser.type(server.token + ENTER)
        browser.wait("document.body.classList.contains('ready')")
        time.sleep(1)
        image = browser.picture(f"{pictures}/firefox-map.png").convert("HSV").resize((700, 450)).crop((160, 30, 700, 430))
        colored = sum(1 for _, saturation, value in image.get_flattened_data() if saturation > 60 and value > 60)
        assert colored > 150, "the map is empty"
        assert browser.evaluate("document.querySelectorAll('.label.group').length") >= 5, "labels are missing"
        browser.click(".tree-row[aria-expanded]", count=2)
        browser.wait("document.querySelectorAll('.label.topic').length > 0")
        browser.wheel("#map", -600)
        browser.click("button", "Show everything")
        # Search, read, and follow a similar entry.
        browser.click("#search")
        browser.type("bread dough")
        browser.wait("document.querySelectorAll('.results-pane mark').length > 0")
        browser.wait("document.querySelector('.result')?.textContent.includes('read')")
        # Keys press no buttons here, because a window without a screen has no focus.
        browser.click(".result", "read")
        browser.wait("document.querySelectorAll('.panel .results .result').length > 0")
        assert "baking" in browser.evaluate("document.querySelector('.panel').innerText")
        browser.picture(f"{pictures}/firefox-panel.png")
        # A tag, and the undo.
        browser.click(".panel button", "Add tag")
        browser.type("from-firefox" + ENTER)
        browser.wait("[...document.querySelectorAll('.chip.tag')].some(e => e.textContent.includes('from-firefox'))")
        assert sum("from-firefox" in entry["tags"] for entry in server.entries()) == 1
        browser.click(".notice button", "Undo")
        browser.wait("[...document.querySelectorAll('.notice')].some(e => e.textContent.includes('Undone'))")
        assert not any("from-firefox" in entry["tags"] for entry in server.entries())
        # The state is in the address, and the change of another program appears.
        assert "q=bread" in browser.evaluate("location.hash")
        browser.click(".panel button", "Close")
        cluster = next(iter(server.clusters()))
        server.run("cluster", "label", cluster, "Changed elsewhere")
        browser.find(".tree-row", "Changed elsewhere")
        server.run("undo")
        browser.click("#table-button")
        browser.wait("document.querySelectorAll('.entries tbody tr').length > 10")
        browser.picture(f"{pictures}/firefox-table.png")
        foreign = [url for url in browser.requests if not url.startswith((address, "data:", "blob:", "about:"))]
        assert not foreign, f"requests to other servers: {foreign}"
        assert not browser.faults, browser.faults
    except Exception:
        browser.picture(f"{pictures}/failed-firefox.png")
        raise
    finally:
        browser.close()
