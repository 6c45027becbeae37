#!/usr/bin/env python3
"""Measures the page of `roost open` in Chromium.

    Benchmarks/page.py [ROOST] [--entries 5000] [--runs 3] [--folder DIR]

Prints, for a start that computes the map, which `recluster` otherwise leaves, and the median of later starts, the time
from the start of the command, and from the navigation of the browser, to the first picture; the processor time of the
server and of the browser for it, and the memory of both; the time of a step that moves or zooms the map, from the event
to the picture; the time from the last key of a search to its results; and the size of the page, compressed with gzip.
The browser already runs, without a graphics processor.
The store consists of generated sentences about 40 subjects with the lexical model. With --folder, the store is kept,
and an existing one is used. Needs Linux, chromium, and Playwright from Scripts/page-test.
"""
import argparse
import gzip
import json
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../Scripts"))
from page_person import FILES, Person, with_playwright  # noqa: E402

PAGE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../Sources/CRoostPage/page")
SUBJECTS, WORDS_PER_SUBJECT = 40, 60
SEARCHES = ["river stone", "garden winter water", "engine", "letter paper"]

# Returns the time from the last key to the first change of the list of results.
WATCH = """() => new Promise(resolve => {
  const input = document.getElementById('search');
  let key = 0;
  input.addEventListener('input', () => { key = performance.now(); });
  new MutationObserver((_, observer) => {
    if (input.value !== window.wanted) return;
    observer.disconnect();
    resolve(performance.now() - key);
  }).observe(document.querySelector('.results-pane .results'), { childList: true });
})"""

# Returns the time from a key of the map to the second frame after it.
STEP = """key => new Promise(resolve => {
  const start = performance.now();
  document.getElementById('map').dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
  requestAnimationFrame(() => requestAnimationFrame(() => resolve(performance.now() - start)));
})"""


def word(generator):
    return "".join(generator.choice("bdfgklmnprstvz") + generator.choice("aeiou") for _ in range(generator.randint(2, 4)))


def rows(count):
    """Returns sentences, most words of which belong to one subject."""
    generator = random.Random(1)
    common = [word(generator) for _ in range(400)] + " ".join(SEARCHES).split()
    subjects = [[word(generator) for _ in range(WORDS_PER_SUBJECT)] for _ in range(SUBJECTS)]
    for number in range(count):
        subject = subjects[int(generator.paretovariate(1.2)) % SUBJECTS]
        words = generator.choices(subject, k=10) + generator.choices(common, k=5)
        generator.shuffle(words)
        yield {"id": str(number), "text": " ".join(words).capitalize() + "."}


def make(roost, store, count):
    source = store + ".jsonl"
    with open(source, "w") as file:
        file.writelines(json.dumps(row) + "\n" for row in rows(count))
    for command in (["init", store, "--model", "lexical"], ["ingest", source, "--store", store],
                    ["recluster", "--store", store], ["index", "--store", store]):
        start = time.perf_counter()
        subprocess.run([roost, *command, "-q"], check=True, stdout=subprocess.DEVNULL)
        print(f"{command[0]}: {time.perf_counter() - start:.1f} s", flush=True)
    os.remove(source)


class Processes:
    """A process and those that it started."""

    def __init__(self, root):
        self.root, self.seconds_before = root, 0
        self.seconds_before = self.seconds()

    def fields(self, pid):
        try:
            with open(f"/proc/{pid}/stat") as file:
                return file.read().rpartition(")")[2].split()
        except OSError:
            return None

    def all(self):
        parents = {int(pid): int(fields[1]) for pid in os.listdir("/proc") if pid.isdigit() and (fields := self.fields(pid))}
        found = {self.root}
        while True:
            more = {pid for pid, parent in parents.items() if parent in found} - found
            if not more:
                return found
            found |= more

    def seconds(self):
        """The processor time since the beginning of the measurement."""
        ticks = sum(int(fields[11]) + int(fields[12]) for pid in self.all() if (fields := self.fields(pid)))
        return ticks / os.sysconf("SC_CLK_TCK") - self.seconds_before

    def megabytes(self):
        """The memory; pages that processes share are divided among them."""
        total = 0
        for pid in self.all():
            try:
                with open(f"/proc/{pid}/smaps_rollup") as file:
                    total += sum(int(line.split()[1]) for line in file if line.startswith("Pss:"))
            except OSError:
                pass
        return total / 1000


