"""Generate corpora of any size for the benchmarks: texts are noise, citations are realistic."""

import gzip
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import numpy as np
import orjson

from specter_graph.loaders.records import Author, Field, Paper, Venue

_CHUNK = 5_000
_FIRST_YEAR, _YEARS = 1950, 75
_SYLLABLES = ["ba", "ce", "di", "fo", "gu", "ka", "le", "mi", "no", "pu", "ra", "se", "ti", "tre"]


def random_corpus(
    papers: int = 100_000, citations: int = 1_000_000, seed: int = 0
) -> Iterator[Paper]:
    """Yield papers `p0`, `p1`, ... in order of time, which cite earlier ones.

    The same seed gives the same papers. The number of references is log-normal with a mean of
    citations / papers. Half of the references go to old, popular papers (in-degrees follow a power
    law), half to slightly older papers, so that papers often share references of references. The
    total differs from `citations` by a few percent. Each paper has about 1 KB of text, 1 to 6
    authors, a venue and 1 or 2 fields.
    """
    noise = _noise(np.random.default_rng(seed))
    for start in range(0, papers, _CHUNK):
        # Each chunk has a separate random generator, so that memory is constant.
        rng = np.random.default_rng([seed, start])
        size = min(_CHUNK, papers - start)
        references = _references(rng, start, size, citations / papers)
        offsets = rng.integers(0, len(noise) - 2_000, size)
        authors = rng.integers(0, papers // 3 + 1, (size, 6))
        author_counts = rng.integers(1, 7, size)
        venues = rng.integers(0, 200, size)
        fields = rng.integers(0, 50, (size, 2))
        for i in range(size):
            offset, number = int(offsets[i]), start + i
            yield Paper(
                id=f"p{number}",
                title=noise[offset : offset + 70].strip().capitalize(),
                abstract=noise[offset + 80 : offset + 1_000].strip().capitalize() + ".",
                year=_FIRST_YEAR + number * _YEARS // papers,
                authors=tuple(
                    Author(f"author {a}", f"author {a}")
                    for a in dict.fromkeys(authors[i, : author_counts[i]].tolist())
                ),
                venue=Venue(f"venue {venues[i]}", f"venue {venues[i]}"),
                fields=tuple(
                    Field("keyword", f"field {f}", f"field {f}")
                    for f in dict.fromkeys(fields[i].tolist())
                ),
                references=tuple(f"p{j}" for j in references[i]),
            )


def text_and_references(papers: Iterable[Paper]) -> Iterator[Paper]:
    """Yield the papers without authors, venue and fields."""
    return (replace(paper, authors=(), venue=None, fields=()) for paper in papers)


def write_jsonl(folder: Path, papers: int, citations: int, files: int) -> list[Path]:
    """Write the corpus in order to compressed JSON Lines files, and return their paths."""
    paths = [folder / f"papers-{number}.jsonl.gz" for number in range(files)]
    with ExitStack() as stack:
        opened = [stack.enter_context(gzip.open(path, "wb", compresslevel=6)) for path in paths]
        for number, paper in enumerate(random_corpus(papers, citations)):
            opened[number * files // papers].write(orjson.dumps(_record(paper)) + b"\n")
    return paths


def _record(paper: Paper) -> dict[str, object]:
    return {
        "id": paper.id,
        "title": paper.title,
        "abstract": paper.abstract,
        "year": paper.year,
        "authors": [author.name for author in paper.authors],
        "venue": paper.venue and paper.venue.name,
        "fields": [label.name for label in paper.fields],
        "references": paper.references,
    }


def _references(rng: np.random.Generator, start: int, size: int, mean: float) -> list[list[int]]:
    # A log-normal with sigma 0.8 has the mean exp(mu + 0.32).
    counts = rng.lognormal(np.log(mean) - 0.32, 0.8, size).round().astype(np.int64)
    citing = np.repeat(np.arange(start, start + size), counts)
    popular = citing * rng.random(len(citing)) ** 2
    recent = citing - 1 - rng.exponential(300.0, len(citing))
    cited = np.where(rng.random(len(citing)) < 0.5, popular, recent).astype(np.int64)
    cited = np.clip(cited, 0, np.maximum(citing - 1, 0))
    ends = np.cumsum(counts)
    return [
        list(dict.fromkeys(j for j in cited[end - count : end].tolist() if j < start + i))
        for i, (count, end) in enumerate(zip(counts.tolist(), ends.tolist(), strict=True))
    ]


def _noise(rng: np.random.Generator) -> str:
    """Return a long text of 2,000 different invented words; abstracts are windows of it."""
    words = ["".join(rng.choice(_SYLLABLES, rng.integers(2, 5))) for _ in range(2_000)]
    return " ".join(words[w] for w in (2_000 * rng.random(200_000) ** 2).astype(int).tolist())
