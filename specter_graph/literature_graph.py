"""LiteratureGraph: the public API on one graph."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, Unpack
from weakref import finalize

import neo4j

from specter_graph.core.errors import InputError, require_paths, require_texts
from specter_graph.core.parts import Workers
from specter_graph.core.progress import Progress, silent
from specter_graph.graph.contents import is_empty, no_papers, require_papers, stats
from specter_graph.graph.database import (
    DRIVER_ERRORS,
    LIMIT,
    TIMEOUT,
    Database,
    connect,
    translate_driver_error,
)
from specter_graph.graph.embeddings.embed import EmbedSummary, embed
from specter_graph.graph.embeddings.index import IndexSettings
from specter_graph.graph.embeddings.spaces import EmbeddingSpace
from specter_graph.graph.export import export_graph
from specter_graph.graph.export.networks import export_network
from specter_graph.graph.loading.loader import CheckpointedSource, load_papers
from specter_graph.graph.loading.summary import LoadSummary, OnBatch, ignore_batch
from specter_graph.graph.maintenance.delete import drop_stubs
from specter_graph.graph.queries import cypher
from specter_graph.graph.queries import library_queries as library
from specter_graph.graph.queries.library_queries import read_paper
from specter_graph.graph.reviewing.venue_data import list_venues
from specter_graph.graph.schema import apply_schema
from specter_graph.graph.search.hits import (
    MissingReferencesResult,
    Mode,
    SearchHit,
    SearchResults,
    add_details,
)
from specter_graph.graph.search.missing_references import missing_references
from specter_graph.graph.search.reranking import candidates, select_hits
from specter_graph.graph.search.search_filters import FilterOptions, make_filters
from specter_graph.graph.search.vector_search import similar
from specter_graph.graph.split import HOLDOUT
from specter_graph.graph.triplets.mine import mine_triplets
from specter_graph.groups import Group, Method
from specter_graph.groups.lists import Lists
from specter_graph.groups.maintenance import Maintenance
from specter_graph.groups.spaces import AnyEncoder, Spaces
from specter_graph.groups.watches import Watches
from specter_graph.loaders.corpus import read_dicts
from specter_graph.loaders.records import CorpusItem, Item
from specter_graph.search import SearchOptions, match_bibliography, match_draft, search
from specter_graph.settings import Settings, secret_value

if TYPE_CHECKING:
    from specter_graph.encoder.model_record import ModelRecord
    from specter_graph.encoder.recipe import FullSettings, HeadSettings, Recipe, RerankerSettings
    from specter_graph.graph.server import Instance
    from specter_graph.groups.algorithms import Algorithms
    from specter_graph.groups.evaluations import Evaluations
    from specter_graph.groups.screening import Screening
    from specter_graph.venue import ReviewVenue

CONNECT_TIMEOUT = 2.0
"""Maximum seconds to wait for a connection, if reads have a time limit."""


class LiteratureGraph(Group):
    """A citation graph in Neo4j with its embedding spaces.

    Use your own driver, or let `open` find or start a server:

        with neo4j.GraphDatabase.driver(uri, auth=("neo4j", password)) as driver:
            graph = LiteratureGraph(driver, database="neo4j")

        with LiteratureGraph.open() as graph:
            graph.load(open_corpus("jsonl", "papers.jsonl.gz"))
            graph.train("model")
            graph.embed(Encoder.load("model"), space="specter")
            graph.similar("hep-ph/9901001", k=10)

    `open` can be used without `with`, too: call `close` when you are done.

    Raises:
        ServerError: In any method: the server does not answer, or forbids what the method does.
        QueryTimeoutError: In any method: a query exceeded the `timeout` of `open`.

    Attributes:
        spaces: The embedding spaces (list, vectors, load, delete) and their models.
        evaluate: Scores of spaces: held_out, tasks, arxiv, geometry, compare, report.
        algorithms: Graph algorithms: pagerank, communities, knn, find_topics and others.
        maintenance: Update, merge, delete and clear.
        lists: Reading lists: create, add, remove, entries, export, recommend.
        watches: Watches of queries, lists and papers: add, run, reported, delete.
        screening: Screening of reading lists: label, rank, status, import and export of labels.
        database: The database, the first argument of the functions in `specter_graph.graph`.
    """

    stats = Method(stats)
    export = Method(export_graph)
    export_network = Method(export_network)
    explain = Method(cypher.explain)
    paper = Method(read_paper)
    match_bibliography = Method(match_bibliography)
    match_draft = Method(match_draft)
    triplets = Method(mine_triplets)
    venues = Method(list_venues)

    def __init__(self, driver: neo4j.Driver, database: str | None = "neo4j") -> None:
        """Use a database of a server, and bring its schema up to date.

        Args:
            driver: An open driver; `close` does not close it.
            database: The name of the database; None for the user's default database.

        Raises:
            ServerError: The server does not answer, rejects the login or has no such database, or
                the driver is closed.
            GraphError: A newer version of specter-graph made the graph, or another program made
                nodes with the same labels.
            InputError: The driver is something else, such as an address or an asynchronous driver.
        """
        if not isinstance(driver, neo4j.Driver):
            given = repr(driver) if isinstance(driver, str) else f"a {type(driver).__name__}"
            raise InputError(
                f"{given} is not a neo4j.Driver",
                "LiteratureGraph(neo4j.GraphDatabase.driver(URI, auth=(USER, PASSWORD))), or"
                " LiteratureGraph.open(URI, auth=(USER, PASSWORD))",
            )
        try:
            driver.verify_connectivity()  # a statement would retry for 30 seconds
            self._prepare(Database(driver, database))
        except DRIVER_ERRORS as error:
            raise translate_driver_error(error) or error from error

    @classmethod
    def open(
        cls,
        uri: str | None = None,
        *,
        auth: tuple[str, str] | neo4j.Auth | None = None,
        database: str | None = None,
        instance: str | None = None,
        create: bool = True,
        timeout: float | None = None,
        progress: Progress = silent,
    ) -> Self:
        """Open a graph on a server, or on a local server, which is started if necessary.

        Args:
            uri: The server, by default NEO4J_URI. If neither is given, a local server is used.
            auth: User and password, by default NEO4J_USERNAME and NEO4J_PASSWORD.
            database: The database of the server, by default NEO4J_DATABASE.
            instance: The name of a local server, which is used even if NEO4J_URI is set.
            create: Whether a local server that does not exist is created.
            timeout: Seconds after which the server stops a read. If given, a call that loses the
                server fails immediately, and a call waits at most `CONNECT_TIMEOUT` seconds for a
                connection.
            progress: Called with the progress of starting a local server.

        Returns:
            The graph; close it, or use it in a `with` block.

        Raises:
            GraphError: The local server does not exist, and `create` is false.
            ServerError: The server cannot be reached, or cannot be started.
            InputError: `auth` has no user and password, or a name is not a text.
        """
        require_texts(uri=uri or "", database=database or "", instance=instance or "")
        settings = Settings()
        with ExitStack() as stack:
            remote = uri or settings.neo4j_uri
            local = None
            if remote and instance is None:
                stored = settings.neo4j_username, secret_value(settings.neo4j_password)
                server = (remote, *(_login(auth) if auth else stored))
                name = database or settings.neo4j_database
            else:
                local = settings.local(instance)
                if not (create or local.home.exists()):
                    raise no_papers(
                        f"the instance {local.name!r} does not exist", local.name, local.others
                    )
                endpoint = stack.enter_context(local.lease(progress))
                server, name = endpoint.login, None
            max_wait = None if timeout is None else min(timeout, CONNECT_TIMEOUT)
            db = stack.enter_context(connect(*server, name, connect_timeout=max_wait))
            if local:
                place = f"the instance {local.name!r}"
                db = replace(db, place=place, instance=local.name, others=local.others)
            graph = cls.__new__(cls)
            graph._prepare(db, local, timeout)
            # Python also closes a graph that is still open at its exit.
            graph._closing = finalize(graph, stack.pop_all().close)
            return graph

    def _prepare(
        self, db: Database, instance: "Instance | None" = None, timeout: float | None = None
    ) -> None:
        apply_schema(db, may_have_nodes=instance is not None)
        super().__init__(replace(db, timeout=timeout))
        self._instance = instance
        self._closing: Callable[[], object] = ExitStack().close
        self.spaces = Spaces(self.database)
        self.maintenance = Maintenance(self.database)
        self.lists = Lists(self.database)
        self.watches = Watches(self.database, self.spaces)

    def close(self) -> None:
        """Close the connection that `open` opened; a local server stops when it has been idle."""
        self._closing()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, _: object, error: BaseException | None, __: object) -> None:
        self.close()
        if isinstance(error, DRIVER_ERRORS) and (known := translate_driver_error(error)):
            raise known from error

    @cached_property
    def evaluate(self) -> "Evaluations":
        """Scores of embedding spaces."""
        from specter_graph.groups.evaluations import Evaluations

        return Evaluations(self.database)

    @cached_property
    def algorithms(self) -> "Algorithms":
        """Graph algorithms on the server."""
        from specter_graph.groups.algorithms import Algorithms

        return Algorithms(self.database)

    @cached_property
    def screening(self) -> "Screening":
        """Screening of reading lists for systematic reviews."""
        from specter_graph.groups.screening import Screening

        return Screening(self.database)

    @property
    def is_empty(self) -> bool:
        """True if the graph has no nodes except those of its schema."""
        return is_empty(self.database)

    def restart_server(self) -> bool:
        """Start the local server again if it has ended.

        Returns:
            False if the server may not be started: after `specter-graph server down`, or if the
            graph is not on a local server.

        Raises:
            ServerError: The server does not start.
        """
        return self._instance is not None and self._instance.restart()

    def load(
        self,
        corpus: Iterable[CorpusItem | dict[str, Any]] | CheckpointedSource,
        *,
        rejects: Path | str | None = None,
        drop_dangling: bool = False,
        on_batch: OnBatch = ignore_batch,
    ) -> LoadSummary:
        """Load the papers and citations of a corpus.

        Args:
            corpus: The corpus from `open_corpus`; or records of `loaders.records`, or dicts with
                the keys of the format jsonl.
            rejects: The file for rejected records, with the reasons.
            drop_dangling: Delete all stubs of the graph afterwards, with their citations.
            on_batch: Called with the current summary after each batch.

        Returns:
            The counts of the load.

        Raises:
            ServerError: The server stops; the same load, run again, completes the graph.
            InputError: The corpus is a data frame or a path, or an item is not a record.
        """
        summary = load_papers(self.database, _records(corpus), rejects=rejects, on_batch=on_batch)
        if drop_dangling:
            drop_stubs(self.database)
        return summary

    @staticmethod
    def bulk_load(
        corpus: Iterable[CorpusItem | dict[str, Any]] | CheckpointedSource,
        *,
        instance: str | None = None,
        rejects: Path | str | None = None,
        drop_dangling: bool = False,
        workers: Workers | None = None,
        on_batch: OnBatch = ignore_batch,
        progress: Progress = silent,
    ) -> LoadSummary:
        """Load a corpus into an empty local server with Neo4j's importer.

        The graph is the same as after `load`.

        Args:
            corpus: The corpus from `open_corpus`; or records of `loaders.records`, or dicts with
                the keys of the format jsonl.
            instance: The name of the local server.
            rejects: The file for rejected records, with the reasons.
            drop_dangling: Delete all stubs afterwards, with their citations.
            workers: Processes that read the files of the corpus, such as `scale.RayWorkers`.
            on_batch: Called with the current summary.
            progress: Called with the progress of the stages.

        Returns:
            The counts of the load.

        Raises:
            InputError: The instance has papers, or NEO4J_URI is set and no instance is named: the
                importer writes the files of a local server.
            ServerError: Other commands use the server, or Neo4j fails.
        """
        from specter_graph.graph.loading.bulk.load import bulk_load

        settings = Settings()
        if settings.neo4j_uri and instance is None:
            raise InputError(
                f"the server at {settings.neo4j_uri} cannot be loaded in bulk, only a local one",
                "do not load in bulk, or name a local instance",
            )
        return bulk_load(
            settings.local(instance),
            _records(corpus),
            rejects=rejects,
            drop_dangling=drop_dangling,
            workers=workers,
            on_batch=on_batch,
            progress=progress,
        )

    def train(
        self,
        path: Path | str,
        recipe: "Recipe | HeadSettings | FullSettings | RerankerSettings | Path | str" = "head",
        *,
        triplets: Path | str | None = None,
        validation: Path | str | None = None,
        base_space: str = "base",
        holdout: float = HOLDOUT,
        resume: bool = False,
        progress: Progress = silent,
    ) -> "ModelRecord":
        """Train a model on triplets mined from this graph, or read from a file.

        An interrupted training is continued from its last checkpoint.

        Args:
            path: The model directory to write.
            recipe: The name or file of a recipe, all settings, or the settings of a mode only.
            triplets: File of triplets (.parquet, .jsonl, .jsonl.gz or .jsonl.zst) to use instead of
                mining. Triplets with a paper that has no record in the graph are skipped and
                counted.
            validation: File of triplets that select the best epoch, instead of mining these.
            base_space: The space with the base vectors of a head, which is brought up to date.
            holdout: The share of papers whose citations are hidden, for test and for validation.
            resume: Raise an error if the last training was interrupted and differs from this one.
            progress: Called with running counts.

        Returns:
            The record of the model, which is also stored in the model directory.

        Raises:
            ModelError: The path is not a model directory, the base is a head, or there are no
                triplets.
            GraphError: The graph has no papers, or the base space has vectors of another base.
            InputError: The recipe does not exist, a file of triplets cannot be read, or another
                training is writing the path; or one of these is not a path.
            LeakError: The base has seen citations that `holdout` hides, or a file of triplets
                names held-out papers.
        """
        from specter_graph.encoder.model_dir import locked_output
        from specter_graph.encoder.recipe import (
            FullSettings,
            HeadSettings,
            Recipe,
            RerankerSettings,
            read_recipe,
        )
        from specter_graph.pipelines.train import train

        require_papers(self.database)
        require_paths('graph.train("model")', path=path)
        if not str(path):
            raise InputError("the name of the model directory is empty", 'graph.train("model")')
        if isinstance(recipe, HeadSettings | FullSettings | RerankerSettings):
            recipe = Recipe(training=recipe)
        elif not isinstance(recipe, Recipe):
            require_paths('graph.train("model", "head")', recipe=recipe)
            recipe = read_recipe(str(recipe))
        with locked_output(Path(path)):
            return train(
                self.database,
                Path(path),
                recipe,
                triplets=triplets,
                validation=validation,
                base_space=base_space,
                holdout=holdout,
                resume=resume,
                progress=progress,
            )

    def embed(
        self,
        encoder: AnyEncoder,
        space: str = "specter",
        *,
        index: IndexSettings | None = None,
        workers: Workers | None = None,
        progress: Progress = silent,
    ) -> EmbedSummary:
        """Embed the papers of a space that are new, or whose text or model changed.

        Args:
            encoder: The model, such as `Encoder.load("model")`, its name, a SentenceTransformer, or
                another object that encodes texts (see `spaces.register`).
            space: The space to write, a property of the papers.
            index: Settings of the vector index.
            workers: Processes that encode, such as `scale.RayWorkers`; by default this one.
            progress: Called with running counts.

        Returns:
            The numbers of embedded papers.

        Raises:
            InputError: The workers cannot load the encoder, or their storage has the parts of
                another run.
        """
        if not self.venues():  # `match` embeds the papers of a venue when it scores them
            require_papers(self.database)
        paper_encoder = self.spaces.register(encoder)
        if workers is None:
            return embed(self.database, paper_encoder, space, progress, index)
        from specter_graph.pipelines.embed_parts import embed_in_parts

        return embed_in_parts(
            self.database, paper_encoder, space, workers, index=index, progress=progress
        )

    def sgc(
        self,
        space: str = "base",
        *,
        output_space: str = "sgc",
        steps: int | None = 1,
        holdout: float = HOLDOUT,
        workers: Workers | None = None,
        progress: Progress = silent,
    ) -> EmbeddingSpace:
        """Smooth a space over the citation graph (simple graph convolution).

        Args:
            space: The space to smooth.
            output_space: The space to write.
            steps: Smoothing steps (k of the paper), 1 to 8; None chooses the best number on the
                validation papers.
            holdout: The share of papers whose citations are hidden, for test and for validation.
            workers: Processes that smooth, such as `scale.RayWorkers`; by default this one.
            progress: Called with running counts.

        Returns:
            The record of the written space.

        Raises:
            GraphError: There is no such space.
            InputError: `steps` is not from 1 to 8.
            LeakError: The space has seen citations that `holdout` hides.
        """
        from specter_graph.pipelines.sgc import smooth

        return smooth(
            self.database,
            space,
            output_space,
            steps=steps,
            holdout=holdout,
            workers=workers,
            progress=progress,
        )[0]

    def search(
        self,
        text: str = "",
        *,
        k: int = 10,
        space: str | None = None,
        mode: Mode | None = None,
        like: Sequence[str] = (),
        unlike: Sequence[str] = (),
        page: int | None = None,
        min_score: float = 0.0,
        diversity: float = 0.0,
        rerank: Path | str | None = None,
        **filters: Unpack[FilterOptions],
    ) -> SearchResults:
        """Find papers by words, vectors and citations together.

        Args:
            text: The query: words, "phrases", -word, OR, author:, year: and venue:, or an id.
            k: The number of papers.
            space: The embedding space, by default `specter`, `base` or `static`, the first that
                exists.
            mode: "hybrid" (the default), "text" or "vector".
            like: Ids of papers to find similar papers to.
            unlike: Ids of papers to move away from.
            page: Papers per page; all pages of the same size belong to one ranking.
            min_score: The lowest score of a paper, from 0 to 1.
            diversity: The weight of differences among the papers, from 0 to 1.
            rerank: A cross-encoder, by its path or hub name, that scores the 50 best papers again.
            **filters: Conditions on the papers, such as `since=1998`; see `FilterOptions`.

        Returns:
            A list of the hits, best first, with their reasons and with notes on the query.

        Raises:
            InputError: The query is empty.
            GraphError: The graph has no such space or paper, or nothing that a filter names.
        """
        options = SearchOptions(
            k=k,
            space=space,
            mode=mode,
            like=like,
            unlike=unlike,
            filters=make_filters(**filters),
            page=page,
            min_score=min_score,
            diversity=diversity,
        )
        embed, covers = self.spaces.embed_text, self.spaces.covers
        scorer = self.spaces.open_reranker(rerank).score if rerank else None
        return search(self.database, embed, text, options, covers=covers, scorer=scorer)

    def similar(
        self,
        id: str,
        *,
        k: int = 10,
        space: str | None = None,
        min_score: float = 0.0,
        diversity: float = 0.0,
        **filters: Unpack[FilterOptions],
    ) -> list[SearchHit]:
        """Return the nearest papers of a paper in a space, nearest first.

        Args:
            id: The paper.
            k: The number of papers.
            space: The embedding space, by default `specter`, `base` or `static`, the first that
                exists.
            min_score: The lowest score of a paper; a score is 1 / (1 + d^2) for the distance d.
            diversity: The weight of differences among the papers, from 0 to 1.
            **filters: Conditions on the papers, such as `since=1998`; see `FilterOptions`.

        Raises:
            InputError: The id is not a text, or `diversity` or `min_score` is not from 0 to 1.
            GraphError: The paper, the space or a name in a filter is not in the graph, or the
                paper has no vector.
        """
        require_texts(id=id)
        space = space or self.spaces.get().name
        hits = similar(
            self.database, id, space, candidates(k, diversity=diversity), make_filters(**filters)
        )
        chosen = select_hits(
            self.database, hits, space, k, min_score=min_score, diversity=diversity
        )
        return add_details(self.database, chosen)

    def missing_references(
        self,
        text: str = "",
        *,
        id: str | None = None,
        cites: Sequence[str] = (),
        until: int | None = None,
        k: int = 10,
        space: str | None = None,
        rerank: Path | str | None = None,
    ) -> MissingReferencesResult:
        """Find references that a draft lacks.

        Args:
            text: The draft's title and abstract.
            id: A paper of the graph that is the draft.
            cites: Ids of papers that the draft cites.
            until: The last year of papers to return; with `id`, by default the year of that paper.
            k: The number of papers.
            space: The embedding space, by default `specter`, `base` or `static`, the first that
                exists.
            rerank: A cross-encoder, by its path or hub name, that scores the 50 best papers again.

        Returns:
            The references, the most likely first, and frequently cited papers without a record.

        Raises:
            InputError: Text, paper and references are all missing, or `rerank` has no text.
            GraphError: A paper, one of `cites` too, or the space is missing.
        """
        return missing_references(
            self.database,
            self.spaces.embed_text,
            text,
            id=id,
            cites=cites,
            until=until,
            space=space,
            k=k,
            scorer=self.spaces.open_reranker(rerank).score if rerank else None,
        )

    def query(
        self,
        name: str,
        parameters_: Mapping[str, object] | None = None,
        /,
        *,
        limit_: int = LIMIT,
        timeout_: float = TIMEOUT,
        **parameters: object,
    ) -> library.QueryResult:
        """Run a query of the library, such as `graph.query("seminal_papers", text="SGC", k=5)`.

        Args:
            name: The query; `specter-graph query list` prints all of them.
            parameters_: Its parameters, as an alternative to keyword arguments.
            limit_: The maximum number of rows.
            timeout_: Seconds after which the server stops the query.
            **parameters: Its parameters; missing ones have the defaults of the query.

        Returns:
            The rows as dicts; iterate over the result.

        Raises:
            InputError: A parameter is unknown, missing or invalid.
            GraphError: The query, a paper or the space is missing.
            QueryTimeoutError: The query exceeded `timeout_`.
        """
        given = _parameters(parameters_, parameters)
        return library.run_query(
            self.database, name, given, embed=self.spaces.embed_text, limit=limit_, timeout=timeout_
        )

    def cypher(
        self,
        text: str,
        parameters_: Mapping[str, object] | None = None,
        /,
        *,
        write_: bool = False,
        limit_: int = LIMIT,
        timeout_: float = TIMEOUT,
        **parameters: object,
    ) -> cypher.CypherResult:
        """Run your own Cypher: `graph.cypher("MATCH (p:Paper {id: $id}) RETURN p", id="x1")`.

        `{{10 nearest to $vector in $space}}` searches a vector index.

        Args:
            text: The query.
            parameters_: Its parameters, as an alternative to keyword arguments.
            write_: Allow changes; without it the server refuses them.
            limit_: The maximum number of rows.
            timeout_: Seconds after which the server stops the query.
            **parameters: The parameters of the query.

        Returns:
            The rows as dicts with JSON values; iterate over the result.

        Raises:
            InputError: The query or a value is invalid, the query does not use a keyword, or it
                would change the graph.
            QueryTimeoutError: The query exceeded `timeout_`.
        """
        if unused := [name for name in parameters if f"${name}" not in text.replace("`", "")]:
            raise InputError(
                f"the query does not use {', '.join(unused)}",
                "the names of options end in an underscore: write_=True, limit_=10; a dict of"
                " parameters follows the text",
            )
        return cypher.run_cypher(
            self.database,
            text,
            _parameters(parameters_, parameters),
            write=write_,
            limit=limit_,
            timeout=timeout_,
        )

    def venue(self, name: str) -> "ReviewVenue":
        """Return the review venue of this name: a conference or a journal issue."""
        from specter_graph.venue import ReviewVenue

        return ReviewVenue(self.database, name, self.spaces.encoder_of)


def _login(auth: tuple[str, str] | neo4j.Auth) -> tuple[str, str]:
    """Return user and password, with which other processes connect, too."""
    if isinstance(auth, neo4j.Auth) and auth.scheme == "basic":
        return auth.principal, auth.credentials
    if not isinstance(auth, tuple | list) or len(auth) != 2:
        raise InputError("auth has no user and password", 'give auth=("neo4j", PASSWORD)')
    return auth[0], auth[1]


def _parameters(given: object, named: Mapping[str, object]) -> dict[str, object]:
    """Return the parameters of a query, those by keyword last."""
    if not isinstance(given, Mapping | None):
        raise InputError(
            f"the parameters are a {type(given).__name__}", "give them by name, such as k=5"
        )
    return {**(given or {}), **named}


def _records(
    corpus: Iterable[CorpusItem | dict[str, Any]] | CheckpointedSource,
) -> Iterable[CorpusItem] | CheckpointedSource:
    """Return the corpus, with papers in place of dicts."""
    if isinstance(corpus, CheckpointedSource | Item):
        return corpus
    if (
        hasattr(corpus, "to_dict")
        or isinstance(corpus, dict | str)
        or not hasattr(corpus, "__iter__")
    ):
        raise InputError(
            f"the corpus is a {type(corpus).__name__}",
            'load open_corpus("auto", FILE), a list of dicts, or frame.to_dict("records")',
        )
    return read_dicts(corpus)
