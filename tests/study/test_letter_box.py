"""What a study says of its letter box."""

import pytest

from consilience.exceptions import StudyError
from consilience.study.study import Study
from consilience.study.wording import difference

TEXT = """
name = "example"
grid = {rows = ["north", "south"], columns = ["lab"]}
[schema.lab]
age = {kind = "numeric", bounds = [0, 120]}
weight = {kind = "numeric", bounds = [0, 300]}
"""


def with_box(terms):
    return Study.from_text(f"{TEXT}[letter_box]\n{terms}\n")


def test_it_is_agreed_on_like_every_other_term_and_changes_nothing_that_is_sent():
    without, one = Study.from_text(TEXT), with_box(f'certificate = "{"0a" * 32}"')
    assert without.letter_box is None
    assert one.digest != without.digest
    assert one.sending == without.sending
    other = with_box(f'certificate = "{"0b" * 32}"')
    [line] = difference(other.terms(), one.terms())
    assert line.startswith('letter_box.certificate is "0b0b')


@pytest.mark.parametrize("certificate", ["0a", "0A" * 32, "sha256=" + "0a" * 32, "z" * 64])
def test_a_certificate_that_is_none_is_refused_with_its_line(certificate):
    with pytest.raises(StudyError, match=r"line \d+, letter_box.certificate"):
        with_box(f'certificate = "{certificate}"')
