"""Everything the package reads that somebody else, or a broken disk, may have written."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyrage
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression

from benchmarks.adversary.small_studies import private_folder, small_study
from consilience.arrays import METADATA, TITLE, from_bytes, read_json, to_bytes
from consilience.collaboration.learning.model import fit_model
from consilience.collaboration.learning.portable import freeze, thaw
from consilience.continual.state import load_state, save_state
from consilience.exceptions import MessageError
from consilience.fields import AtLeast, Shape, rules_of
from consilience.messages import MESSAGES, Contribution, Message
from consilience.study.envelope import STATEMENT, Envelope
from consilience.study.identity import Identity
from consilience.study.ledger import Ledger
from consilience.study.secrets import PrivateFolder
from consilience.study.study import ANALYST, Study
from consilience.transports import unsealing
from consilience.transports.bundle import CONTEXT, manifest_of, read_bundle, write_bundle
from consilience.transports.unsealing import MAGIC
from consilience.transports.wire import decode, encode

__all__ = ["Decoder", "all_decoders", "sample_messages"]

CUT = b"\x00--cut--\x00"
"""Between the parts of bytes that are put together again after they were mutated."""

SIZES = {"n_merges": 3}
"""Of arrays, where it is not four."""
EXAMPLES = {
    ("Answer", "tree"): np.array([[0.0, 1.0, 0.1], [2.0, 3.0, 0.2], [4.0, 5.0, 0.3]]),
    ("Answer", "memberships"): np.full((4, 4), 0.25),
}
"""Arrays that are no such thing with any numbers."""


@dataclass(frozen=True)
class Decoder:
    """One reader.

    Parameters
    ----------
    name : str
    tries : int
        Mutations of a whole campaign.
    seeds : sequence of bytes
        What it reads when nothing is wrong.
    decode : callable
    rebuild : callable
        Makes bytes of a mutated seed: lengths, hashes and signatures that would hide it are right.
    """

    name: str
    tries: int
    seeds: Sequence[bytes]
    decode: Callable[[bytes], object]
    rebuild: Callable[[bytes], bytes] = lambda data: data


def all_decoders(folder: Path) -> list[Decoder]:
    """Return every decoder, with files of its own in a folder."""
    arrays = to_bytes({"x": np.arange(4.0), "n": np.arange(3)}, {"kind": "example", "deep": [{}]})
    sent = [encode(message) for message in sample_messages()]
    path = small_study(folder / "study", "no noise")
    return [
        Decoder("arrays", 160_000, [arrays], from_bytes),
        Decoder("the header of arrays", 160_000, [_parted(arrays)], from_bytes, _with_length),
        Decoder("messages", 140_000, sent, decode),
        Decoder(
            "facts of messages", 140_000, [_with_facts_parted(m) for m in sent], decode, _joined
        ),
        *_bundles(path, folder),
        *_private(path, folder),
        *_texts(path),
        _models(),
    ]


def sample_messages() -> list[Message]:
    """Make one message of each kind, filled by what its fields declare."""
    header = {"study": "s", "sender": "a", "recipient": "b"}
    return [_sample(kind, header) for kind in MESSAGES]


def _sample(kind: type[Message], header: dict[str, str]) -> Message:
    for filler in (lambda n: np.arange(n) + 1, np.zeros, np.ones):
        for dtype in (0, -1):
            try:
                return kind(**{**_filled(kind, filler, dtype), **header})
            except MessageError:
                continue
    raise AssertionError(f"no {kind.__name__} could be made")


def _filled(kind: type[Message], filler: Callable[[int], Any], dtype: int) -> dict[str, Any]:
    values: dict[str, Any] = {}
    declared: type = kind
    for name, rule in rules_of(declared).items():
        if (kind.__name__, name) in EXAMPLES:
            values[name] = EXAMPLES[kind.__name__, name]
        elif isinstance(rule.note, Shape):
            shape = [
                SIZES.get(size, 4) if isinstance(size, str) else size for size in rule.note.sizes
            ]
            content = rule.content[dtype]
            values[name] = filler(int(np.prod(shape))).reshape(shape).astype(content)
        elif isinstance(rule.note, AtLeast):
            values[name] = 4
        else:
            values[name] = "labels" if str in rule.content else 0.5
    return values


def _parted(data: bytes) -> bytes:
    length = int.from_bytes(data[:8], "little")
    return data[8 : 8 + length] + CUT + data[8 + length :]


def _with_length(data: bytes) -> bytes:
    head, _, body = data.partition(CUT)
    return len(head).to_bytes(8, "little") + head + body


def _with_facts_parted(data: bytes) -> bytes:
    """Part bytes of facts and arrays: facts, header of the arrays, numbers."""
    head, _, body = _parted(data).partition(CUT)
    header = json.loads(head)
    facts: str = header.pop(METADATA)[TITLE]
    return facts.encode() + CUT + json.dumps(header).encode() + CUT + body


def _joined(data: bytes) -> bytes:
    facts, _, rest = data.partition(CUT)
    header, _, body = rest.partition(CUT)
    said = json.dumps({TITLE: facts.decode("utf-8", "replace")})
    first = f'{{"{METADATA}": {said}'.encode()
    inner = header.strip().removeprefix(b"{")
    head = first + (b", " + inner if inner != b"}" else b"}")
    return len(head).to_bytes(8, "little") + head + body


def _reader(path: Path, read: Callable[[], object]) -> Callable[[bytes], object]:
    """Return what writes bytes to a file, readable by its owner alone, and has it read."""

    def decode_file(data: bytes) -> object:
        path.write_bytes(data)
        return read()

    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch(0o600)
    return decode_file


def _bundles(path: Path, folder: Path) -> list[Decoder]:
    study, sender = Study.load(path), "north/lab"
    party, analyst = (private_folder(path, r).read_identity(r) for r in (sender, ANALYST))
    header = {"study": study.digest, "sender": sender, "recipient": ANALYST}
    message = _sample(Contribution, header)
    file = folder / "a.contribution"
    write_bundle(file, message, manifest_of(message, study, "x"), study=study, identity=party)
    sealed = file.read_bytes()
    plain = pyrage.decrypt(sealed, [analyst.sealing])
    start = len(MAGIC) + 8
    length = int.from_bytes(plain[len(MAGIC) : start], "little")
    head, body = plain[start : start + length], plain[start + length + 64 :]
    recipients = [analyst.public.recipient]

    def seal(data: bytes) -> bytes:
        return bytes(pyrage.encrypt(data, recipients))

    def sign(data: bytes) -> bytes:
        said, _, rest = data.partition(CUT)
        signature = party.sign(CONTEXT + said)
        return seal(MAGIC + len(said).to_bytes(8, "little") + said + signature + rest)

    def stream() -> object:
        before, unsealing.SMALL_BYTES = unsealing.SMALL_BYTES, 0
        try:
            return read_bundle(file, study=study, identity=analyst, spill=folder)
        finally:
            unsealing.SMALL_BYTES = before

    decode_file = _reader(file, lambda: read_bundle(file, study=study, identity=analyst))
    streamed, signed = _reader(file, stream), [head + CUT + body]
    return [
        Decoder("sealed bundles", 30_000, [sealed], decode_file),
        Decoder("bundles sealed anew by an outsider", 20_000, [plain], decode_file, seal),
        Decoder("bundles signed by an insider", 20_000, signed, decode_file, sign),
        Decoder("bundles signed by an insider, as streams", 20_000, signed, streamed, sign),
    ]


def _private(path: Path, folder: Path) -> list[Decoder]:
    """Return the readers of what lies in private folders."""
    party = "north/lab"
    private = PrivateFolder(folder / "private")
    ledger = Ledger(private.path / "ledger.jsonl")
    for k in range(3):
        ledger.add("contribution", rows=k, epsilon=1.5, digest="d", members={"x": "0" * 64})
    lines, head = ledger.path.read_bytes(), ledger.path.with_suffix(".head").read_bytes()
    ledger.path.with_suffix(".head").unlink()
    alone = Ledger(private.path / "alone" / "ledger.jsonl")
    alone.path.parent.mkdir()
    alone.path.touch(0o600)
    alone.path.write_bytes(lines)
    private.write_state("reduction", {"mean": np.ones(3)}, "study", "sent")
    kept = private.path / "reduction-sent.safetensors"
    state = folder / "stream.state"
    save_state(state, "demo", {"a": 1, "b": [{"x": np.arange(3)}]}, "study")
    own = private_folder(path, party).path
    return [
        Decoder("ledgers", 40_000, [lines], _reader(ledger.path, ledger.entries)),
        Decoder(
            "heads of ledgers",
            10_000,
            [head],
            _reader(alone.path.with_suffix(".head"), alone.entries),
        ),
        Decoder(
            "reductions that were kept",
            40_000,
            [_with_facts_parted(kept.read_bytes())],
            _reader(kept, lambda: private.read_state("reduction", "study", "sent")),
            _joined,
        ),
        Decoder(
            "states of a stream",
            40_000,
            [_with_facts_parted(state.read_bytes())],
            _reader(state, lambda: load_state(state, "demo", "study")),
            _joined,
        ),
        Decoder(
            "identities",
            30_000,
            [(own / "identity.toml").read_bytes()],
            _reader(own / "identity.toml", lambda: PrivateFolder(own).read_identity(party)),
        ),
        Decoder(
            "keys",
            20_000,
            [(own / "row.key").read_bytes()],
            _reader(own / "row.key", lambda: PrivateFolder(own).read_key("row")),
        ),
    ]


def _texts(path: Path) -> list[Decoder]:
    """Return the readers of studies, public keys and statements."""
    text, study = path.read_bytes(), Study.load(path)
    file = path.parent / "other.toml"
    identity = Identity.new("north/lab")
    envelope = Envelope.of({"_type": STATEMENT, "subject": [{"name": "x", "digest": {}}]})
    keys = (
        text[: text.index(b"[schema")] + b'[schema.lab]\nage = {kind = "numeric", bounds = [0, 9]}'
    )
    keys += b'\nsize = {kind = "numeric", bounds = [0, 9]}\n' + text[text.index(b"\n[keys") :]

    def verify(data: bytes) -> bool:
        return Envelope.from_text(data).is_signed_by(identity.public)

    return [
        Decoder(
            "studies and public keys", 20_000, [text, keys], _reader(file, lambda: Study.load(file))
        ),
        Decoder(
            "terms of a study",
            10_000,
            [json.dumps(study.terms()).encode()],
            lambda data: Study.from_terms(read_json(data)),
        ),
        Decoder("statements", 40_000, [envelope.signed(identity).to_text().encode()], verify),
    ]


def _models() -> Decoder:
    rng = np.random.default_rng(0)
    X, Y = rng.normal(size=(30, 3)), np.eye(3)[np.arange(30) % 3]
    learners = (None, LogisticRegression(), RandomForestClassifier(2, max_depth=3, random_state=0))
    seeds = [freeze(fit_model(learner, X, Y, "classification", 0), X) for learner in learners]
    return Decoder(
        "models that are carried",
        60_000,
        [_with_facts_parted(seed.tobytes()) for seed in seeds],
        lambda data: thaw(np.frombuffer(data, dtype=np.uint8)),
        _joined,
    )
