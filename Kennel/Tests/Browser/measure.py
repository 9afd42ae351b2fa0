"""Measures the server time of requests to a kennel with very many photos, and the time of commands.

The server time is what the kennel reports itself in its metrics: from the request to the start of its response.
"""

import datetime
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.parse
import urllib.request

from crowd import fill
from kennel import Kennel, program

# Enough for a 99th percentile.
ROUNDS = 100
# Changes are measured less often, because each needs a photo.
CHANGES = 9
# The measured times: name, median and 99th percentile in milliseconds.
results: list[dict[str, object]] = []


def server_seconds(kennel: Kennel, route: str) -> float:
    with urllib.request.urlopen(kennel.address + "/metrics", timeout=60) as response:
        text = response.read().decode()
    found = re.search(rf'^kennel_request_duration_seconds_sum{{route="{re.escape(route)}"}} (\S+)$', text, re.MULTILINE)
    return float(found[1]) if found else 0


def measure(kennel: Kennel, name: str, route: str, ask, rounds: int = ROUNDS) -> None:
    times = []
    for number in range(rounds):
        # Each request follows a change, so that nothing is answered from what was kept for the one before.
        kennel.call("Ada", "POST", "/posts/1/comments", b'{"text":"Sit!"}', "application/json")
        before = server_seconds(kennel, route)
        ask(number)
        times.append(1000 * (server_seconds(kennel, route) - before))
    times.sort()
    high = times[min(len(times) - 1, round(0.99 * len(times)) - 1)]
    results.append({"name": name, "median": round(statistics.median(times), 2), "high": round(high, 2)})
    print(
        f"{name:44} median {statistics.median(times):8.2f} ms   99 % {high:8.2f} ms   maximum {times[-1]:8.2f} ms",
        flush=True)


def get(kennel: Kennel, path: str, person: str = ""):
    def ask(number: int) -> None:
        if person:
            kennel.call(person, "GET", path)
        else:
            urllib.request.urlopen(kennel.address + path, timeout=60).read()

    return ask


def command(name: str, arguments: list[str]) -> None:
    start = time.monotonic()
    subprocess.run(arguments, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    print(f"{name:44} {1000 * (time.monotonic() - start):15.0f} ms", flush=True)


def record(file: pathlib.Path, count: int) -> None:
    """Replaces the times with this database in a file."""
    database = "PostgreSQL" if "KENNEL_DATABASE" in os.environ else "SQLite"
    runs = json.loads(file.read_text()) if file.exists() else []
    run = {"database": database, "date": datetime.date.today().isoformat(), "posts": count, "rows": results}
    runs = [known for known in runs if known["database"] != database] + [run]
    runs.sort(key=lambda known: known["database"], reverse=True)
    file.write_text(json.dumps(runs, indent=2) + "\n")


def main(count: int, file: pathlib.Path | None) -> None:
    with tempfile.TemporaryDirectory() as folder:
        kennel = Kennel(program(), pathlib.Path(folder) / "data")
        fill(kennel, count)
        try:
            requests(kennel, count)
            if file:
                record(file, count)
            kennel.stop()
            start = time.monotonic()
            kennel.start(0)
            print(f"{'start of the server':44} {1000 * (time.monotonic() - start):15.0f} ms", flush=True)
        finally:
            kennel.stop()
        if "KENNEL_DATABASE" in os.environ:
            return
        data = ["--data", str(kennel.directory)]
        command("kennel check", [kennel.program, "check", *data])
        command("kennel check --quick", [kennel.program, "check", "--quick", *data])
        command("kennel backup", [kennel.program, "backup", folder + "/kennel.tar", *data])
        command("kennel restore", [kennel.program, "restore", folder + "/kennel.tar", "--data", folder + "/again"])


def requests(kennel: Kennel, count: int) -> None:
    deep = count // 2
    with urllib.request.urlopen(f"{kennel.address}/posts?before={deep}&limit=1", timeout=60) as response:
        cursor = re.search(r'"next":"([^"]+)"', response.read().decode())
    before = cursor[1] if cursor else str(deep)
    measure(kennel, "grid, first page", "GET /", get(kennel, "/"))
    measure(kennel, "grid, deep in the list", "GET /", get(kennel, f"/?before={before}"))
    measure(kennel, "grid, a month", "GET /", get(kennel, "/?month=2015-06"))
    for text in ("Copy", "original 7", "copy 4711", "2015", "nowhere"):
        path = "/search?q=" + urllib.parse.quote(text)
        measure(kennel, f"search for “{text}”", "GET /search", get(kennel, path))
    measure(kennel, "GET /posts?limit=100", "GET /posts", get(kennel, "/posts?limit=100"))
    measure(kennel, "GET /posts, deep in the list", "GET /posts", get(kennel, f"/posts?before={before}&limit=100"))
    measure(kennel, "GET /months", "GET /months", get(kennel, "/months"))
    measure(kennel, "GET /favourites", "GET /favourites", get(kennel, "/favourites", "Ada"))
    # Its time grows with the number of photos.
    measure(kennel, "GET /image-ids.txt", "GET /image-ids.txt", get(kennel, "/image-ids.txt"), CHANGES)
    measure(kennel, "GET /peer/posts", "GET /peer/posts", get(kennel, "/peer/posts?limit=100"))
    measure(kennel, "GET /collage (cached thumbnails)", "GET /collage", get(kennel, "/collage?of=20"))
    posts: list[int] = []
    measure(
        kennel, "POST /posts", "POST /posts",
        lambda number: posts.append(kennel.post("Bob", "New", 1000 + number, (300, 200))), CHANGES)
    measure(
        kennel, "PUT /posts/{id}/favourite", "PUT /posts/{id}/favourite", lambda number: kennel.heart("Ada", posts[number]),
        CHANGES)
    measure(kennel, "DELETE /posts/{id}", "DELETE /posts/{id}", lambda number: kennel.delete("Bob", posts[number]), CHANGES)
    measure(kennel, "GET /bin, of a member", "GET /bin", get(kennel, "/bin", "Bob"))
    measure(kennel, "GET /bin, of an owner", "GET /bin", get(kennel, "/bin", "Olga"))
    measure(
        kennel, "DELETE /bin/{id}", "DELETE /bin/{id}",
        lambda number: kennel.call("Bob", "DELETE", f"/bin/{posts[number]}"), CHANGES)


if __name__ == "__main__":
    main(
        int(sys.argv[1]) if len(sys.argv) > 1 else 50_000, pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else None)
