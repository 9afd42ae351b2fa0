"""A kennel for tests: its server, and actions of other users."""

import base64
import json
import os
import pathlib
import re
import subprocess
import urllib.error
import urllib.parse
import urllib.request

import pictures

PASSWORD = "correct horse"


class Kennel:
    def __init__(
        self, program: str, directory: pathlib.Path, people=("Olga", "Ada", "Bob"), options=("--public",)
    ) -> None:
        self.program = program
        self.directory = directory
        self.options = options
        # The path of the link that creates the owner of a kennel without accounts.
        self.first_link = ""
        self.process: subprocess.Popen[str] | None = None
        self.address = ""
        # The first user is the owner.
        for name in people:
            subprocess.run(
                [program, "user", "add", name, "--password-stdin", "--quiet", "--data", str(directory)],
                input=PASSWORD + "\n", text=True, check=True)
        self.start(0)

    def start(self, port: int) -> None:
        self.process = subprocess.Popen(
            [self.program, "serve", "--quiet", *self.options, "--data", str(self.directory), "--port", str(port)],
            stdout=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        found = re.search(r"http://[^\s/]+", line)
        assert found, f"the server did not start: {line}"
        self.address = found[0]
        while not self.has_accounts() and not self.first_link:
            found = re.search(r"/join/[\w-]{43}", self.process.stdout.readline())
            self.first_link = found[0] if found else ""

    def has_accounts(self) -> bool:
        listed = subprocess.run(
            [self.program, "user", "list", "--quiet", "--data", str(self.directory)], stdout=subprocess.PIPE, check=True)
        return bool(listed.stdout)

    def stop(self) -> None:
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()

    def restart(self) -> None:
        """Kills the server and starts it again on the same port."""
        self.stop()
        self.start(urllib.parse.urlsplit(self.address).port)

    def call(self, person: str, method: str, path: str, body: bytes | None = None, kind: str = ""):
        request = urllib.request.Request(self.address + path, data=body, method=method)
        credentials = base64.b64encode(f"{person}:{PASSWORD}".encode()).decode()
        request.add_header("Authorization", f"Basic {credentials}")
        if kind:
            request.add_header("Content-Type", kind)
        with urllib.request.urlopen(request, timeout=30) as response:
            text = response.read()
        return json.loads(text) if text else None

    def post(self, person: str = "Bob", caption: str = "", number: int = 1, size=(600, 400)) -> int:
        query = urllib.parse.urlencode({"caption": caption})
        return self.call(person, "POST", f"/posts?{query}", pictures.jpeg(number, size), "image/jpeg")["id"]

    def heart(self, person: str, post: int) -> None:
        self.call(person, "PUT", f"/posts/{post}/favourite")

    def comment(self, person: str, post: int, text: str) -> int:
        body = json.dumps({"text": text}).encode()
        return self.call(person, "POST", f"/posts/{post}/comments", body, "application/json")["id"]

    def edit(self, person: str, post: int, **changes: str) -> None:
        self.call(person, "PATCH", f"/posts/{post}", json.dumps(changes).encode(), "application/json")

    def delete(self, person: str, post: int) -> None:
        self.call(person, "DELETE", f"/posts/{post}")

    def posts(self) -> list[dict]:
        with urllib.request.urlopen(self.address + "/posts", timeout=30) as response:
            return json.loads(response.read())["posts"]

    def has(self, post: int) -> bool:
        try:
            urllib.request.urlopen(f"{self.address}/posts/{post}", timeout=30).close()
            return True
        except urllib.error.HTTPError:
            return False


def program() -> str:
    found = os.environ.get("KENNEL_PROGRAM", "")
    assert os.access(found, os.X_OK), "KENNEL_PROGRAM is not an executable file; use scripts/test-page"
    return found
