"""Match ids by psi: CPU time and bytes, beside the names a shared row key gives.

``python -m benchmarks.speed.psi [--ids 100000] [--holders 2]`` prints one line for each size and
writes ``benchmarks/results/speed-psi.csv``. All holders run in this process, one after another, on
one core; half of their ids are common. The match is compared with the one of a shared key.
"""

import argparse
import csv
import itertools
import time
from pathlib import Path

import numpy as np

from consilience.psi.holder import Holder
from consilience.study.keys import new_key
from consilience.study.pseudonym_index import PseudonymIndex
from consilience.study.pseudonyms import pseudonyms
from consilience.study.study import Study

RESULTS = Path(__file__).parents[1] / "results" / "speed-psi.csv"
SCHEMA = {name: {"kind": "numeric", "bounds": [0, 1]} for name in "xy"}


def study_of(n_holders):
    columns = [f"c{k}" for k in range(n_holders)]
    return Study.from_terms(
        {
            "name": "speed of psi",
            "grid": {"rows": ["a"], "columns": columns},
            "schema": {column: SCHEMA for column in columns},
            "ids": {"match": "psi"},
        }
    )


def measure(n_ids, n_holders):
    study = study_of(n_holders)
    # Each holder has half of its ids in common with all others.
    ids = {
        name: [f"p-{k}" for k in range(n_ids // 2)]
        + [f"{name}-{k}" for k in range(n_ids - n_ids // 2)]
        for name in study.grid.parties
    }
    keys = {name: new_key() for name in ids}
    tags = {name: pseudonyms(ids[name], keys[name]) for name in ids}
    holders = {name: Holder(study, name) for name in ids}
    spent, n_bytes, n_letters = dict.fromkeys(ids, 0.0), 0, 0

    def timed(name, act, *given):
        start = time.process_time()
        answer = act(*given)
        spent[name] += time.process_time() - start
        return answer

    first = study.grid.parties[0]
    message = timed(first, holders[first].begin, lambda: (ids[first], tags[first]))
    while message is not None:
        n_bytes, n_letters = n_bytes + message.points.nbytes, n_letters + 1
        to = message.recipient
        rows = (ids[to], tags[to])
        message = timed(to, holders[to].receive, message, lambda rows=rows: rows)
    start, shared = time.process_time(), new_key()
    keyed = {name: pseudonyms(ids[name], shared) for name in ids}
    by_key = time.process_time() - start
    met = check(holders, tags, keyed)
    return {
        "holders": n_holders,
        "ids_each": n_ids,
        "cpu_s_all": round(sum(spent.values()), 2),
        "cpu_s_slowest_holder": round(max(spent.values()), 2),
        "cpu_s_shared_key_all": round(by_key, 2),
        "letters": n_letters,
        "mb_in_letters": round(n_bytes / 1e6, 1),
        "rows_met": met,
    }


def check(holders, tags, keyed):
    """See that the rows that meet are those that meet by a shared key; return how many."""
    names = list(holders)
    named = {
        n: h.own.pseudonyms[PseudonymIndex(h.own.tags).find(tags[n])] for n, h in holders.items()
    }
    for one, other in itertools.pairwise(names):
        found = PseudonymIndex(named[one]).find(named[other])
        np.testing.assert_array_equal(found, PseudonymIndex(keyed[one]).find(keyed[other]))
    return int((found >= 0).sum())


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ids", type=int, nargs="+", default=[1_000, 10_000, 100_000])
    parser.add_argument("--holders", type=int, nargs="+", default=[2])
    given = parser.parse_args()
    rows = [measure(n, h) for h in given.holders for n in given.ids]
    for row in rows:
        print(row)
    with RESULTS.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.DictWriter(stream, rows[0], lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


if __name__ == "__main__":
    main()
