"""The group `graph.spaces`: embedding spaces and their models."""

from collections.abc import Sequence
from functools import partial
from itertools import islice
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from specter_graph.core.errors import (
    InputError,
    ModelError,
    require_paths,
    require_texts,
    text_list,
)
from specter_graph.core.progress import Progress, silent
from specter_graph.graph.contents import require_papers
from specter_graph.graph.database import Database
from specter_graph.graph.embeddings import spaces
from specter_graph.graph.embeddings.index import IndexSettings
from specter_graph.graph.embeddings.paper_texts import paper_texts
from specter_graph.graph.embeddings.spaces import EmbeddingSpace, require_model
from specter_graph.graph.search import space_check
from specter_graph.groups import Group, Method
from specter_graph.pipelines import corpus_map

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from specter_graph.baselines.build import BuiltBaseline
    from specter_graph.encoder.encoder import Encoder
    from specter_graph.encoder.model_files import Pooling
    from specter_graph.encoder.reranker import Reranker
    from specter_graph.encoder.text_encoder import TextEncoder, TextModel
    from specter_graph.graph.embeddings.embed import PaperEncoder
    from specter_graph.pipelines.load_vectors import VectorLoadSummary

AnyEncoder: TypeAlias = "PaperEncoder | TextModel | Path | str"
"""An `Encoder`, a SentenceTransformer or another object with `encode`, or the name of a model."""

_BENCHMARKED = 16
"""Titles with which the precisions of a model are compared."""


