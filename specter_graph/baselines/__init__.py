"""Baselines: systems that SPECTER is compared with.

A baseline builds an embedding space, or ranks papers without vectors. `registry` lists all of them
with what they need.
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
