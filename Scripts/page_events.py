"""Tests of the page with two windows, two fingers, dropped files and conversations, for Scripts/page-test."""

import json
import os

from page_person import eventually


def test_windows(person):
    """A change in one window appears in another, and is not overwritten by it."""
    person.open()
    server, first = person.server, person.page
    entry = next(entry["id"] for entry in server.entries() if "bread" in entry["content"].lower())
    second = person.context.new_page()
    for page in (first, second):
        page.goto(f"{server.address}#entry={entry}")
        page.locator(".panel .text").wait_for()
    second.get_by_role("button", name="Edit").click()
    second.locator(".edit textarea").fill("The text of the second window.")
    first.get_by_role("button", name="Add tag").click()
    first.locator("dialog input").fill("first-window")
    first.keyboard.press("Enter")
    person.notice("Saved")
    second.get_by_role("button", name="Save").click()
    second.get_by_text("changed elsewhere meanwhile").wait_for()
    assert "second window" in second.locator(".edit textarea").input_value(), "the text of the person is lost"
    assert "second window" not in server.run("show", entry), "the change of the first window is overwritten"
    second.get_by_role("button", name="Load the other version").click()
    second.get_by_role("button", name="Save").click()
    second.locator(".panel p", has_text="second window").wait_for()
    second.locator(".chip.tag", has_text="first-window").wait_for()
    first.locator(".panel p", has_text="second window").wait_for(timeout=5_000)
    # The undo of a change that another window made needs an answer.
    first.get_by_role("button", name="Undo the last change").click()
    first.locator("dialog").get_by_role("button", name="Undo").click()
    person.notice("Undone")
    first.locator(".panel p", has_text="second window").wait_for(state="detached", timeout=5_000)
    assert "second window" not in server.run("show", entry)
    second.close()
    server.run("undo")


def test_pinch(person):
    """Two fingers zoom the map, and one moves it."""
    person.open()
    page = person.page
    frame = page.locator("#map").bounding_box()
    x, y = frame["x"] + frame["width"] / 2, frame["y"] + frame["height"] / 2
    touch = page.context.new_cdp_session(page)

    def fingers(kind, *points):
        touch.send("Input.dispatchTouchEvent", {
            "type": kind, "touchPoints": [{"x": x + dx, "y": y + dy, "id": at} for at, (dx, dy) in enumerate(points)]})

    def move(*paths):
        fingers("touchStart", *[path[0] for path in paths])
        for share in (0.25, 0.5, 0.75, 1):
            fingers("touchMove", *[((1 - share) * path[0][0] + share * path[1][0], (1 - share) * path[0][1] + share * path[1][1])
                                   for path in paths])
        fingers("touchEnd")
        page.wait_for_timeout(300)

    def places():
        return {label.text_content(): label.bounding_box() for label in page.locator(".label.group").all()}

    before = places()
    assert len(before) >= 3
    move(((-40, -40), (-55, -55)), ((40, 40), (55, 55)))
    after = places()
    shared = [name for name in before if name in after]
    pairs = [(abs(before[a]["y"] - before[b]["y"]), a, b) for a in shared for b in shared if a < b]
    distance, a, b = max(pairs, default=(0, "", ""))
    assert distance > 20, (before, after)
    factor = (after[a]["y"] - after[b]["y"]) / (before[a]["y"] - before[b]["y"])
    assert 1.1 < factor < 2, factor
    person.picture("pinch")
    before = places()
    move(((0, 0), (0, 60)))
    after = places()
    moved = [after[name]["y"] - before[name]["y"] for name in before if name in after]
    # A label near the edge may have another spot.
    assert sum(20 < distance < 80 for distance in moved) > len(moved) / 2, moved


DROP = """([files, target]) => {
  const transfer = new DataTransfer();
  for (const [name, text] of files) transfer.items.add(new File([text], name));
  for (const kind of ['dragenter', 'dragover', 'drop']) {
    document.querySelector(target).dispatchEvent(new DragEvent(kind, { dataTransfer: transfer, bubbles: true, cancelable: true }));
  }
}"""


def test_drop(person):
    """Dropped texts become entries; others are named."""
    person.open()
    page, server = person.page, person.server
    count = len(server.entries())
    files = [["kites.md", "# Kites\n\nA kite needs a steady wind and a long line."],
             ["\u0645\u0644\u0627\u062d\u0638\u0629 \U0001f4dd.txt", "A note with a name in Arabic and an emoji."], ["noise.bin", "a\0b"]]
    page.evaluate(DROP, [files, "#map"])
    page.get_by_text("2 new").wait_for(timeout=60_000)
    page.get_by_text("1 file is not text").wait_for()
    assert page.locator(".drop").is_hidden()
    assert len(server.entries()) == count + 2
    page.fill("#search", "kite wind")
    page.locator(".result", has_text="Kites").first.wait_for()
    page.evaluate(DROP, [files[:2], "body"])
    page.get_by_text("2 unchanged").wait_for(timeout=60_000)
    assert len(server.entries()) == count + 2
    server.run("undo")


def test_conversations(person):
    """Conversations are listed, read and searched."""
    server, page = person.server, person.page
    file = os.path.join(os.path.dirname(server.store), "chat.jsonl")
    texts = ["My sister plays the cello in an orchestra.", "Which pieces does she like?", "<b onclick='window.hacked=1'>Bach</b> suites."]
    with open(file, "w") as output:
        for at, text in enumerate(texts):
            output.write(json.dumps({"role": ["user", "assistant"][at % 2], "content": text, "session": "music talk",
                                     "timestamp": f"2026-03-01T10:0{at}:00Z"}) + "\n")
    server.run("chat", "import", file)
    person.open()
    page.get_by_role("button", name="Store", exact=True).click()
    page.locator(".conversations button", has_text="music talk").click()
    page.locator(".messages li").nth(2).wait_for()
    assert page.locator(".messages").inner_text().count("<b onclick") == 1
    person.picture("conversations")
    page.locator("dialog input[type=search]").fill("cello")
    page.keyboard.press("Enter")
    eventually(lambda: "cello" in page.locator(".messages li").first.inner_text(), "the search finds no message")
    page.keyboard.press("Escape")
    server.run("undo")
