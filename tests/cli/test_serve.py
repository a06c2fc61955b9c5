"""A letter box and its roles as processes of their own, over TLS."""

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
from contextlib import contextmanager

import pytest

from conftest import environment

pytest.importorskip("uvicorn")
httpx = pytest.importorskip("httpx")
ID = "patient id"
PATIENCE = 300


def begin(*arguments, **options):
    command = [sys.executable, "-m", "consilience", *map(str, arguments)]
    return subprocess.Popen(command, env=environment(), text=True, **options)


@contextmanager
def serving(case, *more):
    """Run ``consilience serve`` and yield it with the address it prints."""
    server = begin("serve", case.path, "--box", case.folder / "box", *more, stdout=subprocess.PIPE)
    try:
        for line in server.stdout:
            if found := re.search(r"listening at (\S+)", line):
                yield server, found.group(1)
                break
    finally:
        server.kill()
        server.wait()
        server.stdout.close()


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def test_a_study_over_tls_whose_server_is_killed_ends_as_by_files(case, cli):
    place = ("--listen", f"127.0.0.1:{free_port()}", "--tls", "self")
    homes = {}
    for role in ("analyst", *case.parties):
        homes[role] = case.folder / "houses" / role.replace("/", ".")
        name = role.replace("/", ".")
        shutil.copytree(case.private(role).path, homes[role] / "private" / name)
    shutil.copy(case.path, homes["analyst"] / "study.toml")

    def join(role, address):
        own = () if role == "analyst" else ("--data", case.data(role), "--id", ID, "--yes")
        return begin("join", address, "--as", role, *own, "--out", homes[role])

    joined = []
    try:
        with serving(case, *place) as (server, address):
            joined += [join(role, address) for role in case.parties[:2]]
            os.kill(server.pid, signal.SIGKILL)
            server.wait()
        with serving(case, *place) as (_, again):
            assert again == address  # the certificate is the same
            joined += [join(role, address) for role in (*case.parties[2:], "analyst")]
            assert [process.wait(PATIENCE) for process in joined] == [0] * 5
    finally:
        for process in joined:
            process.kill()
            process.wait()
    for party in case.parties:
        assert cli(*case.contribute_command(party)).code == 0
    assert cli(*case.analyse_command()).code == 0
    for party in case.parties:
        assert cli(*case.label_command(party)).code == 0
        by_hand = case.folder / f"{party.replace('/', '.')}.labels.csv"
        assert (homes[party] / "labels.csv").read_bytes() == by_hand.read_bytes()


def test_a_role_looks_at_the_page_by_a_link_of_its_own(case, cli):
    with serving(case, "--listen", "127.0.0.1:0") as (_, address):
        linked = cli("join", address, "--as", "a/lab", "--out", case.folder, "--link")
        assert linked.code == 0, linked.err
        with httpx.Client(follow_redirects=True) as client:
            page = client.get(linked.out.strip()).text
        assert "You look as a/lab" in page
        assert "Waiting for letters of a/lab, a/life, b/lab, b/life." in page
        assert case.study.fingerprint in page
        assert "the study was put here" in page


def test_a_page_can_be_left_out(case, cli):
    with serving(case, "--listen", "127.0.0.1:0", "--no-page") as (_, address):
        linked = cli("join", address, "--as", "a/lab", "--out", case.folder, "--link")
        assert (linked.code, "shows no page" in linked.err) == (2, True)
    nowhere = cli("join", case.folder, "--as", "a/lab", "--out", case.folder, "--link")
    assert (nowhere.code, "--link is for a letter box" in nowhere.err) == (2, True)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--listen", "0.0.0.0:0"), "speaks TLS only"),
        (("--tls", "cert.pem"), "must be CERT,KEY"),
        (("--listen", "here"), "must be HOST:PORT"),
    ],
)
def test_what_cannot_be_served_is_refused(case, cli, options, said):
    refused = cli("serve", case.path, "--box", case.folder / "box", *options)
    assert (refused.code, said in " ".join(refused.err.split())) == (2, True)


def test_a_box_is_no_private_folder(case, cli):
    refused = cli("serve", case.path, "--box", case.private("a/lab").path)
    assert (refused.code, "--box is" in refused.err) == (2, True)


def test_the_certificate_that_the_study_names_is_trusted_and_no_other(case, cli):
    from consilience.carriers.letter_box.listening import make_certificate

    shown = make_certificate(case.folder / "box", "127.0.0.1").fingerprint
    for agreed in (shown, "0" * 64):
        case.terms["letter_box"] = {"certificate": agreed}
        case.write()
        with serving(case, "--listen", "127.0.0.1:0", "--tls", "self") as (_, address):
            plain = address.partition("#")[0]
            by_study, by_address = (
                cli("join", place, "--as", "a/lab", "--out", case.folder, "--link")
                for place in (plain, address)
            )
        assert by_address.code == 0, by_address.err
        differs = "names another certificate than the study" in " ".join(by_address.err.split())
        assert differs is (agreed != shown)
        assert by_study.code == (0 if agreed == shown else 2)
    assert f"its SHA-256 is {shown}, must be {agreed}" in " ".join(by_study.err.split())
