"""specter-graph: citation-informed document embeddings on a Neo4j literature graph.

    from specter_graph import Encoder, LiteratureGraph, open_corpus

The entry points, all settings, results and exceptions have their names here. A name is loaded when
it is first used, so importing the package takes no time.
"""

from importlib import import_module
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from specter_graph import loaders
    from specter_graph.baselines import BuiltBaseline, RankedBaseline
    from specter_graph.core.errors import (
        GraphError,
        InputError,
        LeakError,
        ModelError,
        ServerError,
        SpecterGraphError,
    )
    from specter_graph.core.triplet_settings import Citations, Cooccurrence, Multitask, Neighbors
    from specter_graph.encoder import (
        BaseChoice,
        Encoder,
        FullSettings,
        HeadSettings,
        ModelRecord,
        Recipe,
    )
    from specter_graph.encoder.settings import read_recipe
    from specter_graph.evaluation import Report
    from specter_graph.evaluation.metrics.results import Comparison, TaskResult
    from specter_graph.evaluation.protocols.scidocs import evaluate_scidocs
    from specter_graph.graph.algorithms.projection import AlgorithmResult
    from specter_graph.graph.algorithms.topics import Topic
    from specter_graph.graph.deduplication.merge import MergeSummary
    from specter_graph.graph.driver_errors import TooLongError
    from specter_graph.graph.embeddings.embed import EmbedSummary
    from specter_graph.graph.embeddings.index import IndexSettings
    from specter_graph.graph.embeddings.spaces import EmbeddingSpace
    from specter_graph.graph.export import ExportSummary
    from specter_graph.graph.loading.summary import LoadSummary
    from specter_graph.graph.maintenance.delete import Deleted
    from specter_graph.graph.maintenance.update import UpdateSummary
    from specter_graph.graph.queries.cypher import Rows
    from specter_graph.graph.queries.library import Answer
    from specter_graph.graph.queries.papers import PaperDetails
    from specter_graph.graph.search import Filters, Hit, Matched, Missing, Reason, Results
    from specter_graph.graph.search.index_recall import RecallCheck
    from specter_graph.graph.server import Endpoint, Instance, ServerStatus
    from specter_graph.graph.server.backup import Backup, back_up, restore
    from specter_graph.graph.server.doctor import ServerCheck, run_checks
    from specter_graph.graph.stats import Stats
    from specter_graph.graph.triplets.mine import TripletReport, TripletStream
    from specter_graph.literature_graph import LiteratureGraph
    from specter_graph.loaders import Corpus, open_corpus
    from specter_graph.loaders.review_records import Assigned, Conflict
    from specter_graph.matching.affinity.aggregation import Aggregation
    from specter_graph.matching.affinity.scoring import ScoreSettings, VenueScores
    from specter_graph.matching.assignment.venue_assignment import AssignSettings
    from specter_graph.pipelines.embed_files import FileEmbedSummary, embed_files
    from specter_graph.pipelines.export_model import ModelExport, export_model
    from specter_graph.pipelines.train import default_recipe
    from specter_graph.settings import Settings
    from specter_graph.venue import ReviewVenue

    __version__: str

__all__ = [
    "Aggregation",
    "AlgorithmResult",
    "Answer",
    "AssignSettings",
    "Assigned",
    "Backup",
    "BaseChoice",
    "BuiltBaseline",
    "Citations",
    "Comparison",
    "Conflict",
    "Cooccurrence",
    "Corpus",
    "Deleted",
    "EmbedSummary",
    "EmbeddingSpace",
    "Encoder",
    "Endpoint",
    "ExportSummary",
    "FileEmbedSummary",
    "Filters",
    "FullSettings",
    "GraphError",
    "HeadSettings",
    "Hit",
    "IndexSettings",
    "InputError",
    "Instance",
    "LeakError",
    "LiteratureGraph",
    "LoadSummary",
    "Matched",
    "MergeSummary",
    "Missing",
    "ModelError",
    "ModelExport",
    "ModelRecord",
    "Multitask",
    "Neighbors",
    "PaperDetails",
    "RankedBaseline",
    "Reason",
    "RecallCheck",
    "Recipe",
    "Report",
    "Results",
    "ReviewVenue",
    "Rows",
    "ScoreSettings",
    "ServerCheck",
    "ServerError",
    "ServerStatus",
    "Settings",
    "SpecterGraphError",
    "Stats",
    "TaskResult",
    "TooLongError",
    "Topic",
    "TripletReport",
    "TripletStream",
    "UpdateSummary",
    "VenueScores",
    "__version__",
    "back_up",
    "default_recipe",
    "embed_files",
    "evaluate_scidocs",
    "export_model",
    "loaders",
    "open_corpus",
    "read_recipe",
    "restore",
    "run_checks",
]

