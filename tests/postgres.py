"""A PostgreSQL of one's own: started for the tests, on loopback, with a password, then gone."""

import getpass
import os
import shutil
import socket
import subprocess
import time
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

USER, PASSWORD = "steward", "pass/word: secret%41"


@dataclass(frozen=True)
class Database:
    """Where it is, and how to fill it."""

    address: str
    socket: Path
    port: int

    def run(self, sql):
        """Run statements as its owner, without a password, by the socket."""
        import psycopg

        with psycopg.connect(
            host=str(self.socket), port=self.port, user="owner", dbname="postgres", autocommit=True
        ) as connection:
            connection.execute(sql)


def find_programs():
    """Return the folder of initdb and postgres, or skip the test that asks."""
    found = shutil.which("initdb")
    folders = [Path(found).resolve().parent] if found else []
    folders += sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    for folder in folders:
        if (folder / "initdb").exists() and (folder / "postgres").exists():
            return folder
    pytest.skip("no PostgreSQL on this machine: apt-get install postgresql")


def as_somebody():
    """Return how to run it as somebody else than root, which it refuses."""
    if os.name == "nt" or os.geteuid() != 0:
        return []
    if shutil.which("setpriv") is None or subprocess.run(["id", "postgres"], capture_output=True).returncode:  # fmt: skip  # noqa: E501
        pytest.skip("PostgreSQL does not run as root, and there is no user postgres")
    return ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"]


@contextmanager
def run_postgres(folder):
    """Start a server in a folder of its own and stop it at the end."""
    programs, somebody = find_programs(), as_somebody()
    folder = Path(folder)
    if somebody:
        shutil.chown(folder, "postgres", "postgres")
        # Its owner must be able to come there.
        for above in folder.parents:
            if above.owner() == getpass.getuser() and above.stat().st_mode & 0o011 != 0o011:
                above.chmod(above.stat().st_mode | 0o011)
    data = folder / "data"
    make = [programs / "initdb", "-D", data, "-U", "owner", "--auth-local=trust"]
    make += ["--auth-host=scram-sha-256", "--no-sync", "-E", "UTF8", "--locale=C"]
    subprocess.run([*somebody, *make], check=True, capture_output=True, cwd=folder)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    settings = {"listen_addresses": "127.0.0.1", "fsync": "off", "unix_socket_directories": folder}
    words = [word for name, value in settings.items() for word in ("-c", f"{name}={value}")]
    server = subprocess.Popen(
        [*somebody, programs / "postgres", "-D", data, "-p", str(port), *words],
        cwd=folder,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        database = Database(f"postgresql://127.0.0.1:{port}/postgres", folder, port)
        _wait(programs, server, database)
        secret = PASSWORD.replace("'", "''")
        database.run(f"CREATE ROLE {USER} LOGIN PASSWORD '{secret}'")
        yield database
    finally:
        server.terminate()
        server.wait(30)


def _wait(programs, server, database):
    for _ in range(300):
        ready = [programs / "pg_isready", "-h", str(database.socket), "-p", str(database.port)]
        if subprocess.run(ready, capture_output=True).returncode == 0:
            return
        if server.poll() is not None:
            break
        time.sleep(0.1)
    raise RuntimeError("PostgreSQL did not start")
