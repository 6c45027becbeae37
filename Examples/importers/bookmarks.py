#!/usr/bin/env python3
"""Imports bookmarks of browsers: the HTML file that Firefox, Chrome, Safari and Edge export."""

import html.parser

import importing


class Bookmarks(html.parser.HTMLParser):
    """Collects bookmarks: their titles, descriptions, dates, tags and folders."""

    def __init__(self):
        super().__init__()
        self.folders, self.found, self.target, self.heading, self.is_complete = [], [], None, None, False

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        if tag == "h3":
            self.heading, self.target = "", "heading"
        elif tag == "dl":
            self.folders.append(self.heading)
            self.heading = None
        elif tag == "a":
            self.found.append({"attributes": attributes, "folders": self.folders[:], "title": [], "description": []})
            self.target = "title"
        elif tag == "dd" and self.found:
            self.target = "description"
        elif tag == "dt":
            self.target = None

    def handle_endtag(self, tag):
        if tag == "dl" and self.folders:
            self.folders.pop()
            self.is_complete = not self.folders
        if tag in ("h3", "a", "dl"):
            self.target = None

    def handle_data(self, data):
        if self.target == "heading":
            self.heading += data
        elif self.target:
            self.found[-1][self.target].append(data)


def read(path, rows):
    for name, text in rows.files(path, ".html", ".htm"):
        parser = Bookmarks()
        parser.feed(text)
        parser.close()
        for item in parser.found:
            with rows.reading(name):
                write(item, rows)
        if not parser.is_complete:
            rows.fault(name, "its list of bookmarks does not end")


def write(item, rows):
    facts = item["attributes"]
    title, description = ("".join(item[key]).strip() for key in ("title", "description"))
    address = facts.get("href") or ""
    if not address.startswith(("http://", "https://")):
        return rows.skip("without a web address")
    tags = [tag.strip() for tag in (facts.get("tags") or "").split(",")] + [name for name in item["folders"] if name]
    rows.write(
        address, f"{title or address}\n\n{description}", title=title or address,
        date=importing.instant(facts.get("add_date")), tags=[tag for tag in dict.fromkeys(tags) if tag], url=address)


importing.main(read)
