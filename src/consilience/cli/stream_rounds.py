"""The analyst of a continual study by files: nodes in, the lasting clustering and answers out."""

from __future__ import annotations

from pathlib import Path

from consilience.cli.console import output
from consilience.cli.options import check_target, file_name
from consilience.cli.stream_windows import STATE
from consilience.continual.storage import load_state, save_state
from consilience.continual.terms import analyst_of
from consilience.exceptions import BundleError
from consilience.messages import NodeUpdate
from consilience.report.continual import stream_analyst_page
from consilience.report.page import write_page
from consilience.study.identity import Identity
from consilience.study.secrets import PrivateFolder
from consilience.study.study import ANALYST, Study
from consilience.transports.bundle import describe, read_bundle, write_bundle

__all__ = ["merge_nodes"]


def merge_nodes(
    terms: Study, folder: PrivateFolder, files: list[Path], out: Path, report: Path | None
) -> None:
    """Merge the nodes that arrived and write one answer per party."""
    check_target("--report", report, *files)
    identity = folder.read_identity(ANALYST)
    analyst = analyst_of(terms)
    if (folder.path / STATE).exists():
        analyst.restore(load_state(folder.path / STATE, "continual analyst", terms.digest))
    for message in _read_nodes(terms, identity, files):
        if analyst.waits_for_round(message):
            analyst.solve()
        analyst.receive(message)
    # Files that were merged before are recognised; the answers are then written once more.
    answers = analyst.solve() if analyst.waiting else analyst.answers()
    save_state(folder.path / STATE, "continual analyst", analyst.state(), terms.digest)
    for answer in answers:
        manifest = describe(answer, terms, f"clusters of the study {terms.name!r}")
        path = out / f"{file_name(answer.recipient)}.clusters"
        write_bundle(path, answer, manifest, study=terms, identity=identity)
    if report is not None:
        write_page(stream_analyst_page(terms, analyst), report)
    found = (
        f"round {analyst.rounds}: {analyst.n_clusters} clusters, {analyst.network.n_nodes} nodes"
    )
    news = analyst.succession
    counts = (len(news.births), len(news.splits), len(news.merges), len(news.deaths))
    output.print(found, "births {}, splits {}, merges {}, deaths {}".format(*counts), sep="; ")
    output.print(f"wrote {len(answers)} answers in {out}", highlight=False)


def _read_nodes(terms: Study, identity: Identity, files: list[Path]) -> list[NodeUpdate]:
    """Read bundles given in any order and return the windows of each party in theirs."""
    messages = []
    for path in files:
        message, _ = read_bundle(path, study=terms, identity=identity)
        if not isinstance(message, NodeUpdate):
            raise BundleError(f"{path.name} holds a {type(message).__name__}, no nodes.")
        messages.append(message)
    return sorted(messages, key=lambda message: message.window)
