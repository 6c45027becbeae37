"""Measures a store in PostgreSQL against libpq's COPY and against psycopg with pgvector, with the same tables.

usage: postgres.py BENCHMARKS [--commit N] [--queries N ...] [--rounds N] [--clients N] [--saves N] [--seconds S]

BENCHMARKS is an optimized build of RoostBenchmarks. Needs numpy, psycopg and pgvector. Starts a server with
Scripts/postgres-server, which waits for the disk at each commit, and deletes it at the end. The measurements of one
kind alternate, and each round has its own database. Prints one line per measurement.

The vectors are real ones from $ROOST_EVAL/vectors, with as many moved copies as needed, or generated around random
centers if the folder does not exist.
"""

import argparse
import pathlib
import statistics
import sys
import tempfile
import time

import numpy
import psycopg
from pgvector.psycopg import register_vector
from postgres_server import SETTINGS, LibPQ, Roost, Server, client_processor, finish
from postgres_vectors import DIMENSION, has_real_vectors, nearest, write_vectors

CHUNK = 1 << 20


def say(text):
    print(text, file=sys.stderr, flush=True)


def report(name, text):
    print(f"{name:<58} {text}", flush=True)


def spread(values, unit="s", digits=2):
    return ", ".join(f"{value:.{digits}f}" for value in values) + f" {unit}"


# One large commit


class Tables:
    """The rows that a commit has written, and empty copies of their tables with the same indexes."""

    def __init__(self, connection):
        self.connection = connection
        self.columns = {}
        for name, in connection.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'roost'").fetchall():
            if not connection.execute(f"SELECT EXISTS (SELECT FROM roost.{name})").fetchone()[0]:
                continue
            self.columns[name] = [(column, kind) for column, kind in connection.execute(
                "SELECT attname, format_type(atttypid, NULL) FROM pg_attribute WHERE attrelid = %s::regclass "
                "AND attnum > 0 ORDER BY attnum", [f"roost.{name}"]).fetchall()]

    def names(self, table):
        return ", ".join(column for column, _ in self.columns[table])

    def create(self, schema):
        self.connection.execute(f"CREATE SCHEMA {schema}")
        for table in self.columns:
            self.connection.execute(f"CREATE TABLE {schema}.{table} (LIKE roost.{table} INCLUDING ALL)")

    def copying(self, schema, table):
        return f"COPY {schema}.{table} ({self.names(table)}) FROM STDIN (FORMAT BINARY)"

    def binary(self, table):
        with self.connection.cursor().copy(
                f"COPY (SELECT {self.names(table)} FROM roost.{table}) TO STDOUT (FORMAT BINARY)") as copy:
            data = b"".join(copy)
        return [data[start:start + CHUNK] for start in range(0, len(data), CHUNK)]

    def rows(self, table):
        with self.connection.cursor(binary=True) as cursor:
            return cursor.execute(f"SELECT {self.names(table)} FROM roost.{table}").fetchall()


def copy_with_libpq(server, database, tables):
    tables.create("plain")
    data = {table: tables.binary(table) for table in tables.columns}
    client = LibPQ(server.address(database))
    server.checkpoint()
    start = time.monotonic()
    client.execute("BEGIN")
    for table, chunks in data.items():
        client.copy(tables.copying("plain", table), chunks)
    client.execute("COMMIT")
    seconds = time.monotonic() - start
    client.close()
    return seconds


def copy_with_psycopg(server, database, tables):
    tables.create("python")
    data = {table: tables.rows(table) for table in tables.columns}
    with psycopg.connect(server.address(database)) as connection:
        register_vector(connection)
        server.checkpoint()
        start = time.monotonic()
        with connection.cursor() as cursor:
            for table, rows in data.items():
                with cursor.copy(tables.copying("python", table)) as copy:
                    copy.set_types([kind for _, kind in tables.columns[table]])
                    for row in rows:
                        copy.write_row(row)
        connection.commit()
        return time.monotonic() - start


