"""Terms written as TOML read back as they were."""

import tomllib

from hypothesis import given
from hypothesis import strategies as st

from consilience.study.study import Study
from consilience.study.toml import to_toml

VALUES = st.recursive(
    st.booleans()
    | st.integers(-(2**62), 2**62)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner, max_size=3),
)
TABLES = st.recursive(
    st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), VALUES, max_size=3),
    lambda inner: st.dictionaries(
        st.text(st.characters(exclude_categories=["Cs"])), VALUES | inner, max_size=3
    ),
)


@given(TABLES)
def test_any_terms_read_back_as_they_were(terms):
    assert tomllib.loads(to_toml(terms)) == terms


def test_a_study_keeps_its_digest(case):
    text = to_toml(case.study.terms())
    assert Study.from_text(text).digest == case.study.digest
