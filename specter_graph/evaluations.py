"""The group `graph.evaluate`: embedding spaces on held-out papers and on other tasks."""

from collections.abc import Sequence
from pathlib import Path

from specter_graph.baselines import missing_baselines, rank_all, rank_baseline
from specter_graph.core.progress import Progress, silent
from specter_graph.evaluation import evaluate_spaces
from specter_graph.evaluation.protocols.arxiv import evaluate_arxiv
from specter_graph.evaluation.protocols.geometry import describe_spaces
from specter_graph.evaluation.protocols.spaces import chosen_spaces, compare_spaces
from specter_graph.evaluation.protocols.tasks import evaluate_tasks
from specter_graph.evaluation.report.page import write_report
from specter_graph.graph.checks import require_papers
from specter_graph.graph.embeddings.spaces import spaces, usual_holdout
from specter_graph.graph.split import HeldOutSplit
from specter_graph.groups import Group, Method


class Evaluations(Group):
    """Scores of embedding spaces, and of baselines that rank papers without vectors."""

    held_out = Method(evaluate_spaces)
    tasks = Method(evaluate_tasks)
    arxiv = Method(evaluate_arxiv)
    geometry = Method(describe_spaces)
    compare = Method(compare_spaces)
    baseline = Method(rank_baseline)

    def report(
        self,
        output: Path | str,
        names: Sequence[str] | None = None,
        *,
        split: HeldOutSplit = "test",
        holdout: float | None = None,
        against: str | None = None,
        scheme: str | None = None,
        seed: int = 0,
        progress: Progress = silent,
    ) -> list[Path]:
        """Write report.html and report.md about spaces and baselines; see `evaluation.report.page`.

        Baselines that have not been run are listed without figures.
        """
        db = self.database
        require_papers(db)
        if holdout is None:
            chosen = [name for system in names or () for name in system.split(",")]
            holdout = usual_holdout(chosen_spaces(db, chosen))
        ranked, missing = rank_all(db, split=split, holdout=holdout, seed=seed)
        return write_report(
            db,
            Path(output),
            names,
            split=split,
            holdout=holdout,
            against=against,
            scheme=scheme,
            rankers=ranked,
            missing=missing | missing_baselines(spaces(db)),
            seed=seed,
            progress=progress,
        )
