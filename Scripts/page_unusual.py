"""Tests of the page with unusual stores and settings, for Scripts/page-test."""

import json
import os
import re

from page_person import eventually

# Pairs of a title and a text, with their direction.
DIRECTIONS = [
    ("rtl", "مخبز الحي", "الخبز يحتاج إلى دقيق وماء وملح وخميرة.\n\n- اعجن العجين\n- اتركه ساعة\n\n> الخبز حياة"),
    ("rtl", "מתכון לחם", "לשים את הבצק עשר דקות (10 minutes) ואופים אותו ב-220°."),
    ("ltr", "Bread in two scripts", "The word for bread is خبز in Arabic and לחם in Hebrew."),
]


def test_moved_model(person):
    """The page continues with a store that another program moves to another model."""
    person.open()
    page, server = person.page, person.server
    model = json.loads(server.run("status", "--json"))["model"]
    page.fill("#search", "bread dough")
    page.locator(".results .result").first.click()
    page.locator(".panel .text").wait_for()
    title = page.locator(".panel h2").inner_text()
    page.get_by_role("button", name="Add tag").click()
    page.locator("dialog input").fill("before")
    page.keyboard.press("Enter")
    person.notice("Saved")
    server.run("model", "use", "lexical", "-q")
    # The change feed says so, and the page shows the map of the other model.
    eventually(lambda: page.evaluate("fetch('/api/v1/status').then(r => r.json()).then(s => s.model)") != model, "no other model")
    page.wait_for_timeout(1_500)
    assert page.locator(".panel h2").inner_text() == title
    assert person.colored() > 60, "the map is empty"
    page.fill("#search", "")
    page.locator("#search").press_sequentially("planet star")
    eventually(lambda: page.locator(".results .result", has_text=re.compile("star|planet", re.I)).count(), "no results")
    person.picture("moved-model")
    page.get_by_role("button", name="Undo the last change").click()
    if page.locator("dialog").count():
        page.locator("dialog").get_by_role("button", name="Undo").click()
    person.notice("moved to another model")
    page.get_by_role("button", name="Add tag").click()
    page.locator("dialog input").fill("after")
    page.keyboard.press("Enter")
    page.locator(".chip.tag", has_text="after").wait_for()
    page.get_by_role("button", name="Store", exact=True).click()
    page.locator("dialog dd", has_text="lexical").wait_for()


def test_many_tags(person):
    """An entry with 100 tags can be read, and each tag can be used and removed."""
    server, page = person.server, person.page
    entry = next(entry["id"] for entry in server.entries() if "bread" in entry["content"].lower())
    tags = [f"tag {number:03} of a long name/with a part" for number in range(99)] + ["x" * 200]
    server.run("edit", entry, *[f"--add-tag={tag}" for tag in tags])
    person.open()
    page.goto(f"{server.address}#entry={entry}")
    page.locator(".panel .text").wait_for()
    assert page.locator(".chip.tag").count() >= 100
    panel, text = page.locator(".panel").bounding_box(), page.locator(".panel .text").bounding_box()
    assert text["y"] < panel["y"] + 0.6 * panel["height"], "the tags hide the text"
    for chip in page.locator(".chip.tag").all():
        box = chip.bounding_box()
        assert panel["x"] <= box["x"] and box["x"] + box["width"] <= panel["x"] + panel["width"], "a tag is cut"
    person.picture("tags")
    chip = page.locator(".chip.tag", has_text="tag 098")
    chip.locator(".icon-button").click()
    person.notice("Saved")
    eventually(lambda: chip.count() == 0, "the tag is still there")
    page.locator(".tag-name", has_text="tag 097").click()
    page.keyboard.press("Escape")
    page.locator("#table-button").click()
    assert page.locator(".entries caption").inner_text().startswith("1 of")
    rows = page.locator(".entries tbody tr")
    assert rows.count() == 1 and rows.first.bounding_box()["height"] < 60, "the tags make the row high"
    person.picture("tags-table")
    page.get_by_role("button", name="Filters").click()
    eventually(lambda: page.locator("#all-tags option").count() >= 99, "the tags are not offered")
    page.get_by_role("button", name="Reset").click()
    page.locator("#table-button").click()
    page.locator("select").select_option("tag")
    page.locator(".legend").wait_for()
    frame, legend = page.locator("#map").bounding_box(), page.locator(".legend").bounding_box()
    assert legend["height"] < 0.25 * frame["height"], "the legend hides the map"
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    person.picture("tags-colors")
    server.run("undo")
    server.run("undo")


