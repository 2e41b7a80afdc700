"""The public names of specter_graph; `__init__.py` reads them from this file."""

from specter_graph import loaders as loaders
from specter_graph.baselines.build import BuiltBaseline as BuiltBaseline
from specter_graph.baselines.rankers import RankedBaseline as RankedBaseline
from specter_graph.core.encoder_card import EncoderCard as EncoderCard, Prompts as Prompts
from specter_graph.core.errors import (
    GraphError as GraphError,
    InputError as InputError,
    LeakError as LeakError,
    ModelError as ModelError,
    OutdatedError as OutdatedError,
    QueryTimeoutError as QueryTimeoutError,
    ServerError as ServerError,
    SpecterGraphError as SpecterGraphError,
)
from specter_graph.core.progress import Progress as Progress
from specter_graph.core.statistics import Interval as Interval
from specter_graph.core.triplet_settings import (
    CitationTriplets as CitationTriplets,
    CooccurrenceTriplets as CooccurrenceTriplets,
    MultitaskTriplets as MultitaskTriplets,
    NeighborTriplets as NeighborTriplets,
)
from specter_graph.encoder.encoder import Encoder as Encoder
from specter_graph.encoder.model_record import ModelRecord as ModelRecord
from specter_graph.encoder.recipe import (
    BaseChoice as BaseChoice,
    FullSettings as FullSettings,
    HeadSettings as HeadSettings,
    Recipe as Recipe,
    RerankerSettings as RerankerSettings,
    read_recipe as read_recipe,
)
from specter_graph.encoder.reranker import Reranker as Reranker
from specter_graph.encoder.text_encoder import TextModel as TextModel
from specter_graph.evaluation import HeldOutResult as HeldOutResult
from specter_graph.evaluation.metrics.task_results import (
    PairedComparison as PairedComparison,
    TaskResult as TaskResult,
)
from specter_graph.evaluation.protocols.geometry import Geometry as Geometry
from specter_graph.evaluation.protocols.scidocs_benchmark import (
    evaluate_scidocs as evaluate_scidocs,
)
from specter_graph.evaluation.report.page import ReportSettings as ReportSettings
from specter_graph.graph.algorithms.projection import AlgorithmResult as AlgorithmResult
from specter_graph.graph.algorithms.topics import Topic as Topic
from specter_graph.graph.contents import GraphCounts as GraphCounts
from specter_graph.graph.deduplication.merge import (
    MergeStatus as MergeStatus,
    MergeSummary as MergeSummary,
)
from specter_graph.graph.deduplication.merge_authors import AuthorMergeSummary as AuthorMergeSummary
from specter_graph.graph.embeddings.embed import (
    EmbedSummary as EmbedSummary,
    PaperEncoder as PaperEncoder,
)
from specter_graph.graph.embeddings.index import IndexSettings as IndexSettings
from specter_graph.graph.embeddings.spaces import EmbeddingSpace as EmbeddingSpace
from specter_graph.graph.export import ExportSummary as ExportSummary
from specter_graph.graph.export.networks import NetworkExport as NetworkExport
from specter_graph.graph.export.references import ReferenceExport as ReferenceExport
from specter_graph.graph.loading.loader import CheckpointedSource as CheckpointedSource
from specter_graph.graph.loading.summary import LoadSummary as LoadSummary, OnBatch as OnBatch
from specter_graph.graph.maintenance.delete import DeleteCounts as DeleteCounts
from specter_graph.graph.maintenance.reading_lists import (
    ReadingListChange as ReadingListChange,
    ReadingListCounts as ReadingListCounts,
    ReadingListEntry as ReadingListEntry,
)
from specter_graph.graph.maintenance.update import UpdateSummary as UpdateSummary
from specter_graph.graph.queries.cypher import CypherResult as CypherResult
from specter_graph.graph.queries.library_queries import (
    PaperDetails as PaperDetails,
    QueryResult as QueryResult,
)
from specter_graph.graph.reviewing.assignments import (
    AssignmentChange as AssignmentChange,
    PairPaths as PairPaths,
)
from specter_graph.graph.reviewing.venue_data import (
    VenueCounts as VenueCounts,
    VenueReviewer as VenueReviewer,
)
from specter_graph.graph.reviewing.venue_import import ImportSummary as ImportSummary
from specter_graph.graph.search.author_names import NamedAuthor as NamedAuthor
from specter_graph.graph.search.hits import (
    MissingReferencesResult as MissingReferencesResult,
    SearchHit as SearchHit,
    SearchReason as SearchReason,
    SearchResults as SearchResults,
)
from specter_graph.graph.search.space_check import SpaceCheck as SpaceCheck
from specter_graph.graph.search.missing_references import BibliographyMatch as BibliographyMatch
from specter_graph.graph.search.search_filters import FilterOptions as FilterOptions
from specter_graph.graph.server import (
    Endpoint as Endpoint,
    Instance as Instance,
    ServerStatus as ServerStatus,
)
from specter_graph.graph.server.backup import Backup as Backup
from specter_graph.graph.server.doctor import (
    ServerCheck as ServerCheck,
    check_installation as check_installation,
)
from specter_graph.graph.split import StoredSplit as StoredSplit
from specter_graph.graph.triplets.mine import (
    TripletReport as TripletReport,
    TripletStream as TripletStream,
)
from specter_graph.groups.screening import (
    LabelImport as LabelImport,
    ScreeningStatus as ScreeningStatus,
)
from specter_graph.groups.watches import (
    NewPaper as NewPaper,
    PaperWatch as PaperWatch,
    write_email as write_email,
)
from specter_graph.literature_graph import LiteratureGraph as LiteratureGraph
from specter_graph.loaders import Corpus as Corpus, open_corpus as open_corpus
from specter_graph.loaders.formats.drafts import Draft as Draft
from specter_graph.loaders.records import (
    CorpusItem as CorpusItem,
    Paper as Paper,
    PaperText as PaperText,
)
from specter_graph.loaders.review_records import AssignedPair as AssignedPair, Conflict as Conflict
from specter_graph.matching.affinity.aggregation import Aggregation as Aggregation
from specter_graph.matching.affinity.recommend_reviewers import SupportingPaper as SupportingPaper
from specter_graph.matching.affinity.scoring import (
    ScoreSettings as ScoreSettings,
    VenueScores as VenueScores,
)
from specter_graph.matching.assignment.pair_change import PairChange as PairChange
from specter_graph.matching.assignment.venue_assignment import (
    AssignSettings as AssignSettings,
    PairRules as PairRules,
    TrackDemand as TrackDemand,
    VenueSettings as VenueSettings,
)
from specter_graph.pipelines.embed_parts import (
    FileEmbedSummary as FileEmbedSummary,
    embed_files as embed_files,
)
from specter_graph.pipelines.enrich import (
    EnrichPlan as EnrichPlan,
    EnrichSummary as EnrichSummary,
    EnrichedPart as EnrichedPart,
)
from specter_graph.pipelines.export_model import (
    ModelExport as ModelExport,
    export_model as export_model,
)
from specter_graph.pipelines.load_vectors import VectorLoadSummary as VectorLoadSummary
from specter_graph.pipelines.specter_data import (
    SpecterDataReport as SpecterDataReport,
    SpecterDataTriplets as SpecterDataTriplets,
)
from specter_graph.scale.ray_training import train_on_ray as train_on_ray
from specter_graph.scale.ray_workers import RayWorkers as RayWorkers
from specter_graph.settings import Settings as Settings
from specter_graph.venue import (
    DemandCheck as DemandCheck,
    MatchExplanation as MatchExplanation,
    ReviewVenue as ReviewVenue,
)

__version__: str
