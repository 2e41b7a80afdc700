"""LiteratureGraph: the public API, each method one step of the work on one graph."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Self, cast

from specter_graph.core.errors import InputError
from specter_graph.core.progress import Progress, silent
from specter_graph.core.triplet_settings import Source
from specter_graph.graph.checks import require_papers
from specter_graph.graph.database import Database, connect
from specter_graph.graph.deduplication.authors import AuthorMergeSummary, merge_authors
from specter_graph.graph.deduplication.merge import (
    MergedCounts,
    MergeSummary,
    merge,
    merged,
    preview,
)
from specter_graph.graph.embeddings.embed import EmbedSummary, PaperEncoder, embed
from specter_graph.graph.embeddings.index import IndexSettings
from specter_graph.graph.embeddings.spaces import (
    EmbeddingSpace,
    drop_space,
    recorded,
    require_model,
    spaces,
    usual_holdout,
)
from specter_graph.graph.embeddings.spaces import (
    space as find_space,
)
from specter_graph.graph.export import ExportSummary, export_graph
from specter_graph.graph.loading.loader import Resumable, load_papers
from specter_graph.graph.loading.summary import LoadSummary, Watch, unwatched
from specter_graph.graph.maintenance.clear import clear, drop_stubs
from specter_graph.graph.maintenance.delete import (
    CorpusSize,
    Deleted,
    corpus_size,
    delete_corpus,
    delete_papers,
    delete_readers,
)
from specter_graph.graph.maintenance.update import UpdateSummary, delete_vanished, update
from specter_graph.graph.queries import library as ask
from specter_graph.graph.schema import apply_schema
from specter_graph.graph.search import (
    NONE,
    Filters,
    Hit,
    Matched,
    Missing,
    Mode,
    Results,
    complete,
    missing_references,
    similar,
)
from specter_graph.graph.search.index_recall import Check, check
from specter_graph.graph.split import HOLDOUT
from specter_graph.graph.stats import Stats, stats
from specter_graph.graph.triplets.mine import TripletStream, mine_triplets
from specter_graph.loaders.records import Read
from specter_graph.settings import Settings

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from specter_graph.baselines import BuiltBaseline, RankedBaseline
    from specter_graph.encoder import (
        Encoder,
        FullSettings,
        HeadSettings,
        ModelRecord,
        Recipe,
    )
    from specter_graph.encoder.model_files import Pooling
    from specter_graph.evaluation import Report
    from specter_graph.evaluation.metrics.results import Comparison, TaskResult
    from specter_graph.evaluation.protocols.arxiv import ArxivResult
    from specter_graph.evaluation.protocols.geometry import Geometry
    from specter_graph.graph.reviewing import VenueSize
    from specter_graph.graph.server import Instance
    from specter_graph.graph.split import HeldOutSplit
    from specter_graph.venue import ReviewVenue

PATIENCE = 2.0
"""Seconds; who answers others tells them soon that the server is gone."""


class LiteratureGraph:
    """A citation graph in Neo4j with its embedding spaces; each method is a step of the work.

    From files to the nearest papers:

        with LiteratureGraph.open() as graph:
            graph.load(loaders.open_corpus("jsonl", "papers.jsonl.gz"))
            graph.train("model")
            graph.embed(Encoder.load("model"), space="specter")
            graph.similar("hep-ph/9901001", k=10)
    """

    def __init__(self, database: Database, instance: "Instance | None" = None) -> None:
        self.database = database
        self._instance = instance
        self._encoders: dict[str, Encoder] = {}

    @classmethod
    @contextmanager
    def open(
        cls,
        uri: str | None = None,
        *,
        auth: tuple[str, str] | None = None,
        database: str | None = None,
        instance: str | None = None,
        seconds: float | None = None,
        progress: Progress = silent,
    ) -> Iterator[Self]:
        """Open a graph, its schema in place.

        With `uri` (or NEO4J_URI in the environment) the graph is on that server; else, or when an
        `instance` is named, on a local server, which is started when need be and stops again when
        it has been idle. With `seconds` no read takes longer, a call that loses the server fails
        at once, and a connection is waited for no longer than PATIENCE. Raises ServerError when
        the server cannot be had.
        """
        settings = Settings()
        with ExitStack() as stack:
            remote = uri or settings.neo4j_uri
            local = None
            if remote and instance is None:
                server = (remote, *(auth or (settings.neo4j_username, settings.password)))
                name = database or settings.neo4j_database
            else:
                local = settings.local(instance)
                endpoint = stack.enter_context(local.lease(progress))
                server, name = (endpoint.uri, endpoint.username, endpoint.password), None
            patience = None if seconds is None else min(seconds, PATIENCE)
            db = stack.enter_context(connect(*server, name, patience=patience))
            apply_schema(db)
            if local:
                place = f"the instance {local.name!r}"
                db = replace(db, place=place, instance=local.name, others=local.others)
            yield cls(replace(db, seconds=seconds), local)

    def restart_server(self) -> bool:
        """Start the local server again if it has ended, and say whether it was to be started.

        It is not where the graph is on another server, or where `specter-graph down` has stopped
        the local one. Raises ServerError when the server does not start.
        """
        return self._instance is not None and self._instance.restart()

    def load(
        self,
        corpus: Iterable[Read] | Resumable,
        *,
        rejects: Path | None = None,
        drop_dangling: bool = False,
        watch: Watch = unwatched,
    ) -> LoadSummary:
        """Load what a corpus holds; see `graph.loading.loader`.

        With `drop_dangling` all stubs of the graph are deleted afterwards, with their citations.
        """
        summary = load_papers(self.database, corpus, rejects=rejects, watch=watch)
        if drop_dangling:
            drop_stubs(self.database)
        return summary

    @classmethod
    def bulk_load(
        cls,
        corpus: Iterable[Read] | Resumable,
        *,
        instance: str | None = None,
        rejects: Path | None = None,
        drop_dangling: bool = False,
        watch: Watch = unwatched,
        progress: Progress = silent,
    ) -> LoadSummary:
        """Load a corpus into an empty local server with Neo4j's importer; see `graph.loading.bulk`.

        The graph is the same that `load` gives. Raises InputError when the instance's graph is not
        empty, or when NEO4J_URI is set and no instance is named: a server elsewhere has no files
        that could be written.
        """
        from specter_graph.graph.loading.bulk.load import bulk_load

        settings = Settings()
        if settings.neo4j_uri and instance is None:
            raise InputError(
                f"the server at {settings.neo4j_uri} cannot be loaded in bulk, only a local one",
                "load without --bulk, or name a local instance (--instance NAME)",
            )
        return bulk_load(
            settings.local(instance),
            corpus,
            rejects=rejects,
            drop_dangling=drop_dangling,
            watch=watch,
            progress=progress,
        )

    def stats(self) -> Stats:
        """Count what the graph holds."""
        return stats(self.database)

    def spaces(self) -> list[EmbeddingSpace]:
        """List the embedding spaces by name."""
        return spaces(self.database)

    def clear(self) -> None:
        """Delete everything but the schema."""
        clear(self.database)

    def merge(
        self,
        *,
        prefer: Sequence[str] = (),
        by_title: bool = False,
        report: Path | str | None = None,
        progress: Progress = silent,
    ) -> MergeSummary:
        """Combine papers that are the same into one; see `graph.deduplication.merge`.

        `prefer` are sources that count before others, the best first. With `by_title` papers of
        the same title, year and first author are the same, too.
        """
        path = Path(report) if report else None
        return merge(
            self.database, prefer=prefer, by_title=by_title, report=path, progress=progress
        )

    def preview_merge(self, report: Path | str) -> None:
        """List in a file what `merge` without options would combine, and the conflicts."""
        preview(self.database, Path(report))

    def merged(self) -> MergedCounts:
        """Count the members of merged papers, and those with records that wait for a merge."""
        return merged(self.database)

    def merge_authors(self, file: Path | str) -> AuthorMergeSummary:
        """Apply a list that says which authors are the same; see `loaders.author_merges`."""
        from specter_graph.loaders.author_merges import read_author_groups

        return merge_authors(self.database, read_author_groups(Path(file)))

    def update(
        self,
        snapshot: Resumable,
        vanished: Path | str,
        *,
        rejects: Path | None = None,
        watch: Watch = unwatched,
    ) -> UpdateSummary:
        """Load a newer snapshot and list what it no longer has; see `graph.maintenance.update`."""
        return update(self.database, snapshot, Path(vanished), rejects=rejects, watch=watch)

    def delete_vanished(self, summary: UpdateSummary, *, progress: Progress = silent) -> Deleted:
        """Delete what an update has listed; see `graph.maintenance.update`."""
        return delete_vanished(self.database, summary, progress)

    def delete_papers(self, ids: Iterable[str], *, progress: Progress = silent) -> Deleted:
        """Delete papers; those that others cite become stubs. See `graph.maintenance.delete`."""
        return delete_papers(self.database, ids, progress)

    def corpus_size(self, name: str) -> CorpusSize:
        """Count what belongs to a corpus, named by its source or the prefix of its ids."""
        return corpus_size(self.database, name)

    def delete_corpus(self, name: str, *, progress: Progress = silent) -> Deleted:
        """Delete a corpus, named by its source or the prefix of its ids."""
        return delete_corpus(self.database, name, progress)

    def delete_readers(self, ids: Sequence[str]) -> Deleted:
        """Delete readers with all that they viewed and keep."""
        return delete_readers(self.database, ids)

    def export(
        self,
        path: Path | str,
        form: str | None = None,
        *,
        field: str | None = None,
        around: str | None = None,
        hops: int = 1,
        spaces: Sequence[str] = (),
        progress: Progress = silent,
    ) -> ExportSummary:
        """Write the graph, or a part of it, to a file or a folder; see `graph.export`."""
        return export_graph(
            self.database,
            Path(path),
            form,
            field=field,
            around=around,
            hops=hops,
            spaces=spaces,
            progress=progress,
        )

    def triplets(
        self,
        source: Source | None = None,
        *,
        seed: int = 0,
        split: Literal["train", "validation"] = "train",
        holdout: float = HOLDOUT,
        progress: Progress = silent,
    ) -> TripletStream:
        """Mine training triplets, by default from citations; see `graph.triplets.mine`."""
        require_papers(self.database)
        return mine_triplets(
            self.database,
            source,
            seed=seed,
            split=split,
            holdout=holdout,
            progress=progress,
        )

    def train(
        self,
        output: Path | str,
        recipe: "Recipe | HeadSettings | FullSettings | None" = None,
        *,
        base_space: str = "base",
        holdout: float = HOLDOUT,
        resume: bool = False,
        progress: Progress = silent,
    ) -> "ModelRecord":
        """Train on triplets mined from this graph and write the model directory `output`.

        The settings of a mode alone are a recipe on the offline MiniLM and on five triplets a
        query, mined from citations. By default a head is
        trained where there is no GPU, and the whole Transformer where there is one. A head learns
        on the vectors of `base_space`, which are brought up to date first.
        """
        from specter_graph.encoder import Recipe
        from specter_graph.pipelines.train import default_recipe, train

        require_papers(self.database)
        if recipe is not None and not isinstance(recipe, Recipe):
            recipe = Recipe(training=recipe)
        return train(
            self.database,
            Path(output),
            recipe or default_recipe(),
            base_space=base_space,
            holdout=holdout,
            resume=resume,
            progress=progress,
        )

    def encoder(
        self,
        model: str | None = None,
        space: str | None = None,
        pooling: "Pooling | None" = None,
    ) -> "Encoder":
        """Open a model, by default that of a space, or else the offline base.

        With `pooling` a base pools its tokens so, and not as its folder says. Raises InputError for
        a space that no model alone makes.
        """
        from specter_graph.encoder import Encoder

        record = recorded(self.database, space) if space else None
        if model or pooling or record is None:
            return Encoder.load(model, pooling=pooling)
        if record.kind == "sgc":
            raise InputError(
                f"the space {space!r} is smoothed, not embedded",
                f"specter-graph sgc --space {space}",
            )
        return _open(record)

    def embed(
        self,
        encoder: PaperEncoder,
        space: str = "specter",
        *,
        index: IndexSettings | None = None,
        progress: Progress = silent,
    ) -> EmbedSummary:
        """Write an encoder's vectors to the papers that lack them; see `graph.embeddings.embed`."""
        require_papers(self.database)
        return embed(self.database, encoder, space, progress, index)

    def sgc(
        self,
        name: str = "sgc",
        *,
        base: str = "base",
        k: int | None = 1,
        holdout: float = HOLDOUT,
        progress: Progress = silent,
    ) -> EmbeddingSpace:
        """Smooth a space k times over the citations, held-out papers' excepted (SGC).

        With k None, 1 to 8 times, whatever is best on the validation papers. See `smoothing`.
        Raises GraphError without the base space, LeakError for a base that has seen citations which
        `holdout` hides.
        """
        from specter_graph.baselines.evaluate import validation_score
        from specter_graph.pipelines.sgc import KS, smooth

        return smooth(
            self.database,
            name,
            base,
            KS if k is None else [k],
            holdout=holdout,
            judged_by=partial(validation_score, self.database, holdout) if k is None else None,
            progress=progress,
        )[0]

    def baseline(
        self,
        name: str,
        *,
        space: str | None = None,
        tune: bool = False,
        min_count: int = 25,
        word_vectors: Path | None = None,
        model: str | None = None,
        holdout: float | None = None,
        seed: int = 0,
        progress: Progress = silent,
    ) -> "BuiltBaseline":
        """Make the space of a baseline (tfidf, scibert, ...); see `baselines.registry`."""
        from specter_graph.baselines import build_baseline

        require_papers(self.database)
        return build_baseline(
            self.database,
            name,
            space=space,
            tune=tune,
            min_count=min_count,
            word_vectors=word_vectors,
            model=model,
            holdout=holdout,
            seed=seed,
            progress=progress,
        )

    def rank_baseline(
        self,
        name: str,
        *,
        split: "HeldOutSplit" = "test",
        holdout: float | None = None,
        seed: int = 0,
    ) -> "RankedBaseline":
        """Score a baseline that ranks and has no vectors (bm25, ...); see `baselines.registry`."""
        from specter_graph.baselines import rank_baseline

        require_papers(self.database)
        return rank_baseline(self.database, name, split=split, holdout=holdout, seed=seed)

    def venue(self, name: str) -> "ReviewVenue":
        """A conference or journal issue whose submissions are to be reviewed; see `venue`."""
        from specter_graph.venue import ReviewVenue

        return ReviewVenue(self.database, name, self._encoder_of)

    def venues(self) -> "list[VenueSize]":
        """List such venues with what they have."""
        from specter_graph.graph.reviewing import venues

        return venues(self.database)

    def similar(
        self, paper_id: str, *, space: str = "specter", k: int = 10, filters: Filters = NONE
    ) -> list[Hit]:
        """Find the k papers nearest to a paper, of those that pass the filters."""
        return complete(self.database, similar(self.database, paper_id, space, k, filters))

    def search(
        self,
        text: str = "",
        *,
        space: str | None = None,
        k: int = 10,
        mode: Mode | None = None,
        like: Sequence[str] = (),
        unlike: Sequence[str] = (),
        filters: Filters = NONE,
        page: int | None = None,
    ) -> Results:
        """Find the k papers that answer a query, or are like papers, best.

        See `specter_graph.search.search`.
        """
        from specter_graph.search import search

        return search(
            self.database,
            self.embed_text,
            text,
            space=space,
            k=k,
            mode=mode,
            like=like,
            unlike=unlike,
            filters=filters,
            page=page,
            covers=self.covers,
        )

    def missing_references(
        self,
        text: str = "",
        *,
        id: str | None = None,
        cites: Sequence[str] = (),
        until: int | None = None,
        space: str = "specter",
        k: int = 10,
    ) -> Missing:
        """Find references that a draft lacks; see `graph.search.missing`.

        The draft is a text, such as its title and abstract, a paper of the graph by its `id`, the
        ids of papers that it cites, or several of these. Nothing published after the year `until`
        is found; for a paper, by default nothing after its own year.
        """
        return missing_references(
            self.database,
            self.embed_text,
            text,
            id=id,
            cites=cites,
            until=until,
            space=space,
            k=k,
        )

    def bibliography(self, file: Path | str) -> Matched:
        """Find the papers that a bibliography (BibTeX, RIS, CSL) names."""
        from specter_graph.search import bibliography

        return bibliography(self.database, Path(file))

    def check_vectors(self, space: str | None = None, *, queries: int = 200) -> list[Check]:
        """Check the vectors of a space, or of all; see `graph.search.index_recall`."""
        return check(self.database, space, queries)

    def drop_space(self, name: str) -> None:
        """Remove a space: its record, its index and its vectors."""
        if recorded(self.database, name) is None:
            find_space(self.database, name)
        drop_space(self.database, name)

    def embed_text(self, text: str, space: str) -> "NDArray[np.float32]":
        """Embed a free text with the model of a space into a vector, (d,) float32."""
        vector: NDArray[np.float32] = self.embed_texts([text], space)[0]
        return vector

    def covers(self, text: str, space: str) -> bool:
        """Say whether the model of a space knows the script of a text."""
        return self._opened(space).covers(text)

    def embed_texts(self, texts: Sequence[str], space: str) -> "NDArray[np.float32]":
        """Embed free texts with the model of a space, in one batch: (n, d) float32."""
        return self._opened(space).encode(texts)

    def _opened(self, space: str) -> "Encoder":
        """Return the model of a space; it is opened once."""
        record = find_space(self.database, space)
        return self._encoders.get(record.digest) or self._open_encoder(record)

    def _encoder_of(self, space: str) -> "Encoder":
        """Open the model that made a space; for one that is to be made, the offline base."""
        encoder = self.encoder(space=space)
        if record := recorded(self.database, space):
            require_model(record, encoder.digest)
        return encoder

    def _open_encoder(self, record: EmbeddingSpace) -> "Encoder":
        """Open the model of a space and keep it: the next search finds it loaded."""
        encoder = _open(record)
        require_model(record, encoder.digest)
        self._encoders[record.digest] = encoder
        return encoder

    def query(
        self,
        name: str,
        parameters: Mapping[str, object] | None = None,
        *,
        space: str | None = None,
    ) -> ask.Answer:
        """Run a query of the library; see `cypher/library`."""
        return ask.run_query(self.database, name, parameters, space, embed=self.embed_text)

    def evaluate(
        self,
        spaces: Sequence[str] | None = None,
        *,
        split: "HeldOutSplit" = "test",
        holdout: float | None = None,
        seed: int = 0,
        against: str | None = None,
        progress: Progress = silent,
    ) -> "Report":
        """Score spaces side by side on held-out papers; see `evaluation`."""
        from specter_graph.evaluation import evaluate_spaces

        return evaluate_spaces(
            self.database,
            spaces,
            split=split,
            holdout=holdout,
            seed=seed,
            against=against,
            progress=progress,
        )

    def report(
        self,
        output: Path | str,
        spaces: Sequence[str] | None = None,
        *,
        split: "HeldOutSplit" = "test",
        holdout: float | None = None,
        against: str | None = None,
        scheme: str | None = None,
        seed: int = 0,
        progress: Progress = silent,
    ) -> list[Path]:
        """Write the report of spaces and of rankers; see `evaluation.report.page`.

        Baselines without a space are rows without figures.
        """
        from specter_graph.baselines import missing_baselines, rank_all
        from specter_graph.evaluation.protocols.spaces import chosen_spaces
        from specter_graph.evaluation.report.page import write_report

        require_papers(self.database)
        if holdout is None:
            names = [name for system in spaces or () for name in system.split(",")]
            holdout = usual_holdout(chosen_spaces(self.database, names))
        ranked, missing = rank_all(self.database, split=split, holdout=holdout, seed=seed)
        return write_report(
            self.database,
            Path(output),
            spaces,
            split=split,
            holdout=holdout,
            against=against,
            scheme=scheme,
            rankers=ranked,
            missing=missing | missing_baselines(self.spaces()),
            seed=seed,
            progress=progress,
        )

    def compare(
        self,
        one: Sequence[str],
        other: Sequence[str],
        *,
        split: "HeldOutSplit" = "test",
        holdout: float | None = None,
        seed: int = 0,
        progress: Progress = silent,
    ) -> "list[Comparison]":
        """Test whether one system is better than another; see `evaluation.metrics.results`.

        A system is a list of spaces that differ in their seeds alone, or of one.
        """
        from specter_graph.evaluation.protocols.spaces import compare_spaces

        return compare_spaces(
            self.database, one, other, split=split, holdout=holdout, seed=seed, progress=progress
        )

    def evaluate_arxiv(
        self,
        spaces: Sequence[str] | None = None,
        *,
        split: "HeldOutSplit" = "test",
        holdout: float | None = None,
        k: int = 10,
        beta: float = 1.0,
        seed: int = 0,
        progress: Progress = silent,
    ) -> "dict[tuple[str, str], ArxivResult]":
        """Score spaces by the arXiv protocol, by space and distance; see `evaluation`."""
        from specter_graph.evaluation.protocols.arxiv import evaluate_arxiv

        return evaluate_arxiv(
            self.database,
            spaces,
            split=split,
            holdout=holdout,
            k=k,
            beta=beta,
            seed=seed,
            progress=progress,
        )

    def describe_spaces(
        self,
        spaces: Sequence[str] | None = None,
        *,
        scheme: str | None = None,
        seed: int = 0,
        progress: Progress = silent,
    ) -> "dict[str, Geometry]":
        """Describe spaces: hubs, evenness, classes; see `evaluation.protocols.geometry`."""
        from specter_graph.evaluation.protocols.geometry import describe_spaces

        return describe_spaces(self.database, spaces, scheme=scheme, seed=seed, progress=progress)

    def evaluate_tasks(
        self,
        spaces: Sequence[str] | None = None,
        *,
        split: "HeldOutSplit" = "test",
        holdout: float | None = None,
        by: Literal["hash", "time"] = "hash",
        click_log: Path | None = None,
        seed: int = 0,
        progress: Progress = silent,
    ) -> "dict[str, dict[str, TaskResult]]":
        """Score spaces on SciDocs' tasks, by space and task; see `evaluation.protocols.tasks`."""
        from specter_graph.evaluation.protocols.tasks import evaluate_tasks

        return evaluate_tasks(
            self.database,
            spaces,
            split=split,
            holdout=holdout,
            by=by,
            click_log=click_log,
            seed=seed,
            progress=progress,
        )


def _open(space: EmbeddingSpace) -> "Encoder":
    """The model of a space, pooling as it did."""
    from specter_graph.encoder import Encoder

    return Encoder.load(_model_of(space), pooling=cast("Pooling | None", space.pooling or None))


def _model_of(space: EmbeddingSpace) -> str:
    """What encodes a text into the space; raises InputError where nothing can."""
    if not space.model:
        raise InputError(
            f"the space {space.property!r} ({space.kind}) has no model: no text goes there",
            "`specter-graph similar` works in it; name another with --space for texts",
        )
    return space.model
