"""The groups `graph.evaluate` and `graph.algorithms`, whose libraries take seconds to import."""

from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path

from specter_graph.baselines.registry import missing_baselines, rank_all, rank_baseline
from specter_graph.core.atomic_files import data_folder
from specter_graph.core.progress import Progress, silent
from specter_graph.cypher import statement
from specter_graph.evaluation import evaluate_spaces
from specter_graph.evaluation.protocols.arxiv_protocol import evaluate_arxiv
from specter_graph.evaluation.protocols.geometry import describe_spaces
from specter_graph.evaluation.protocols.recommender import train_recommender
from specter_graph.evaluation.protocols.scidocs_benchmark import (
    SPLIT,
    evaluate_scidocs_spaces,
    read_split,
)
from specter_graph.evaluation.protocols.space_evaluation import chosen_spaces, compare_spaces
from specter_graph.evaluation.protocols.tasks import evaluate_tasks
from specter_graph.evaluation.report.page import write_report
from specter_graph.graph.algorithms import centrality, fastrp, similarity, topics
from specter_graph.graph.contents import require_papers
from specter_graph.graph.embeddings.spaces import list_spaces, usual_holdout
from specter_graph.graph.split import HeldOutSplit, StoredSplit, set_split, stored_split
from specter_graph.groups import Group, Method
from specter_graph.settings import Settings


class Algorithms(Group):
    """Graph algorithms on the server; each writes its results to the graph."""

    pagerank = Method(centrality.pagerank)
    communities = Method(centrality.communities)
    knn = Method(similarity.knn)
    similarity = Method(similarity.similarity)
    fastrp = Method(fastrp.fastrp)
    make_topics = Method(topics.make_topics)
    topics = Method(topics.list_topics)


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
        self, folder: Path, *, near_duplicates: bool = False, progress: Progress = silent
    ) -> StoredSplit | None:
        """Hold out the test and validation papers of SciDocs that are in the graph.

        Args:
            folder: The published data of SciDocs.
            near_duplicates: Also hold out their near-duplicates, see `set_split`.
            progress: Called with the number of papers.
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
        output: Path | str | None = None,
        spaces: Sequence[str] | None = None,
        *,
        split: HeldOutSplit = "test",
        holdout: float | None = None,
        compare_to: str | None = None,
        label_scheme: str | None = None,
        seed: int = 0,
        progress: Progress = silent,
    ) -> list[Path]:
        """Write report.html and report.md about embedding spaces and baselines.

        Baselines that have not been run are listed without figures.

        Args:
            output: The folder to write, by default the folder whose report `serve` shows.
            spaces: The spaces, by default all; names joined by commas are one system over several
                random seeds.
            split: The papers to score: "test" or "validation".
            holdout: The share of held-out papers, by default the smallest one of the spaces.
            compare_to: The space to compare the others with.
            label_scheme: The scheme of the labels for clustering and classification.
            seed: The random seed.
            progress: Called with running counts.

        Returns:
            The files written.
        """
        db = self.database
        require_papers(db)
        if output is None:
            data_folder(Settings().specter_graph_data, "reports")
            output = self.report_folder()
        if holdout is None:
            chosen = [name for system in spaces or () for name in system.split(",")]
            holdout = usual_holdout(chosen_spaces(db, chosen))
        ranked, missing = rank_all(db, split=split, holdout=holdout, seed=seed)
        return write_report(
            db,
            Path(output),
            spaces,
            split=split,
            holdout=holdout,
            compare_to=compare_to,
            label_scheme=label_scheme,
            rankers=ranked,
            missing=missing | missing_baselines(list_spaces(db)),
            seed=seed,
            progress=progress,
        )

    def report_folder(self, data_folder: Path | None = None) -> Path:
        """Return the folder of the database's report, by default in SPECTER_GRAPH_DATA."""
        [row] = self.database.read(statement("service/database").text)
        folder = data_folder or Settings().specter_graph_data
        return folder / "reports" / sha256(row["id"].encode()).hexdigest()[:16]
