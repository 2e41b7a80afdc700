"""What a space is asked: for each held-out paper, which papers should come nearest.

After SciDocs (SPECTER, section 3.2), with up to 5 right answers among 25 random others:

- `cite`: papers that the query cites, among papers with no citation to or from it;
- `cocite`: papers that a third paper cites together with the query, among papers that none does.
  Neither has a citation to or from the query, so that this asks for what `cite` does not;
- `retrieval`: all papers that the query cites, among all candidates.

Candidates are never held out themselves. Every choice depends on the seed and on ids alone.
"""

from dataclasses import dataclass

import numpy as np

from specter_graph.evaluation.facts import Facts, Positions
from specter_graph.loaders.records import draw

POSITIVES = 5
NEGATIVES = 25

TASKS = ("cite", "cocite", "retrieval")


@dataclass(frozen=True, slots=True)
class Ranking:
    """One query of one task.

    `query` is its position in `Facts.papers`; `among` the ascending positions of the papers to be
    ranked in `Facts.candidates`, None for all of them; `relevant` are positions in `among`.
    """

    query: int
    among: Positions | None
    relevant: Positions


def rankings(facts: Facts, seed: int) -> dict[str, list[Ranking]]:
    """The queries of each task; a paper with nothing to find is not among them."""
    drawn: dict[str, list[Ranking | None]] = {
        "cite": [_cite(facts, i, seed) for i in range(len(facts.papers))],
        "cocite": [_cocite(facts, i, seed) for i in range(len(facts.papers))],
        "retrieval": [_retrieval(facts, i) for i in range(len(facts.papers))],
    }
    return {task: [ranking for ranking in drawn[task] if ranking] for task in TASKS}


def _cite(facts: Facts, query: int, seed: int) -> Ranking | None:
    paper = facts.papers[query]
    linked = np.union1d(paper.cites, paper.cited_by)
    return _draw(facts, query, paper.cites, linked, (seed, 0))


def _cocite(facts: Facts, query: int, seed: int) -> Ranking | None:
    paper = facts.papers[query]
    linked = np.union1d(paper.cites, paper.cited_by)
    cocited = np.setdiff1d(paper.cocited, linked)
    return _draw(facts, query, cocited, np.union1d(linked, cocited), (seed, 1))


def _retrieval(facts: Facts, query: int) -> Ranking | None:
    cites = facts.papers[query].cites
    return Ranking(query, None, cites) if 0 < len(cites) < len(facts.candidates) else None


def _draw(
    facts: Facts, query: int, right: Positions, related: Positions, seeds: tuple[int, int]
) -> Ranking | None:
    """Five of the right answers among random candidates that are not related to the query.

    All of them where there are fewer; None where either kind is missing.
    """
    enough = min(len(facts.candidates), NEGATIVES + len(related))
    generator = np.random.default_rng((*seeds, draw(facts.papers[query].id)))
    sample = generator.choice(len(facts.candidates), size=enough, replace=False)
    negatives = sample[~np.isin(sample, related)][:NEGATIVES]
    positives = generator.permutation(right)[:POSITIVES]
    if not len(positives) or not len(negatives):
        return None
    among = np.sort(np.concatenate([positives, negatives]))
    return Ranking(query, among, np.searchsorted(among, np.sort(positives)))
