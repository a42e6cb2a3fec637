"""How many rounds formulas are told of, where nobody knows the number beforehand."""

from __future__ import annotations

from typing import Any

from noregret_kernels import _core

#: The first number of rounds. It and its doubles are ends of blocks, so that predictions do not depend on them.
FIRST = 256


def start(
    name: str, parameters: dict[str, Any], dim: int, horizon: int | None, rows: int | None, **more: Any
) -> tuple[_core.Learner, int | None]:
    """A learner before its first round, and the n of its formulas that doubles; None where it has no such formula or n is given.

    A formula is told of `rows`, if these are known, and else of 256. As in the program, other learners are told of no n.
    """
    limit = None
    if horizon is None and _core.Learner.needs_horizon(name, parameters, dim):
        horizon = limit = FIRST if rows is None else max(rows, 1)
    doubling = limit is not None
    return _core.Learner(name, parameters, dim, horizon, widths=True, doubling=doubling, **more), limit


def room(learner: _core.Learner, limit: int | None, rows: int) -> tuple[_core.Learner, int | None, int]:
    """The learner for the coming rounds, its n, and how many of `rows` may be played with it.

    The n doubles when so many rounds were played, and what was learnt stays. Steps of descent get smaller at each doubling, as
    those of 1/sqrt(t) do; the bound on the regret of descent with steps that never grow holds for them.
    """
    if limit is None:
        return learner, None, rows
    played, before = learner.rounds, limit
    while played >= limit:
        limit *= 2
    if limit > before:
        learner = learner.with_horizon(limit)
    return learner, limit, min(rows, limit - played)
