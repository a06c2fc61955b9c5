"""The attacks on a scene that rebuild rows: who, holding what, and how."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from consilience.collaboration.audit.scene import Rebuilt, Scene, Setting
from consilience.collaboration.audit.unmixed import (
    unmix_by_correlations,
    unmix_by_marginals,
    unmix_by_oracle,
)
from consilience.collaboration.audit.with_anchor import (
    collude,
    collude_curved,
    collude_with_all,
    collude_with_examples,
    collude_with_prior,
    decode_rows,
    spare_bits_of,
)
from consilience.collaboration.audit.with_known_rows import (
    decode_from_known,
    know_rows,
    know_rows_of_mate,
)

__all__ = ["Attack", "attacks_on"]

ALONE = "The analyst alone"
PAIR = "The analyst and one party with the same columns"
ANY_PAIR = "The analyst and any one party of the study, all of which hold every anchor"
WIDE = 30
"""Columns from which on rows are decoded once only in a quick audit."""


@dataclass(frozen=True)
class Attack:
    """An attack that rebuilds rows.

    Parameters
    ----------
    name, coalition, holds : str
        What it is called, who works together, and what they hold.
    rebuild : callable
        Takes a scene and whether the attacker's knowledge is right; returns the rows under attack
        and the guess of them. Wrong knowledge is the control.
    size : int
        How many of those who take part in the study must work together.
    upper_bound : bool
        Whether it has help no attacker has.
    spare_bits : callable, optional
        Says of a scene whether there is a row to find at all.
    max_repeats : int, optional
        For an attack that takes long.
    """

    name: str
    coalition: str
    holds: str
    rebuild: Callable[[Scene, bool], Rebuilt]
    size: int = 1
    upper_bound: bool = False
    spare_bits: Callable[[Scene], float] | None = None
    max_repeats: int | None = None


def attacks_on(setting: Setting, n_features: int, quick: bool, n_sent: int = 1) -> list[Attack]:
    """List the attacks a study with these terms is open to; for a quick audit, the cheap ones.

    Parameters
    ----------
    setting : Setting
    n_features : int
    quick : bool
        Collusion, with and without prior, and decoding, by the anchor and from known rows: they
        are cheap, and the last two find whole rows exactly.
    n_sent : int
        Contributions the attackers hold of this party.
    """
    yours = "your contribution" if n_sent == 1 else f"your {n_sent} contributions"
    found = [
        *_collusions(setting, n_features, yours, quick),
        *_by_known_rows(setting, n_features, yours, quick),
    ]
    return found if quick else [*found, *_unmixings()]


def _collusions(setting: Setting, n_features: int, yours: str, quick: bool) -> list[Attack]:
    # Rows alike are held only where the columns are, whoever else holds the anchor.
    anybody = ANY_PAIR if setting.anchor_scope == "all" else PAIR
    held = f"{yours} and the anchor"
    alike = f"{yours}, the anchor, and rows of their own that are like yours"
    found = [
        Attack("collusion", anybody, held, collude, 2),
        Attack("collusion with prior", PAIR, alike, collude_with_prior, 2),
        Attack(
            "decoding",
            PAIR,
            f"{alike}, and that columns have steps",
            decode_rows,
            2,
            spare_bits=spare_bits_of,
            max_repeats=1 if quick and n_features > WIDE else None,
        ),
    ]
    if not isinstance(setting.reducer, str):
        curved = f"{held}, inverted by a curve"
        found.append(Attack("curved collusion", anybody, curved, collude_curved, 2))
    if quick:
        return found
    found.append(
        Attack(
            "collusion with examples",
            PAIR,
            f"{alike}, from which a learner is taught",
            collude_with_examples,
            2,
            max_repeats=2,
        )
    )
    if setting.n_institutions > 1:
        everything = f"all contributions, {yours} among them, and the anchor"
        found.append(
            Attack("collusion with all contributions", anybody, everything, collude_with_all, 2)
        )
    return found


def _by_known_rows(setting: Setting, n_features: int, yours: str, quick: bool) -> list[Attack]:
    few = f"{max(2, n_features)} of your rows learnt elsewhere"
    more = f"{yours}, and {n_features + 1} of your rows learnt elsewhere"
    decoded = Attack("known rows, decoded", ALONE, more, decode_from_known)
    if quick:
        return [replace(decoded, max_repeats=1)]
    found = [decoded]
    found.append(Attack("known rows", ALONE, f"{yours}, and {few}", know_rows))
    if setting.answer == "representation":
        found.append(
            Attack(
                "known rows, shared coordinates",
                "A party that holds other columns of the same people",
                f"the shared coordinates it is sent, and {few}",
                know_rows_of_mate,
            )
        )
    return found


def _unmixings() -> list[Attack]:
    published = "all contributions, the public bounds, and published quantiles"
    both = f"{published} and correlations of the columns"
    return [
        Attack("unmixing", ALONE, f"{published} of the columns", unmix_by_marginals),
        Attack("unmixing with correlations", ALONE, both, unmix_by_correlations),
        Attack(
            "unmixing with oracle",
            f"{ALONE}, told which component is which column",
            "all contributions and the public bounds",
            unmix_by_oracle,
            upper_bound=True,
        ),
    ]
