"""The group `graph.evaluate`, whose libraries take seconds to import."""

from dataclasses import replace
from hashlib import sha256
from pathlib import Path

from specter_graph.baselines.registry import missing_baselines, rank_all, rank_baseline
from specter_graph.core.atomic_files import create_folder, data_folder
from specter_graph.core.errors import require_paths
from specter_graph.core.progress import Progress, silent
from specter_graph.evaluation import evaluate_spaces
from specter_graph.evaluation.metrics.ranking import require_trec_eval
from specter_graph.evaluation.protocols.arxiv_protocol import evaluate_arxiv
from specter_graph.evaluation.protocols.geometry import describe_spaces
from specter_graph.evaluation.protocols.recommender import train_recommender
from specter_graph.evaluation.protocols.scidocs_benchmark import (
    SPLIT,
    evaluate_scidocs_spaces,
    read_split,
)
from specter_graph.evaluation.protocols.space_evaluation import chosen_systems, compare_spaces
from specter_graph.evaluation.protocols.tasks import evaluate_tasks
from specter_graph.evaluation.report.page import ReportSettings, write_report
from specter_graph.graph.contents import require_papers
from specter_graph.graph.embeddings.spaces import list_spaces, usual_holdout
from specter_graph.graph.split import StoredSplit, set_split, stored_split
from specter_graph.groups import Group, Method
from specter_graph.settings import Settings


class Evaluations(Group):
    """Scores of embedding spaces, and of baselines that rank papers without vectors."""

    held_out = Method(evaluate_spaces)
    tasks = Method(evaluate_tasks)
    scidocs = Method(evaluate_scidocs_spaces)
    arxiv = Method(evaluate_arxiv)
    geometry = Method(describe_spaces)
    compare = Method(compare_spaces)
    baseline = Method(rank_baseline)
    set_split = Method(set_split)
    get_split = Method(stored_split)
    train_recommender = Method(train_recommender)

    def set_scidocs_split(
        self, folder: Path | str, *, near_duplicates: bool = False, progress: Progress = silent
    ) -> StoredSplit | None:
        """Hold out the test and validation papers of SciDocs that are in the graph.

        Args:
            folder: The published data of SciDocs.
            near_duplicates: Also hold out their near-duplicates, see `set_split`.
            progress: Called with the number of papers.

        Raises:
            InputError: A file of SciDocs is missing or damaged.
        """
        test, validation = read_split(folder)
        return set_split(
            self.database,
            test_ids=test,
            validation_ids=validation,
            published=SPLIT,
            near_duplicates=near_duplicates,
            progress=progress,
        )

    def report(
        self,
        path: Path | str | None = None,
        settings: ReportSettings | None = None,
        *,
        progress: Progress = silent,
    ) -> list[Path]:
        """Write report.html and report.md about embedding spaces and baselines.

        Baselines that have not been run are listed without figures.

        Args:
            path: The folder to write, by default the folder whose report `serve` shows.
            settings: The settings, by default all spaces on the test papers.
            progress: Called with running counts.

        Returns:
            The files written.

        Raises:
            LeakError: A space has seen citations of the held-out papers.
            GraphError: A space does not exist, or papers lack vectors.
            InputError: `compare_to` is not one of the systems, or the folder cannot be written.
        """
        require_trec_eval()
        settings = settings or ReportSettings()
        db, holdout = self.database, settings.holdout
        require_papers(db)
        if path is None:
            data_folder(Settings().specter_graph_data, "reports")
            path = self.report_folder()
        require_paths('graph.evaluate.report("report")', path=path)
        create_folder(path)
        if holdout is None:
            _, chosen = chosen_systems(db, settings.spaces)
            holdout = usual_holdout(chosen)
        ranked, missing = rank_all(db, split=settings.split, holdout=holdout, seed=settings.seed)
        return write_report(
            db,
            Path(path),
            replace(settings, holdout=holdout),
            rankers=ranked,
            missing=missing | missing_baselines(list_spaces(db)),
            progress=progress,
        )

    def report_folder(self, data: Path | str | None = None) -> Path:
        """Return the folder of the database's report in a data folder (SPECTER_GRAPH_DATA)."""
        [row] = self.database.read("service/database")
        folder = Path(data or Settings().specter_graph_data)
        return folder / "reports" / sha256(row["id"].encode()).hexdigest()[:16]
