from consilience.evidence.statement import ENDING
from consilience.evidence.wording import WIDTH, in_words
from consilience.study.envelope import Envelope

PARTY = "a/lab"


def test_a_person_reads_what_leaves_to_whom_and_what_it_is_worth(cli, case):
    assert cli(*case.contribute_command(PARTY)).code == 0
    path = case.sent(PARTY)
    statement = Envelope.from_text((path.parent / f"{path.name}{ENDING}").read_bytes()).statement
    text = in_words(statement)
    flat = " ".join(text.split())
    for part in (
        "Statement of a/lab",
        "to: analyst, keys",
        "array representation: 30 x",
        "keyed names of rows, which say nothing without the secrets of their holders",
        case.study.fingerprint,
        "would rebuild a typical column to R2",
        "limit of the study: none",
        "What left before ---------------- nothing",
    ):
        assert part in flat
    assert max(map(len, text.splitlines())) <= WIDTH
    assert (path.parent / f"{path.name}.statement.txt").read_text() == text


def test_a_name_cannot_command_a_terminal(cli, new_case):
    case = new_case(name="odd \x1b[2J name")
    assert cli(*case.contribute_command(PARTY)).code == 0
    path = case.sent(PARTY)
    assert "\x1b" not in (path.parent / f"{path.name}.statement.txt").read_text()
