"""A kennel with very many photos, for tests and measurements."""

import contextlib
import pathlib
import sqlite3

from kennel import Kennel

SCRIPT = pathlib.Path(__file__).parents[1] / "Programs" / "many-posts.sql"
ORIGINALS = [(300, 200), (200, 300), (300, 200), (240, 240), (300, 200), (320, 180), (200, 300), (300, 200)]


def fill(kennel: Kennel, count: int) -> None:
    """Adds a few photos, and copies of their posts up to a number of posts. Restarts the server."""
    for number, size in enumerate(ORIGINALS):
        kennel.post("Bob", f"Original {number}", number, size)
    kennel.stop()
    with contextlib.closing(sqlite3.connect(kennel.directory / "kennel.sqlite")) as database, database:
        database.execute(SCRIPT.read_text(), (count - len(ORIGINALS),))
    kennel.start(0)
