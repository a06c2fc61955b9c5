"""A MariaDB of one's own: started for the tests, on loopback, with a password, then gone."""

import os
import shutil
import socket
import subprocess
import time
from contextlib import contextmanager
from pathlib import Path

import pytest

from postgres import PASSWORD, USER


@contextmanager
def run_mariadb(folder):
    """Start a server in a folder of its own, yield its address, and stop it at the end."""
    server, install = shutil.which("mariadbd"), shutil.which("mariadb-install-db")
    if server is None or install is None:
        pytest.skip("no MariaDB on this machine: apt-get install mariadb-server")
    folder = Path(folder)
    data, file = folder / "data", folder / "socket"
    own = [f"--user={'root' if os.geteuid() == 0 else os.environ.get('USER', 'nobody')}"]
    make = [install, "--no-defaults", f"--datadir={data}", *own, "--skip-test-db"]
    make.append("--auth-root-authentication-method=normal")
    subprocess.run(make, check=True, capture_output=True)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    words = [f"--datadir={data}", f"--socket={file}", f"--port={port}", "--bind-address=127.0.0.1"]
    process = subprocess.Popen(
        [server, "--no-defaults", *words, *own, f"--pid-file={folder / 'pid'}"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        _wait(process, file)
        run = _runner(file)
        secret = PASSWORD.replace("'", "''")
        run("CREATE DATABASE ward")
        run(f"CREATE USER '{USER}'@'%' IDENTIFIED BY '{secret}'")
        run(f"GRANT SELECT ON ward.* TO '{USER}'@'%'")
        yield f"mariadb://127.0.0.1:{port}/ward", run
    finally:
        process.terminate()
        process.wait(60)


def _runner(file):
    """Return what runs statements as the owner of the server, without a password."""
    import pymysql

    def run(*statements):
        login = {"unix_socket": str(file), "user": "root", "autocommit": True}
        with pymysql.connect(**login) as connection, connection.cursor() as cursor:
            for statement in statements:
                cursor.execute(statement)

    return run


def _wait(process, file):
    ping = [
        shutil.which("mariadb-admin"),
        "--no-defaults",
        f"--socket={file}",
        "-u",
        "root",
        "ping",
    ]
    for _ in range(300):
        if subprocess.run(ping, capture_output=True).returncode == 0:
            return
        if process.poll() is not None:
            break
        time.sleep(0.1)
    raise RuntimeError("MariaDB did not start")
