"""The files of SciDocs, as published.

| file | what a line or entry is |
|---|---|
| `{cite,cocite,coview,coread}/{val,test}.qrel` | query 0 candidate relevance, divided by spaces |
| `{mag,mesh}/{train,val,test}.csv` | a header, then paper and class |
| `recomm/{train,val,test}.csv` | a header, then query, clicked paper, "all shown, in order" |
| `recomm/propensity_scores.json` | {"scores": [of the first place, ...]} |
| `paper_metadata_recomm.json` | {paper: {"title", "year", "authors", "references", "cited_by"}} |
| vectors, JSON Lines | {"paper_id": ..., "embedding": [...]} |

Every reader raises InputError with the file and the line, or the paper, that cannot be used.
"""

import csv
import gzip
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, cast

import numpy as np
import orjson

from specter_graph.core.errors import InputError
from specter_graph.evaluation.embeddings import Embeddings
from specter_graph.evaluation.measures import Floats
from specter_graph.evaluation.recommendation import Click, PaperFacts


def read_qrel(path: Path) -> dict[str, dict[str, int]]:
    """The judgements of a file, by query and candidate."""
    judgements: dict[str, dict[str, int]] = {}
    for number, line in enumerate(_lines(path), 1):
        match line.split():
            case []:
                continue
            case [query, _, candidate, relevance] if relevance.lstrip("-").isdigit():
                judgements.setdefault(query, {})[candidate] = int(relevance)
            case _:
                raise InputError(
                    f"{path}, line {number}: not a judgement: {line.strip()[:80]!r}",
                    "a line is `query 0 candidate relevance`",
                )
    return judgements


def read_classes(path: Path) -> list[tuple[str, str]]:
    """The papers of a file, each with its class, as text."""
    return [(paper, label) for paper, label in _rows(path, 2)]


def read_clicks(path: Path) -> list[Click]:
    """The clicks of a file, in its order."""
    clicks = []
    for number, (query, clicked, shown) in enumerate(_rows(path, 3), 2):
        click = Click(query, clicked, tuple(shown.strip().split(",")))
        if clicked not in click.shown:
            raise InputError(f"{path}, line {number}: {clicked!r} was clicked and not shown")
        clicks.append(click)
    return clicks


def read_propensities(path: Path) -> Floats:
    """The propensity of each place, from the first."""
    scores = _json(path).get("scores")
    try:
        propensities = np.array(scores, dtype=np.float64)
    except (TypeError, ValueError):
        propensities = np.empty(0)
    if propensities.ndim != 1 or not len(propensities):
        raise InputError(f'{path}: there is no list of numbers under "scores"')
    return propensities


def read_paper_facts(path: Path) -> dict[str, PaperFacts]:
    """What the features of the recommendation task are computed from, by paper."""
    return {paper: _paper_facts(record) for paper, record in _json(path).items()}


def read_embeddings(path: Path) -> Embeddings:
    """The vectors of a file; an empty one is none. Of a paper that comes twice the last counts."""
    ids: list[str] = []
    vectors: list[Floats] = []
    with _opened(path) as lines:
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            try:
                told = orjson.loads(line)
                paper, vector = told["paper_id"], np.array(told["embedding"], dtype=np.float64)
            except (ValueError, KeyError, TypeError) as error:
                raise InputError(
                    f"{path}, line {number}: no paper with its vector",
                    'a line is {"paper_id": "...", "embedding": [0.1, ...]}',
                ) from error
            if not vector.size:
                continue
            if vector.shape != (vectors or [vector])[0].shape or not np.isfinite(vector).all():
                raise InputError(
                    f"{path}, line {number}: the vector of {paper!r} is not of"
                    f" {len(vectors[0]) if vectors else 'any'} finite numbers"
                )
            ids.append(str(paper))
            vectors.append(vector)
    if not ids:
        raise InputError(f"{path}: there is no vector in it")
    return Embeddings.of(ids, np.stack(vectors))


def _paper_facts(record: dict[str, Any]) -> PaperFacts:
    try:
        year = int(float(record.get("year") or "nan"))
    except ValueError:
        year = None
    names = (
        frozenset(map(str, record.get(name) or ()))
        for name in ("authors", "references", "cited_by")
    )
    return PaperFacts(record.get("title") or "", year, *names)


def _rows(path: Path, columns: int) -> Iterator[list[str]]:
    """The rows of a CSV file below its header."""
    for number, row in enumerate(csv.reader(_lines(path)), 1):
        if len(row) != columns:
            raise InputError(f"{path}, line {number}: {len(row)} columns where {columns} belong")
        if number > 1:
            yield row


def _lines(path: Path) -> Iterator[str]:
    with _opened(path) as lines:
        for line in lines:
            try:
                yield line.decode()
            except UnicodeDecodeError as error:
                raise InputError(f"{path} is not text in UTF-8") from error


def _json(path: Path) -> dict[str, Any]:
    with _opened(path) as file:
        try:
            told = orjson.loads(file.read())
        except ValueError as error:
            raise InputError(f"{path} is not JSON: {error}") from error
    if not isinstance(told, dict):
        raise InputError(f"{path} is not a JSON object")
    return told


@contextmanager
def _opened(path: Path) -> Iterator[IO[bytes]]:
    """A file, packed by gzip or not."""
    try:
        with path.open("rb") as file, gzip.open(file) as unpacked:
            yield cast(IO[bytes], unpacked if path.suffix == ".gz" else file)
    except (OSError, EOFError, zlib.error) as error:  # the last two of packed files
        raise InputError(
            f"{path} cannot be read: {getattr(error, 'strerror', None) or error}",
            "SciDocs' README says where its files are to be had",
        ) from error