def measure_commits(server, roost, folder, count, rounds):
    base, _ = write_vectors(count, folder)
    times = {"roost": [], "libpq": [], "psycopg": []}
    shares = []
    for number in range(rounds):
        with server.database(f"commit{number}") as database:
            server.checkpoint()
            before = server.processor()
            result = roost.run(database, "postgres-commit", name="large", base=base, count=count, batch=count)
            shares.append((result["processorSeconds"], server.processor() - before))
            times["roost"].append(result["commitSeconds"])
            with server.connect(database) as connection:
                register_vector(connection)
                tables = Tables(connection)
                tables.columns.pop("migrations")
                times["libpq"].append(copy_with_libpq(server, database, tables))
                times["psycopg"].append(copy_with_psycopg(server, database, tables))
        say(f"round {number + 1}: " + ", ".join(f"{name} {values[-1]:.2f} s" for name, values in times.items()))
    name = f"one commit of {count:,} × {DIMENSION}"
    report(name, spread(times["roost"]))
    report("  the same rows with COPY, libpq", spread(times["libpq"]))
    report("  the same rows with COPY, psycopg and pgvector", spread(times["psycopg"]))
    ratios = [ours / theirs for ours, theirs in zip(times["roost"], times["libpq"])]
    report("  ratio to libpq, each round", f"{spread(ratios, '')}(goal at most 1.5)")
    ratios = [ours / theirs for ours, theirs in zip(times["roost"], times["psycopg"])]
    report("  ratio to psycopg, each round", spread(ratios, ""))
    report("  processor time of the client; of the server",
           f"{spread([client for client, _ in shares])}; {spread([other for _, other in shares])}")


# Queries


def search_with_psycopg(server, database, queries, k, candidates):
    """Searches with the index of the store, and returns the durations in milliseconds and the numbers of the rows."""
    with server.connect(database) as connection:
        register_vector(connection)
        store = connection.execute("SELECT store FROM roost.stores").fetchone()[0]
        connection.execute(f"SET hnsw.ef_search = {candidates}")
        connection.execute("SET hnsw.iterative_scan = relaxed_order")
        for kind in ("seqscan", "sort", "bitmapscan"):
            connection.execute(f"SET enable_{kind} = off")
        # The condition is that of the partial index.
        search = (
            f"SELECT row FROM roost.vectors WHERE store = '{store}' AND ordinal IS NOT NULL AND "
            f"vector_dims(embedding) = {DIMENSION} AND removed_revision = {2 ** 63 - 1} "
            f"ORDER BY embedding::halfvec({DIMENSION}) <#> %s::vector::halfvec({DIMENSION}) LIMIT {k}")
        times, found = [], []
        with connection.cursor(binary=True) as cursor:
            for number, query in enumerate([*queries[:10], *queries]):
                start = time.monotonic()
                rows = cursor.execute(search, [query]).fetchall()
                if number >= 10:
                    times.append(1000 * (time.monotonic() - start))
                    found.append([row for row, in rows])
        return times, found


def recall(found, truth):
    return sum(len(set(one) & set(other)) for one, other in zip(found, truth.tolist())) / truth.size


