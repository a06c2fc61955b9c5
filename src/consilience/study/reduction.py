"""What a study says about the private reduction of each party, and about noise before it."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

__all__ = ["Reduction"]


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
        if self.budget is None:
            return self
        if self.epsilon is None:
            raise ValueError(
                f"budget == {self.budget:g} without epsilon: a contribution without noise has no "
                f"price that a budget could hold. Set epsilon too"
            )
        if self.epsilon > self.budget:
            raise ValueError(
                f"epsilon == {self.epsilon:g}, must be <= {self.budget:g}, the budget: not one "
                f"contribution could be sent"
            )
        return self
