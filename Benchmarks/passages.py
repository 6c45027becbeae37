"""Collects real passages in a reproducible order: the texts of the data sets in $ROOST_EVAL, then the documentation and
manual pages of the system, ordered by path. Removes markup. Writes one passage of 20 to 60 words per line, without
duplicates.

Usage: passages.py OUT.txt [COUNT]"""
import glob, gzip, json, os, re, sys

out, count = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 260_000
data = os.environ.get("ROOST_EVAL")

def texts():
    patterns = [data + "/clustering/*/data.jsonl", data + "/retrieval/*/corpus.jsonl"] if data else []
    for path in sorted(path for pattern in patterns for path in glob.glob(pattern)):
        for line in open(path, encoding="utf8"): yield json.loads(line)["text"]
    for folder in ["/usr/share/doc", "/usr/share/man/man*", "/usr/share/info", "/usr/share/perl", "/usr/lib/python3*"]:
        for top in sorted(glob.glob(folder)):
            for folder, _, names in sorted(os.walk(top)):
                for name in sorted(names):
                    path = os.path.join(folder, name)
                    if os.path.islink(path) or re.search(r"\.(png|svg|jpg|js|css|so|pyc|deb)$", name): continue
                    try: content = (gzip.open if name.endswith(".gz") else open)(path, "rb").read(4_000_000)
                    except OSError: continue
                    if b"\0" not in content: yield content.decode("utf8", "ignore")

markup = re.compile(r"""<[^<>]{1,200}>|^[.'](\\"|[A-Za-z]{1,3}\b).*?$|\\f[BIRP]|\\[-&e()]|[=*~#_-]{3,}""", re.M)
word = re.compile(r"[^\W\d_]{2,}")
seen, written = set(), 0
with open(out, "w", encoding="utf8") as file:
    for text in texts():
        words = markup.sub(" ", text).split()
        for start in range(0, len(words), 60):
            span = words[start:start + 60]
            passage = " ".join(span)[:600]
            # Skips short remainders, and tables and code, which contain few words.
            if start > 0 and len(span) < 20 or len(word.findall(passage)) < 0.6 * len(span): continue
            if passage in seen: continue
            seen.add(passage)
            file.write(passage + "\n")
            written += 1
            if written == count: sys.exit()
print(f"found only {written} of {count} passages", file=sys.stderr)
