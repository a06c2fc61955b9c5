"""How fast the pages of a desk answer while it works on a table of a million rows.

Run: python -m benchmarks.speed.desk [--rows 1000000]
"""

import argparse
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import httpx
import numpy as np
import pandas as pd

N_COLUMNS, ROLE = 20, "north/lab"
PAGES = ("", "study", "keys", "table", "leave", "result", "ledger")
ACTS = ("check", "rehearse")
RESULTS = Path(__file__).parents[1] / "results" / "desk.csv"


def consilience(folder, *words):
    command = [sys.executable, "-m", "consilience", *map(str, words)]
    return subprocess.run(command, cwd=folder, check=True, capture_output=True)


def prepare(folder, n_rows):
    """Write a study of two institutions, and the table of one of them."""
    rng = np.random.default_rng(0)
    names = [f"c{k}" for k in range(N_COLUMNS)]
    X = rng.normal(50, 10, size=(n_rows, N_COLUMNS)).round(2)
    table = pd.DataFrame(X, columns=names)
    table.insert(0, "id", np.arange(n_rows))
    table.to_csv(folder / "table.csv", index=False)
    table.head(2000).to_csv(folder / "example.csv", index=False)
    kind = ("--for", "clusters", "--from", "lab=example.csv")
    consilience(folder, "init", "--rows", "north,south", "--columns", "lab", *kind)
    text = (folder / "study.toml").read_text()
    (folder / "study.toml").write_text(re.sub(r"bounds = \[[^]]*\]", "bounds = [-100, 200]", text))
    for role in (ROLE, "south/lab", "analyst"):
        consilience(folder, "keygen", "--name", role, "--study", "study.toml")


class Desk:
    """A desk, and a client that came in by its link."""

    def __init__(self, folder):
        words = [sys.executable, "-m", "consilience", "desk", str(folder), "--no-browser"]
        self.process = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
        link = re.search(r"(http://[^/]+)\S+", self.process.stdout.readline())
        self.client = httpx.Client(base_url=link[1], headers={"origin": link[1]}, timeout=600)
        self.home = re.search(r'href="([^"]+)/"', self.client.get(link[0]).text)[1]
        page = self.client.get(f"{self.home}/").text
        self.csrf = re.search(r'name="csrf" value="([^"]+)"', page)[1]
        self.study = f"{self.home}/s/this-folder"

    def post(self, path, **form):
        return self.client.post(f"{self.study}/{path}", data={"csrf": self.csrf, **form})

    def upload(self, file):
        headers = {"x-csrf": self.csrf, "x-file-name": file.name}
        with file.open("rb") as stream:
            answer = self.client.post(f"{self.study}/upload/table", content=stream, headers=headers)
        assert answer.status_code == 200, answer.text


def ask_while(desk, act, rows):
    """Ask for every page again and again while an act is at work."""
    desk.post(f"do/{act}")
    begun, at_work = time.perf_counter(), True
    while at_work:
        for page in PAGES:
            path = f"{desk.study}/{page}" if page else f"{desk.home}/"
            since = time.perf_counter()
            answer = desk.client.get(path)
            rows.append((act, page or "start", 1000 * (time.perf_counter() - since)))
            assert answer.status_code == 200, (path, answer.text)
            at_work = "data-events" in answer.text if page else at_work
            time.sleep(0.02)
    said = re.search(r'class="line">([^<]*)', desk.client.get(f"{desk.study}/leave").text)
    assert said is None, said[1]
    return time.perf_counter() - begun


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=1_000_000)
    n_rows = parser.parse_args().rows
    rows = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        prepare(folder, n_rows)
        desk = Desk(folder)
        try:
            desk.post("change/role", role=ROLE)
            since = time.perf_counter()
            desk.upload(folder / "table.csv")
            print(f"upload: {time.perf_counter() - since:.1f} s")
            desk.post("change/table", file="tables/table.csv", id_column="id")
            for act in ACTS:
                print(f"{act}: at work for {ask_while(desk, act, rows):.1f} s")
        finally:
            desk.client.close()
            desk.process.terminate()
            desk.process.wait()
    found = pd.DataFrame(rows, columns=["while", "page", "ms"])
    table = found.groupby(["while", "page"]).ms.agg(["size", "median", "max"]).round(1)
    table.columns = ["asked", "median_ms", "most_ms"]
    print(table.to_string())
    print(f"rows {n_rows}; the slowest page of all: {found.ms.max():.0f} ms")
    if n_rows == 1_000_000:
        table.reset_index().to_csv(RESULTS, index=False)


if __name__ == "__main__":
    main()
