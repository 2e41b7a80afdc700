"""The systems that SPECTER is compared with: spaces to score, and rankers that are scored at once.

`catalogue` lists them all, those too that are not made here, and says what each needs.
"""

from specter_graph.baselines.catalogue import CATALOGUE, Baseline, open_rows
from specter_graph.baselines.making import MadeBaseline, make_baseline
from specter_graph.baselines.ranking import RankedBaseline, all_rankers, rank_baseline

__all__ = [
    "CATALOGUE",
    "Baseline",
    "MadeBaseline",
    "RankedBaseline",
    "all_rankers",
    "make_baseline",
    "open_rows",
    "rank_baseline",
]
