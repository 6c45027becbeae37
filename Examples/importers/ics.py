#!/usr/bin/env python3
"""Imports events, tasks and journals of calendars: files with the extension .ics."""

import datetime
import re
import zoneinfo

import importing

LINE = re.compile(r"([\w-]+)((?:;[\w-]+=(?:\"[^\"]*\"|[^:;\"]*))*):(.*)", re.S)
KINDS = {"VEVENT", "VTODO", "VJOURNAL"}


def read(path, rows):
    for name, text in rows.files(path, ".ics"):
        item, nested, is_open = None, 0, False
        for line in re.sub(r"\n[ \t]", "", text).split("\n"):
            match = LINE.fullmatch(line)
            if not match:
                continue
            key, parameters, value = match[1].upper(), match[2], match[3]
            if key in ("BEGIN", "END") and value == "VCALENDAR":
                is_open = key == "BEGIN"
            elif key == "BEGIN" and value in KINDS:
                item = {}
            elif key == "END" and value in KINDS and item is not None:
                with rows.reading(f"{name}, {item.get('UID', '')}"):
                    write(item, rows)
                item = None
            elif key in ("BEGIN", "END"):
                # The alarms of an event have descriptions, too.
                nested += 1 if key == "BEGIN" else -1
            elif item is not None and nested == 0:
                value = moment(parameters, value) if key in DATES else unescaped(value)
                item[key] = f"{item[key]},{value}" if key == "CATEGORIES" and key in item else value
                if key == "ORGANIZER" and (common := re.search(r";CN=\"?([^\";]*)", parameters)):
                    item[key] = common[1]
        if is_open or item is not None:
            rows.fault(name, "it does not end")


DATES = {"DTSTART", "DUE", "CREATED", "LAST-MODIFIED"}


def moment(parameters, value):
    """Returns a date in ISO 8601: a day, a time in UTC, or a time without a zone."""
    form = "%Y%m%d" if len(value) == 8 else "%Y%m%dT%H%M%S"
    try:
        date = datetime.datetime.strptime(value.rstrip("Z"), form)
        zone = re.search(r";TZID=\"?([^\";]+)", parameters)
        if len(value) == 8 or value.endswith("Z") or not zone:
            return (date.date() if len(value) == 8 else date).isoformat() + "Z" * value.endswith("Z")
        return date.replace(tzinfo=zoneinfo.ZoneInfo(zone[1])).isoformat()
    except (zoneinfo.ZoneInfoNotFoundError, OSError):
        return date.isoformat()
    except ValueError:
        return value


def unescaped(value):
    return re.sub(r"\\([\\;,nN])", lambda match: "\n" if match[1] in "nN" else match[1], value)


def write(item, rows):
    title = item.get("SUMMARY")
    parts = [title, item.get("LOCATION"), item.get("DESCRIPTION")]
    rows.write(
        item["UID"] + item.get("RECURRENCE-ID", ""), "\n\n".join(part for part in parts if part), title=title,
        date=item.get("DTSTART") or item.get("DUE"), updated=item.get("LAST-MODIFIED"),
        tags=[tag.strip() for tag in item.get("CATEGORIES", "").split(",") if tag.strip()],
        author=re.sub("(?i)^mailto:", "", item.get("ORGANIZER", "")), url=item.get("URL"),
        location=item.get("LOCATION"), repeats=item.get("RRULE"))


importing.main(read)
