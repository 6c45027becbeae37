#!/usr/bin/env python3
"""Imports messages of WhatsApp: the text file or archive that `Export chat` writes."""

import pathlib
import re

import importing

LINE = re.compile(
    r"\u200e?\[?(\d{1,4})([./-])(\d{1,2})\2(\d{2,4}),? (\d{1,2}):(\d\d)(?::(\d\d))?\s?([AaPp])?\.?[Mm]?\.?\]?"
    r"(?: -)? (?:([^:\n]+): )?(.*)", re.S)
# WhatsApp marks its notices, and on Android the names of media that are not in the file.
NOTICE = re.compile(r"\u200e.*|<[^<>\n]{3,40}>", re.S)


def read(path, rows):
    for name, text in rows.files(path, ".txt"):
        messages, chat = [], pathlib.PurePath(name).stem
        if chat == "_chat":
            chat = pathlib.Path(path).stem
        chat = chat.removeprefix("WhatsApp Chat with ").removeprefix("WhatsApp Chat - ")
        for line in re.sub("[\u202f\xa0]", " ", text).split("\n"):
            if match := LINE.fullmatch(line):
                messages.append((match.groups()[:-1], [match.groups()[-1]]))
            elif messages:
                messages[-1][1].append(line)
            elif line.strip():
                rows.skip("lines before the first message")
        # The last message of a file has an additional line feed, which must not change its id.
        write(chat, [(*head, "\n".join(lines).strip()) for head, lines in messages], rows)
        if text.strip() and not messages:
            rows.fault(name, "it has no line with a date, a name and a text")


def write(chat, messages, rows):
    # A number above 12 shows which one is the day, as the full stop does.
    day_first = any(int(message[0]) > 12 or message[1] == "." for message in messages)
    month_first = any(int(message[2]) > 12 for message in messages)
    for message in messages:
        author, text = message[8:]
        if author is None or NOTICE.fullmatch(text):
            rows.skip("notices and media")
            continue
        date = moment(message, day_first, month_first)
        rows.write((chat, *message), text, title=chat, author=author, date=date)


def moment(message, day_first, month_first):
    first, separator, second, third, hour, minute, seconds, half = message[:8]
    hour = int(hour) % 12 + 12 * (half in ("P", "p")) if half else int(hour)
    time = f"{hour:02}:{minute}:{seconds or '00'}"
    if len(first) == 4:
        return f"{first}-{second:0>2}-{third:0>2}T{time}"
    year = third if len(third) == 4 else "20" + third
    if day_first == month_first:
        # Roost reports this date as unclear.
        return f"{first}/{second}/{year} {time}"
    day, month = (first, second) if day_first else (second, first)
    return f"{year}-{month:0>2}-{day:0>2}T{time}"


importing.main(read)
