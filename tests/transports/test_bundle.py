import contextlib
import dataclasses
import hashlib
import json
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pyrage
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from safetensors.numpy import save
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from consilience.collaboration.anchors.keyed import anchor_digest, draw_anchor
from consilience.collaboration.learning.model import fit_model
from consilience.collaboration.learning.portable import freeze
from consilience.exceptions import BundleError, ConsilienceError, MessageError
from consilience.messages import MESSAGES, BlindedIds, Contribution, SharedKey
from consilience.study.identity import Identity
from consilience.study.pseudonyms import normalise_ids, pseudonyms
from consilience.study.study import ANALYST
from consilience.transports.bundle import (
    CONTEXT,
    manifest_of,
    open_bundle,
    read_bundle,
    write_bundle,
)
from consilience.transports.manifest import MAX_MANIFEST_BYTES
from consilience.transports.unsealing import MAGIC
from samples import assert_same, every_message

ROWS = np.arange(12.0).reshape(4, 3)
WIRE_FORMAT = Path(__file__).parents[2] / "docs" / "wire-format.md"
HEADER_FIELDS = {"study", "sender", "recipient"}
CODES = np.arange(64, dtype=np.uint8).reshape(4, 16)


@pytest.fixture(scope="module")
def study(solved):
    return solved.study


@pytest.fixture(scope="module")
def identities(solved):
    return solved.identities


@pytest.fixture(scope="module")
def header(study):
    return {"study": study.digest, "sender": "a/lab", "recipient": ANALYST}


@pytest.fixture(scope="module")
def contribution(header):
    return Contribution(
        **header, representation=ROWS, anchor=ROWS + 1, anchor_digest="d", pseudonyms=CODES
    )


def parts(plain):
    """Take a plain bundle apart: manifest, signature, members."""
    start = len(MAGIC) + 8
    length = int.from_bytes(plain[len(MAGIC) : start], "little")
    head, rest = plain[start : start + length], plain[start + length :]
    return head, rest[:64], rest[64:]


def assemble(head, signature, body):
    return MAGIC + len(head).to_bytes(8, "little") + head + signature + body


@pytest.fixture(scope="module")
def sealed(study, identities, contribution, tmp_path_factory):
    """A bundle, the bytes inside, and a way to read other bytes as a bundle."""
    folder = tmp_path_factory.mktemp("bundles")
    path = folder / "good.contribution"
    manifest = manifest_of(contribution, study, "a test")
    write_bundle(path, contribution, manifest, study=study, identity=identities["a/lab"])
    return path


@pytest.fixture(scope="module")
def plain(sealed, identities):
    return pyrage.decrypt(sealed.read_bytes(), [identities[ANALYST].sealing])


@pytest.fixture(scope="module")
def read(study, identities, sealed):
    """Read bytes as the analyst would; ``seal`` wraps them for the analyst first."""

    def read(data, seal=False):
        if seal:
            data = pyrage.encrypt(data, [identities[ANALYST].public.recipient])
        path = sealed.parent / "other.contribution"
        path.write_bytes(data)
        return read_bundle(path, study=study, identity=identities[ANALYST])

    return read


@pytest.fixture(scope="module")
def read_manifest(read, plain, identities):
    """Sign and seal a changed manifest as the sender could, and read it."""

    def read_manifest(change, body=None, signer="a/lab"):
        head, _, members = parts(plain)
        fields = json.loads(head)
        changed = change(fields)
        head = json.dumps(fields if changed is None else changed).encode()
        signature = identities[signer].sign(CONTEXT + head)
        return read(assemble(head, signature, members if body is None else body), seal=True)

    return read_manifest


def test_a_long_seal_is_refused_before_it_is_parsed(read):
    """Its parser takes the square of the length: 80 KB cost 14 seconds."""
    stanza = b"-> X25519 " + b"A" * 43 + b"\n" + b"A" * 43 + b"\n"
    begun = time.process_time()
    for more in (b"", b"--- " + b"A" * 43 + b"\n"):
        with pytest.raises(BundleError, match="cannot be opened"):
            read(b"age-encryption.org/v1\n" + stanza * 800 + more)
    assert time.process_time() - begun < 1


def wordy(n_leaves=60_000, depth=16, length=60_000):
    """Terms whose names, written out one by one, would take a hundred gigabytes."""
    terms = {f"k{k}": k for k in range(n_leaves)}
    for level in range(depth):
        terms = {f"{level}" + "x" * length: terms}
    return terms


