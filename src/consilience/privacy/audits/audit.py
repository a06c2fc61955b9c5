"""An audit: all findings about one party's contribution, for people and for machines."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from consilience.notebook import html_table
from consilience.privacy.audits.finding import GRADES, SPARE_BITS, Estimate, Finding, Level

__all__ = ["Audit", "said"]

FAINT = 0.1
"""Below this R2 a guess is called no better than the mean."""
SEVERITY: dict[str, int] = {"not run": 0, "green": 1, "amber": 2, "red": 3}


@dataclass(frozen=True)
class Audit:
    """What could be rebuilt from what a party is about to send.

    Parameters
    ----------
    findings : tuple of Finding
    terms : dict
        The settings that were audited, as plain values.
    n_rows, n_features : int
        Size of the party's table.
    advice : tuple of str
        What to change in the study, with the figures measured for the change.

    Notes
    -----
    Holds no value of any row: scores, counts, dimensions and column names only.
    """

    findings: tuple[Finding, ...]
    terms: dict[str, Any]
    n_rows: int
    n_features: int
    advice: tuple[str, ...] = field(default=())

    @property
    def worst(self) -> Finding | None:
        """The finding that decides: of the gravest, the one that needs fewest to work together.

        Of several such, the one with the largest figure. None if none was run; an attack with
        help from an oracle never decides.
        """
        run = [f for f in self.findings if f.figures and not f.upper_bound]
        return max(run, key=lambda f: (SEVERITY[f.level], -f.size, f.exposure), default=None)

    @property
    def level(self) -> Level:
        """How grave the whole is; an audit is green only if every attack was run."""
        if self.worst is None:
            return "not run"
        ran = all(f.figures for f in self.findings if not f.upper_bound)
        return self.worst.level if ran or self.worst.level != "green" else "not run"

    @property
    def reconstruction(self) -> float | None:
        """The largest median R2 that any attack reached; None if none rebuilt anything."""
        found = [f.median_r2.mean for f in self._deciding if f.median_r2 is not None]
        return max(found, default=None)

    @property
    def exposure(self) -> float | None:
        """The largest of all figures, what ``max_reconstruction`` limits; None if none was run."""
        return max((f.exposure for f in self._deciding if f.figures), default=None)

    @property
    def _deciding(self) -> list[Finding]:
        return [f for f in self.findings if not f.upper_bound]

    @property
    def worst_line(self) -> str:
        """The worst finding as one sentence, for a person who is about to send."""
        worst = self.worst
        if worst is None:
            return f"Not audited: {self.findings[0].reason}"
        return f"{worst.coalition}, holding {worst.holds}, would {said(worst)}."

    def to_json(self) -> str:
        """Return the audit as JSON."""
        plain = {
            "level": self.level,
            "exposure": self.exposure,
            "reconstruction": self.reconstruction,
            "worst": None if self.worst is None else self.worst.attack,
            "n_rows": self.n_rows,
            "n_features": self.n_features,
            "terms": self.terms,
            "advice": list(self.advice),
            "findings": [f.to_dict() for f in self.findings],
        }
        return json.dumps(plain, indent=2, allow_nan=False)

    def rows(self) -> list[tuple[str, str, str, str, str]]:
        """Return a table: who, holding what, rebuilds, recognises, and how grave it is."""
        found: list[tuple[str, str, str, str, str]] = []
        for f in self.findings:
            rebuilds = "" if f.median_r2 is None else _rebuilds(f.median_r2)
            if f.column is not None:
                rebuilds += f"; {f.column[0]!r} {f.column[1]:.2f}"
            if f.decoded:
                rebuilds += f"; {f.decoded:.0%} of rows exactly"
            recognises = "" if f.top1 is None else f"{_shown(f.top1, percent=True)} of rows"
            if f.exposed is not None and f.advantage is not None:
                rebuilds = f"{_shown(f.exposed, percent=True)} of rows, exactly"
                recognises = f"who took part: advantage {_shown(f.advantage)}"
            level = "upper bound" if f.upper_bound else f.level
            found.append((f.coalition, f.holds, rebuilds or f.reason, recognises, level))
        return found

    def _repr_html_(self) -> str:
        header = ["who would work together", "holding", "rebuild", "recognise", "how grave"]
        caption = f"Audit of {self.n_rows} rows and {self.n_features} columns: {self.level}"
        note = " ".join([self.worst_line, *self.advice])
        return html_table(header, self.rows(), caption, note)

    def to_text(self) -> str:
        """Return the audit as text of at most 100 columns, one paragraph per finding."""
        lines = []
        for finding in self.findings:
            mark = "UPPER BOUND" if finding.upper_bound else finding.level.upper()
            lines.append(f"[{mark}] {finding.coalition}")
            lines.append(f"    holding   {finding.holds}")
            lines += [f"    {line}" for line in _gets(finding)]
        lines += _excluded(self.findings)
        if self.advice:
            lines.append("Advice")
            lines += [f"  - {text}" for text in self.advice]
        return "\n".join(lines)


def said(finding: Finding) -> str:
    """Say what an attack gets, as the end of a sentence that begins with who would."""
    if finding.advantage is not None:
        return f"get {_told(finding)}"
    parts = []
    if finding.median_r2 is not None:
        parts.append(f"rebuild a typical column to R2 {finding.median_r2.mean:.2f} (1 is exact)")
    if finding.column is not None:
        name, r2 = finding.column
        parts.append(f"the column {name!r} to {r2:.2f}")
    if finding.decoded:
        parts.append(f"decode {finding.decoded:.0%} of your rows exactly")
    if finding.top1 is not None:
        parts.append(f"recognise {finding.top1.mean:.0%} of rows")
    return " and ".join([", ".join(parts[:-1]), parts[-1]] if len(parts) > 1 else parts)


def _gets(finding: Finding) -> list[str]:
    if finding.reason:
        return [f"not run   {finding.reason}"]
    lines = []
    if finding.median_r2 is not None and finding.worst_r2 is not None:
        lines.append(
            f"rebuild   R2 {_shown(finding.median_r2)} of a typical column, "
            f"{finding.worst_r2.mean:.2f} of {finding.worst_feature!r}"
        )
        lines.append(
            f"          (1 is exact, 0 is guessing the mean; with wrong knowledge "
            f"{_mean(finding.control_r2)})"
        )
    if finding.advantage is not None:
        lines.append(f"get       {_told(finding)}")
        lines.append(
            f"          (0 says nothing, 1 is certainty; of people who did not take part "
            f"{_mean(finding.control_advantage)})"
        )
    if finding.rare_r2 is not None:
        lines.append(
            f"          R2 {finding.rare_r2.mean:.2f} of the rare {finding.rare_feature!r}, which "
            f"does not count above"
        )
    if finding.exact is not None and finding.decoded:
        lines.append(f"          {_shown(finding.exact, percent=True)} of rows exactly")
    if finding.spare_bits is not None:
        lines.append(f"          {_spare(finding.spare_bits.mean)}")
    if finding.within_10_percent is not None:
        lines.append(f"          {finding.within_10_percent.mean:.0%} of rows to within 10 %")
    if finding.top1 is not None:
        lines.append(
            f"recognise {_shown(finding.top1, percent=True)} of the rows "
            f"(by chance {_mean(finding.control_top1, percent=True)})"
        )
    lines.append(f"measured  on {finding.n_rows} rows, {finding.n_repeats} times")
    return lines


def _rebuilds(r2: Estimate) -> str:
    """Say in words and in figures how well a typical column is rebuilt."""
    amber, red = GRADES["typical column"]
    words = "no better than guessing"
    for least, word in ((red, "almost exactly"), (amber, "roughly"), (FAINT, "faintly")):
        if r2.mean >= least:
            words = word
            break
    return f"{words}: R2 {_shown(r2)}"


def _spare(bits: float) -> str:
    if bits < SPARE_BITS:
        return "what is sent of a row has no room for all of it"
    return f"what is sent of a row has {bits:.0f} bits more than the row: it follows from it"


def _told(finding: Finding) -> str:
    assert finding.exposed is not None
    assert finding.advantage is not None
    return (
        f"{finding.exposed.mean:.0%} of your rows exactly, and who took part with advantage "
        f"{finding.advantage.mean:.2f}"
    )


def _shown(value: Estimate, percent: bool = False) -> str:
    form = "{:.0%}" if percent else "{:.2f}"
    text = form.format(value.mean)
    if value.low != value.low:
        return text
    # No score exceeds 1, and no share is less than 0, whatever a normal interval says.
    low, high = max(0.0, value.low) if percent else value.low, min(1.0, value.high)
    return f"{text} ({form.format(low)} to {form.format(high)})"


def _mean(value: Estimate | None, percent: bool = False) -> str:
    if value is None:
        return "not known"
    return f"{value.mean:.1%}" if percent else f"{value.mean:.2f}"


def _excluded(findings: tuple[Finding, ...]) -> list[str]:
    names = sorted({name for f in findings for name in f.excluded})
    if not names:
        return []
    shown = ", ".join(names[:10]) + (f" and {len(names) - 10} more" if len(names) > 10 else "")
    return [f"Not counted, because near-constant or a copy of another column: {shown}"]
