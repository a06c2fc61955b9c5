"""An OpenSSH server of one's own: on loopback, with keys made for the test, then gone."""

import getpass
import shutil
import socket
import subprocess
import time
from contextlib import contextmanager
from pathlib import Path

import pytest

SSHD = shutil.which("sshd") or "/usr/sbin/sshd"
SERVERS = ("/usr/lib/openssh/sftp-server", "/usr/libexec/openssh/sftp-server")
CONFIG = """
ListenAddress 127.0.0.1
Port {port}
HostKey {folder}/host
PidFile none
AuthorizedKeysFile {folder}/user.pub
StrictModes no
PasswordAuthentication no
UsePAM no
Subsystem sftp {sftp}
"""


@contextmanager
def run_openssh(folder):
    """Start a server, and yield its port and the file of a key it lets in."""
    folder, sftp = Path(folder), next((p for p in SERVERS if Path(p).exists()), None)
    if not Path(SSHD).exists() or sftp is None or not shutil.which("ssh-keygen"):
        pytest.skip("no OpenSSH server on this machine: apt-get install openssh-server")
    for name in ("host", "user"):
        make = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", folder / name]
        subprocess.run(make, check=True)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    config = folder / "sshd_config"
    config.write_text(CONFIG.format(port=port, folder=folder, sftp=sftp))
    Path("/run/sshd").mkdir(exist_ok=True)  # where it parts its privileges, if it is root's
    with (folder / "log").open("wb") as log:
        server = subprocess.Popen([SSHD, "-D", "-e", "-f", config], stderr=log)
    try:
        _wait(server, port, folder / "log")
        yield port, folder / "user"
    finally:
        server.terminate()
        server.wait()


def _wait(server, port, log):
    end = time.monotonic() + 20
    while time.monotonic() < end and server.poll() is None:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    pytest.skip(f"OpenSSH does not start here: {log.read_text()[-300:]}")


@contextmanager
def ssh_configured(folder, port, key, home):
    """Let ``sftp://study/...`` mean that server, as a person would: by a configuration of ssh."""
    config = Path(home) / ".ssh" / "config"
    config.parent.mkdir(mode=0o700)
    known = config.with_name("known_hosts")
    public = (Path(folder) / "host.pub").read_text()
    known.write_text(f"[127.0.0.1]:{port} {public}")
    config.write_text(
        f"Host study\n  HostName 127.0.0.1\n  Port {port}\n  User {getpass.getuser()}\n"
        f"  IdentityFile {key}\n  UserKnownHostsFile {known}\n"
    )
    yield config
