"""The ablations that `bench/ablations.py` leaves in a file, for the report to draw as bars."""

import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from specter_graph.core.errors import InputError
from specter_graph.core.statistics import Interval


@dataclass(frozen=True, slots=True)
class AblatedMeasure:
    """What changes add to a measure: its value unchanged, and by variant the difference.

    Values are means over the seeds; an interval spans those of all seeds.
    """

    title: str
    unchanged: float
    seeds: int
    differences: dict[str, Interval]

    @property
    def reach(self) -> float:
        """The farthest that a difference or an interval comes from 0."""
        told = [abs(end) for each in self.differences.values() for end in (each.low, each.high)]
        return max([*told, *(abs(each.value) for each in self.differences.values()), 1e-9])


def read_ablations(path: Path) -> list[AblatedMeasure]:
    """Read what seeds and variants came to, an entry for each measure.

    {seed: {variant: {measure: {"value", "difference", "low", "high"}}}}; the unchanged variant has
    a value alone. Raises InputError for a file that is not so.
    """
    try:
        seeds = [*json.loads(path.read_text(encoding="utf-8")).values()]
        variants = dict.fromkeys(name for seed in seeds for name in seed)
        [whole] = [
            name for name, of in seeds[0].items() if not any("low" in m for m in of.values())
        ]
        return [
            AblatedMeasure(
                title,
                float(np.mean([seed[whole][title]["value"] for seed in seeds])),
                len(seeds),
                {
                    name: _over([seed[name][title] for seed in seeds if name in seed])
                    for name in variants
                    if name != whole
                },
            )
            for title in seeds[0][whole]
        ]
    except (OSError, ValueError, KeyError, IndexError, TypeError, AttributeError) as error:
        raise InputError(
            f"{path} has no ablations: {type(error).__name__}: {error}",
            "python bench/ablations.py --json FILE writes them",
        ) from error


def _over(seeds: list[dict[str, float]]) -> Interval:
    return Interval(
        float(np.mean([each["difference"] for each in seeds])),
        min(each["low"] for each in seeds),
        max(each["high"] for each in seeds),
    )
