"""The part that the importers of this folder share: it reads exports, and writes rows for `roost ingest`.

An importer gets the paths of exports as its arguments, and writes one JSON object per line to standard output. Its exit
status is 65 if a part of an export is damaged, and 66 if it found nothing: `roost ingest` then removes no entry.
"""

import collections
import contextlib
import datetime
import hashlib
import json
import pathlib
import sys
import zipfile

MAXIMUM_FILE_SIZE = 256 << 20
MAXIMUM_LISTED_FAULTS = 20


class Rows:
    """Writes rows, and counts the parts of exports that do not become rows."""

    def __init__(self):
        self.written, self.faults = 0, 0
        self.skipped, self.ids = collections.Counter(), collections.Counter()

    def write(self, key, text, /, **fields):
        """Writes a row. Later exports have the same `key`, a text or a tuple, for the same text."""
        text = (text or "").strip()
        if not text:
            return self.skip("without a text")
        if isinstance(key, tuple):
            key = hashlib.sha256(json.dumps(key).encode()).hexdigest()[:20]
        self.ids[key] += 1
        row = {"id": key if self.ids[key] == 1 else f"{key}#{self.ids[key]}"}
        row |= {name: value for name, value in fields.items() if value}
        print(json.dumps(row | {"text": text}, ensure_ascii=False))
        self.written += 1

    def skip(self, reason):
        """Counts a part that is not wanted, such as a note in the trash."""
        self.skipped[reason] += 1

    def fault(self, where, reason):
        """Reports a part that cannot be read. Entries of earlier imports stay in the store."""
        self.faults += 1
        if self.faults <= MAXIMUM_LISTED_FAULTS:
            print(f"cannot read {where}: {reason}", file=sys.stderr)

    @contextlib.contextmanager
    def reading(self, where):
        """Reports the part that the body cannot read, and continues after it."""
        try:
            yield
        except (LookupError, TypeError, AttributeError):
            self.fault(where, "it does not have the expected structure")
        except Exception as error:
            self.fault(where, error)

    def files(self, path, *endings):
        """Yields the names and texts of the files in a folder or archive, or of one file, whose names end so."""
        path = pathlib.Path(path)
        if path.is_dir():
            found = sorted(file for file in path.rglob("*") if file.is_file() and not file.is_symlink())
            parts = [(file.relative_to(path).as_posix(), file.open, "rb") for file in found]
        elif zipfile.is_zipfile(path):
            archive = zipfile.ZipFile(path)
            parts = [(name, archive.open, name) for name in sorted(archive.namelist())]
        else:
            parts, endings = [(path.name, path.open, "rb")], ("",)
        for name, start, argument in parts:
            text = None
            with contextlib.ExitStack() as stack:
                if not name.endswith(endings):
                    continue
                with self.reading(name):
                    text = decoded(stack.enter_context(start(argument)).read(MAXIMUM_FILE_SIZE + 1))
            if text is not None:
                yield name, text


def decoded(data):
    """Returns the text of bytes in UTF-8, or in UTF-16 with a byte order mark."""
    if len(data) > MAXIMUM_FILE_SIZE:
        raise ValueError(f"it is larger than {MAXIMUM_FILE_SIZE >> 20} MB")
    return data.decode("utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig").replace("\r\n", "\n")


def instant(seconds):
    """Returns the time that is a number of seconds after 1970."""
    return seconds and datetime.datetime.fromtimestamp(int(seconds), datetime.timezone.utc).isoformat()[:19] + "Z"


def when(text, *formats):
    """Returns a date in ISO 8601: a day stays a day. Roost reports a text in another format as unclear."""
    for form in formats:
        with contextlib.suppress(ValueError):
            date = datetime.datetime.strptime(text.strip(), form)
            return date.isoformat() if "%M" in form else date.date().isoformat()
    return text


def main(read):
    """Calls `read` with each path and the rows, prints the account, and ends the program."""
    sys.stdout.reconfigure(encoding="utf-8", errors="replace")
    rows = Rows()
    for path in sys.argv[1:]:
        with rows.reading(path):
            read(path, rows)
    counts = sorted(rows.skipped.items()) + [("damaged", rows.faults)] * (rows.faults > 0)
    count = sum(count for _, count in counts)
    reasons = ", ".join(f"{reason}: {count}" for reason, count in counts)
    print(f"read {rows.written}, skipped {count}" + (f" ({reasons})" if reasons else ""), file=sys.stderr)
    sys.exit(65 if rows.faults else 66 if rows.written + count == 0 else 0)