def test_right_to_left(person):
    """Texts in Arabic and Hebrew have their direction in each place, and do not turn that of the page."""
    server, page = person.server, person.page
    file = os.path.join(os.path.dirname(server.store), "directions.jsonl")
    with open(file, "w") as output:
        for number, (_, title, text) in enumerate(DIRECTIONS):
            output.write(json.dumps({"id": str(number), "title": title, "text": text, "tags": [title]}) + "\n")
    server.run("ingest", file, "-q")
    person.open()
    direction = "element => getComputedStyle(element).direction"
    for number, (expected, title, text) in enumerate(DIRECTIONS):
        page.fill("#search", title)
        result = page.locator(".results-pane .result", has_text=title).first
        result.click()
        page.locator(".panel h2", has_text=title).wait_for()
        places = {name: page.locator(name).first.evaluate(direction) for name in (
            ".panel h2", ".panel .text p", "#search", ".chip.tag", ".results-pane .result-title span:last-child")}
        assert set(places.values()) == {expected}, (title, places)
        person.picture(f"direction-{number}")
        if number == 0:
            box, item = (page.locator(name).first.bounding_box() for name in (".panel .text", ".panel .text li"))
            assert item["x"] + item["width"] < box["x"] + box["width"] - 15, "the mark of a list is cut"
            assert page.locator(".panel .text blockquote").evaluate(direction) == "rtl"
        page.get_by_role("button", name="Edit").click()
        assert page.locator(".edit textarea").evaluate(direction) == expected
        page.keyboard.press("Escape")
    assert page.locator("body").evaluate(direction) == "ltr"
    page.locator("#table-button").click()
    person.picture("direction-table")
    server.run("undo")


def test_still(person):
    """With reduced motion, the map is at its end in the next picture; without it, the map moves there."""
    step = """key => new Promise(resolve => {
      const places = () => [...document.querySelectorAll('.label.group')].map(label => label.style.transform).join();
      document.getElementById('map').dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
      requestAnimationFrame(() => requestAnimationFrame(() => {
        const soon = places();
        setTimeout(() => resolve(soon === places()), 700);
      }));
    })"""
    person.open()
    page = person.page
    isStill = page.evaluate("matchMedia('(prefers-reduced-motion: reduce)').matches")
    assert all(page.evaluate(step, key) == isStill for key in "++-0"), "the map moves" if isStill else "the map jumps"
    page.locator(".tree-row").first.dblclick()
    page.fill("#search", "bread")
    page.locator(".results .result").first.click()
    page.locator(".panel .text").wait_for()
    assert not isStill or page.evaluate("document.getAnimations().length === 0")
    if isStill:
        person.picture("still")


def test_large_removal(person):
    """If the server no longer has all parts of a large change, the page says how many of them it has undone."""
    server, page = person.server, person.page
    file = os.path.join(os.path.dirname(server.store), "large.jsonl")
    with open(file, "w") as output:
        for number in range(20_050):
            output.write(json.dumps({"id": str(number), "text": f"note {number} of {number % 40}"}) + "\n")
    server.run("ingest", file, "-q")
    person.open()
    count = len(server.entries())
    page.locator("#map").focus()
    page.get_by_role("button", name="Select a box").click()
    box = page.locator("#map").bounding_box()
    page.mouse.move(box["x"] + 2, box["y"] + 2)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] - 2, box["y"] + box["height"] - 2, steps=4)
    page.mouse.up()
    page.locator(".selection-bar strong", has_text=f"{count:,}").wait_for()
    page.locator(".selection-bar button", has_text="Remove").click()
    page.locator("dialog", has_text="make a backup first").get_by_role("button", name="Remove").click()
    page.locator(".notice", has_text="removed").wait_for(timeout=60_000)
    assert not server.entries()
    # The records of changes that exceed the limit of their size are removed, the oldest first.
    records = os.path.join(server.store, "undo")
    groups = sorted({int(name.split(".")[0]) for name in os.listdir(records)})
    for name in os.listdir(records):
        if int(name.split(".")[0]) <= groups[-3]:
            os.remove(os.path.join(records, name))
    page.locator(".notice button", has_text="Undo").last.click()
    notice = page.locator(".notice.error", has_text="Only 2 of 3 parts")
    notice.wait_for(timeout=60_000)
    page.locator(".tree-row .size", has_text=f"{count - 10_000:,}").wait_for()
    person.picture("undone-part")
    assert len(server.entries()) == count - 10_000
    notice.get_by_role("button", name="Close").click()
    assert not notice.count()
