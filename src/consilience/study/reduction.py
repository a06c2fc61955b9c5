"""What a study says about the private reduction of each party, and about noise before it."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

__all__ = ["Reduction", "check_budget"]


class Reduction(BaseModel):
    """The private reduction of each party.

    Parameters
    ----------
    reducer : {"pca", "svd", "random", "lpp", "nmf"}
    n_components : dict of str to int
        Per column group, how many dimensions leave; half of the encoded columns where nothing is
        said.
    scaling : {"none", "bounds", "local"}
    rotate : bool
    epsilon : float, optional
        Privacy budget per record and contribution: Laplace noise on the encoded rows, before the
        reduction is fitted. Nothing means no noise, and no formal guarantee.
    budget : float, optional
        What all contributions of a party together may spend per record; nothing keeps account
        without a limit.

    Examples
    --------
    >>> Reduction(epsilon=50, budget=100).budget
    100.0
    """

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    reducer: Literal["pca", "svd", "random", "lpp", "nmf"] = "pca"
    n_components: dict[str, Annotated[int, Field(ge=1)]] = {}
    scaling: Literal["none", "bounds", "local"] = "bounds"
    rotate: bool = True
    epsilon: float | None = Field(default=None, gt=0, strict=True)
    budget: float | None = Field(default=None, gt=0, strict=True)

    @model_validator(mode="after")
    def _affordable(self) -> Reduction:
        check_budget(self.epsilon, self.budget)
        return self


def check_budget(epsilon: float | None, budget: float | None) -> None:
    """Refuse a budget that has no price to hold, or that not one contribution fits into."""
    if budget is None:
        return
    if epsilon is None:
        raise ValueError(
            f"budget == {budget:g} without epsilon: a contribution without noise has no price "
            f"that a budget could hold. Set epsilon too"
        )
    if epsilon > budget:
        raise ValueError(
            f"epsilon == {epsilon:g}, must be <= {budget:g}, the budget: not one contribution "
            f"could be sent"
        )
