"""Static models: a vector for each token, whose mean is the vector of a text.

They need no Transformer, and encode thousands of papers a second on a CPU. `static` is distilled
from a base by the method of model2vec (Tulkens and van Dongen 2024), whose package does not install
beside transformers 5.4 or newer: the base encodes each token of its vocabulary by itself; these
vectors are projected on their principal components and weighted by smooth inverse frequency
(Arora et al. 2017). The frequency p of a token follows from its rank in the vocabulary by Zipf's
law, and the weight is a / (a + p).

The folder of a static model is in the format of sentence-transformers (StaticEmbedding), which also
reads published models such as minishlab/potion-base-8M.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from hashlib import sha256
from itertools import chain, pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

import numpy as np
from numpy.typing import NDArray

from specter_graph.core.atomic_files import cache_folder, complete_folder
from specter_graph.core.errors import InputError, ModelError
from specter_graph.core.vectors import Vectors, unit
from specter_graph.encoder.device import Precision
from specter_graph.encoder.model import TransformerModel, quiet
from specter_graph.encoder.model_files import (
    STATIC,
    BaseOptions,
    find_base,
    read_base,
    read_token_vectors,
)

if TYPE_CHECKING:
    import torch

DIMENSION = 256
"""Dimension of the vectors of a distilled model, or that of its base if it is smaller."""

MAX_WORDS, MAX_LENGTH = 500_000, 30
"""Maximum number and length of the words whose tokens a model keeps: about 200 MB."""

FREQUENCY = 1e-4
"""The parameter a of the weights: more frequent tokens have a weight below 1 / 2."""


class StaticModel(TransformerModel):
    """A static model; of a `TransformerModel`, it has all but the network."""

    @property
    def fixed_precision(self) -> Precision:
        """Always float32."""
        return "float32"

    @property
    def default_precision(self) -> Precision:
        """Always float32."""
        return "float32"

    def _tokenize(self, texts: list[str]) -> tuple[list[list[int]], NDArray[np.int64]]:
        if "body" in self.folder.parts:
            return super()._tokenize(texts)
        if len(texts) > 1 and self._splits_at_spaces:
            return self._tokenize_words(texts), np.arange(len(texts))
        limit = self.folder.max_length
        return [piece[:limit] for piece in self._pieces(texts)], np.arange(len(texts))

    def _tokenize_words(self, texts: list[str]) -> list[list[int]]:
        """Return the tokens of texts; only words that were in no earlier text are tokenized."""
        import pyarrow as pa
        import pyarrow.compute as pc

        words = pc.split_pattern(
            pc.replace_substring(pa.array(texts), self.separator, f" {self.separator} "), " "
        )
        coded = words.flatten().dictionary_encode()
        distinct, known = coded.dictionary.to_pylist(), self._known
        new = [word for word in distinct if word not in known]
        pieces_of = dict(zip(new, self._pieces(new), strict=True))
        pieces = [known.get(word) or pieces_of.get(word, ()) for word in distinct]
        known.update((word, pieces_of[word]) for word in new if len(word) <= MAX_LENGTH)
        if len(known) > MAX_WORDS:
            self._known = {}
        tokens = pa.array(pieces, pa.list_(pa.int64())).take(coded.indices)
        flat = tokens.flatten().to_numpy().tolist()
        bounds = tokens.offsets.take(words.offsets).to_numpy().tolist()
        limit = self.folder.max_length
        return [flat[start : min(start + limit, end)] for start, end in pairwise(bounds)]

    def _pieces(self, texts: list[str]) -> list[list[int]]:
        """Tokenize without offsets and special tokens, which takes half of the time."""
        tokenizer = self.tokenizer.backend_tokenizer
        return [
            encoding.ids
            for encoding in tokenizer.encode_batch_fast(texts, add_special_tokens=False)
        ]

    @cached_property
    def _known(self) -> dict[str, list[int]]:
        """The tokens of words of earlier texts."""
        return {}

    @cached_property
    def _splits_at_spaces(self) -> bool:
        """True if the tokens of a word do not depend on the words beside it."""
        from tokenizers.pre_tokenizers import BertPreTokenizer

        return isinstance(self.tokenizer.backend_tokenizer.pre_tokenizer, BertPreTokenizer)

    def _encode(
        self, tokens: Sequence[list[int]], precision: Precision
    ) -> Iterator[tuple[list[int], Vectors]]:
        import torch

        flat = torch.from_numpy(np.fromiter(chain.from_iterable(tokens), np.int64))
        starts = torch.from_numpy(np.cumsum([0, *map(len, tokens[:-1])]))
        with torch.inference_mode():
            vectors = torch.nn.functional.embedding_bag(flat, self.token_vectors, starts)
        means: Vectors = vectors.numpy()
        yield [*range(len(tokens))], unit(means) if self.folder.normalize else means

    @cached_property
    def token_vectors(self) -> "torch.Tensor":
        """The vectors of the tokens, (vocabulary, dimension) float32."""
        import torch

        return torch.from_numpy(read_token_vectors(self.folder.path))


def load_base(
    name: str | None = None, *, revision: str | None = None, **options: Unpack[BaseOptions]
) -> TransformerModel:
    """Load a Transformer or a static model to encode with.

    Args:
        name: `static`, `static:BASE`, a folder or a hub name; None is the offline MiniLM.
        revision: Branch, tag or commit of a hub name.
        **options: `pooling` (`cls`, `mean` or `max`), `max_length` (tokens read of a paper, by
            default that of the folder, at most 512), `parts` (of a paper), `separate_parts` (encode
            each part by itself and concatenate the vectors) and `prompts`. The pooling of a static
            model is `mean`.

    Raises:
        ModelError: The model does not exist, or its files are not valid.
    """
    kind, _, base = (name or "").partition(":")
    if kind != STATIC:
        folder = find_base(name, revision=revision, **options)
        return (StaticModel if folder.is_static else TransformerModel)(folder)
    source = TransformerModel(find_base(base or None, revision=revision))
    if source.folder.is_static:
        raise ModelError(f"{base} is a static model already", f"use its own name: {base}")
    settings = f"{STATIC} {DIMENSION} {FREQUENCY} {source.folder.digest}"
    digest = sha256(settings.encode()).hexdigest()
    path = cache_folder(STATIC) / digest[:16]
    if not path.exists():
        try:
            with complete_folder(path) as unfinished:
                distill_static_model(source, unfinished)
        except InputError:
            if not path.exists():  # else another process has completed it meanwhile
                raise
    stem = f"{STATIC}:{source.folder.name}" if base else STATIC
    folder = read_base(stem, source.folder.revision, path, **options)
    return StaticModel(replace(folder, distilled=digest))


def distill_static_model(base: TransformerModel, folder: Path) -> None:
    """Distill a base into a static model of at most `DIMENSION` dimensions, in an empty folder."""
    from sentence_transformers import SentenceTransformer, SentenceTransformerModelCardData
    from sentence_transformers.sentence_transformer.modules import Normalize, StaticEmbedding

    tokenizer = base.tokenizer
    vectors = project_on_components(encode_vocabulary(base), DIMENSION)
    tokens = tokenizer.convert_ids_to_tokens(list(range(len(tokenizer))))
    vectors *= token_weights(tokens)[:, None]
    vectors[tokenizer.all_special_ids] = 0
    # Without it `save` would query the Hugging Face Hub for an unused model card.
    card = SentenceTransformerModelCardData(local_files_only=True)
    embedding = StaticEmbedding(tokenizer, embedding_weights=vectors.astype(np.float32))
    model = SentenceTransformer(
        modules=[embedding, Normalize()], device="cpu", model_card_data=card
    )
    with quiet():
        model.save(str(folder), create_model_card=False)
        tokenizer.save_pretrained(folder)


def encode_vocabulary(base: TransformerModel) -> Vectors:
    """Encode each token of a base as one text, (vocabulary, d) float32.

    The arithmetic is float32: models that are distilled on two machines are then comparable.
    """
    special = {*base.tokenizer.all_special_ids}
    frame = base.tokenizer("a")["input_ids"]
    inner = [place for place, token in enumerate(frame) if token not in special]
    before, after = frame[: inner[0]], frame[inner[-1] + 1 :]
    tokens = [[*before, token, *after] for token in range(len(base.tokenizer))]
    return base.encode_tokens(tokens, "float32")


def project_on_components(vectors: Vectors, dimension: int) -> Vectors:
    """Project (n, d) vectors on their first principal components, at most `dimension`."""
    from sklearn.decomposition import PCA

    size = min(dimension, *vectors.shape)
    projected = PCA(size, svd_solver="covariance_eigh").fit_transform(vectors.astype(np.float64))
    return np.asarray(projected, np.float32)


def token_weights(tokens: Sequence[str]) -> Vectors:
    """Return the weights of the tokens of a vocabulary, most frequent first: (vocabulary,).

    Single characters and tokens such as [unused1] precede the words of some vocabularies. They
    do not count for the rank of a word (on the validation papers of hep-ph, this raised recall@100
    from 24.1 to 31.9 %), and have the frequency of the most frequent word.
    """
    stripped = [token.strip("#\u0120\u2581") for token in tokens]  # the marks of parts and spaces
    is_word = np.array([len(text) > 1 and text[0] != "[" for text in stripped])
    frequencies = 1 / (np.maximum(np.cumsum(is_word), 1) + 1)
    frequencies /= frequencies[is_word].sum()
    frequencies[~is_word] = frequencies.max()
    result: Vectors = FREQUENCY / (FREQUENCY + frequencies)
    return result
