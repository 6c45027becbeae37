"""Measures Roost and other programs for the same work by turns, and writes the table of Documentation/Benchmarks.md
between its two markers, and all figures to a JSON file.

Usage: compare.py BENCHMARKS FOLDER [--quick] [--only NAME]… [--rounds N]

BENCHMARKS is the program RoostBenchmarks. FOLDER keeps vectors, the model of ONNX Runtime and compare.json. --quick uses
less data, and --only some groups of rows; neither changes the page."""
import argparse, json, math, os, re, statistics, subprocess, sys

here = os.path.dirname(os.path.abspath(__file__))
page = os.path.join(here, "../Documentation/Benchmarks.md")
marks = "<!-- Scripts/benchmark compare writes the table -->", "<!-- the end of the table -->"
parser = argparse.ArgumentParser()
parser.add_argument("benchmarks"); parser.add_argument("folder")
parser.add_argument("--quick", action="store_true"); parser.add_argument("--only", action="append", default=[])
parser.add_argument("--rounds", type=int)
options = parser.parse_args()
folder, data = os.path.abspath(options.folder), os.path.abspath(os.environ["ROOST_EVAL"])
rounds = options.rounds or (1 if options.quick else 3)
os.makedirs(folder, exist_ok=True)
model = os.path.join(os.environ.get("ROOST_MODELS") or os.path.join(
    os.environ.get("XDG_DATA_HOME") or os.path.expanduser("~/.local/share"), "roost/models"), "all-MiniLM-L6-v2")

def run(words):
    result = subprocess.run(words, capture_output=True, text=True, cwd=folder)
    if result.returncode: raise RuntimeError(f"{' '.join(words)}: {result.stderr.strip()[-300:]}")
    return result.stdout

def own(*words): return lambda: run([options.benchmarks, *words])
def peer(script, *words): return lambda: run([sys.executable, f"{here}/Peers/{script}", *words])

def found(pattern):
    """Reads one number of the output."""
    def read(output):
        match = re.search(pattern, output)
        return float(match[1]) if match else None
    return read

def rate_at(recall, curve):
    """Reads the rate at a recall, between two measured ones, from lines that match a curve."""
    def read(output):
        # A setting that finds more than the recall reaches it, too.
        points = [(0.0, 0.0)] + sorted((float(r), float(q)) for r, q in re.findall(curve + r".*?recall\S* ([\d.]+) +(\d+) q", output))
        for (low, fast), (high, slow) in zip(points, points[1:]):
            if low <= recall <= high:
                if not fast: return slow
                share = (recall - low) / (high - low) if high > low else 0
                return math.exp(math.log(fast) * (1 - share) + math.log(slow) * share)
    return read

def vectors():
    """The vectors to search: 60,000 of real passages, or 300,000 derived from them."""
    base, queries = (f"{data}/vectors/passages-{name}-f16.npy" for name in ("base", "query"))
    if options.quick: return base, queries
    if not os.path.exists(f"{folder}/base5.npy"): peer("widen.py", base, queries, folder)()
    return f"{folder}/base5.npy", f"{folder}/queries.npy"

def line(name, unit): return found(rf"(?m)^{name} +([\d.]+) {unit}$")

