"""Writes small labeled collections from texts that a Debian machine has: descriptions of packages by section, by field
of science and by kind of game, and docstrings of Python by module. The draw depends on names only.

Usage: package_collections.py OUT
       cluster_sets.py ROOST STORES OUT/* --granularity fine
OUT gets a folder with data.jsonl (rows with `text` and `label`) for each collection. Needs apt's lists of packages."""
import collections, importlib, inspect, json, os, random, re, subprocess, sys

SECTIONS = "sound math mail editors fonts games graphics database education video hamradio shells".split()
FIELDS = "biology finance geography linguistics electronics chemistry arts medicine astronomy religion".split()
GAMES = "arcade puzzle board strategy simulation fps adventure card typing".split()
MODULES = ("math os.path json random datetime statistics itertools socket email.utils zipfile tarfile sqlite3 re csv "
           "threading calendar shutil ssl turtle smtplib fractions wave html.parser urllib.request").split()

def packages():
    listing = subprocess.run(["apt-cache", "dumpavail"], check=True, capture_output=True, text=True).stdout
    for block in listing.split("\n\n"):
        fields = dict(re.findall(r"^([A-Z][\w-]*): (.*)$", block, re.M))
        summary = fields.get("Description", fields.get("Description-en", ""))
        name = fields.get("Package", "")
        if len(summary) > 20 and not re.search("-(dev|doc|dbg|data|common)$|^lib", name):
            yield fields, f"{name}: {summary}"

def docstrings(name):
    module = importlib.import_module(name)
    for key, value in inspect.getmembers(module):
        text = inspect.getdoc(value) if callable(value) and not key.startswith("_") else None
        owner = getattr(value, "__module__", name) or name
        if text and 120 < len(text) < 1500 and owner.startswith(name.split(".")[0]): yield f"{key}\n\n{text}"

def write(out, name, members, size):
    """Writes up to `size` texts for each label with at least five."""
    rows, seen = [], set()
    for label in sorted(members):
        texts = sorted(set(members[label]) - seen)
        random.Random(f"{name} {label}").shuffle(texts)
        if len(texts) >= 5: rows += [dict(text=text, label=label) for text in texts[:size]]
        seen.update(texts)
    os.makedirs(os.path.join(out, name), exist_ok=True)
    with open(os.path.join(out, name, "data.jsonl"), "w", encoding="utf-8") as file:
        for number, row in enumerate(rows): print(json.dumps(dict(id=number, **row)), file=file)
    print(name, len(rows), "texts,", len({row["label"] for row in rows}), "labels")

out = sys.argv[1]
known = list(packages())
def tagged(facet, values):
    members = collections.defaultdict(list)
    for fields, text in known:
        found = [value for value in values if f"{facet}::{value}" in re.split(r"[,\s]+", fields.get("Tag", ""))]
        if len(found) == 1: members[found[0]].append(text)
    return members
sections = {section: [text for fields, text in known if fields.get("Section") == section] for section in SECTIONS}
fields = tagged("field", FIELDS)
write(out, "sections", sections, 12)
write(out, "fields", fields, 14)
write(out, "fields-small", fields, 5)
write(out, "games", tagged("game", GAMES), 9)
write(out, "python", {name: list(docstrings(name)) for name in MODULES}, 10)