def test_differences_are_not_worded_for_an_outsider(read, plain):
    head, signature, body = parts(plain)
    fields = json.loads(head) | {"terms": wordy(), "study": "0" * 64}
    data = assemble(json.dumps(fields).encode(), signature, body)
    assert len(data) > 1_500_000
    begun = time.process_time()
    with pytest.raises(BundleError, match="signed by no role of this study"):
        read(data, seal=True)
    assert time.process_time() - begun < 1


def test_differences_to_terms_of_an_insider_are_cut(read_manifest):
    begun = time.process_time()
    with pytest.raises(BundleError, match="belongs to another study: ") as caught:
        read_manifest(lambda fields: fields.update(terms=wordy(), study="0" * 64))
    assert time.process_time() - begun < 5
    assert len(str(caught.value)) < 3000


@every_message
def test_every_message_comes_back_as_it_was_sent(
    study, identities, header, tmp_path, kind, payload
):
    # Keys and ids are for parties alone.
    recipient = "a/lab" if kind in (SharedKey, BlindedIds) else ANALYST
    message = kind(**{**header, "recipient": recipient}, **payload)
    told = manifest_of(message, study, "a test")
    write_bundle(tmp_path / "b", message, told, study=study, identity=identities["a/lab"])
    found, manifest = read_bundle(tmp_path / "b", study=study, identity=identities[recipient])
    assert_same(found, message)
    assert (manifest.members, manifest.digest) == (told.members, told.digest)


def test_members_are_written_as_they_always_were(plain, contribution):
    arrays = ("representation", "anchor", "pseudonyms")
    assert parts(plain)[2] == b"".join(save({n: getattr(contribution, n)}) for n in arrays)


def test_signature_is_checked_before_the_members_are_looked_at(read, plain):
    head, _, body = parts(plain)
    with pytest.raises(BundleError, match="signed by no role of this study"):
        read(assemble(head, bytes(64), bytes(len(body))), seal=True)


def test_sender_can_look_into_what_it_sent_but_not_use_it(sealed, study, identities):
    manifest = open_bundle(sealed, identities["a/lab"])[0]
    assert (manifest.kind, manifest.recipient) == ("Contribution", ANALYST)
    with pytest.raises(BundleError, match="addressed to 'analyst', not to 'a/lab'"):
        read_bundle(sealed, study=study, identity=identities["a/lab"])


def test_nobody_signs_for_somebody_else(study, identities, contribution, tmp_path):
    manifest = manifest_of(contribution, study, "")
    with pytest.raises(BundleError, match="'b/lab' cannot sign a message of 'a/lab'"):
        write_bundle(
            tmp_path / "x", contribution, manifest, study=study, identity=identities["b/lab"]
        )
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("kept", [0, 1, 20, 0.1, 0.5, 0.9, -1])
def test_truncated_bundle_is_refused(read, sealed, kept):
    data = sealed.read_bytes()
    with pytest.raises(BundleError, match="damaged or cut short"):
        read(data[: kept if isinstance(kept, int) else int(kept * len(data))])


@pytest.mark.parametrize("place", [0, 0.03, 0.06, 0.1, 0.2, 0.5, 0.8, 0.999])
def test_one_flipped_bit_is_refused(read, sealed, place):
    data = bytearray(sealed.read_bytes())
    data[int(place * len(data))] ^= 1
    with pytest.raises(BundleError, match="cannot be opened by 'analyst'"):
        read(bytes(data))


def test_appended_bytes_are_refused(read, sealed, plain):
    with pytest.raises(BundleError, match="damaged"):
        read(sealed.read_bytes() + b"x")
    with pytest.raises(BundleError, match="does not have the length it states"):
        read(plain + b"x", seal=True)


def test_bundle_sealed_anew_with_a_changed_byte_inside_is_refused(read, plain):
    head, signature, body = parts(plain)
    changed = bytes([body[-1] ^ 1])
    with pytest.raises(BundleError, match="another hash"):
        read(assemble(head, signature, body[:-1] + changed), seal=True)
    with pytest.raises(BundleError, match="signed by no role of this study"):
        read(assemble(head.replace(b"a test", b"a tost"), signature, body), seal=True)
    with pytest.raises(BundleError, match="signed by no role of this study"):
        read(assemble(head, bytes(64), body), seal=True)


