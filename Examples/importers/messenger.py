#!/usr/bin/env python3
"""Imports messages of Messenger: the folder or archive of a download of your information as JSON."""

import json

import importing


def read(path, rows):
    for name, text in rows.files(path, ".json"):
        with rows.reading(name):
            chat = json.loads(text)
            if not isinstance(chat, dict) or "messages" not in chat:
                rows.skip("files without messages")
                continue
            for message in chat["messages"]:
                with rows.reading(f"{name}, a message"):
                    write(chat, message, rows)


def write(chat, message, rows):
    thread = chat.get("thread_path") or chat.get("threadName")
    author = repaired(message.get("sender_name") or message.get("senderName"))
    time = message.get("timestamp_ms") or message["timestamp"]
    text = repaired(message.get("content") or message.get("text"))
    if message.get("is_unsent") or message.get("isUnsent"):
        return rows.skip("unsent")
    rows.write(
        (thread, time, author, text), text, title=repaired(chat.get("title") or chat.get("threadName")),
        author=author, date=importing.instant(time // 1000), url=(message.get("share") or {}).get("link"))


def repaired(text):
    """Facebook writes each byte of UTF-8 as a character."""
    try:
        return text and text.encode("latin-1").decode("utf-8")
    except UnicodeError:
        return text


importing.main(read)
