"""A server of a temporary store, and a person in front of its page, for Scripts/page-test."""

import io
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time

FOLDER = os.path.abspath(".build/page-test")
# With ROOST_PAGE_FILES=Sources/CRoostPage/page, the browser gets the files of the page from there, without a build.
FILES = os.environ.get("ROOST_PAGE_FILES")

# Returns the faults of the page: controls without a name, repeated ids, and texts with too little contrast (WCAG AA).
ACCESS_FAULTS = """() => {
  const faults = [];
  for (const element of document.querySelectorAll('button, a, input, select, textarea, [role=treeitem], dialog')) {
    const name = element.getAttribute('aria-label') || element.textContent.trim() || element.labels?.length;
    if (!name) faults.push('no name: ' + element.outerHTML.slice(0, 120));
  }
  const ids = [...document.querySelectorAll('[id]')].map(element => element.id);
  for (const id of ids) if (ids.indexOf(id) !== ids.lastIndexOf(id)) faults.push('repeated id ' + id);
  const luminance = text => {
    const [r, g, b] = text.match(/[\\d.]+/g).map(Number).map(v => v / 255)
      .map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const background = element => {
    for (let e = element; e; e = e.parentElement) {
      const color = getComputedStyle(e).backgroundColor;
      if (!/rgba\\(.*, 0\\)|rgba\\(.*0?\\.\\d+\\)|\\/ 0/.test(color)) return color;
    }
    return 'rgb(255, 255, 255)';
  };
  for (const element of document.querySelectorAll('.side *, .panel *, .bar *')) {
    if (![...element.childNodes].some(node => node.nodeType === 3 && node.data.trim())) continue;
    if (element.closest('option') || !element.offsetWidth) continue;
    const pair = [getComputedStyle(element).color, background(element)].map(luminance).sort((a, b) => b - a);
    const contrast = (pair[0] + 0.05) / (pair[1] + 0.05);
    if (contrast < 4.5) faults.push(`contrast ${contrast.toFixed(1)}: ${element.outerHTML.slice(0, 100)}`);
  }
  for (const name of ['tree', 'application', 'status']) {
    if (!document.querySelector(`[role=${name}]`)) faults.push('no ' + name);
  }
  for (const name of ['main', 'nav', 'search', 'aside', 'header']) {
    if (!document.querySelector(name)) faults.push('no ' + name);
  }
  if (!document.documentElement.lang) faults.push('no language');
  return faults;
}"""


def with_playwright():
    """Runs this script again with the Python of an environment that has Playwright."""
    if not shutil.which("chromium"):
        print("skipped: chromium is not installed")
        sys.exit(0)
    python = os.path.join(FOLDER, "venv/bin/python")
    if sys.executable != python:
        if not os.path.exists(python):
            subprocess.run([sys.executable, "-m", "venv", os.path.join(FOLDER, "venv")], check=True)
        if subprocess.run([python, "-c", "import playwright, PIL, websocket"], capture_output=True).returncode:
            subprocess.run([python, "-m", "pip", "install", "-q", "playwright", "pillow", "websocket-client"], check=True)
        os.execv(python, [python, *sys.argv])


class Server:
    """A running `roost serve` of a store."""

    def __init__(self, roost, folder, name):
        self.roost, self.port = roost, "0"
        self.store = os.path.join(folder, name)
        self.token_file = os.path.join(folder, "token")
        self.environment = dict(os.environ, ROOST_STORE=self.store)

    def run(self, *arguments, data=None):
        result = subprocess.run([self.roost, *arguments], env=self.environment, input=data, text=True, capture_output=True)
        assert result.returncode == 0, f"roost {arguments}: {result.stderr}"
        return result.stdout

    def start(self):
        self.process = subprocess.Popen(
            [self.roost, "serve", "--port", self.port, "--token-file", self.token_file, "--log", "error"],
            env=self.environment, stderr=subprocess.PIPE, text=True)
        line = self.process.stderr.readline()
        self.address = re.search(r"http://[^ ]*", line).group(0)
        self.port = re.search(r":(\d+)/", line).group(1)
        self.token = open(self.token_file).read().strip()

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(timeout=60)

    def clusters(self):
        """Returns the clusters by id."""
        found = {}

        def add(clusters):
            for cluster in clusters:
                found[cluster["id"]] = cluster
                add(cluster.get("children") or [])
        add(json.loads(self.run("export", "clusters"))["clusters"])
        return found

    def entries(self):
        return [json.loads(line) for line in self.run("export", "entries").splitlines()]


def eventually(condition, message, seconds=10):
    end = time.time() + seconds
    while not condition():
        assert time.time() < end, message
        time.sleep(0.1)


class Person:
    """A person in front of the page."""

    def __init__(self, browser, server, pictures, **options):
        self.server, self.pictures = server, pictures
        options = {"viewport": {"width": 1400, "height": 900}, "locale": "en-US", **options}
        self.context = browser.new_context(**options)
        if FILES:
            self.context.route("**/page/*", self.serve_file)
        self.page = self.context.new_page()
        self.page.set_default_timeout(15_000)
        self.faults, self.requests = [], []
        self.page.on("pageerror", lambda error: self.faults.append(str(error)))
        self.page.on("console", lambda message: self.faults.append(message.text)
                     if message.type == "error" and "status of" not in message.text
                     and "ERR_" not in message.text else None)
        self.page.on("dialog", lambda dialog: self.faults.append("a dialog opened"))
        self.page.on("request", lambda request: self.requests.append(request.url))

    @staticmethod
    def serve_file(route):
        with open(os.path.join(FILES, os.path.basename(route.request.url)), "rb") as file:
            route.fulfill(response=route.fetch(), body=file.read())

    def open(self, fragment=None):
        fragment = f"#token={self.server.token}" if fragment is None else fragment
        self.page.goto(self.server.address + fragment)
        self.ready()

    def ready(self):
        self.page.wait_for_selector("body.ready")
        self.page.wait_for_timeout(400)

    def picture(self, name):
        self.page.wait_for_timeout(400)
        self.page.screenshot(path=os.path.join(self.pictures, name + ".png"))

    def colored(self):
        """Returns the number of colored pixels of the map without its labels."""
        from PIL import Image
        self.page.wait_for_timeout(350)
        image = Image.open(io.BytesIO(self.page.locator("#map").screenshot())).convert("HSV").resize((400, 300))
        return sum(1 for _, saturation, value in image.get_flattened_data() if saturation > 60 and value > 60)

    def notice(self, text):
        self.page.locator(".notice", has_text=text).last.wait_for()

    def undo(self, message):
        before = self.server.run("status")
        for notice in self.page.locator(".notice", has_text="Undone").all():
            notice.evaluate("notice => notice.remove()")
        self.page.locator(".notice button", has_text="Undo").last.click()
        self.notice("Undone")
        assert self.server.run("status") != before, message

    def row(self, label):
        return self.page.locator(".tree-row", has=self.page.get_by_text(label, exact=True)).first

    def menu(self, label, item):
        self.row(label).hover()
        self.row(label).locator(".icon-button").click()
        self.page.get_by_role("menuitem", name=item).click()

    def close(self):
        foreign = [url for url in self.requests if not url.startswith((self.server.address, "data:", "blob:"))]
        assert not foreign, f"requests to other servers: {foreign}"
        assert not self.faults, self.faults
        self.context.close()