def test_bundle_signed_by_another_key_is_refused(read, plain, identities):
    head, _, body = parts(plain)
    for other in (identities["b/lab"], Identity.new("a/lab")):
        reason = "'b/lab' signed it" if other.name == "b/lab" else "signed by no role of this study"
        with pytest.raises(BundleError, match=reason):
            read(assemble(head, other.sign(CONTEXT + head), body), seal=True)
    # A signature of the right key over the same bytes in another context is none either.
    with pytest.raises(BundleError, match="signed by no role"):
        read(assemble(head, identities["a/lab"].sign(head), body), seal=True)


def test_bundle_of_a_swapped_sender_is_refused(read_manifest):
    with pytest.raises(BundleError, match="claims to come from 'b/life', but is not signed"):
        read_manifest(lambda fields: fields.update(sender="b/life"))
    with pytest.raises(BundleError, match="claims to come from 'c/lab', but is not signed"):
        read_manifest(lambda fields: fields.update(sender="c/lab"))


def test_bundle_for_another_recipient_is_refused(read, read_manifest, plain, identities):
    other = pyrage.encrypt(plain, [identities["b/lab"].public.recipient])
    with pytest.raises(BundleError, match="sealed to somebody else"):
        read(other)
    with pytest.raises(BundleError, match="addressed to 'b/lab', not to 'analyst'"):
        read_manifest(lambda fields: fields.update(recipient="b/lab"))


def test_bundle_of_an_older_study_is_refused_with_the_difference(
    sealed, solved, identities, tmp_path
):
    terms = {**solved.terms, "clustering": {"n_clusters": 4, "seed": 5}, "answer": "model"}
    newer = type(solved.study).from_terms(terms)
    with pytest.raises(BundleError) as caught:
        read_bundle(sealed, study=newer, identity=identities[ANALYST])
    assert str(caught.value) == (
        'good.contribution belongs to another study: answer is "model" here and "labels" '
        "there; clustering.n_clusters is 4 here and 3 there."
    )


def test_difference_is_short_whatever_the_other_study_says(read_manifest):
    def change(fields):
        fields["study"] = "0" * 64
        categories = [f"category {k}" for k in range(3000)]
        fields["terms"]["schema"]["lab"]["ward"]["categories"] = categories

    with pytest.raises(BundleError, match=r"schema\.lab\.ward\.categories is") as caught:
        read_manifest(change)
    assert len(str(caught.value)) < 2000


def set_member(**changes):
    def change(fields):
        fields["members"][0].update(changes)

    return change


def set_fields(**changes):
    return lambda fields: fields.update(changes)


def nested(depth):
    value = []
    for _ in range(depth):
        value = [value]
    return value


HOSTILE = {
    "another format": set_fields(format=2),
    "unknown kind": set_fields(kind="Pickle"),
    "kind that cannot be hashed": set_fields(kind=["Contribution"]),
    "a list": lambda fields: [1, 2],
    "a number": lambda fields: 3,
    "extra field": set_fields(more=1),
    "no members field": lambda fields: fields.pop("members") and None,
    "members as number": set_fields(members=3),
    "members as text": set_fields(members="abc"),
    "member without name": set_fields(members=[{"n_bytes": 1}]),
    "fields as list": set_fields(fields=["anchor_digest"]),
    "terms as text": set_fields(terms="none"),
    "sender as number": set_fields(sender=5),
    "study as null": set_fields(study=None),
    "negative size": set_member(n_bytes=-1),
    "size infinite": set_member(n_bytes=float("inf")),
    "size not a number": set_member(n_bytes=float("nan")),
    "size as text": set_member(n_bytes="800"),
    "size true": set_member(n_bytes=True),
    "name as number": set_member(name=7),
    "dtype as list": set_member(dtype=["float64"]),
    "shape as text": set_member(shape="43"),
    "shape as number": set_member(shape=3),
    "negative shape": set_member(shape=[-4, -3]),
    "deep shape": set_member(shape=nested(200)),
    "member called study": set_member(name="study"),
    "member called recipient": set_member(name="recipient"),
    "two members of one name": lambda fields: fields["members"].append(fields["members"][0]),
    "field called sender": set_fields(fields={"sender": "b/lab"}),
    "field and member of one name": set_fields(fields={"anchor": 1, "anchor_digest": ""}),
    "thousands of members": lambda fields: fields.update(members=fields["members"] * 5000),
    "deep": set_fields(fields={"anchor_digest": nested(500)}, members=[]),
    "huge size": set_member(n_bytes=2**63),
    "size of many digits": set_member(n_bytes=10**400),
    "unexpected member": set_member(name="rows"),
    "unexpected field": set_fields(fields={"anchor_digest": "", "check": 1}),
    "missing field": set_fields(fields={}),
    "field of the wrong kind": set_fields(fields={"anchor_digest": 5}),
    "wrong hash": set_member(sha256="0" * 64),
    "wrong shape": set_member(shape=[3, 4]),
    "wrong dtype": set_member(dtype="int64"),
    "another kind": set_fields(kind="Answer"),
    "terms of another study": set_fields(study="0" * 64, terms={"name": 3}),
    "terms with many strangers": set_fields(
        study="0" * 64, terms={f"a{k}": 0 for k in range(20_000)}
    ),
    "empty terms": set_fields(study="0" * 64, terms={}),
}


