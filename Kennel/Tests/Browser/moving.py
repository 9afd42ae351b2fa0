"""Moves a kennel with very many posts from files to PostgreSQL and a store and back, also with commands that are killed.

Wherever the kennel is, all rows of all tables and all photos must be those of the beginning.
"""

import contextlib
import hashlib
import json
import os
import pathlib
import random
import sqlite3
import subprocess
import sys
import tempfile
import time
import typing

import pictures
from crowd import SCRIPT
from engines import Postgres, Store, engines
from kennel import Kennel, program

PHOTOS = 300
BUCKET = "dogs"
DATABASE = "kennel"


class Contents(typing.NamedTuple):
    """A digest of each table, with its number of rows, and the hash of each photo's bytes."""

    tables: dict[str, tuple[int, str]]
    photos: dict[str, str]

    def differences(self, other: "Contents") -> list[str]:
        both = [(self.tables, other.tables), (self.photos, other.photos)]
        return [name for one, two in both for name in sorted(one.keys() | two.keys()) if one.get(name) != two.get(name)]


def digest(rows: typing.Iterable[str]) -> tuple[int, str]:
    lines = sorted(rows)
    return len(lines), hashlib.sha256("\n".join(lines).encode()).hexdigest()


class Move:
    def __init__(self, directory: pathlib.Path, postgres: Postgres, store: Store) -> None:
        (self.data, self.postgres, self.store) = (directory / "data", postgres, store)
        self.address = postgres.database(DATABASE)
        self.location = store.bucket(BUCKET)
        # All tables but those of the search, which are made from the others.
        self.columns: dict[str, list[tuple[str, bool]]] = {}

    # The kennel

    def fill(self, count: int) -> None:
        kennel = Kennel(program(), self.data)
        try:
            for number in range(PHOTOS):
                post = kennel.post("Bob", f"Original {number}", number, (300, 200))
                kennel.comment("Ada", post, "Good dog, “Bello”!\n\\N\t🐕")
                kennel.heart("Ada", post)
        finally:
            # A clean end, so that nothing is left to do at the next start.
            kennel.process.terminate()
            kennel.process.wait()
        with contextlib.closing(self.sqlite()) as database, database:
            database.execute(SCRIPT.read_text(), (count - PHOTOS,))
        with contextlib.closing(self.sqlite()) as database:
            names = database.execute(
                "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite~_%' "
                "ESCAPE '~' AND name NOT IN ('search_changes', 'search_old_entries') ORDER BY name").fetchall()
            for (name,) in names:
                columns = database.execute("SELECT name, type FROM pragma_table_info(?)", (name,)).fetchall()
                self.columns[name] = [(column, kind == "BLOB") for column, kind in columns]

    def sqlite(self) -> sqlite3.Connection:
        return sqlite3.connect(self.data / "kennel.sqlite")

    def kennel(self, *arguments: str, moved: bool) -> subprocess.Popen:
        environment = {**os.environ, **self.store.environment}
        environment.pop("KENNEL_DATABASE", None)
        if moved:
            environment["KENNEL_DATABASE"] = self.address
        return subprocess.Popen(
            [program(), *arguments, "--data", str(self.data)], env=environment, stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE, text=True)

    def move(self, moved: bool) -> subprocess.Popen:
        """Moves the kennel away from where it is."""
        there = ["--to-database", self.address, "--to-photos", self.location]
        return self.kennel("move", *(["--to-database", "sqlite", "--to-photos", "directory"] if moved else there), moved=moved)

    def place(self) -> bool:
        """Completes a switch that was cut, and returns whether the kennel is in PostgreSQL and the store."""
        answers = []
        for moved in (False, True):
            process = self.kennel("user", "list", "--quiet", moved=moved)
            _, problem = process.communicate()
            answers.append(process.returncode == 0)
            if process.returncode == 0:
                place = moved
        assert sum(answers) == 1, f"the kennel must be in one place: {answers}"
        return place

    # Comparing

    def contents(self, moved: bool) -> Contents:
        return Contents(
            {name: digest(self.rows(name, moved)) for name in self.columns}, dict(self.photos(moved)))

    def rows(self, table: str, moved: bool) -> typing.Iterator[str]:
        if moved:
            values = ", ".join(f"encode(\"{name}\", 'hex')" if blob else f'"{name}"' for name, blob in self.columns[table])
            for line in self.postgres.query(DATABASE, f'SELECT json_build_array({values}) FROM "{table}"'):
                yield json.dumps(json.loads(line))
        else:
            values = ", ".join(f'"{name}"' for name, _ in self.columns[table])
            with contextlib.closing(self.sqlite()) as database:
                for row in database.execute(f'SELECT {values} FROM "{table}"'):
                    yield json.dumps([value.hex() if isinstance(value, bytes) else value for value in row])

    def photos(self, moved: bool) -> typing.Iterator[tuple[str, str]]:
        if moved:
            client = self.store.client()
            for page in client.get_paginator("list_objects_v2").paginate(Bucket=BUCKET, Prefix="kennel/"):
                for entry in page.get("Contents", []):
                    name = entry["Key"].split("/")[-1]
                    if name != "kennel.id":
                        body = client.get_object(Bucket=BUCKET, Key=entry["Key"])["Body"].read()
                        yield name, hashlib.sha256(body).hexdigest()
        else:
            folder = self.data / "photos"
            for path in folder.rglob("*"):
                if path.is_file() and "incoming" not in path.relative_to(folder).parts:
                    yield path.name, hashlib.sha256(path.read_bytes()).hexdigest()


