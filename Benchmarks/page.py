#!/usr/bin/env python3
"""Measures the page of `roost open` in Chromium.

    Benchmarks/page.py [ROOST] [--entries 5000] [--runs 3] [--folder DIR]

Prints the time from the start of the command, and from the navigation of the browser, to the first picture of the map,
for a start that computes the positions, which `recluster` otherwise leaves, and the median of later ones; the time
from the last key of a search to its results; and the size of the page, compressed with gzip. The browser already runs,
without a graphics processor.
The store consists of generated sentences about 40 subjects with the lexical model. With --folder, the store is kept,
and an existing one is used. Needs chromium, and Playwright from Scripts/page-test.
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
from page_person import with_playwright  # noqa: E402

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


def first_picture(roost, store, browser):
    """Opens the page, and returns it with its server and the times from the command and from the navigation."""
    start = time.perf_counter()
    server = subprocess.Popen(
        [roost, "open", "--no-browser", "--port", "0", "--store", store], stdout=subprocess.PIPE, text=True)
    address = server.stdout.readline().strip()
    page = browser.new_page(viewport={"width": 1400, "height": 900}, locale="en-US")
    page.set_default_timeout(900_000)
    navigation = time.perf_counter()
    page.goto(address)
    page.wait_for_selector("body.ready .label.group")
    page.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
    end = time.perf_counter()
    return page, server, end - start, end - navigation


def search(page, words):
    page.fill("#search", "")
    page.wait_for_timeout(600)
    page.evaluate("words => { window.wanted = words; }", words)
    page.evaluate(f"window.time = ({WATCH})(); 0")
    page.locator("#search").press_sequentially(words, delay=70)
    return page.evaluate("window.time")


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
        # Without this file, the first server computes the positions on the map.
        if os.path.exists(os.path.join(store, "index/map")):
            os.remove(os.path.join(store, "index/map"))
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
            times = []
            for run in range(options.runs):
                page, server, *measured = first_picture(roost, store, browser)
                times.append(measured)
                if run == options.runs - 1:
                    page.screenshot(path=os.path.join(folder, f"map-{options.entries}.png"))
                    searches = [search(page, words) for words in SEARCHES for _ in range(3)]
                page.close()
                server.terminate()
                server.wait()
            browser.close()
        for name, part in ("first start", times[:1]), ("later starts", times[1:]):
            if part:
                command, navigation = (statistics.median(column) for column in zip(*part))
                print(f"{name}: picture {command:.2f} s after the command, {navigation:.2f} s after the navigation")
        print(f"search: {statistics.median(searches):.0f} ms after the last key, at most {max(searches):.0f} ms")
    finally:
        if not options.folder:
            shutil.rmtree(folder)


main()
