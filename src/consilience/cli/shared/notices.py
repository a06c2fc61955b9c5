"""What a letter box shows of the study it serves: the terms in words, and everybody's next step."""

from __future__ import annotations

from consilience.by_files import Kind
from consilience.carriers.letter_box.notice import Notice, NoticedRole, State
from consilience.report.page import Section, Table, render_sections
from consilience.study.method import load_kind
from consilience.study.study import ANALYST, Study

__all__ = ["notice_of"]

JOIN = "consilience join ADDRESS --as {role}"
PARTY: dict[State, str] = {
    "absent": f"`{JOIN} --data TABLE`, with the address of this letter box",
    "turn": "answer what its join asks: nothing leaves before somebody there says yes. What has to "
    "be approved waits for `consilience approve`",
    "waiting": f"none. Its join may run on, or be called again: `{JOIN}`",
    "done": f"none here: its join fetches what came, and goes on by itself: `{JOIN}`",
}
IN_THE_MIDDLE: dict[State, str] = {
    "absent": f"`{JOIN}`, with the address of this letter box, in the folder of study.toml",
    "turn": f"everything it waits for is here, and is solved and answered by `{JOIN}`",
    "waiting": f"none. To go on with those who are there: `{JOIN} --now`",
    "done": "none: everybody was answered",
}


def notice_of(study: Study) -> Notice:
    """Return what the page of a study shows, as far as the study says it.

    Parameters
    ----------
    study : Study
    """
    waits = {role: study.method.senders_to(role, study) for role in (ANALYST, *study.grid.parties)}
    senders = {name for names in waits.values() for name in names}
    roles = tuple(
        NoticedRole(
            name=role,
            waits_for=tuple(names),
            answers=role == ANALYST,
            steps={
                state: step.format(role=role)
                for state, step in (IN_THE_MIDDLE if role == ANALYST else PARTY).items()
            },
        )
        for role, names in waits.items()
        if names or role in senders
    )
    kind: Kind = load_kind(study.method.kind, "by_files")
    about = render_sections([kind.describe(study), _fingerprints(study)])
    allowed = study.letter_box is not None and bool(study.letter_box.show_sizes)
    return Notice(title=study.name, about=about, roles=roles, show_sizes=allowed)


def _fingerprints(study: Study) -> Section:
    known = [[f"keys of {role}", keys.fingerprint] for role, keys in study.heirs.now.items()]
    rows = [["the study", study.fingerprint], *known]
    return Section(
        "To compare by telephone",
        [
            "Whoever runs this letter box shows you this page. Compare these digits with what your "
            "own copy of the study says, and with the others: not by what you read here.",
            Table(["what", "fingerprint"], rows),
            f"The SHA-256 of the terms is {study.digest}.",
        ],
    )
