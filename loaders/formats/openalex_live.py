"""OpenAlex as a live source: the works that filters name, or those around some papers."""

from calendar import monthrange
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Literal, TypeAlias

import orjson

from specter_graph.core.errors import InputError
from specter_graph.loaders import identifiers
from specter_graph.loaders.corpus import Corpus, Keep, SourceFile, digest
from specter_graph.loaders.format_api import Count, RecordIssue, Results
from specter_graph.loaders.formats.openalex import KEYS, SOURCE, Works, work_key
from specter_graph.loaders.formats.openalex_api import MAX_VALUES, OpenAlexApi
from specter_graph.loaders.parsing.json import Objects
from specter_graph.loaders.parsing.tolerant_fields import Json

Direction: TypeAlias = Literal["both", "references", "citations"]

_MANY = 20_000
"""Works of a year; where there are more, each month is a part."""
_WORKS_IN_A_PART = 1_000
_BYTES_OF_A_WORK = 15_000
"""About; how much there is to read, and how much has been read, is reckoned in it."""


class LiveCorpus(Corpus):
    """A corpus that is told from others by what was asked.

    What OpenAlex holds changes from day to day; a load that broke off still goes on where it
    stopped, with the parts that are as they were.
    """

    def __init__(
        self,
        question: str,
        parts: Sequence[SourceFile],
        *,
        prefix: str | None = None,
        keep: Keep | None = None,
    ) -> None:
        super().__init__(parts, prefix=prefix, keep=keep)
        self._question = f"{question} {prefix} {keep}"

    @property
    def key(self) -> str:
        """Tells this question from any other, whatever the answer."""
        return digest(self._question)

    @property
    def changes(self) -> bool:
        """The answer does."""
        return True


def openalex_live(
    filters: str | Iterable[str] | Mapping[str, str],
    api: OpenAlexApi | None = None,
    *,
    prefix: str | None = None,
    keep: Keep | None = None,
) -> Corpus:
    """Return all works that pass the filters of OpenAlex's API, as a corpus that can be resumed.

    `filters` are `{"publication_year": "2020", ...}`, or "KEY:VALUE" texts, or several of these in
    one text with commas between; all must hold, `|` is "or", `!` is "not". The parts are years, in
    the order of time, and months where a year has very many works. `prefix` and `keep` are those of
    `open_corpus`. One request is made at once; a wrong filter, a missing key and an API that does
    not answer are InputErrors, then and while reading.
    """
    listed = _filters(filters)
    api = api or OpenAlexApi()
    counts = api.counts(listed, "publication_year")
    slices = [piece for year in sorted(counts, key=_year) for piece in _slices(year, counts[year])]
    parts = [_filter_part(api, [*listed, *more], works) for more, works in slices]
    return LiveCorpus(f"filters {sorted(listed)}", parts, prefix=prefix, keep=keep)


def snowball(
    seeds: Iterable[str],
    hops: int,
    api: OpenAlexApi | None = None,
    *,
    direction: Direction = "both",
    most: int = 100_000,
    prefix: str | None = None,
    keep: Keep | None = None,
) -> Corpus:
    """Papers, and those at most so many citations away from them, as a corpus.

    `seeds` are OpenAlex ids ("W2741809807", also as "openalex:W..." or an address) or DOIs, or
    others that name their scheme ("pmid:29456894"). A hop goes along references, along citations,
    or both. The ids are looked up at once (some requests for each hundred papers that a hop starts
    from); the parts are a thousand papers of one hop. Raises InputError when a seed is unknown, or
    there are more than `most` papers.
    """
    if hops < 0:
        raise InputError(f"{hops} hops cannot be gone")
    api = api or OpenAlexApi()
    around = _around([_resolved(api, seed) for seed in seeds], hops, api, direction, most)
    parts = [
        _ids_part(api, f"hop {hop}", ids[start : start + _WORKS_IN_A_PART])
        for hop, ids in enumerate(around)
        for start in range(0, len(ids), _WORKS_IN_A_PART)
    ]
    question = f"snowball {sorted(around[0])} {hops} {direction}"
    return LiveCorpus(question, parts, prefix=prefix, keep=keep)


def _filters(filters: str | Iterable[str] | Mapping[str, str]) -> list[str]:
    if isinstance(filters, Mapping):
        filters = [f"{key}:{value}" for key, value in filters.items()]
    texts = [filters] if isinstance(filters, str) else filters
    listed = [part.strip() for text in texts for part in text.split(",")]
    for part in listed:
        key, colon, value = part.partition(":")
        if not (key and colon and value):
            raise InputError(f"{part!r} is no filter", "KEY:VALUE, such as publication_year:2020")
    if not listed:
        raise InputError("no filter is named", "KEY:VALUE, such as publication_year:2020")
    return listed


