"""Is one system better than another? Paired tests on the same items, and their correction.

Both tests work on any `Measure`: means over queries, weighted means over clicks, macro F1.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from specter_graph.core.errors import InputError
from specter_graph.core.statistics import LEVEL, Interval, interval
from specter_graph.evaluation.grid import Grid, percent
from specter_graph.evaluation.measures import Measure, in_step
from specter_graph.evaluation.outcomes import Outcome

ROUNDS = 10_000
"""Of the randomisation test."""

Figures = Mapping[str, Measure | Outcome]
"""By the name of a figure, such as "cite map"; or, by the name of a task, all figures of it."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """A figure of two systems: `difference` is `one` - `other`.

    `p` is that of the randomisation test, `p_holm` the same after Holm's correction for all figures
    that were compared together.
    """

    figure: str
    items: int
    one: float
    other: float
    difference: Interval
    p: float
    p_holm: float

    def as_json(self) -> dict[str, Any]:
        """All fields."""
        return asdict(self)


def compare(one: Figures, other: Figures, *, seed: int = 0) -> list[Comparison]:
    """Compare two systems figure by figure, of those that both have.

    Outcomes tell the names of their items, and are paired by these. Bare measures do not: both must
    be of the same items in the same order.

    Raises InputError when they have none in common, or a figure is not of the same items.
    """
    for task in [each for each in one if each in other]:
        _refuse_other_items(task, one[task], other[task])
    return _compare(_measures(one), _measures(other), seed)


def _refuse_other_items(task: str, one: Measure | Outcome, other: Measure | Outcome) -> None:
    if isinstance(one, Outcome) and isinstance(other, Outcome) and one.items != other.items:
        raise InputError(
            f"{task} is not of the same items for both: {len(one.items):,} were scored of the one"
            f" and {len(other.items):,} of the other; they cannot be paired",
            "score both where each has its vectors",
        )


def _measures(figures: Figures) -> dict[str, Measure]:
    """The measures by the names of the figures, those of an outcome after its task's."""
    found: dict[str, Measure] = {}
    for name, each in figures.items():
        if isinstance(each, Outcome):
            found |= {f"{name} {metric}": measure for metric, measure in each.measures.items()}
        else:
            found[name] = each
    return found


def _compare(
    one: Mapping[str, Measure], other: Mapping[str, Measure], seed: int
) -> list[Comparison]:
    figures = [figure for figure in one if figure in other]
    if not figures:
        raise InputError("the two have no figure in common to compare")
    for figure in figures:
        if len(one[figure]) != len(other[figure]):
            raise InputError(
                f"{figure} is of {len(one[figure]):,} items for the one and of"
                f" {len(other[figure]):,} for the other: they cannot be paired"
            )
    p = [randomisation(one[figure], other[figure], seed=seed) for figure in figures]
    return [
        Comparison(
            figure,
            len(one[figure]),
            one[figure].value(),
            other[figure].value(),
            paired_bootstrap(one[figure], other[figure], seed=seed),
            single,
            corrected,
        )
        for figure, single, corrected in zip(figures, p, holm(p), strict=True)
    ]


def paired_bootstrap(one: Measure, other: Measure, *, seed: int = 0) -> Interval:
    """The difference and its 95 % percentile interval over 2,000 resamples of the items.

    Both systems are computed anew on the same resampled items (Efron and Tibshirani 1993).
    """
    return interval(lambda items: one.value(items) - other.value(items), len(one), seed=seed)


def randomisation(one: Measure, other: Measure, *, seed: int = 0, rounds: int = ROUNDS) -> float:
    """The two-sided p of the paired randomisation test (Smucker et al. 2007).

    If the systems were the same, each item could as well be exchanged between them: p is the share
    of random exchanges with a difference at least as large, (1 + count) / (1 + rounds).
    """
    one, other = in_step(one, other)
    observed = abs(one.value() - other.value())
    generator = np.random.default_rng(seed)
    count = 0
    for _ in range(rounds):
        mask = generator.random(len(one)) < 0.5
        apart = one.exchanged(other, mask).value() - other.exchanged(one, mask).value()
        count += abs(apart) >= observed - 1e-12  # sums in another order are the same difference
    return (1 + count) / (1 + rounds)


def holm(p: Sequence[float]) -> list[float]:
    """Holm's step-down correction (1979): each p times how many are not smaller, never falling."""
    adjusted = [0.0] * len(p)
    least = 0.0
    for done, place in enumerate(sorted(range(len(p)), key=lambda i: p[i])):
        least = max(least, min(1.0, (len(p) - done) * p[place]))
        adjusted[place] = least
    return adjusted


def grid(names: tuple[str, str], found: Sequence[Comparison]) -> Grid:
    """The comparisons as a table in percent; what is significant after correction is bold."""
    rows = []
    for each in found:
        low, high = (f"{100 * bound:+.1f}" for bound in (each.difference.low, each.difference.high))
        difference = f"{100 * each.difference.value:+.1f} ({low} to {high})"
        rows.append(
            [
                each.figure,
                percent(each.one, 1),
                percent(each.other, 1),
                f"**{difference}**" if each.p_holm < 1 - LEVEL else difference,
                f"{each.p:.4f}",
                f"{each.p_holm:.4f}",
            ]
        )
    note = (
        f"Differences with {LEVEL:.0%} intervals by paired bootstrap; p by paired randomisation,"
        f" {ROUNDS:,} rounds; p (Holm) corrected for {len(found)} figures,"
        f" bold below {1 - LEVEL:.2f}."
    )
    return Grid(["figure", *names, "difference", "p", "p (Holm)"], rows, [note])