_MODULES = {
    "specter_graph.baselines": (
        "BuiltBaseline",
        "RankedBaseline",
    ),
    "specter_graph.core.errors": (
        "GraphError",
        "InputError",
        "LeakError",
        "ModelError",
        "ServerError",
        "SpecterGraphError",
    ),
    "specter_graph.core.triplet_settings": (
        "Citations",
        "Cooccurrence",
        "Multitask",
        "Neighbors",
    ),
    "specter_graph.encoder": (
        "BaseChoice",
        "Encoder",
        "FullSettings",
        "HeadSettings",
        "ModelRecord",
        "Recipe",
    ),
    "specter_graph.encoder.settings": ("read_recipe",),
    "specter_graph.evaluation": ("Report",),
    "specter_graph.evaluation.metrics.results": (
        "Comparison",
        "TaskResult",
    ),
    "specter_graph.evaluation.protocols.scidocs": ("evaluate_scidocs",),
    "specter_graph.graph.algorithms.projection": ("AlgorithmResult",),
    "specter_graph.graph.algorithms.topics": ("Topic",),
    "specter_graph.graph.deduplication.merge": ("MergeSummary",),
    "specter_graph.graph.driver_errors": ("TooLongError",),
    "specter_graph.graph.embeddings.embed": ("EmbedSummary",),
    "specter_graph.graph.embeddings.index": ("IndexSettings",),
    "specter_graph.graph.embeddings.spaces": ("EmbeddingSpace",),
    "specter_graph.graph.export": ("ExportSummary",),
    "specter_graph.graph.loading.summary": ("LoadSummary",),
    "specter_graph.graph.maintenance.delete": ("Deleted",),
    "specter_graph.graph.maintenance.update": ("UpdateSummary",),
    "specter_graph.graph.queries.cypher": ("Rows",),
    "specter_graph.graph.queries.library": ("Answer",),
    "specter_graph.graph.queries.papers": ("PaperDetails",),
    "specter_graph.graph.search": (
        "Filters",
        "Hit",
        "Matched",
        "Missing",
        "Reason",
        "Results",
    ),
    "specter_graph.graph.search.index_recall": ("RecallCheck",),
    "specter_graph.graph.server": (
        "Endpoint",
        "Instance",
        "ServerStatus",
    ),
    "specter_graph.graph.server.backup": (
        "Backup",
        "back_up",
        "restore",
    ),
    "specter_graph.graph.server.doctor": (
        "ServerCheck",
        "run_checks",
    ),
    "specter_graph.graph.stats": ("Stats",),
    "specter_graph.graph.triplets.mine": (
        "TripletReport",
        "TripletStream",
    ),
    "specter_graph.literature_graph": ("LiteratureGraph",),
    "specter_graph.loaders": (
        "Corpus",
        "open_corpus",
    ),
    "specter_graph.loaders.review_records": (
        "Assigned",
        "Conflict",
    ),
    "specter_graph.matching.affinity.aggregation": ("Aggregation",),
    "specter_graph.matching.affinity.scoring": (
        "ScoreSettings",
        "VenueScores",
    ),
    "specter_graph.matching.assignment.venue_assignment": ("AssignSettings",),
    "specter_graph.pipelines.embed_files": (
        "FileEmbedSummary",
        "embed_files",
    ),
    "specter_graph.pipelines.export_model": (
        "ModelExport",
        "export_model",
    ),
    "specter_graph.pipelines.train": ("default_recipe",),
    "specter_graph.settings": ("Settings",),
    "specter_graph.venue": ("ReviewVenue",),
}
_HOMES = {name: module for module, names in _MODULES.items() for name in names}


def __getattr__(name: str) -> Any:  # noqa: ANN401
    if name == "__version__":
        return version("specter-graph")
    if name == "loaders":
        return import_module("specter_graph.loaders")
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