def _year(key: str) -> int:
    return int(key) if key.isdecimal() else 0


def _slices(year: str, works: int) -> Iterator[tuple[list[str], int]]:
    """Yield the filters that cut a year into parts, each with about so many works."""
    if works <= _MANY or not year.isdecimal():
        yield [f"publication_year:{year}"], works
        return
    for month in range(1, 13):
        days = monthrange(int(year), month)[1]
        first, last = f"{year}-{month:02}-01", f"{year}-{month:02}-{days}"
        yield [f"from_publication_date:{first}", f"to_publication_date:{last}"], works // 12


def _filter_part(api: OpenAlexApi, filters: list[str], works: int) -> SourceFile:
    def read(count: Count) -> Results:
        reader = _Reader(count)
        for work in api.works(filters):
            yield from reader.read(work)

    return _part(",".join(filters), works, read)


def _ids_part(api: OpenAlexApi, about: str, ids: list[str]) -> SourceFile:
    def read(count: Count) -> Results:
        reader = _Reader(count)
        missing = set(ids)
        for start in range(0, len(ids), MAX_VALUES):
            for work in api.works([f"openalex_id:{'|'.join(ids[start : start + MAX_VALUES])}"]):
                missing.discard(work_key(work.get("id")) or "")
                yield from reader.read(work)
        if missing:
            named = ", ".join(_ordered(missing)[:20])
            reason = f"OpenAlex has no record of {len(missing)} of the papers: {named}"
            yield reader.number, RecordIssue(reason, repaired=True)

    return _part(f"{about}, {ids[0]} to {ids[-1]}", len(ids), read, *ids)


def _part(about: str, works: int, read: Callable[[Count], Results], *more: str) -> SourceFile:
    size = works * _BYTES_OF_A_WORK
    return SourceFile(f"OpenAlex, {about}", digest(about, *more), size, read, "OpenAlex, its API")


class _Reader:
    """Converts works and numbers them."""

    def __init__(self, count: Count) -> None:
        self._count = count
        self._objects = Objects(Works().convert, KEYS)
        self.number = 0

    def read(self, work: Json) -> Results:
        self.number += 1
        self._count(_BYTES_OF_A_WORK)
        for result in self._objects.results(orjson.dumps(work)):
            yield self.number, result


def _resolved(api: OpenAlexApi, seed: str) -> str:
    """Return the id of a seed, as OpenAlex has it today: works are merged now and then."""
    written = seed.strip().removeprefix(f"{SOURCE}:")
    doi = identifiers.doi(written)
    work = api.work(work_key(written) or (f"doi:{doi.value}" if doi else written))
    key = work_key(work.get("id")) if work else None
    if key is None:
        raise InputError(f"OpenAlex has no paper {seed}", "name it as W2741809807 or doi:10.1/x")
    return key


def _around(
    seeds: Iterable[str], hops: int, api: OpenAlexApi, direction: Direction, most: int
) -> list[list[str]]:
    """Return the ids of the seeds, of those one hop away, and so on: each id once, in order."""
    around = [_ordered(seeds)]
    known = set(around[0])
    for hop in range(1, hops + 1):
        result: set[str] = set()
        for key in _neighbours(api, around[-1], direction):
            if key not in known:
                result.add(key)
            if len(known) + len(result) > most:
                raise InputError(
                    f"within {hop} hops there are more than {most:,} papers",
                    "go fewer hops, or only along references (--direction references)",
                )
        known |= result
        around.append(_ordered(result))
    return around


def _neighbours(api: OpenAlexApi, ids: list[str], direction: Direction) -> Iterator[str]:
    for start in range(0, len(ids), MAX_VALUES):
        joined = "|".join(ids[start : start + MAX_VALUES])
        if direction != "citations":
            for work in api.works([f"openalex_id:{joined}"], ["id", "referenced_works"]):
                yield from filter(None, map(work_key, work.get("referenced_works") or ()))
        if direction != "references":
            for work in api.works([f"cites:{joined}"], ["id"]):
                yield from filter(None, [work_key(work.get("id"))])


def _ordered(ids: Iterable[str]) -> list[str]:
    """New works come last, so that the parts before them stay as they are."""
    return sorted(set(ids), key=lambda key: int(key[1:]))
