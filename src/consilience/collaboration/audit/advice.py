"""Advice: what to change in a study, each with the figure measured for the change."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from consilience.collaboration.audit.scene import Setting
from consilience.collaboration.reduction import default_n_components
from consilience.privacy.audits.audit import Audit
from consilience.privacy.audits.finding import GRADES, SPARE_BITS, Finding

__all__ = ["advise"]

AMBER = GRADES["typical column"][0]


def advise(audit: Audit, setting: Setting, collusion: Callable[[Setting], float]) -> Audit:
    """Add advice to an audit.

    Parameters
    ----------
    audit : Audit
    setting : Setting
        What was audited.
    collusion : callable
        Returns the median R2 of collusion with prior under other terms.
    """
    found = {f.attack: f for f in audit.findings}
    advice = _send_less(audit, setting, collusion)
    unmixing = found.get("unmixing with oracle")
    if setting.anchor == "uniform" and unmixing is not None and _r2(unmixing) >= AMBER:
        advice.append(
            f"Set anchor = 'gaussian': from a uniform one the analyst alone may rebuild up to R2 "
            f"{_r2(unmixing):.2f} of a typical column."
        )
    mate = found.get("known rows, shared coordinates")
    if mate is not None and _r2(mate) >= AMBER:
        advice.append(
            f"Set answer = 'labels': from shared coordinates a row-mate who knows some of your "
            f"rows rebuilds the others to R2 {_r2(mate):.2f}."
        )
    if not setting.shuffled:
        advice.append("Shuffle the rows before they leave: their order alone names them.")
    if audit.level == "red":
        advice.append("Agree in writing that the analyst shares contributions with no party.")
    alone = found.get("collusion")
    if setting.anchor_scope == "all" and alone is not None and _r2(alone) >= AMBER:
        advice.append(
            f"Set learning.explain = 'column', and anchor.kind to another than 'smote': as it is, "
            f"every party holds the anchor of your columns, and any of them with the analyst "
            f"rebuilds a typical column to R2 {_r2(alone):.2f}."
        )
    return replace(audit, advice=tuple(advice))


def _send_less(audit: Audit, setting: Setting, collusion: Callable[[Setting], float]) -> list[str]:
    """Say what would help against who rebuilds rows; nothing where little is rebuilt."""
    if audit.level not in ("red", "amber") or not isinstance(setting.reducer, str):
        return []
    exact = max(f.decoded for f in audit.findings if not f.upper_bound)
    room = any(f.spare_bits is not None and f.spare_bits.mean >= SPARE_BITS for f in audit.findings)
    if exact >= GRADES["exact rows"][0] or room:
        found = f"{exact:.0%} of your rows are decoded exactly" if exact else "each row follows"
        if setting.rounding is not None:
            return [
                f"Lower n_components: {found} from what is sent, rounded as it is, because columns "
                f"have few values; fewer dimensions that are rounded have less room for them. Ask "
                f"the frontier what it costs.",
                *_what_helps(setting),
            ]
        return [
            f"Fewer dimensions do not help: {found} from what is sent, because columns are rounded "
            f"or categorical and coordinates have room for all of them.",
            *_what_helps(setting),
        ]
    now = audit.reconstruction
    if now is None or now < AMBER:
        return _what_helps(setting)
    kept = setting.n_components or default_n_components(audit.n_features)
    fewer = sorted({k for k in (kept // 2, kept // 4) if 1 <= k < kept}, reverse=True)
    if not fewer:
        less = f"{kept} dimension is kept already: this party cannot send less, only nothing."
        return [less, *_what_helps(setting)]
    measured = [f"{k} give {collusion(replace(setting, n_components=k)):.2f}" for k in fewer]
    return [
        f"Lower n_components: with {kept} the worst coalition rebuilds a typical column to R2 "
        f"{now:.2f}; {' and '.join(measured)}. Single columns and rows may be rebuilt all the "
        f"same; ask the frontier what it costs.",
        *_what_helps(setting),
    ]


def _what_helps(setting: Setting) -> list[str]:
    helps = []
    if setting.rounding is None:
        helps.append(
            "Round what is sent (reduction.rounding = 'auto'): it leaves no room for whole rows "
            "and costs little agreement, unless columns have few values. What is rebuilt nearly "
            "stays rebuilt."
        )
    helps.append(
        "Where all institutions hold the same columns, agree on a study of summaries "
        "(kind = 'summaries'): it sends no rows, and can prove what one row may tell."
    )
    if setting.noise is None:
        helps.append(
            "Else agree on noise on the rows (reduction.epsilon), which the frontier tries with "
            "--epsilon, or send to nobody who might work together."
        )
    return helps


def _r2(finding: Finding) -> float:
    return float("-inf") if finding.median_r2 is None else finding.median_r2.mean
