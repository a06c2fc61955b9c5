from consilience.cli.shared.withdrawals import obey_withdrawals
from consilience.messages import Withdrawal
from consilience.study.study import ANALYST

PARTY = "a/lab"


def test_a_withdrawal_is_noted_once_and_only_where_asked(solved, case):
    case.contribute()
    letters = [case.letter(ANALYST, case.sent(party)) for party in case.parties]
    taken_back = Withdrawal(
        study=case.study.digest,
        sender=PARTY,
        recipient=ANALYST,
        contributions=letters[0].stated.digest,
    )
    case.send(taken_back, case.folder / "x")
    letters.append(case.letter(ANALYST, case.folder / "x"))
    me = case.participant(ANALYST)
    for note, noted in ((False, 0), (True, 1), (True, 1)):
        kept, notes = obey_withdrawals(me, letters, note=note)
        assert [letter.message.sender for letter in kept] == case.parties[1:]
        assert notes == ["a.lab.contribution was withdrawn by a/lab: left out"]
        assert len(me.folder.ledger.entries()) == noted
