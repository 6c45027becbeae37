"""Counts the pages of a folder that are valid in UTF-8, have characters outside of ASCII, and state another encoding.

Usage: page_encodings.py FOLDER, for example the folder formasaurus/data/html of formasaurus-0.10.0.tar.gz"""
import pathlib, re, sys

pages = sorted(pathlib.Path(sys.argv[1]).glob("**/*.html"))
count = 0
for page in pages:
    data = page.read_bytes()
    stated = re.search(rb"<meta[^>]*charset\s*=\s*[\"']?\s*([\w-]+)", data[:1 << 16], re.I)
    if data.isascii() or not stated or stated[1].lower() in (b"utf-8", b"utf8"): continue
    try: data.decode("utf-8")
    except UnicodeDecodeError: continue
    count += 1
print(f"{count} of {len(pages)} pages")
