"""A PostgreSQL and an S3-compatible store of their own, for tests and measurements. Both end with the program."""

import contextlib
import os
import pathlib
import pwd
import subprocess
import sys
import time

# Prints three lines: its port, an access key and a secret key.
STORE = pathlib.Path(__file__).parent / "../Programs/moto-server.py"


class Postgres:
    """PostgreSQL on a socket in a directory. Unlike the one of other tests, it waits for the disk."""

    def __init__(self, directory: pathlib.Path) -> None:
        self.directory = directory
        programs = max(pathlib.Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: int(path.parent.name))
        directory.mkdir()
        # The server refuses to run as root.
        self.prefix = []
        if os.geteuid() == 0:
            account = pwd.getpwnam("postgres")
            os.chown(directory, account.pw_uid, account.pw_gid)
            self.prefix = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"]
        self.programs = programs
        subprocess.run(
            [*self.prefix, programs / "initdb", "-D", directory / "data", "-U", "owner", "-A", "trust", "-E", "UTF8",
             "--locale=C"],
            check=True, stdout=subprocess.DEVNULL)
        self.start()

    def start(self) -> None:
        with open(self.directory.parent / "postgres.log", "ab") as log:
            self.process = subprocess.Popen(
                [*self.prefix, self.programs / "postgres", "-D", self.directory / "data", "-k", self.directory, "-c",
                 "listen_addresses=", "-c", "max_connections=60", "-c", "max_wal_size=4GB"],
                stdout=log, stderr=log)
        while subprocess.run(["pg_isready", "-q", "-h", self.directory]).returncode != 0:
            assert self.process.poll() is None, "PostgreSQL did not start: see postgres.log"
            time.sleep(0.1)

    def database(self, name: str) -> str:
        """Makes an empty database, and returns its address."""
        self.query("postgres", f"CREATE DATABASE {name}")
        return f"postgres://owner@/{name}?host={self.directory}"

    def query(self, database: str, statement: str) -> list[str]:
        """Returns the lines of the result."""
        return subprocess.run(
            ["psql", "-qAtX", "-h", self.directory, "-U", "owner", "-d", database, "-c", statement],
            check=True, text=True, stdout=subprocess.PIPE).stdout.splitlines()

    def stop(self) -> None:
        # The fast shutdown.
        self.process.send_signal(2)
        self.process.wait()


class Store:
    """moto, which checks signatures."""

    def __init__(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-B", STORE], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.port, self.key, self.secret = (self.process.stdout.readline().strip() for _ in range(3))
        self.endpoint = f"http://127.0.0.1:{self.port}"
        self.environment = {"AWS_ACCESS_KEY_ID": self.key, "AWS_SECRET_ACCESS_KEY": self.secret}

    def client(self):
        import boto3

        return boto3.client(
            "s3", endpoint_url=self.endpoint, region_name="us-east-1", aws_access_key_id=self.key,
            aws_secret_access_key=self.secret)

    def bucket(self, name: str) -> str:
        """Makes a bucket, and returns the location of a kennel in it."""
        self.client().create_bucket(Bucket=name)
        return f"s3://{name}/kennel?endpoint={self.endpoint}&region=us-east-1"

    def stop(self) -> None:
        self.process.kill()
        self.process.wait()


@contextlib.contextmanager
def engines(directory: pathlib.Path):
    """Starts both. The directory must be accessible to the account `postgres`."""
    directory.chmod(0o755)
    with contextlib.ExitStack() as stack:
        postgres = Postgres(directory / "postgres")
        stack.callback(postgres.stop)
        store = Store()
        stack.callback(store.stop)
        yield postgres, store