@pytest.mark.parametrize("change", HOSTILE.values(), ids=HOSTILE)
def test_hostile_manifest_is_refused_in_words(read_manifest, change):
    with pytest.raises(MessageError) as caught:
        read_manifest(change)
    assert str(caught.value)


def test_manifest_may_be_no_json_or_lie_about_its_length(read, plain, identities):
    head, signature, body = parts(plain)
    for bad in (b"", b"{", b"\xff\xfe", b"[" * 100_000, b'{"a":' * 50_000, b"1" * 5000, b"NaN"):
        signed = identities["a/lab"].sign(CONTEXT + bad)
        with pytest.raises(BundleError, match="manifest cannot be read"):
            read(assemble(bad, signed, body), seal=True)
    for length in (2**64 - 1, 2**63, len(plain), len(plain) - len(MAGIC) - 8 - 63):
        data = MAGIC + length.to_bytes(8, "little") + head + signature + body
        with pytest.raises(BundleError, match="longer than the file"):
            read(data, seal=True)
    for data in (b"", MAGIC, MAGIC + bytes(8), MAGIC + bytes(71), b"consilience bundle 2\n" + head):
        with pytest.raises(BundleError):
            read(data, seal=True)


def test_study_too_long_for_a_manifest_is_refused_by_the_sender(solved, contribution, tmp_path):
    manifest = dataclasses.replace(
        manifest_of(contribution, solved.study, ""), purpose="x" * MAX_MANIFEST_BYTES
    )
    with pytest.raises(BundleError, match="must be at most"):
        write_bundle(
            tmp_path / "x",
            contribution,
            manifest,
            study=solved.study,
            identity=solved.identities["a/lab"],
        )
    assert not list(tmp_path.iterdir())


def tensor(name="representation", dtype="F64", shape=(4, 3), offsets=(0, 96), body=bytes(96)):
    text = json.dumps({name: {"dtype": dtype, "shape": shape, "data_offsets": offsets}}).encode()
    return len(text).to_bytes(8, "little") + text + body


TENSORS = {
    "no array at all": b"",
    "another name": tensor(name="anchor"),
    "unknown type": tensor(dtype="PICKLE"),
    "two arrays": save({"representation": ROWS, "more": ROWS}),
}


@pytest.mark.parametrize("data", TENSORS.values(), ids=TENSORS)
def test_hostile_array_is_refused_in_words(read_manifest, plain, data):
    body = parts(plain)[2]
    n = json.loads(parts(plain)[0])["members"][0]["n_bytes"]
    change = set_member(n_bytes=len(data), sha256=hashlib.sha256(data).hexdigest())
    with pytest.raises(BundleError, match="member 'representation' is no such array"):
        read_manifest(change, body=data + body[n:])


def test_arrays_of_a_huge_nothing_are_refused(read_manifest, plain):
    data = tensor(shape=(2**40, 0), offsets=(0, 0), body=b"")
    n = json.loads(parts(plain)[0])["members"][0]["n_bytes"]
    change = set_member(
        n_bytes=len(data), sha256=hashlib.sha256(data).hexdigest(), shape=[2**40, 0]
    )
    with pytest.raises(MessageError, match=r"must be \(4, 0\)"):
        read_manifest(change, body=data + parts(plain)[2][n:])


FUZZ = settings(max_examples=120, suppress_health_check=[HealthCheck.function_scoped_fixture])


@FUZZ
@given(data=st.binary(max_size=400), seal=st.booleans(), start=st.sampled_from([b"", MAGIC]))
def test_arbitrary_bytes_are_refused(read, data, seal, start):
    with pytest.raises(BundleError):
        read(start + data, seal=seal)


