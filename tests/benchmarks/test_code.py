"""A digest follows the code a measurement imports, and nothing else."""

from benchmarks import code
from benchmarks.code import code_digest, reached


def test_a_name_is_followed_through_packages_to_the_file_it_is_written_in():
    found = reached("benchmarks.vertcohirf.methods")
    assert {"consilience.consensus.estimator", "consilience.baselines.ding"} <= found
    assert not [
        name for name in found if name.startswith(("consilience.continual", "consilience.cli"))
    ]


def test_only_code_that_is_imported_changes_the_digest(tmp_path, monkeypatch):
    monkeypatch.setitem(code.HOMES, "benchmarks", tmp_path)
    files = {"a": "from benchmarks.b import f\n", "b": "def f():\n    return 1\n", "c": "x = 1\n"}

    def digest(**changed):
        for name, text in {**files, **changed}.items():
            (tmp_path / f"{name}.py").write_text(text)
        code._read.cache_clear()
        return code_digest("benchmarks.a")

    first = digest()
    assert digest(c="x = 2\n") == first
    assert digest(b='"""B."""\n# Why.\ndef f():\n    """F."""\n    return 1\n') == first
    assert digest(b="def f():\n    return 2\n") != first