def first_picture(roost, store, browser, processes):
    """Opens the page, and returns it with its server and the figures of the start."""
    start, before = time.perf_counter(), processes.seconds()
    server = subprocess.Popen(
        [roost, "open", "--no-browser", "--port", "0", "--store", store], stdout=subprocess.PIPE, text=True)
    address = server.stdout.readline().strip()
    page = browser.new_page(viewport={"width": 1400, "height": 900}, locale="en-US")
    if FILES:
        page.route("**/page/*", Person.serve_file)
    page.set_default_timeout(900_000)
    navigation = time.perf_counter()
    page.goto(address)
    page.wait_for_selector("body.ready .label.group")
    page.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
    end = time.perf_counter()
    own = Processes(server.pid)
    own.seconds_before = 0
    page.wait_for_timeout(1_000)
    return page, server, [end - start, end - navigation, own.seconds(), processes.seconds() - before, own.megabytes(),
                          processes.megabytes()]


def search(page, words):
    page.fill("#search", "")
    page.wait_for_timeout(600)
    page.evaluate("words => { window.wanted = words; }", words)
    page.evaluate(f"window.time = ({WATCH})(); 0")
    page.locator("#search").press_sequentially(words, delay=70)
    return page.evaluate("window.time")


def steps(page):
    """Returns the times of steps over the whole map, and of steps over a part of it."""
    page.locator("#map").focus()
    far = [page.evaluate(STEP, key) for key in ["ArrowLeft", "ArrowRight"] * 4]
    for _ in range(5):
        page.keyboard.press("+")
        page.wait_for_timeout(1_500)
    return far, [page.evaluate(STEP, key) for key in ["ArrowLeft", "ArrowRight"] * 4]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("roost", nargs="?", default=".build/release/roost")
    parser.add_argument("--entries", type=int, default=5_000)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--folder")
    options = parser.parse_args()
    with_playwright()
    from playwright.sync_api import sync_playwright
    roost = os.path.realpath(options.roost)
    sizes = [len(gzip.compress(open(os.path.join(PAGE, name), "rb").read(), 9)) for name in sorted(os.listdir(PAGE))]
    print(f"page: {len(sizes)} files, {sum(sizes) / 1000:.1f} kB compressed")
    folder = options.folder or tempfile.mkdtemp()
    try:
        store = os.path.join(folder, f"store-{options.entries}")
        if not os.path.exists(store):
            make(roost, store, options.entries)
        # Without this file, the first server computes the map.
        if os.path.exists(os.path.join(store, "index/map")):
            os.remove(os.path.join(store, "index/map"))
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
            # Playwright starts the browser in another process.
            processes = Processes(os.getpid())
            figures = []
            for run in range(options.runs):
                page, server, measured = first_picture(roost, store, browser, processes)
                # The server is among the processes that this one started.
                measured[3] -= measured[2]
                measured[5] -= measured[4]
                figures.append(measured)
                if run == options.runs - 1:
                    page.screenshot(path=os.path.join(folder, f"map-{options.entries}.png"))
                    far, near = steps(page)
                    page.screenshot(path=os.path.join(folder, f"part-{options.entries}.png"))
                    searches = [search(page, words) for words in SEARCHES for _ in range(3)]
                page.close()
                server.terminate()
                server.wait()
            browser.close()
        for name, part in ("first start", figures[:1]), ("later starts", figures[1:]):
            if part:
                values = [statistics.median(column) for column in zip(*part)]
                print("{}: picture {:.2f} s after the command, {:.2f} s after the navigation; processor time of the server"
                      " {:.2f} s, of the browser {:.2f} s; memory {:.0f} MB and {:.0f} MB".format(name, *values))
        print(f"step: {statistics.median(far):.0f} ms over the whole map, {statistics.median(near):.0f} ms over a part")
        print(f"search: {statistics.median(searches):.0f} ms after the last key, at most {max(searches):.0f} ms")
    finally:
        if not options.folder:
            shutil.rmtree(folder)


main()
