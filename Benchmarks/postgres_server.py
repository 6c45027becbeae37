"""The server and the clients of Benchmarks/postgres.py."""

import contextlib
import ctypes
import json
import os
import pathlib
import resource
import subprocess
import sys

import psycopg

ROOT = pathlib.Path(__file__).parent.parent
# The memory of an index over 1,000,000 vectors is about 1.5 GB.
SETTINGS = ("fsync=on full_page_writes=on shared_buffers=2GB maintenance_work_mem=4GB max_wal_size=16GB "
            "checkpoint_timeout=1h max_parallel_maintenance_workers=2 autovacuum_naptime=1h")
TICKS = os.sysconf("SC_CLK_TCK")


class Server:
    """A server that the script starts and stops."""

    def __enter__(self):
        environment = dict(os.environ, PGSERVER_SETTINGS=SETTINGS)
        self.process = subprocess.Popen(
            [ROOT / "Scripts/postgres-server"], stdout=subprocess.PIPE, text=True, env=environment)
        self.url = self.process.stdout.readline().strip()
        if not self.url:
            sys.exit("the server did not start")
        with self.connect() as connection:
            backend = connection.info.backend_pid
            self.version, = connection.execute("SELECT split_part(version(), ' on ', 1)").fetchone()
        with open(f"/proc/{backend}/stat", encoding="utf-8") as file:
            self.postmaster = int(file.read().rpartition(")")[2].split()[1])
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()

    def address(self, database="postgres"):
        return self.url.rpartition("/")[0] + "/" + database

    def connect(self, database="postgres"):
        return psycopg.connect(self.address(database), autocommit=True)

    @contextlib.contextmanager
    def database(self, name):
        with self.connect() as connection:
            connection.execute(f"CREATE DATABASE {name}")
        yield name
        with self.connect() as connection:
            connection.execute(f"DROP DATABASE {name} WITH (FORCE)")

    def checkpoint(self):
        with self.connect() as connection:
            connection.execute("CHECKPOINT")

    def processor(self):
        """Returns the processor time of the server so far, in seconds."""
        ticks = 0
        for folder in pathlib.Path("/proc").iterdir():
            try:
                fields = (folder / "stat").read_text(encoding="utf-8").rpartition(")")[2].split()
            except (OSError, ValueError):
                continue
            if folder.name == str(self.postmaster):
                # With the processes that have ended.
                ticks += sum(int(field) for field in fields[11:15])
            elif fields[1] == str(self.postmaster):
                ticks += int(fields[11]) + int(fields[12])
        return ticks / TICKS


def client_processor():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


class Roost:
    """The program with the benchmarks that are written in Swift."""

    def __init__(self, program, server):
        self.program, self.server = program, server

    def start(self, database, command, **options):
        arguments = [f"--{name}" + ("" if value is True else f"={value}") for name, value in options.items()]
        return subprocess.Popen(
            [self.program, command, *arguments], stdout=subprocess.PIPE, text=True,
            env=dict(os.environ, ROOST_POSTGRES_URL=self.server.address(database)))

    def run(self, database, command, **options):
        return finish(self.start(database, command, **options))


def finish(process):
    output = process.stdout.read()
    if process.wait() != 0:
        sys.exit(f"{process.args} ended with status {process.returncode}")
    return json.loads(output)


class LibPQ:
    """A connection that calls libpq directly."""

    COPY_IN, COMMAND_OK = 4, 1

    def __init__(self, address):
        self.library = ctypes.CDLL("libpq.so.5")
        for name, result, *arguments in [
            ("PQconnectdb", ctypes.c_void_p, ctypes.c_char_p),
            ("PQexec", ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p),
            ("PQresultStatus", ctypes.c_int, ctypes.c_void_p),
            ("PQerrorMessage", ctypes.c_char_p, ctypes.c_void_p),
            ("PQputCopyData", ctypes.c_int, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int),
            ("PQputCopyEnd", ctypes.c_int, ctypes.c_void_p, ctypes.c_char_p),
            ("PQgetResult", ctypes.c_void_p, ctypes.c_void_p),
            ("PQclear", None, ctypes.c_void_p), ("PQfinish", None, ctypes.c_void_p),
        ]:
            function = getattr(self.library, name)
            function.restype, function.argtypes = result, arguments
        self.connection = self.library.PQconnectdb(address.encode())

    def expect(self, result, status):
        if self.library.PQresultStatus(result) != status:
            sys.exit(self.library.PQerrorMessage(self.connection).decode())
        self.library.PQclear(result)

    def execute(self, sql, status=COMMAND_OK):
        self.expect(self.library.PQexec(self.connection, sql.encode()), status)

    def copy(self, sql, chunks):
        self.execute(sql, self.COPY_IN)
        for chunk in chunks:
            self.library.PQputCopyData(self.connection, chunk, len(chunk))
        self.library.PQputCopyEnd(self.connection, None)
        self.expect(self.library.PQgetResult(self.connection), self.COMMAND_OK)
        self.library.PQgetResult(self.connection)

    def close(self):
        self.library.PQfinish(self.connection)
