"""Facts and arrays as bytes, against the library whose format it is, and against ill will."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from safetensors.numpy import load, save

from consilience.arrays import DTYPES, MAX_DEPTH, MAX_HEADER, from_bytes, read_json, to_bytes
from consilience.exceptions import ArraysError

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text() | st.floats(allow_nan=False,
                                                                    allow_infinity=False),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)  # fmt: skip
ARRAYS = st.dictionaries(
    st.text(st.characters(exclude_categories=["Cs"]), max_size=8).filter("__metadata__".__ne__),
    st.sampled_from(list(DTYPES.values())).flatmap(
        lambda dtype: hnp.arrays(dtype, hnp.array_shapes(min_dims=0, min_side=0, max_side=4))
    ),
    max_size=5,
)
FACTS = {"kind": "example", "numbers": [1, 0.1], "text": 'ünï "q" \\ [ {'}
DATA = to_bytes({"rows": np.arange(6.0).reshape(2, 3), "codes": np.arange(5, dtype="u1")}, FACTS)


@given(ARRAYS, st.dictionaries(st.text(), JSON, max_size=4))
def test_bytes_are_those_of_the_library_and_come_back(arrays, facts):
    data = to_bytes(arrays, facts)
    assert data == save(arrays, metadata={"consilience": json.dumps(facts)})
    found, numbers = from_bytes(data)
    assert found == facts
    assert numbers.keys() == arrays.keys()
    for name, array in load(data).items():
        assert numbers[name].dtype == array.dtype == arrays[name].dtype
        assert numbers[name].shape == array.shape == arrays[name].shape
        assert numbers[name].tobytes() == array.tobytes() == arrays[name].tobytes()


def test_without_facts_there_are_only_arrays():
    assert to_bytes({"x": np.eye(2)}) == save({"x": np.eye(2)})
    assert from_bytes(to_bytes({}))[0] == {}


def test_texts_of_a_header_that_is_not_ours_are_returned():
    assert from_bytes(save({}, metadata={"study": "s", "more": "m"}))[0] == {
        "study": "s",
        "more": "m",
    }


@pytest.mark.parametrize(
    "array",
    [np.arange(6.0).reshape(2, 3).T, np.arange(8)[::-2], np.arange(3, dtype=">i4")],
    ids=["columns first", "backwards", "high byte first"],
)
def test_arrays_may_lie_in_any_way(array):
    found = from_bytes(to_bytes({"x": array}))[1]["x"]
    np.testing.assert_array_equal(found, array)
    assert found.flags.c_contiguous


def test_arrays_are_copies_that_lie_well_wherever_the_bytes_lay():
    text = b'{"x":{"dtype":"F64","shape":[2],"data_offsets":[0,16]}}'
    for shift in range(8):
        data = bytearray(bytes(shift) + len(text).to_bytes(8, "little") + text + bytes(16))
        array = from_bytes(memoryview(data)[shift:])[1]["x"]
        data[-16:] = b"x" * 16
        assert array.tolist() == [0, 0]
        assert array.flags.aligned
        assert array.flags.writeable


@pytest.mark.parametrize("number", [np.nan, np.inf, -np.inf])
def test_facts_are_finite(number):
    with pytest.raises(ValueError, match="not JSON compliant"):
        to_bytes({}, {"number": number})


HOSTILE = {
    "empty": b"",
    "no JSON": b"{",
    "no object": b"[1]",
    "no UTF-8": b'{"a": "\xff"}',
    "another encoding": '{"a": 1}'.encode("utf-16"),
    "NaN": b'{"a": NaN}',
    "infinity": b'{"a": -Infinity}',
    "a number that is infinite": b'{"a": 1e999}',
    "a number of many digits": b'{"a": ' + b"1" * 5000 + b"}",
    "long": b'{"a": "' + b"x" * MAX_HEADER + b'"}',
    "deep": b'{"a": ' + b"[" * MAX_DEPTH + b"]" * MAX_DEPTH + b"}",
    "deep without an end": b"[" * 100_000,
    "many lists": b'{"a": [' + b"[]," * 200_000 + b"[]]}",
    "a text without an end": b'{"a": "' + b"\\" * 100_001,
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_hostile_json_is_refused(text):
    with pytest.raises(ArraysError, match="JSON"):
        read_json(text)
    with pytest.raises(ArraysError):
        from_bytes(len(text).to_bytes(8, "little") + text)


def test_what_json_allows_is_read():
    depth = MAX_DEPTH - 1
    deep = b'{"a": ' + b"[" * depth + b"]" * depth + b"}"
    assert json.dumps(read_json(deep)).encode() == deep
    brackets = {"[{" * 100_000: "]}\\\\\"['"}
    assert read_json(json.dumps(brackets).encode()) == brackets


def tensor(body=b"\0" * 8, **changes):
    about = {"dtype": "F64", "shape": [1], "data_offsets": [0, 8], **changes}
    text = json.dumps({"x": {k: v for k, v in about.items() if v is not None}}).encode()
    return len(text).to_bytes(8, "little") + text + body


def header(header, body=b""):
    text = json.dumps(header).encode()
    return len(text).to_bytes(8, "little") + text + body


HALF = {"dtype": "F64", "shape": [1], "data_offsets": [0, 8]}
SPOILT = {
    "nothing": b"",
    "half a length": bytes(4),
    "no header": bytes(8),
    "a header beyond the end": (2**63).to_bytes(8, "little") + DATA[8:],
    "bytes left over": tensor(body=bytes(9)),
    "bytes that lack": tensor(body=bytes(7)),
    "no dtype": tensor(dtype=None),
    "an unknown dtype": tensor(dtype="PICKLE"),
    "a dtype that is a list": tensor(dtype=["F64"]),
    "no shape": tensor(shape=None),
    "a shape that is a number": tensor(shape=1),
    "a shape that is a text": tensor(shape="1"),
    "a shape that is an object": tensor(shape={"1": 1}),
    "true as a size": tensor(shape=[True]),
    "a size with a fraction": tensor(shape=[1.0]),
    "negative sizes": tensor(shape=[-1, -1]),
    "sizes too large": tensor(shape=[2**62, 0, 2**10], data_offsets=[0, 0], body=b""),
    "too many sizes": tensor(shape=[1] * 100),
    "many large sizes": tensor(shape=[9] * 100_000),
    "another size": tensor(shape=[2]),
    "no place": tensor(data_offsets=None),
    "half a place": tensor(data_offsets=[0]),
    "a place that starts late": tensor(data_offsets=[8, 16], body=bytes(16)),
    "a place beyond the end": tensor(shape=[2**40], data_offsets=[0, 2**43]),
    "a place backwards": tensor(data_offsets=[8, 0]),
    "a place of three": tensor(data_offsets=[0, 8, 8]),
    "one place for two": header({"x": HALF, "y": HALF}, bytes(8)),
    "an array that is a list": header({"x": [1]}),
    "an array that is nothing": header({"x": None}),
    "facts that are no text": header({"__metadata__": {"consilience": {"a": 1}}}),
    "facts that are no object": header({"__metadata__": {"consilience": "[1]"}}),
    "facts that are no JSON": header({"__metadata__": {"consilience": "{"}}),
    "facts with half a character": header({"__metadata__": {"consilience": "\ud800"}}),
    "metadata that is a list": header({"__metadata__": []}),
    "metadata that is a number": header({"__metadata__": 1}),
}


@pytest.mark.parametrize("data", SPOILT.values(), ids=SPOILT)
def test_spoilt_bytes_are_refused(data):
    with pytest.raises(ArraysError):
        from_bytes(data)


def test_every_truncation_is_refused():
    for length in range(len(DATA)):
        with pytest.raises(ArraysError):
            from_bytes(DATA[:length])


@given(st.data())
def test_changed_bytes_are_read_or_refused(draw):
    data = bytearray(DATA)
    for _ in range(draw.draw(st.integers(1, 4))):
        place = draw.draw(st.integers(0, len(data)))
        data[place : place + draw.draw(st.integers(0, 3))] = draw.draw(st.binary(max_size=3))
    try:
        facts, arrays = from_bytes(bytes(data))
    except ArraysError:
        return
    assert isinstance(facts, dict)
    assert all(isinstance(array, np.ndarray) for array in arrays.values())
