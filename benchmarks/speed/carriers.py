"""How fast letters travel: 3 x 200 MB up over TLS, beside sftp and NVFlare, and many small ones.

    python -m benchmarks.speed.carriers [upload] [nvflare] [parties] [pollers]

The upload is measured five times, in turn with sftp on the same machine, and the medians are told:
what else the machine does hits both. The same is done three times in turn with a job of NVFlare,
where that is installed. Every client is a process of its own on loopback, as is the server; each
side's peak memory is what the system counted for its process. Writes
``benchmarks/results/carriers.csv``.
"""

import argparse
import getpass
import importlib.util
import json
import os
import random
import shutil
import ssl
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from urllib.parse import urlsplit

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "benchmarks" / "results" / "carriers.csv"
MEGABYTE = 10**6
TERMS = """name = "many parties"
kind = "clusters"
[grid]
rows = [{rows}]
columns = ["lab"]
[schema.lab]
age = {{kind = "numeric", bounds = [0, 100]}}
dose = {{kind = "numeric", bounds = [0, 10]}}
"""


def private_folder(path, role):
    from consilience.study.secrets import PrivateFolder

    return PrivateFolder(path.parent / "private" / role.replace("/", "."))


def start(action, *arguments):
    """Run a part of this file as a process of its own."""
    command = [sys.executable, "-m", "benchmarks.speed.carriers", "--act", action, *arguments]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)


def act_serve(study, folder):
    """Become the server of a letter box; its first line says where."""
    from consilience.carriers.letter_box.listening import make_certificate
    from consilience.carriers.letter_box.process import become
    from consilience.study.study import Study

    tls = make_certificate(Path(folder), "127.0.0.1")
    become(Path(folder), Study.load(Path(study)).heirs.now, ("127.0.0.1", 0), tls, 10**12)


def act_put(address, private, role, file):
    """Put one file, and say how long it took without the imports."""
    from consilience.carriers.carrier import Carrier
    from consilience.carriers.letter_box.client import LetterBox
    from consilience.study.identity import Identity

    identity = Identity.from_text((Path(private) / "identity.toml").read_text())
    begun = time.perf_counter()
    shelf = LetterBox(address, identity)
    Carrier(shelf).put(Path(file), sender=role, recipient="analyst")
    shelf.close()
    taken = time.perf_counter() - begun
    print(json.dumps({"s": taken, "begun": begun, "MB": peak(os.getpid())}))


def peak(pid):
    """Return the most memory a process ever had, in MB."""
    text = Path(f"/proc/{pid}/status").read_text()
    return int(text.partition("VmHWM:")[2].split()[0]) * 1024 / MEGABYTE


class Served:
    """A study of so many parties, and a server of its letter box."""

    def __init__(self, folder, n_parties):
        rows = [f"house-{k:04d}" for k in range(n_parties)]
        self.path = folder / "study.toml"
        self.roles = ["analyst", *(f"{row}/lab" for row in rows)]
        text = TERMS.format(rows=", ".join(f'"{row}"' for row in rows))
        for role in self.roles:
            keys = private_folder(self.path, role).identity_of(role).public
            text += f'\n[keys."{role}"]\nsign = "{keys.sign}"\nseal = "{keys.seal}"\n'
        self.path.write_text(text)
        (folder / "box" / "letters").mkdir(parents=True)
        self.process = start("serve", str(self.path), str(folder / "box"))
        self.address = self.process.stdout.readline().removeprefix("listening at ").strip()

    def put(self, role, file):
        return start(
            "put", self.address, str(private_folder(self.path, role).path), role, str(file)
        )

    def close(self):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()


def by_letter_box(folder, n_files=3, n_bytes=200 * MEGABYTE):
    """Put three large files at once; return the time, and the peaks of clients and server."""
    served = Served(folder, n_files)
    try:
        files = []
        for k in range(n_files):
            files.append(folder / f"letter-{k}")
            files[-1].write_bytes(random.Random(k).randbytes(n_bytes))
        clients = [
            served.put(role, file) for role, file in zip(served.roles[1:], files, strict=True)
        ]
        said = [json.loads(client.communicate()[0]) for client in clients]
        # From the first that began to the last that ended: imports are not counted.
        wall = max(s["begun"] + s["s"] for s in said) - min(s["begun"] for s in said)
        return wall, max(s["MB"] for s in said), peak(served.process.pid)
    finally:
        served.close()