def say(text: str) -> None:
    print(text, flush=True)


def compare(move: Move, moved: bool, wanted: Contents) -> None:
    found = wanted.differences(move.contents(moved))
    assert not found, f"these tables and photos differ: {found[:10]}"


def complete(move: Move, moved: bool, wanted: Contents) -> float:
    start = time.monotonic()
    process = move.move(moved)
    _, problem = process.communicate()
    seconds = time.monotonic() - start
    assert process.returncode == 0, problem
    assert move.place() != moved
    compare(move, not moved, wanted)
    return seconds


def cut(move: Move, moved: bool, seconds: float) -> bool:
    """Kills a move after a time, and returns whether it was still running."""
    process = move.move(moved)
    try:
        _, problem = process.communicate(timeout=seconds)
        assert process.returncode == 0, problem
        return False
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        return True


def main(count: int, cuts: int, seed: int) -> None:
    with tempfile.TemporaryDirectory() as folder, engines(pathlib.Path(folder)) as (postgres, store):
        move = Move(pathlib.Path(folder), postgres, store)
        move.fill(count)
        wanted = move.contents(False)
        rows = sum(rows for rows, _ in wanted.tables.values())
        say(f"{count} posts, {rows} rows in {len(wanted.tables)} tables, {len(wanted.photos)} files of photos")
        times = {moved: complete(move, moved, wanted) for moved in (False, True)}
        say(f"to PostgreSQL and the store: {times[False]:.1f} s")
        say(f"back to files: {times[True]:.1f} s")
        chance = random.Random(seed)
        if cuts:
            # A place that has nothing yet.
            postgres.query("postgres", f"DROP DATABASE {DATABASE}")
            move.address = postgres.database(DATABASE)
            move.location = move.location.replace("/kennel?", "/kennel/second?")
            client = store.client()
            for page in client.get_paginator("list_objects_v2").paginate(Bucket=BUCKET):
                for entry in page.get("Contents", []):
                    client.delete_object(Bucket=BUCKET, Key=entry["Key"])
        done = 0
        for moved in (False, True):
            while done < cuts / (1 if moved else 2):
                seconds = times[moved] * chance.uniform(0, 1.1)
                is_cut = cut(move, moved, seconds)
                has_switched = move.place() != moved
                compare(move, moved != has_switched, wanted)
                if is_cut:
                    done += 1
                    end = "it had switched" if has_switched else "it had not switched"
                    say(f"cut {done}, {seconds:.1f} s after the start of a move {'back' if moved else 'there'}: {end}; all is equal")
                if has_switched:
                    complete(move, not moved, wanted)
            complete(move, moved, wanted)
        say(f"{done} cuts: in the end, all tables and photos are equal")


if __name__ == "__main__":
    numbers = [int(argument) for argument in sys.argv[1:]]
    main(*(numbers + [50_000, 10, 1][len(numbers):]))
