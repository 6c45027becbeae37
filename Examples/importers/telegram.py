#!/usr/bin/env python3
"""Imports messages of Telegram: result.json of an export in the machine-readable format."""

import json

import importing


def read(path, rows):
    for name, text in rows.files(path, "result.json"):
        with rows.reading(name):
            export = json.loads(text)
            for chat in export["chats"]["list"] if "chats" in export else [export]:
                for number, message in enumerate(chat["messages"], 1):
                    with rows.reading(f"{name}, message {number}"):
                        write(chat, message, rows)


def write(chat, message, rows):
    if message["type"] != "message":
        return rows.skip("notices")
    parts = message["text"] if isinstance(message["text"], list) else [message["text"]]
    parts = [part if isinstance(part, dict) else {"type": "plain", "text": part} for part in parts]
    links = [part.get("href") or part["text"] for part in parts if part["type"] in ("link", "text_link")]
    seconds = message.get("date_unixtime")
    rows.write(
        f"{chat['id']}/{message['id']}", "".join(part["text"] for part in parts), title=chat.get("name"),
        author=message.get("from"), date=importing.instant(seconds) if seconds else message["date"],
        tags=[part["text"].lstrip("#") for part in parts if part["type"] == "hashtag"],
        url=links[0] if links else None)


importing.main(read)