def upload(folder, n_turns=5):
    """Put three large files at once by the letter box and by sftp, in turn."""
    found = []
    for turn in range(n_turns):
        for name in ("box", "sftp"):
            (folder / f"{name}-{turn}").mkdir()
        found.append((*by_letter_box(folder / f"box-{turn}"), by_sftp(folder / f"sftp-{turn}")))
        for name in ("box", "sftp"):
            shutil.rmtree(folder / f"{name}-{turn}")
    ours, clients, servers, theirs = zip(*found, strict=True)
    yield "letter box, 3 x 200 MB up over TLS, median of 5", "s", statistics.median(ours)
    yield (
        "OpenSSH sftp, the same files in turn with it, median of 5",
        "s",
        statistics.median(theirs),
    )
    ratios = [a / b for a, b in zip(ours, theirs, strict=True)]
    yield "letter box / sftp, median of the 5 turns", "x", statistics.median(ratios)
    yield "letter box / sftp, the worst of the 5 turns", "x", max(ratios)
    yield "its clients, peak", "MB", max(clients)
    yield "its server, peak", "MB", max(servers)


def by_sftp(folder, n_files=3, n_bytes=200 * MEGABYTE):
    """Put the same files by OpenSSH's own client, one process each."""
    sys.path.insert(0, str(ROOT / "tests"))
    from openssh import run_openssh

    with run_openssh(folder) as (port, key):
        known = folder / "known"
        known.write_text(f"[127.0.0.1]:{port} {(folder / 'host.pub').read_text()}")
        clients, begun = [], None
        for k in range(n_files):
            (folder / f"letter-{k}").write_bytes(random.Random(k).randbytes(n_bytes))
        begun = time.perf_counter()
        for k in range(n_files):
            command = ["sftp", "-q", "-P", str(port), "-i", str(key), "-b", "-"]
            command += ["-o", f"UserKnownHostsFile={known}", f"{getpass.getuser()}@127.0.0.1"]
            client = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
            client.stdin.write(f"put {folder}/letter-{k} {folder}/arrived-{k}\n".encode())
            client.stdin.close()
            clients.append(client)
        assert [client.wait() for client in clients] == [0] * n_files
        return time.perf_counter() - begun


def flare(folder, n_turns=3):
    """Put three large files at once by the letter box and by a job of NVFlare, in turn."""
    if importlib.util.find_spec("nvflare") is None:
        print("NVFlare is not installed: pip install 'consilience[nvflare]'", file=sys.stderr)
        return
    found = []
    for turn in range(n_turns):
        (folder / f"box-{turn}").mkdir()
        ours, *_ = by_letter_box(folder / f"box-{turn}")
        found.append((ours, by_flare(folder / f"flare-{turn}")))
        shutil.rmtree(folder / f"box-{turn}")
        shutil.rmtree(folder / f"flare-{turn}")
    ours, theirs = zip(*found, strict=True)
    yield "letter box, 3 x 200 MB up over TLS, median of 3", "s", statistics.median(ours)
    yield (
        "a job of NVFlare, the same files in turn with it, median of 3",
        "s",
        statistics.median(theirs),
    )
    ratios = [a / b for a, b in zip(ours, theirs, strict=True)]
    yield "letter box / NVFlare, median of the 3 turns", "x", statistics.median(ratios)
    yield "letter box / NVFlare, the worst of the 3 turns", "x", max(ratios)


def by_flare(folder, n_files=3, n_bytes=200 * MEGABYTE):
    """Send the same files as results of a task: server and sites are processes, over TLS."""
    sys.path.insert(0, str(ROOT / "tests"))
    from consortium import Consortium

    os.environ["PYTHONPATH"] = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
    parts, sites = "benchmarks.speed.flare_parts", [f"site-{k}" for k in range(n_files)]
    consortium, result = Consortium(folder, sites, parts), folder / "result.json"
    for k, site in enumerate(sites):
        consortium.post(site).mkdir(parents=True)
        (consortium.post(site) / "letter").write_bytes(random.Random(k).randbytes(n_bytes))
    taker = {"path": f"{parts}.Taker", "args": {"n_sites": n_files, "result": str(result)}}
    job = {
        "meta.json": {"name": "letters", "deploy_map": {"app": ["@ALL"]}, "min_clients": n_files},
        "app/config/config_fed_server.json": {
            "format_version": 2,
            "workflows": [{"id": "taker", **taker}],
        },
        "app/config/config_fed_client.json": {
            "format_version": 2,
            "executors": [{"tasks": ["*"], "executor": {"path": f"{parts}.Sender", "args": {}}}],
        },
    }
    for path, content in job.items():
        (folder / "job" / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / "job" / path).write_text(json.dumps(content))
    try:
        consortium.start()
        consortium.submit(folder / "job")
        end = time.monotonic() + 300
        while not result.exists():
            assert time.monotonic() < end, consortium.log("localhost")[-3000:]
            time.sleep(0.5)
    finally:
        consortium.close()
    said = json.loads(result.read_text())
    assert said["bytes"] == n_files * n_bytes
    return said["s"]