@FUZZ
@given(data=st.data())
def test_bundle_mutated_inside_and_signed_anew_never_surprises(read, plain, identities, data):
    head, _, body = parts(plain)
    head, body = bytearray(head), bytearray(body)
    for _ in range(data.draw(st.integers(1, 4))):
        target = data.draw(st.sampled_from([head, body]))
        place = data.draw(st.integers(0, len(target) - 1))
        how = data.draw(st.sampled_from(["set", "cut", "insert"]))
        if how == "set":
            target[place] = data.draw(st.integers(0, 255))
        elif how == "cut":
            del target[place : place + data.draw(st.integers(1, 40))]
        else:
            target[place:place] = data.draw(st.binary(min_size=1, max_size=20))
    try:
        fields = json.loads(bytes(head))
        start = 0
        for member in fields["members"]:  # make the hashes right, so that arrays are reached
            inside = bytes(body[start : start + member["n_bytes"]])
            member["sha256"] = hashlib.sha256(inside).hexdigest()
            start += member["n_bytes"]
        head = json.dumps(fields).encode()
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError):
        pass
    signature = identities["a/lab"].sign(CONTEXT + bytes(head))
    with contextlib.suppress(ConsilienceError):  # and nothing else
        read(assemble(bytes(head), signature, bytes(body)), seal=True)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=12,
)


@FUZZ
@given(data=st.data())
def test_manifest_with_any_json_in_any_place_never_surprises(read_manifest, data):
    def change(fields):
        place = fields
        while isinstance(place, dict | list) and place:
            keys = list(place) if isinstance(place, dict) else list(range(len(place)))
            key = data.draw(st.sampled_from(keys))
            if data.draw(st.booleans()) or not isinstance(place[key], dict | list):
                place[key] = data.draw(JSON)
                break
            place = place[key]

    with contextlib.suppress(ConsilienceError):  # and nothing else
        read_manifest(change)


PAYLOAD = st.one_of(
    JSON,
    st.builds(
        lambda shape, dtype: np.zeros(shape, dtype=dtype),
        st.lists(st.integers(0, 4), max_size=3).map(tuple)
        | st.sampled_from([(3, 16), (16,), (32,)]),
        st.sampled_from(["float64", "int64", "uint8", "float32", "bool", "complex64"]),
    ),
)


@pytest.mark.parametrize("kind", MESSAGES, ids=lambda kind: kind.__name__)
@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_any_payload_of_any_kind_is_read_or_refused(read_manifest, kind, data):
    names = [f.name for f in dataclasses.fields(kind) if f.name not in HEADER_FIELDS]
    content = {name: data.draw(PAYLOAD) for name in names}
    arrays = {k: v for k, v in content.items() if isinstance(v, np.ndarray)}
    pieces = {name: save({name: array}) for name, array in arrays.items()}

    def change(fields):
        fields["kind"] = kind.__name__
        fields["fields"] = {k: v for k, v in content.items() if k not in arrays}
        fields["members"] = [
            {
                "name": name,
                "n_bytes": len(piece),
                "sha256": hashlib.sha256(piece).hexdigest(),
                "shape": arrays[name].shape,
                "dtype": str(arrays[name].dtype),
            }
            for name, piece in pieces.items()
        ]

    with contextlib.suppress(ConsilienceError):  # and nothing else
        read_manifest(change, body=b"".join(pieces.values()))


def test_wire_format_page_names_every_kind_with_its_fields():
    text = WIRE_FORMAT.read_text(encoding="utf-8")
    for kind in MESSAGES:
        names = {f.name for f in dataclasses.fields(kind)} - HEADER_FIELDS
        for name in (kind.__name__, *names):
            assert f"`{name}`" in text, f"{kind.__name__}: {name}"


