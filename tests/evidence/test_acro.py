import hashlib

import acro.version
import pytest
from acro.record import load_records

from consilience.evidence.acro import ACRO_VERSION, export_acro
from consilience.evidence.check import check_statement, read_statement, statement_of

PARTY = "a/lab"
LIMITS = {
    "none": (None, (), "review", ""),
    "wide": (1.0, (), "pass", ""),
    "exceeded": (0.01, ("--override", "Dr Novak"), "fail", "decided by Dr Novak"),
}


@pytest.mark.parametrize(("limit", "more", "status", "exception"), LIMITS.values(), ids=LIMITS)
def test_acro_reads_its_results_and_the_limit_decides(
    cli, new_case, tmp_path, limit, more, status, exception
):
    case = new_case(**({} if limit is None else {"max_reconstruction": limit}))
    assert cli(*case.contribute_command(PARTY, *more)).code == 0
    bundle = case.sent(PARTY)
    checked = check_statement(read_statement(statement_of(bundle)), case.study, "x")
    export_acro(bundle, checked, tmp_path / "acro")
    assert acro.version.__version__ == ACRO_VERSION
    record = load_records(str(tmp_path / "acro")).get(bundle.name)
    assert (record.status, record.output_type, record.exception) == (status, "custom", exception)
    assert record.summary.startswith(status)
    assert bundle.name in record.output
    assert len(record.outcome) == len(checked.statement["predicate"]["audit"]["findings"])
    stated = (tmp_path / "acro" / "checksums" / f"{bundle.name}.txt").read_text()
    assert stated == hashlib.sha256(bundle.read_bytes()).hexdigest()
