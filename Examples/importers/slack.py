#!/usr/bin/env python3
"""Imports messages of Slack: the folder or archive of a workspace's export."""

import html
import json
import re

import importing

LINK = re.compile(r"<([^<>|]*)(?:\|([^<>]*))?>")
NOTICES = {"channel_join", "channel_leave", "channel_topic", "channel_purpose", "channel_name", "channel_archive"}


def read(path, rows):
    people = {}
    for name, text in rows.files(path, "users.json"):
        if name.endswith("users.json"):
            with rows.reading(name):
                people |= {user["id"]: user.get("profile", {}).get("real_name") or user["name"] for user in json.loads(text)}
    for name, text in rows.files(path, ".json"):
        channel = name.split("/")[-2] if "/" in name else None
        if channel is None:
            continue
        with rows.reading(name):
            for message in json.loads(text):
                with rows.reading(f"{name}, a message"):
                    write(channel, message, people, rows)


def write(channel, message, people, rows):
    if message.get("type") != "message" or message.get("subtype") in NOTICES:
        return rows.skip("notices")

    def words(match):
        target, label = match.groups()
        if target[:1] in "@#!":
            return target[:1] + (label or people.get(target[1:], target[1:]))
        return f"{label} ({target})" if label else target

    source = message.get("text") or ""
    links = [target for target, _ in LINK.findall(source) if target.startswith("http")]
    user = message.get("user")
    rows.write(
        f"{channel}/{message['ts']}", html.unescape(LINK.sub(words, source)), title="#" + channel,
        author=people.get(user) or message.get("username") or user,
        date=importing.instant(float(message["ts"])), tags=[channel], url=links[0] if links else None,
        thread=message.get("thread_ts"))


importing.main(read)