def parties(folder, n_parties=100):
    """Put a small file of each of a hundred parties, all at once, from one process."""
    from concurrent.futures import ThreadPoolExecutor

    from consilience.carriers.carrier import Carrier
    from consilience.carriers.letter_box.client import LetterBox

    served = Served(folder, n_parties)
    try:
        file = folder / "letter"
        file.write_bytes(random.Random(0).randbytes(MEGABYTE))

        def put(role):
            identity = private_folder(served.path, role).read_identity(role)
            shelf = LetterBox(served.address, identity)
            Carrier(shelf).put(file, sender=role, recipient="analyst")
            shelf.close()

        begun = time.perf_counter()
        with ThreadPoolExecutor(n_parties) as pool:
            list(pool.map(put, served.roles[1:]))
        yield "100 parties x 1 MB at once", "s", time.perf_counter() - begun
        yield "its server, peak with 100 parties", "MB", peak(served.process.pid)
    finally:
        served.close()


def pollers(folder, n_pollers=1000, n_parties=100):
    """Let ten connections of each party wait, and see how long a letter takes to wake the last."""
    import asyncio

    served = Served(folder, n_parties)
    try:
        waking = asyncio.run(_wait_all(served, n_pollers, folder))
        yield f"{n_pollers} who wait, woken by one letter: the last after", "s", waking
        yield f"its server, peak with {n_pollers} who wait", "MB", peak(served.process.pid)
    finally:
        served.close()


async def _wait_all(served, n_pollers, folder):
    import asyncio

    from consilience.carriers.letter_box.signatures import Challenge, sign_request

    place, roles = urlsplit(served.address), served.roles[1:]
    signers = [private_folder(served.path, role).read_identity(role) for role in roles]
    blind = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    blind.check_hostname, blind.verify_mode = False, ssl.CERT_NONE
    few, begun = asyncio.Semaphore(20), time.monotonic()

    async def ask(line, path, query="", signer=None, now=None):
        headers = {"host": place.netloc}
        if signer is not None:
            now = Challenge(now.box, now.now + int(time.monotonic() - begun))
            headers |= sign_request(signer, "GET", path, query, b"", now)
        head = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        reader, writer = line
        writer.write(f"GET {path}?{query} HTTP/1.1\r\n{head}\r\n".encode())
        answer = await reader.readuntil(b"\r\n\r\n")
        assert answer.startswith(b"HTTP/1.1 200"), answer
        length = int(answer.lower().partition(b"content-length: ")[2].split()[0])
        return json.loads(await reader.readexactly(length))

    async def connect():
        return await asyncio.open_connection(place.hostname, place.port, ssl=blind)

    line = await connect()
    said = await ask(line, "/v1/challenge")
    now = Challenge(said["box"], said["now"])
    for signer in signers:  # that somebody is there is news, too
        seen = (await ask(line, "/v1/files", "", signer, now))["seen"]

    async def begin(number):
        async with few:
            return await connect(), signers[number % len(signers)]

    async def wait(line, signer):
        query = f"seen={seen}&seconds=30"
        while (await ask(line, "/v1/wait", query, signer, now))["seen"] == seen:
            pass
        return time.perf_counter()

    lines = await asyncio.gather(*(begin(k) for k in range(n_pollers)))
    waiting = [asyncio.create_task(wait(*line)) for line in lines]
    await asyncio.sleep(5)
    (folder / "letter").write_bytes(b"sealed")
    sender = served.put(roles[0], folder / "letter")
    put = json.loads((await asyncio.to_thread(sender.communicate))[0])
    ended = await asyncio.gather(*waiting)
    return max(ended) - (put["begun"] + put["s"])


def main():
    measures = {"upload": upload, "nvflare": flare, "parties": parties, "pollers": pollers}
    parser = argparse.ArgumentParser()
    parser.add_argument("--act")
    parser.add_argument("what", nargs="*")
    asked = parser.parse_args()
    if asked.act:
        {"serve": act_serve, "put": act_put}[asked.act](*asked.what)
        return
    import pandas as pd

    rows = []
    for name in asked.what or measures:
        with tempfile.TemporaryDirectory() as folder:
            for what, unit, value in measures[name](Path(folder)):
                print(f"{what}: {value:.2f} {unit}", flush=True)
                rows.append((name, what, unit, round(value, 2)))
    new = pd.DataFrame(rows, columns=["measure", "what", "unit", "value"])
    if RESULTS.exists():
        old = pd.read_csv(RESULTS)
        new = pd.concat([old[~old.measure.isin(new.measure) & old.measure.isin(measures)], new])
    new.to_csv(RESULTS, index=False)


if __name__ == "__main__":
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    main()
