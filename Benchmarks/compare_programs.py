"""Compares the speed of two builds of `roost` through the command line, in turns: median durations and their ratio.

Usage: compare_programs.py BEFORE AFTER FOLDER

FOLDER keeps the stores. The texts are 20,000 lines of banking77 and agnews-test below $ROOST_EVAL."""
import json, os, shutil, statistics, subprocess, sys, time

programs = {"before": sys.argv[1], "after": sys.argv[2]}
folder = os.path.abspath(sys.argv[3])
data = os.environ.get("ROOST_EVAL", "../shared/eval")
os.makedirs(folder, exist_ok=True)

def run(*words, input=None):
    start = time.time()
    result = subprocess.run(words, stdin=open(input) if input else subprocess.DEVNULL, capture_output=True, text=True)
    if result.returncode not in (0, 1): raise SystemExit(f"{words}: {result.stderr}")
    return time.time() - start

def turns(name, action, rounds):
    times = {"before": [], "after": []}
    for number in range(rounds):
        for build in list(times)[::-1 if number % 2 else 1]: times[build].append(action(programs[build], build))
    before, after = (statistics.median(times[build]) for build in times)
    print(f"{name:34} before {before:.3f} s  after {after:.3f} s  ratio {after / before:.2f}", flush=True)

texts = [json.loads(line)["text"] for name in ("banking77", "agnews-test")
         for line in open(f"{data}/clustering/{name}/data.jsonl", encoding="utf-8")]
texts = list(dict.fromkeys(" ".join(text.split()) for text in texts))[:20000]
rows, queries = f"{folder}/rows.jsonl", f"{folder}/queries.txt"
with open(rows, "w", encoding="utf-8") as file: file.writelines(json.dumps({"text": text}) + "\n" for text in texts)
with open(queries, "w", encoding="utf-8") as file: file.writelines(text + "\n" for text in texts[::50])

def made(program, store, source):
    shutil.rmtree(store, ignore_errors=True)
    run(program, "init", store, "--model", "minilm:int8")
    return run(program, "ingest", source, "--store", store, "--quiet")

def backup(program, build):
    shutil.rmtree(f"{folder}/backup-{build}", ignore_errors=True)
    return run(program, "backup", "create", "--to", f"{folder}/backup-{build}", "--store", f"{folder}/{build}")

def first_recluster(program, build):
    if os.path.exists(f"{folder}/{build}/index/map"): os.remove(f"{folder}/{build}/index/map")
    return run(program, "recluster", "--fresh", "--store", f"{folder}/{build}")

turns("ingest of 20,000 rows", lambda program, build: made(program, f"{folder}/{build}", rows), 1)
turns("ingest of til-vault", lambda program, build: made(program, f"{folder}/vault-{build}", f"{data}/ingest/til-vault"), 2)
for name, words in [("400 queries", []), ("400 by vector, exact", ["--mode", "vector", "--exact"]),
                    ("400 by vector", ["--mode", "vector"])]:
    turns(name, lambda program, build: run(
        program, "query", "--batch", queries, "--store", f"{folder}/{build}", *words), 5)
turns("one query from the start", lambda program, build: run(
    program, "query", "card payment was declined abroad", "--store", f"{folder}/{build}"), 31)
turns("recluster", lambda program, build: run(program, "recluster", "--fresh", "--store", f"{folder}/{build}"), 3)
turns("first recluster, with the map", first_recluster, 3)
for words in [["export", "clusters"], ["export", "entries"], ["export", "entries", "--with-embeddings"],
              ["list", "--json"]]:
    turns(" ".join(words), lambda program, build: run(program, *words, "--store", f"{folder}/{build}"), 5)
turns("backup", backup, 5)