# A group is measured together: its commands by turns. A row has a name, a unit, and for each command, the first of
# which is Roost's, how its figure is read; a row without a second figure has no peer.
def groups():
    count = "60,000" if options.quick else "300,000"
    base, queries = vectors()
    measured = ["--base", base, "--queries", queries]
    yield "neighbors", {
        "Roost": own("neighbors", *measured), "faiss HNSW32": peer("neighbors.py", base, queries, "hnsw"),
        "hnswlib": peer("neighbors.py", base, queries, "hnswlib"),
    }, [(f"graph search of {count} vectors, recall@10 {recall}", "queries/s", {
        "Roost": rate_at(recall, "efSearch"), "faiss HNSW32": rate_at(recall, "faiss HNSW32"),
        "hnswlib": rate_at(recall, "hnswlib M16")}) for recall in (.95, .98, .99, .995)] + [
        (f"building the graph of {count}, two threads", "s", {
            "Roost": found(r"built +([\d.]+) s"), "faiss HNSW32": found(r"HNSW32 +build +([\d.]+)s"),
            "hnswlib": found(r"hnswlib M16 +build +([\d.]+)s")})]
    yield "changes", {"Roost": own("filtered-search", *measured)}, [
        (f"a graph of {count}, a fifth deleted and a fifth added: {name}", unit, {"Roost": found(pattern)})
        for name, unit, pattern in [
            ("update", "s", r"graph updated in ([\d.]+) s"), ("new graph", "s", r"graph new in ([\d.]+) s"),
            ("search after the update", "ms", r"graph updated in .*recall@10 [\d.]+ +([\d.]+) ms"),
            ("search of the new graph", "ms", r"graph new in .*recall@10 [\d.]+ +([\d.]+) ms")]]
    yield "exact", {"Roost": own("exact-search", *measured), "faiss Flat": peer("flat.py", base, queries)}, [
        (f"exact search of {count} vectors, one query", "ms", {
            "Roost": line("one query", "ms"), "faiss Flat": found(r"one query ([\d.]+) ms")}),
        ("the same, 1,000 queries in one call", "queries/s", {
            "Roost": line("1,000 queries in one call", "queries/s"),
            "faiss Flat": found(r"in one call (\d+) queries/s")})]
    yield "k-means", {
        "Roost": own("cluster-vectors", "--base", base, "--clusters", "1000", "--rounds", "10", "--restarts", "1"),
        "faiss": peer("cluster_times.py", base, "faiss"),
    }, [(f"k-means of {count}, 1,000 clusters, ten iterations", "s", {
        "Roost": found(r" by \S+ +([\d.]+) s"), "faiss": found(r"\) ([\d.]+) s")})]
    yield "clusters", {
        "Roost": own("cluster-vectors", "--base", f"{data}/vectors/passages-base-f16.npy"),
        "Leiden": peer("cluster_times.py", f"{data}/vectors/passages-base-f16.npy", "leiden"),
    }, [("clusters of 60,000; Leiden: leidenalg at one resolution over exact neighbors by faiss", "s", {
        "Roost": found(r" by \S+ +([\d.]+) s"), "Leiden": found(r"\) ([\d.]+) s")})]
    lengths = [12, 100]
    for precision, name in (("float32", "fp32"), ("int8", "int8")):
        yield "encoders", {
            "Roost": own("encode", "--precision", precision), "ONNX Runtime": peer("encode.py", model),
        }, [(f"MiniLM {name}, texts of {words} words", "tokens/s", {
            "Roost": line(f"{words} words", "tokens/s"),
            "ONNX Runtime": found(rf"onnxruntime {name} +{words} words .* ([\d.]+) tokens/s")}) for words in lengths] + [
            (f"MiniLM {name}, one text of 6 to 9 tokens", "ms", {
                "Roost": found(r"one text of [6-9] tokens, median +([\d.]+) ms"),
                "ONNX Runtime": found(rf"onnxruntime {name} +one text of \d tokens, median ([\d.]+) ms")})]
    entries = 20_000 if options.quick else 100_000
    # One command measures both.
    pairs = [("first backup", "s"), ("first backup", "MB"), ("second backup", "s"), ("second backup", "MB")]
    yield "backups", {"Roost": own("backups", "--entries", str(entries))}, [
        (f"{name} of {entries:,} entries" + ("" if unit == "s" else ", size"), unit,
         {"Roost": line(name, unit), "restic": line(f"restic, {name}", unit)}) for name, unit in pairs] + [
        ("verifying all data of a backup", "s", {
            "Roost": line("verify, all data", "s"), "restic": line("restic check --read-data", "s")}),
        ("restoring a backup into SQLite; restic: into files", "s", {
            "Roost": line("restore into SQLite", "s"), "restic": line("restic restore", "s")})]
    yield "words", {"Roost": own("word-search", "--fts5", "--count", str(entries))}, [
        (f"search of {entries:,} passages by eight words", "ms", {
            "Roost": line("eight words: median", "ms"), "SQLite FTS5": line("FTS5, eight words: median", "ms")}),
        ("indexing their words", "s", {
            "Roost": found(r"indexed in +([\d.]+) s"), "SQLite FTS5": line("FTS5, indexed in", "s")})]

def measured(commands, rows):
    """Runs the commands by turns, and returns the values of each row by the name of the program."""
    values = [{name: [] for name in readers} for _, _, readers in rows]
    for number in range(rounds):
        names = list(commands)[::-1 if number % 2 else 1]
        for name in names:
            try: output = commands[name]()
            except RuntimeError as error:
                if name == "Roost": raise
                print(f"cannot run {name}: {error}", file=sys.stderr)
                continue
            for (_, _, readers), kept in zip(rows, values):
                for column, read in readers.items():
                    if column == name or column not in commands:
                        value = read(output)
                        if value is not None: kept[column].append(value)
    return values

def text(value): return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"

def cell(values, unit):
    if not values: return "not reached" if unit == "queries/s" else "not measured"
    middle = text(statistics.median(values))
    return middle if len(values) == 1 else f"{middle} ({text(min(values))} to {text(max(values))})"

results, lines = [], ["| what | unit | Roost | peer | Roost is … times as good |", "|---|---|---|---|---|"]
for group, commands, rows in groups():
    if options.only and group not in options.only: continue
    for (name, unit, readers), values in zip(rows, measured(commands, rows)):
        results.append({"group": group, "what": name, "unit": unit, "values": values})
        ours, *peers = readers
        factors = []
        for theirs in filter(None, (values.get(name) for name in peers)):
            ratio = statistics.median(values[ours]) / statistics.median(theirs) if values[ours] else 0
            factors.append(f"{ratio if unit.endswith('/s') else 1 / ratio:.2f}" if ratio else "")
        shown = "; ".join(f"{name} {cell(values.get(name, []), unit)}" for name in peers) or "–"
        lines.append(f"| {name} | {unit} | {cell(values[ours], unit)} | {shown} | {'; '.join(factors)} |")
        print(lines[-1], flush=True)
with open(f"{folder}/compare.json", "w", encoding="utf-8") as file:
    json.dump({"rounds": rounds, "quick": options.quick, "rows": results}, file, indent=1)
if not options.quick and not options.only:
    with open(page, encoding="utf-8") as file: before, rest = file.read().split(marks[0])
    with open(page, "w", encoding="utf-8") as file:
        note = f"Rounds: {rounds}."
        file.write("\n".join([before + marks[0], "", note, "", *lines, "", marks[1]]) + rest.split(marks[1])[1])