def percentiles(times):
    ordered = sorted(times)
    return statistics.median(ordered), ordered[len(ordered) * 95 // 100]


def measure_queries(server, roost, folder, count, rounds, number_of_queries):
    base, queries_file = write_vectors(count, folder)
    queries = numpy.load(queries_file)[:number_of_queries].astype("f")
    truth = nearest(base, queries, 10)
    with server.database(f"queries{count}") as database:
        built = roost.run(database, "postgres-commit", name="queries", base=base, batch=20_000, index=True)
        report(f"{count:,} × {DIMENSION}: commits of 20,000; index",
               f"{built['commitSeconds']:.1f} s; {built['indexSeconds']:.1f} s")
        peers = [("psycopg and pgvector, ef_search 200", 200), ("psycopg and pgvector, ef_search 40", 40)]
        results = {name: [] for name in ["roost"] + [name for name, _ in peers]}
        recalls = {}
        for _ in range(rounds):
            result = roost.run(database, "postgres-queries", name="queries", queries=queries_file,
                               count=number_of_queries)
            results["roost"].append(percentiles(result["milliseconds"]))
            recalls["roost"] = recall(result["found"], truth)
            for name, candidates in peers:
                times, found = search_with_psycopg(server, database, queries, 10, candidates)
                results[name].append(percentiles(times))
                recalls[name] = recall(found, truth)
        for name, rows in results.items():
            report(f"  {name}", f"p50 {spread([p50 for p50, _ in rows], 'ms')}; "
                   f"p95 {spread([p95 for _, p95 in rows], 'ms')}; recall@10 {recalls[name]:.4f}"
                   + (f" (goal at least 0.95; {', '.join(result['methods'])})" if name == "roost" else ""))
        for name, _ in peers[:1]:
            ratios = [ours[0] / theirs[0] for ours, theirs in zip(results["roost"], results[name])]
            report("  ratio of p50 to psycopg, ef_search 200", spread(ratios, ""))
    base.unlink()


# Clients that save at the same time


def measure_saves(server, roost, clients, saves):
    with server.database("saves") as database:
        start = time.monotonic()
        running = [roost.start(database, "postgres-saves", name="shared", first=client * saves, count=saves)
                   for client in range(clients)]
        results = [finish(process) for process in running]
        seconds = time.monotonic() - start
        with server.connect(database) as connection:
            entries, revision = connection.execute("SELECT entries, revision FROM roost.heads WHERE store = ("
                                                   "SELECT store FROM roost.stores)").fetchone()
            rows = connection.execute(f"SELECT count(DISTINCT id) FROM roost.entries WHERE removed_revision = "
                                      f"{2 ** 63 - 1}").fetchone()[0]
    saved = sum(len(result["numbers"]) for result in results)
    report(f"{clients} clients × {saves} saves",
           f"saved {saved}, found {rows}, counted {entries}, revisions {revision}, "
           f"lost {saved - rows}; {saved / seconds:.0f}/s with the start of the processes")


def measure_feed(server, roost, seconds, most):
    """Measures the delay of the change feed while 1, 2, 4, … clients save without pause."""
    levels = []
    clients = 1
    while clients <= most:
        with server.database(f"feed{clients}") as database:
            # Creates the store before the reader opens it.
            roost.run(database, "postgres-saves", name="feed", first=10 ** 9, count=1)
            reader = roost.start(database, "postgres-feed", name="feed", seconds=seconds + 3)
            time.sleep(1)
            before, children = server.processor(), client_processor()
            start = time.monotonic()
            writers = [roost.start(database, "postgres-saves", name="feed", first=client * 10 ** 7, seconds=seconds)
                       for client in range(clients)]
            results = [finish(writer) for writer in writers]
            wall, busy = time.monotonic() - start, server.processor() - before
            written = client_processor()
            arrival = finish(reader)
            shares = busy / wall, (written - children) / wall, (client_processor() - written) / (wall + 3)
            levels.append((clients, results, arrival, shares))
        clients *= 2
    report_feed(levels, seconds)


def report_feed(levels, seconds):
    lines = []
    for clients, results, arrival, shares in levels:
        committed = {number: when for result in results for number, when in zip(result["numbers"], result["times"])}
        seen = dict(zip(arrival["numbers"], arrival["times"]))
        lags = sorted(1000 * max(0, seen[number] - when) for number, when in committed.items() if number in seen)
        missing = len(committed) - len(lags)
        p50, p95 = percentiles(lags)
        rate = len(committed) / seconds
        lines.append((rate, f"{clients} writer{'s' * (clients > 1)}: {rate:.0f} commits/s; lag p50 {p50:.0f} ms, p95 {p95:.0f} ms, "
                      f"maximum {lags[-1]:.0f} ms; missing {missing}; cores used by the server {shares[0]:.2f}, "
                      f"the writers {shares[1]:.2f}, the reader {shares[2]:.2f}"))
    for _, line in lines:
        report("change feed, read every 20 ms", line)
    report("  at the highest rate (goal at most 200 ms)", max(lines)[1])


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("program", metavar="BENCHMARKS")
    parser.add_argument("--commit", type=int, default=100_000, help="entries of one commit; 0 for none")
    parser.add_argument("--queries", type=int, nargs="*", default=[100_000, 1_000_000], help="numbers of vectors")
    parser.add_argument("--query-count", type=int, default=500)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--clients", type=int, default=8)
    parser.add_argument("--saves", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=10, help="duration of each measurement of the change feed")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, Server() as server:
        folder = pathlib.Path(folder)
        roost = Roost(options.program, server)
        report("server", f"{server.version}, {SETTINGS}")
        is_real = has_real_vectors()
        report("vectors", "real passages with moved copies" if is_real else "generated around random centers")
        if options.commit > 0:
            measure_commits(server, roost, folder, options.commit, options.rounds)
        for count in options.queries:
            measure_queries(server, roost, folder, count, options.rounds, options.query_count)
        measure_saves(server, roost, options.clients, options.saves)
        measure_feed(server, roost, options.seconds, options.clients)


if __name__ == "__main__":
    main()
