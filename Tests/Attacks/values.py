"""Attacks with extreme numbers in files, options and clocks."""

import json
import os
import re
import shutil
import subprocess

from harness import Skipped, expect

ENTRY = "8a3f1e52-0000-4000-8000-000000000001"
CLUSTER = "8a3f1e52-0000-4000-8000-000000000002"
NUMBERS = (
    "0", "-1", "65536", "65537", "2147483647", "2147483648", "4294967296", "4611686018427387904",
    "9223372036854775807", "-9223372036854775808", "18446744073709551615", "1e308", "0.5", '"x"', "null", "[]")
EXTREMES = ("9223372036854775807", "-9223372036854775808", "4294967296", "nan", "1e400")


def foreign_store(attacker, entries, clusters=None):
    """Creates a store that consists of JSON files, as another program could have written them."""
    store = attacker.path("store")
    attacker.succeed("init", store, "--provider", "json", "--model", "lexical")
    path = os.path.join(store, "store.json")
    with open(path, encoding="utf-8") as file:
        manifest = json.load(file)
    # Files of other programs have no id.
    manifest.pop("store", None)
    with open(path, "w", encoding="utf-8") as file:
        json.dump(manifest, file)
    folder = os.path.join(store, "Storage")
    shutil.rmtree(folder)
    os.mkdir(folder)
    for name, text in (("entries.json", entries), ("clusters.json", clusters)):
        if text is not None:
            with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                file.write(text)
    return store


def foreign_entries(attacker, seed):
    """Every number of an entry that another program wrote is replaced by extreme values."""
    parts = {
        "end of a passage": '"passages":[{"range":[0,%s],"tokens":1}]',
        "start of a passage": '"passages":[{"range":[%s,3],"tokens":1}]',
        "token counts": '"passages":[{"range":[0,3],"tokens":%s},{"range":[0,3],"tokens":%s}]',
        "date": '"createdAt":%s', "lines": '"location":{"line":%s,"lastLine":%s}', "vector": '"embeddings":[%s]',
    }
    for name, part in parts.items():
        for number in NUMBERS:
            def attack(text=part.replace("%s", number)):
                store = foreign_store(attacker, f'[{{"id":"{ENTRY}","content":"one",{text}}}]')
                for command in (["status"], ["query", "one"]):
                    attacker.run(*command, "--store", store)
            yield f"entry with {name} = {number}", attack


def foreign_clusters(attacker, seed):
    """Numbers of a cluster that another program wrote are replaced by extreme values."""
    entries = f'[{{"id":"{ENTRY}","content":"one","embeddings":[]}}]'
    for number in ("-1", "4294967296", "9223372036854775807", "-9223372036854775808", "1e308"):
        def attack(number=number):
            clusters = (
                f'[{{"id":"{CLUSTER}","label":"x","pinned":true,"members":["{ENTRY}"],'
                f'"labelPin":{{"size":{number},"sample":[]}},"origins":[{{"cluster":"{CLUSTER}","label":"x",'
                f'"size":{number},"remaining":{number},"shared":{number}}}]}}]')
            store = foreign_store(attacker, entries, clusters)
            for command in (["cluster", "list"], ["cluster", "diff"], ["export", "clusters"]):
                attacker.run(*command, "--store", store)
        yield f"cluster with sizes = {number}", attack


def repository_numbers(attacker, seed):
    """Every number in the configuration of an encrypted backup repository is replaced by extreme values."""
    store = attacker.store()
    secret = attacker.write("secret", "a long enough passphrase\n")
    repository = attacker.path("repository")
    attacker.succeed("backup", "create", "--store", store, "--to", repository, "--password-file", secret)
    path = os.path.join(repository, "config")
    with open(path, encoding="utf-8") as file:
        text = file.read()
    os.chmod(path, 0o600)
    for key in re.findall(r'"(\w+)"\s*:\s*-?\d', text):
        for number in ("0", "-1", "9223372036854775807", "1e308", "4294967296", '"x"'):
            def attack(key=key, number=number):
                with open(path, "w", encoding="utf-8") as file:
                    file.write(re.sub(rf'"{key}"\s*:\s*-?\d+', f'"{key}":{number}', text))
                outcome = attacker.run("backup", "list", "--to", repository, "--password-file", secret)
                expect(outcome.status != 0, "a changed configuration was accepted")
            yield f"repository with {key} = {number}", attack