def memory(field):
    """Return the memory of this process now (VmRSS) or at its highest (VmHWM), in bytes."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(1024 * int(line.split()[1]) for line in lines if line.startswith(field))


@pytest.mark.skipif(not Path("/proc/self/clear_refs").exists(), reason="needs Linux")
def test_hostile_headers_cost_no_memory(read, read_manifest, plain, identities):
    body = parts(plain)[2]
    size = MAX_MANIFEST_BYTES - 100
    heads = [
        b"[" + b"{}," * (size // 3) + b"{}]",
        b'{"members":[' + b"{}," * (size // 3 - 10) + b"{}]}",
        b'{"a":"' + b"x" * size + b'"}',
    ]
    strangers = set_fields(study="0" * 64, terms={f"a{k}": 0 for k in range(size // 16)})
    Path("/proc/self/clear_refs").write_text("5")  # forget earlier peaks
    before = memory("VmRSS")
    for head in heads:
        with pytest.raises(BundleError):
            read(assemble(head, identities["a/lab"].sign(CONTEXT + head), body), seal=True)
    with pytest.raises(BundleError, match="another study"):
        read_manifest(strangers)
    head = b" " * (MAX_MANIFEST_BYTES + 1)
    with pytest.raises(BundleError, match="longer than"):
        read(assemble(head, bytes(64), b""), seal=True)
    assert memory("VmHWM") - before < 50 * MAX_MANIFEST_BYTES


@pytest.fixture(scope="module")
def page():
    """The program in docs/wire-format.md, which must not need ours."""
    code = WIRE_FORMAT.read_text(encoding="utf-8").partition("```python\n")[2].partition("```")[0]
    assert "import consilience" not in code
    assert "from consilience" not in code
    names = {}
    exec(compile(code, str(WIRE_FORMAT), "exec"), names)
    return names


def test_reader_in_the_wire_format_page_reads_real_bundles(solved, page):
    terms, identities = solved.study.terms(), solved.identities
    assert page["study_digest"](terms) == solved.study.digest
    for path, role in ((solved.sent("a/lab"), ANALYST), (solved.answer("a/lab"), "a/lab")):
        message, _ = read_bundle(path, study=solved.study, identity=identities[role])
        secret = str(identities[role].sealing)
        manifest, arrays = page["read_bundle"](path.read_bytes(), secret, terms, role)
        assert manifest["kind"] == type(message).__name__
        assert manifest["sender"] == message.sender
        for name, array in arrays.items():
            assert np.array_equal(array, getattr(message, name))
    damaged = bytearray(pyrage.decrypt(path.read_bytes(), [identities[role].sealing]))
    damaged[-1] ^= 1
    again = pyrage.encrypt(bytes(damaged), [identities[role].public.recipient])
    with pytest.raises(AssertionError):
        page["read_bundle"](again, secret, terms, role)


def test_reader_in_the_wire_format_page_finds_the_contribution_that_was_answered(solved, page):
    secret, terms = str(solved.identities[ANALYST].sealing), solved.study.terms()
    sent, _ = page["read_bundle"](solved.sent("a/lab").read_bytes(), secret, terms, ANALYST)
    secret = str(solved.identities["a/lab"].sealing)
    told, _ = page["read_bundle"](solved.answer("a/lab").read_bytes(), secret, terms, "a/lab")
    assert told["fields"]["contribution"] == page["contribution_digest"](sent)
    assert solved.private("a/lab").ledger.contributions(solved.study.digest) == [
        page["contribution_digest"](sent)
    ]


LEARNERS = [
    LogisticRegression(),
    RidgeClassifier(),
    make_pipeline(
        StandardScaler(),
        MLPClassifier((5,), activation="tanh", max_iter=2000, tol=0.01, random_state=0),
    ),
    RandomForestClassifier(4),
    GradientBoostingClassifier(n_estimators=4),
]


@pytest.mark.parametrize("n_classes", [1, 2, 3])
@pytest.mark.parametrize("learner", LEARNERS, ids=lambda learner: type(learner).__name__)
def test_reader_in_the_wire_format_page_predicts_as_the_model_does(page, learner, n_classes):
    rng = np.random.default_rng(0)
    Z = rng.normal(size=(40, 3))
    codes = np.arange(40) % n_classes
    model = fit_model(learner, Z + codes[:, None], np.eye(4)[codes + 1], "classification", 0)
    head, arrays = page["read_model"](freeze(model, Z).tobytes())
    assert np.allclose(page["predict"](head, arrays, Z), model.predict(Z))


def test_wire_format_page_names_rows_and_draws_anchors_as_we_do(solved, page):
    ids = [" P 07", "ẞ-Ǆ", "ﬁ 9", "日本", "P-0001"]
    normalised = normalise_ids(pd.Series(ids), strip=True, fold_case=True)
    key = solved.row_keys["a"]
    expected = [code.tobytes() for code in pseudonyms(normalised, key)]
    assert [page["pseudonym"](i, key) for i in ids] == expected
    lower, upper = solved.study.schema_of("lab").bounds
    for kind in ("gaussian", "uniform"):
        anchor = draw_anchor(kind, solved.column_keys["lab"], lower, upper, 400)
        drawn = page["draw_anchor"](kind, solved.column_keys["lab"], lower, upper, 400)
        assert np.array_equal(drawn, anchor)
        assert page["anchor_digest"](drawn) == anchor_digest(anchor)
