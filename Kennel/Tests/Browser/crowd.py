"""A kennel with very many photos, for tests and measurements."""

import contextlib
import os
import pathlib
import sqlite3
import subprocess

from kennel import Kennel

PROGRAMS = pathlib.Path(__file__).parents[1] / "Programs"
SCRIPT = PROGRAMS / "many-posts.sql"
ORIGINALS = [(300, 200), (200, 300), (300, 200), (240, 240), (300, 200), (320, 180), (200, 300), (300, 200)]


def fill(kennel: Kennel, count: int) -> None:
    """Adds a few photos, and copies of their posts up to a number of posts. Restarts the server."""
    for number, size in enumerate(ORIGINALS):
        kennel.post("Bob", f"Original {number}", number, size)
    kennel.stop()
    if address := os.environ.get("KENNEL_DATABASE"):
        subprocess.run(
            ["psql", "--quiet", "--no-psqlrc", "--set", f"count={count - len(ORIGINALS)}", "--file",
             PROGRAMS / "many-posts-postgres.sql", address], check=True)
        kennel.start(0)
        return
    with contextlib.closing(sqlite3.connect(kennel.directory / "kennel.sqlite")) as database, database:
        database.execute(SCRIPT.read_text(), (count - len(ORIGINALS),))
    kennel.start(0)
