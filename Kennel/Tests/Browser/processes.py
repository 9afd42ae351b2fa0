"""Loads one or several processes of one kennel with kennel-load, and reports what each program used.

With SQLite, the processes share a directory. With PostgreSQL, they also share a store for the photos.
"""

import argparse
import collections
import contextlib
import os
import pathlib
import re
import subprocess
import tempfile
import threading
import time

from engines import Postgres, engines
from kennel import PASSWORD, program

TICKS = os.sysconf("SC_CLK_TCK")
SETTINGS = ["--max-connections-per-address", "12000", "--max-connections", "12000"]


def processor_seconds(process: int) -> float:
    """The time of a process, its children that ended, and its children that still run."""
    total = 0.0
    with contextlib.suppress(FileNotFoundError, ProcessLookupError):
        fields = pathlib.Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
        total += sum(int(field) for field in fields[11:15]) / TICKS
        for thread in pathlib.Path(f"/proc/{process}/task").iterdir():
            for child in (thread / "children").read_text().split():
                total += processor_seconds(int(child))
    return total


class Waits:
    """What the connections of PostgreSQL wait for, from samples of pg_stat_activity."""

    QUERY = (
        "SELECT coalesce(wait_event_type || ' ' || wait_event, 'running') FROM pg_stat_activity "
        "WHERE datname = 'kennel' AND state <> 'idle'")

    def __init__(self, postgres: Postgres) -> None:
        (self.postgres, self.counts, self.samples, self.end) = (postgres, collections.Counter(), 0, threading.Event())
        self.thread = threading.Thread(target=self.sample)
        self.thread.start()

    def sample(self) -> None:
        while not self.end.wait(0.5):
            self.counts.update(self.postgres.query("postgres", self.QUERY))
            self.samples += 1

    def report(self) -> str:
        self.end.set()
        self.thread.join()
        parts = [f"{name} {count / max(1, self.samples):.1f}" for name, count in self.counts.most_common(6)]
        return "connections of PostgreSQL at a time: " + ", ".join(parts)


def start(data: pathlib.Path, environment: dict[str, str], options: list[str]) -> tuple[subprocess.Popen, str]:
    process = subprocess.Popen(
        [program(), "serve", "--quiet", "--public", "--data", str(data), "--port", "0", *SETTINGS, *options],
        stdout=subprocess.PIPE, env=environment, text=True)
    found = re.search(r"http://[^\s/]+", process.stdout.readline())
    assert found, "a server did not start"
    return process, found[0]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("processes", type=int, help="the number of processes")
    parser.add_argument("--postgres", action="store_true", help="use PostgreSQL and a store")
    # All other options are those of kennel-load run.
    options, load = parser.parse_known_args()
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as stack:
        directory = pathlib.Path(folder)
        (data, password) = (directory / "data", directory / "password")
        password.write_text(PASSWORD + "\n")
        environment = dict(os.environ)
        measured: dict[str, int] = {}
        serving: list[str] = []
        if options.postgres:
            postgres, store = stack.enter_context(engines(directory))
            environment |= store.environment | {"KENNEL_DATABASE": postgres.database("kennel")}
            serving = ["--photos", store.bucket("dogs")]
            measured |= {"PostgreSQL": postgres.process.pid, "store": store.process.pid}
        addresses = []
        for number in range(options.processes):
            if number == 0:
                # The first command makes the kennel, so it must know the store.
                process, _ = start(data, environment, serving)
                process.terminate()
                process.wait()
                subprocess.run(
                    [program(), "user", "add", "Ada", "--password-stdin", "--quiet", "--data", str(data)],
                    input=PASSWORD + "\n", text=True, check=True, env=environment, stdout=subprocess.DEVNULL)
            process, address = start(data, environment, serving)
            stack.callback(process.wait)
            stack.callback(process.terminate)
            measured[f"kennel {number + 1}"] = process.pid
            addresses.append(address)
        waits = Waits(postgres) if options.postgres else None
        before = {name: processor_seconds(process) for name, process in measured.items()}
        begin = time.monotonic()
        result = subprocess.run(
            [os.environ["KENNEL_LOAD"], "run", "--owner", "Ada", "--password-file", str(password), *load, *addresses])
        seconds = time.monotonic() - begin
        used = [f"{name} {processor_seconds(process) - before[name]:.1f}" for name, process in measured.items()]
        print(f"processor seconds in {seconds:.0f} s, with the preparation: {', '.join(used)}", flush=True)
        if waits:
            print(waits.report(), flush=True)
        raise SystemExit(result.returncode)


if __name__ == "__main__":
    main()