def options(attacker, seed):
    """Options get numbers that overflow."""
    store = attacker.store()
    commands = (
        "query birds -n", "query birds --offset", "query birds --min-score", "list -n",
        "recluster --clusters", "similar --duplicates --threshold", "cluster outliers -n",
        "doctor --compact --max-size")
    for command in commands:
        for value in EXTREMES:
            yield f"{command} {value}", lambda command=command, value=value: attacker.run(
                *command.split(), value, "--store", store)

    for number in ("4611686018427387904", "9223372036854775807"):
        yield f"refused: recluster --clusters {number}", lambda number=number: attacker.refuse(
            64, "", "recluster", "--clusters", number, "--store", store)


CLOCK = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>
typedef int Clock(clockid_t, struct timespec *);
static long shift(void) {
    static long seconds;
    static int known;
    if (!known) {
        struct timespec now;
        ((Clock *)dlsym(RTLD_NEXT, "clock_gettime"))(CLOCK_REALTIME, &now);
        seconds = atol(getenv("CLOCK_AT")) - now.tv_sec;
        known = 1;
    }
    return seconds;
}
int clock_gettime(clockid_t id, struct timespec *time) {
    int result = ((Clock *)dlsym(RTLD_NEXT, "clock_gettime"))(id, time);
    if (id == CLOCK_REALTIME || id == CLOCK_REALTIME_COARSE) time->tv_sec += shift();
    return result;
}
int gettimeofday(struct timeval *time, void *zone) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    time->tv_sec = now.tv_sec;
    time->tv_usec = now.tv_nsec / 1000;
    return 0;
}
time_t time(time_t *result) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (result) *result = now.tv_sec;
    return now.tv_sec;
}
"""


def clock_library(attacker):
    """Compiles a library that moves the clock to the time in `CLOCK_AT`, and returns its path."""
    library = attacker.path("clock.so")
    compiler = shutil.which("cc") or shutil.which("clang")
    if compiler:
        source = attacker.write("clock.c", CLOCK)
        subprocess.run([compiler, "-shared", "-fPIC", "-o", library, source, "-ldl"], check=False,
                       stderr=subprocess.DEVNULL)
    if not os.path.exists(library):
        raise Skipped("a C compiler is missing")
    return library


def clocks(attacker, seed):
    """The clock of the system shows a time far in the future or before 1970."""
    times = {"2270": 9_470_000_000, "11500": 300_800_000_000, "1969": -864_000, "1970": 0, "1901": -2_177_452_800,
             "2038": 2_147_483_648}
    for year, seconds in times.items():
        def attack(seconds=seconds):
            library = clock_library(attacker)
            with attacker.scratch() as other:
                store = other.store()
                other.variables = {"CLOCK_AT": str(seconds), "LD_PRELOAD": library}
                for command in (
                    ["add", "text"], ["list"], ["query", "birds"], ["recluster", "--clusters", "2"],
                    ["backup", "create"], ["backup", "list"],
                ):
                    other.run(*command, "--store", store)
        yield f"clock in {year}", attack


def file_times(attacker, seed):
    """The modification times of files are extreme."""
    for seconds in (-(1 << 33), -1, 1 << 33, 15_000_000_000):
        def attack(seconds=seconds):
            store = attacker.store()
            folder = attacker.path("notes")
            os.mkdir(folder)
            with open(os.path.join(folder, "a.md"), "w", encoding="utf-8") as file:
                file.write("The swift is back.\n")
            attacker.succeed("ingest", folder, "--store", store)
            for base in (store, folder):
                for below, _, names in os.walk(base):
                    for name in names:
                        os.utime(os.path.join(below, name), (seconds, seconds))
            for command in (["query", "swift"], ["ingest", folder], ["doctor"]):
                attacker.succeed(*command, "--store", store)
        yield f"files with the time {seconds}", attack


ATTACKS = {
    "foreign entries": foreign_entries, "foreign clusters": foreign_clusters,
    "repository numbers": repository_numbers, "options": options, "clocks": clocks, "file times": file_times,
}