class Spaces(Group):
    """The embedding spaces of a graph, and their models; each model is opened once.

    Attributes:
        fast_texts: Embed texts in the fastest precision. With int8, a text takes a third of the
            time. During the first searches, a thread compares the precisions on titles of the
            graph for some seconds. Set it before the first search.
    """

    list = Method(spaces.list_spaces)
    get = Method(spaces.get_space)
    default = Method(spaces.first_space)
    check = Method(space_check.check)
    map = Method(corpus_map.make_map)

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self.fast_texts = False
        self._encoders: dict[tuple[str, ...], Encoder | TextEncoder] = {}
        self._rerankers: dict[str, Reranker] = {}

    def register(self, encoder: "AnyEncoder") -> "PaperEncoder":
        """Use an encoder for texts in the spaces that it made, and return it.

        `embed` and `load` register their encoders. Register a model that exists in memory only,
        such as a SentenceTransformer, to search its spaces by text after you open the graph again.

        Args:
            encoder: An `Encoder`, a SentenceTransformer, another object that encodes texts (see
                `encoder.text_encoder.TextModel`), or the name or path of a model.

        Returns:
            The encoder of papers that writes the vectors of a space.

        Raises:
            ModelError: The model cannot be loaded.
            InputError: The object has no method `encode`.
        """
        from specter_graph.encoder.encoder import Encoder
        from specter_graph.encoder.text_encoder import TextEncoder

        if isinstance(encoder, str | Path):
            encoder = Encoder.load(encoder)
        if not hasattr(encoder, "card"):
            encoder = TextEncoder(encoder)
        if isinstance(encoder, Encoder | TextEncoder):
            card = encoder.card
            self._encoders[card.digest, card.name, card.prompts.query] = encoder
        return cast("PaperEncoder", encoder)

    def delete(self, space: str) -> None:
        """Delete a space: its record, its index and its vectors.

        Raises:
            GraphError: The graph has no such space.
        """
        spaces.existing_space(self.database, space)
        with spaces.space_lock(self.database, space):
            spaces.delete_space(self.database, space)

    def vectors(
        self, ids: Sequence[str] | None = None, space: str | None = None
    ) -> "tuple[Sequence[str], NDArray[np.float32]]":
        """Read the vectors of papers.

        Args:
            ids: The papers, by default all.
            space: The space, by default `specter`, `base` or `static`, the first that exists.

        Returns:
            The ids of the papers that have a vector, and their vectors, (n, d) float32.

        Raises:
            GraphError: The graph has no such space.
        """
        name = spaces.get_space(self.database, space).name
        papers = None if ids is None else text_list("ids", ids)
        return spaces.read_vectors(self.database, name, papers)

    def load(
        self,
        *files: Path | str,
        space: str,
        ids: Path | str | None = None,
        encoder: "AnyEncoder | None" = None,
        text_only: bool = False,
        rejects: Path | str | None = None,
        index: IndexSettings | None = None,
        progress: Progress = silent,
    ) -> "VectorLoadSummary":
        """Load vectors from Parquet, JSON or NumPy files into a space.

        Args:
            files: Files and folders. A row has the id or an identifier of a paper, and a vector.
            space: The space to write; the vectors of an older one are replaced.
            ids: The ids of the rows of a .npy file, one a line.
            encoder: The model that made the vectors, see `register`; without one, no text can be
                embedded into the space.
            text_only: The vectors were made without citations, so held-out citations can evaluate
                them. Not needed with an encoder, whose record says so.
            rejects: File for the rows that are not loaded, with the reasons.
            index: Settings of the vector index.
            progress: Called with the number of rows.

        Returns:
            The counts of rows.

        Raises:
            InputError: A file cannot be read or is an array, no vector belongs to a paper of the
                graph, the encoder makes vectors of another dimension, or vectors without a model
                would replace those that `embed` or `sgc` made.
        """
        from specter_graph.pipelines.load_vectors import load_vectors

        hint = (
            'np.save("vectors.npy", array) and a file of ids, one a line: ids="ids.txt"; or'
            ' DataFrame.to_parquet("vectors.parquet") with the columns id and vector'
        )
        for file in files:
            require_paths(hint, vectors=file)
        if ids is not None:
            require_paths(hint, ids=ids)
        return load_vectors(
            self.database,
            files,
            space,
            ids=ids,
            encoder=None if encoder is None else self.register(encoder),
            text_only=text_only,
            rejects=rejects,
            index=index,
            progress=progress,
        )

    def build_baseline(
        self,
        name: str,
        *,
        path: Path | str | None = None,
        strip_id_prefix: bool = False,
        **settings: Any,  # noqa: ANN401
    ) -> "BuiltBaseline":
        """Create the space of a baseline (tfidf, scibert, ...); see `baselines.registry`.

        Args:
            name: The baseline; `specter-graph baseline list` prints all of them.
            path: A .jsonl, .jsonl.gz or .parquet file to which the vectors are written, too.
            strip_id_prefix: Write Semantic Scholar ids without `s2:` to the file.
            **settings: Settings of `build_baseline`, such as `space`, `tune`, `holdout` and `seed`.

        Returns:
            The space, its settings, and the validation scores of the trials.

        Raises:
            InputError: The suffix of the file is unknown.
        """
        from specter_graph.baselines.registry import build_baseline
        from specter_graph.pipelines.vector_files import check_format, write_space_vectors

        require_papers(self.database)
        if path:
            check_format(path, "float32")
        built = build_baseline(self.database, name, **settings)
        if path:
            write_space_vectors(self.database, built.space, path, strip_id_prefix=strip_id_prefix)
        return built

    def open_encoder(
        self,
        space: str | None = None,
        *,
        model: str | None = None,
        pooling: "Pooling | None" = None,
        document_prompt: str | None = None,
        query_prompt: str | None = None,
    ) -> "Encoder":
        """Open the given model, or else the model of a space, or else the offline base.

        Args:
            space: The space whose model is opened if neither `model` nor `pooling` is given.
            model: A model directory, or the name of a base.
            pooling: The pooling of a base model, by default the pooling that its folder names.
            document_prompt: The text before each paper, by default that of the space or folder.
            query_prompt: The text before each query, by default that of the space or folder.

        Returns:
            The encoder.

        Raises:
            GraphError: The graph has no such space, and neither `model` nor `pooling` is given.
            InputError: The space is smoothed (SGC), so no model embeds texts into it.
        """
        from specter_graph.encoder.encoder import Encoder

        record = None
        if space and (model or pooling):
            record = spaces.find_space(self.database, space)
        elif space:
            record = spaces.existing_space(self.database, space)
        if model or pooling or record is None:
            load = partial(Encoder.load, model, pooling=pooling)
            encoder = load(document_prompt=document_prompt, query_prompt=query_prompt)
            if record and encoder.name == record.model:
                given = document_prompt, query_prompt
                if document_prompt is None:
                    document_prompt = record.document_prompt or None
                if query_prompt is None:
                    query_prompt = record.query_prompt or None
                if (document_prompt, query_prompt) != given:
                    encoder = load(document_prompt=document_prompt, query_prompt=query_prompt)
            return encoder
        if record.kind == "sgc":
            raise InputError(
                f"the space {space!r} is smoothed, not embedded",
                f"specter-graph sgc --output-space {space}",
            )
        return _open_model(record, document_prompt, query_prompt)

    def encoder_of(self, space: str) -> "PaperEncoder":
        """Open the model of a space; the model of `base` is the offline base until `base` exists.

        Raises:
            GraphError: The graph has no such space, or the model was trained again after the
                vectors of the space were written.
            InputError: The space is smoothed (SGC), so no model embeds papers into it.
        """
        record = spaces.find_space(self.database, space)
        if record is None and space == "base":
            return self.open_encoder()
        if record is None or record.kind == "sgc":
            return self.open_encoder(space)
        return self._open_once(space)

    def embed_text(self, text: str, space: str | None = None) -> "NDArray[np.float32]":
        """Embed a query with the model of a space into a vector, (d,) float32.

        Raises:
            GraphError: The space does not exist.
            InputError: The text is empty.
        """
        require_texts(text=text)
        if not text.strip():
            raise InputError("the text is empty", "give a text to search for")
        vector: NDArray[np.float32] = self.embed_texts([text], space)[0]
        return vector

    def embed_texts(self, texts: Sequence[str], space: str | None = None) -> "NDArray[np.float32]":
        """Embed queries with the model of a space in one batch: (n, d) float32.

        The prompt of queries is put before them, if the space has one.
        """
        return self._open_once(space).encode_query(text_list("texts", texts))

    def open_reranker(self, name: Path | str) -> "Reranker":
        """Open a cross-encoder once.

        Args:
            name: Its folder, or its name on the Hugging Face Hub.

        Raises:
            InputError: The name is not a text or a path.
            ModelError: The folder has a model that encodes papers.
        """
        from specter_graph.encoder.reranker import Reranker

        if str(name) not in self._rerankers:
            self._rerankers[str(name)] = Reranker(name)
        return self._rerankers[str(name)]

    def covers(self, text: str, space: str) -> bool:
        """Return True if the model of a space supports the script of a text."""
        return self._open_once(space).covers(text)

    def _open_once(self, space: str | None) -> "Encoder | TextEncoder":
        record = spaces.get_space(self.database, space)
        key = spaces.text_digest(record), record.model, record.query_prompt
        if key not in self._encoders:
            encoder = _open_model(record)
            require_model(record, encoder.digest)
            if self.fast_texts:
                titles = [p.title for p in islice(paper_texts(self.database), _BENCHMARKED)]
                model = encoder.model.query_model
                model.encode(titles[:1])  # two threads must not load the network at once
                choose = Thread(target=model.benchmark, args=(titles,), name="choose precision")
                choose.daemon = False  # OpenVINO aborts a program that ends while it works
                choose.start()
            self._encoders[key] = encoder
        return self._encoders[key]


def _open_model(
    record: EmbeddingSpace, document_prompt: str | None = None, query_prompt: str | None = None
) -> "Encoder":
    """Open the model of a space, with the pooling and, by default, the prompts of the space."""
    from specter_graph.encoder.encoder import Encoder

    if not record.model:
        raise InputError(
            f"the space {record.name!r} ({record.kind}) has no model that embeds texts",
            "search another space or words (mode text), or load the vectors again with their model"
            " (encoder); `specter-graph similar` works in every space",
        )
    if Path(record.model).is_absolute() and not Path(record.model).exists():
        name = "" if record.kind == "sgc" else f" --space {record.name}"
        raise ModelError(
            f"the model of the space {record.name!r} is no longer at {record.model}",
            f"move it back, or run specter-graph embed --model FOLDER{name} with its new folder"
            " (a search of mode text and similar work without it)",
        )
    return Encoder.load(
        record.model,
        pooling=cast("Pooling | None", record.pooling or None),
        document_prompt=record.document_prompt if document_prompt is None else document_prompt,
        query_prompt=record.query_prompt if query_prompt is None else query_prompt,
    )
