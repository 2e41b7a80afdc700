"""The systems that SPECTER is compared with: spaces to score, and rankers that are scored at once.

`registry` lists them all, how each is built or ranks, and what each needs.
"""

from specter_graph.baselines.build import BuiltBaseline
from specter_graph.baselines.rankers import RankedBaseline
from specter_graph.baselines.registry import (
    BASELINES,
    Baseline,
    build_baseline,
    missing_baselines,
    rank_all,
    rank_baseline,
)

__all__ = [
    "BASELINES",
    "Baseline",
    "BuiltBaseline",
    "RankedBaseline",
    "build_baseline",
    "missing_baselines",
    "rank_all",
    "rank_baseline",
]
