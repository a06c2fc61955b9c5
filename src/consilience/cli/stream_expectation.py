"""What epsilon means: a table of what noise cost on data where the truth is known."""

from __future__ import annotations

from rich.table import Table

from consilience.continual.expectation import expect

__all__ = ["show_expectation"]


def show_expectation(epsilon: float, n_features: int) -> Table:
    """Tabulate the measurements nearest to the noise of a study.

    Parameters
    ----------
    epsilon : float
        Per record and window.
    n_features : int
    """
    noise = n_features / epsilon
    table = Table(
        title=f"What epsilon {epsilon:g} on {n_features} features, noise {noise:.1%}, may cost",
        caption="Measured with the nearest more and less noise: one trial each, ten parties, at "
        "most 2,000 rows. ARI: 1 is perfect, 0 is chance. Below zero, the noisy run was better.",
    )
    for name in ("data", "features", "epsilon", "noise", "ARI", "without noise", "lost"):
        table.add_column(name, justify="left" if name == "data" else "right")
    for m in expect(epsilon, n_features):
        values = (f"{m.epsilon:g}", f"{m.noise:.1%}", f"{m.ari:.2f}", f"{m.ari_without:.2f}")
        table.add_row(m.data, str(m.n_features), *values, f"{m.lost:+.2f}")
    return table
