import gzip

import pytest

from consilience.exceptions import TableError
from consilience.sources.dialect import Dialect, detect

PLAIN = "id,age,note\n1,2.5,a\n2,3.5,b\n"
WRITINGS = {
    "as ever": (PLAIN.encode(), (",", ".", "utf-8")),
    "mark": (PLAIN.encode("utf-8-sig"), (",", ".", "utf-8-sig")),
    "utf-16": (PLAIN.encode("utf-16"), (",", ".", "utf-16")),
    "semicolon": ("id;age;note\r\n1;2,5;ä\r\n".encode("cp1252"), (";", ",", "cp1252")),
    "tab": (b"id\tage\n1\t2.5\n", ("\t", ".", "utf-8")),
    "tab with commas": (b"id\tage\n1\t2,5\n", ("\t", ",", "utf-8")),
    "bar": (b"id|age\n1|2.5\n", ("|", ".", "utf-8")),
    "quoted commas": (b'id,age\n1,"2,5"\n2,"3,25"\n', (",", ",", "utf-8")),
    "thousands": (b'id,age\n1,"2,500"\n2,"3,250"\n', (",", ".", "utf-8")),
    "three decimals": (b"id;age\n1;2,500\n2;3,250\n", (";", ",", "utf-8")),
    "separators in quotes": (b'id,note\n1,"a;b;c"\n2,"d;e;f"\n', (",", ".", "utf-8")),
    "semicolons with commas in texts": (b"id;note\n1;a, b, c\n2;d, e, f\n", (";", ".", "utf-8")),
    "one column": (b"id\n1\n2\n", (",", ".", "utf-8")),
    "days with points": (b"id;day;age\n1;03.04.2023;2,5\n", (";", ",", "utf-8")),
    "empty": (b"", (",", ".", "utf-8")),
}


@pytest.mark.parametrize(("data", "expected"), WRITINGS.values(), ids=WRITINGS)
@pytest.mark.parametrize("packed", [False, True])
def test_writing_is_found_out(tmp_path, data, expected, packed):
    path = tmp_path / ("t.csv.gz" if packed else "t.csv")
    path.write_bytes(gzip.compress(data) if packed else data)
    found = detect(path, Dialect())
    assert (found.separator, found.decimal, found.encoding) == expected


def test_a_letter_late_in_the_file_tells_the_encoding(tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes(b"id,note\n" + b"1,a\n" * 600_000 + "2,ü\n".encode("cp1252"))
    assert detect(path, Dialect()).encoding == "cp1252"


def test_what_was_given_stays(tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes(PLAIN.encode())
    given = Dialect(";", ",", "latin-1")
    assert detect(path, given) == given
    assert detect(path, given).told(given).count("(given)") == 3


def test_what_is_no_text_is_refused(tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes(b"PK\x03\x04\x00\x00SECRET")
    with pytest.raises(TableError, match="is no text") as caught:
        detect(path, Dialect())
    assert "SECRET" not in str(caught.value)
    path.write_bytes(b"id,note\n1,\x81\n")
    with pytest.raises(TableError, match="neither in UTF-8 nor in cp1252"):
        detect(path, Dialect())
    with pytest.raises(TableError, match="'morse'"):
        detect(path, Dialect(encoding="morse"))
