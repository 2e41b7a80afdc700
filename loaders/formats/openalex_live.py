"""OpenAlex as a live source: the works that match filters, or those around some papers."""

import time
from calendar import monthrange
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Literal, TypeAlias
from urllib.parse import quote

import orjson

from specter_graph.core.errors import InputError, counted, summarize_names
from specter_graph.core.progress import batches
from specter_graph.loaders import identifiers
from specter_graph.loaders.corpus import Corpus, Keep, SourceFile, digest
from specter_graph.loaders.format_api import Count, RecordIssue, Results
from specter_graph.loaders.formats.openalex import KEYS, SOURCE, work_converter, work_key
from specter_graph.loaders.http_client import HttpClient
from specter_graph.loaders.parsing.field_values import Json
from specter_graph.loaders.parsing.json import Objects

URL = "https://api.openalex.org"
MAX_VALUES = 100
"""Maximum number of values joined with `|` in a filter, and of works on a page."""

Direction: TypeAlias = Literal["both", "references", "citations"]
_MAX_PER_YEAR = 20_000
"""A year with more works is split into months."""
_WORKS_PER_PART = 1_000
_BYTES_PER_WORK = 15_000
"""Estimated size, for the progress of a load."""


class OpenAlexApi:
    """A client of OpenAlex's API, to be used by one thread.

    A request that still fails after retries raises an InputError.

    Args:
        email: The contact address for OpenAlex.
        api_key: The API key; without it, OpenAlex answers a few requests a day. Both are sent as
            headers, so that they are in no URL and no message.
        url: The root URL of the API.
        sleep: Waits for a number of seconds.

    Attributes:
        http: The client that sends the requests.
    """

    def __init__(
        self,
        email: str | None = None,
        api_key: str | None = None,
        *,
        url: str = URL,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        headers = {"User-Agent": "specter-graph"}
        headers |= {"From": email} if email else {}
        headers |= {"Authorization": f"Bearer {api_key}"} if api_key else {}
        hint = "set OPENALEX_API_KEY to a valid key"
        self.http = HttpClient("OpenAlex", key_hint=hint, headers=headers, sleep=sleep)
        self._works = f"{url.rstrip('/')}/works"

    def works(
        self, filters: Sequence[str], fields: Iterable[str] = (), *, page: int = MAX_VALUES
    ) -> Iterator[Json]:
        """Yield all works that match filters ("KEY:VALUE").

        Args:
            filters: The filters.
            fields: Fields of the works, by default all.
            page: Works per request; the next request is sent when they are used up.
        """
        selected = ",".join(fields)
        query = {"per-page": str(page)} | ({"select": selected} if selected else {})
        received = 0
        for works, count in self._read_pages(filters, "results", query):
            yield from works
            received += len(works)
            if received >= count:
                return

    def counts(self, filters: Sequence[str], key: str) -> dict[str, int]:
        """Return the number of matching works for each value of a key; "null" for those without."""
        counts: dict[str, int] = {}
        total = 0
        for groups, count in self._read_pages(filters, "group_by", {"group-by": key}):
            counts |= {str(group["key"]): int(group["count"]) for group in groups}
            total = max(total, count)
        if (without := total - sum(counts.values())) > 0:
            counts["null"] = without
        return counts

    def work(self, key: str) -> Json | None:
        """Return the work with an OpenAlex id, or another id with its scheme ("doi:10.1/x")."""
        work: Json | None = self.http.get_json(f"{self._works}/{quote(key, safe=':/')}")
        return work

    def _read_pages(
        self, filters: Sequence[str], part: str, query: dict[str, str]
    ) -> Iterator[tuple[list[Json], int]]:
        """Yield a part of each page, and the number of all works that match the filters."""
        cursor: str | None = "*"
        while cursor:
            page = {"filter": ",".join(filters), "cursor": cursor}
            answer = self.http.get_json(self._works, query | page)
            if answer is None:
                raise InputError("OpenAlex answers 404", f"check the address {self._works}")
            try:
                rows, count = answer[part], int(answer["meta"]["count"])
                cursor = answer["meta"]["next_cursor"] if rows else None
            except (KeyError, TypeError, ValueError) as error:
                raise InputError("the response of OpenAlex has an unknown structure") from error
            yield rows, count


def openalex_live(
    filters: str | Iterable[str] | Mapping[str, str],
    api: OpenAlexApi | None = None,
    *,
    prefix: str | None = None,
    keep: Keep | None = None,
) -> Corpus:
    """Return all works that match filters of OpenAlex's API, as a corpus.

    The works are requested by publication year, or by month for years with many works. The first
    request is sent at once, the others while you iterate over the corpus.

    Args:
        filters: `{"publication_year": "2020", ...}`, or "KEY:VALUE" strings, or several of these in
            one string, separated by commas. Works must match all of them; `|` means "or", `!`
            means "not".
        api: The client; default: without email and key.
        prefix: See `open_corpus`.
        keep: See `open_corpus`.

    Raises:
        InputError: A filter is not valid, or the API does not answer; also during the iteration.
    """
    listed = _parse_filters(filters)
    api = api or OpenAlexApi()
    counts = api.counts(listed, "publication_year")
    years = sorted(counts, key=lambda year: int(year) if year.isdecimal() else 0)
    slices = [part for year in years for part in _split_year(year, counts[year])]
    parts = [_filter_part(api, [*listed, *more], works) for more, works in slices]
    return Corpus(parts, prefix=prefix, keep=keep, query=f"filters {sorted(listed)}")


def snowball(
    seeds: Iterable[str],
    hops: int,
    api: OpenAlexApi | None = None,
    *,
    direction: Direction = "both",
    limit: int = 100_000,
    prefix: str | None = None,
    keep: Keep | None = None,
) -> Corpus:
    """Return papers and those within a number of citations of them, as a corpus.

    The ids are looked up at once, with some requests for each 100 papers; the records are requested
    while you iterate over the corpus.

    Args:
        seeds: OpenAlex ids ("W2741809807", "openalex:W2741809807" or a URL), DOIs, or other ids
            with their scheme ("pmid:29456894").
        hops: Number of citations to follow.
        api: The client; default: without email and key.
        direction: Whether to follow references, citations, or both.
        limit: Maximum number of papers.
        prefix: See `open_corpus`.
        keep: See `open_corpus`.

    Raises:
        InputError: A seed is unknown, or there are more than `limit` papers.
    """
    if hops < 0:
        raise InputError(f"{hops} hops: the number must be 0 or more")
    api = api or OpenAlexApi()
    levels = _find_levels([_resolve_seed(api, seed) for seed in seeds], hops, api, direction, limit)
    parts = [
        _ids_part(api, f"hop {hop}", ids)
        for hop, level in enumerate(levels)
        for ids in batches(level, _WORKS_PER_PART)
    ]
    query = f"snowball {sorted(levels[0])} {hops} {direction}"
    return Corpus(parts, prefix=prefix, keep=keep, query=query)


def _parse_filters(filters: str | Iterable[str] | Mapping[str, str]) -> list[str]:
    if isinstance(filters, Mapping):
        filters = [f"{key}:{value}" for key, value in filters.items()]
    texts = [filters] if isinstance(filters, str) else filters
    listed = [part.strip() for text in texts for part in text.split(",")]
    hint = "write KEY:VALUE, such as publication_year:2020"
    for part in listed:
        key, colon, value = part.partition(":")
        if not (key and colon and value):
            raise InputError(f"{part!r} is not a filter", hint)
    if not listed:
        raise InputError("no filter was given", hint)
    return listed


def _split_year(year: str, works: int) -> Iterator[tuple[list[str], int]]:
    """Yield the filters of each part of a year, with an estimate of its number of works."""
    if works <= _MAX_PER_YEAR or not year.isdecimal():
        yield [f"publication_year:{year}"], works
        return
    for month in range(1, 13):
        days = monthrange(int(year), month)[1]
        first, last = f"{year}-{month:02}-01", f"{year}-{month:02}-{days}"
        yield [f"from_publication_date:{first}", f"to_publication_date:{last}"], works // 12


def _filter_part(api: OpenAlexApi, filters: list[str], works: int) -> SourceFile:
    return _part(",".join(filters), works, lambda count: _convert(api.works(filters), count))


def _ids_part(api: OpenAlexApi, name: str, ids: list[str]) -> SourceFile:
    def read(count: Count) -> Results:
        missing = set(ids)

        def works() -> Iterator[Json]:
            for joined in map("|".join, batches(ids, MAX_VALUES)):
                for work in api.works([f"openalex_id:{joined}"]):
                    missing.discard(work_key(work.get("id")) or "")
                    yield work

        yield from _convert(works(), count)
        if missing:
            names = summarize_names(_sort_ids(missing), 20)
            reason = f"OpenAlex has no record of {len(missing)} of the papers: {names}"
            yield len(ids) - len(missing), RecordIssue(reason, repaired=True)

    return _part(f"{name}, {ids[0]} to {ids[-1]}", len(ids), read, *ids)


def _part(name: str, works: int, read: Callable[[Count], Results], *ids: str) -> SourceFile:
    size = works * _BYTES_PER_WORK
    return SourceFile(f"OpenAlex, {name}", digest(name, *ids), size, read, "OpenAlex API")


def _convert(works: Iterable[Json], count: Count) -> Results:
    """Yield the results of works with their numbers."""
    objects = Objects(work_converter(), KEYS)
    for number, work in enumerate(works, 1):
        count(_BYTES_PER_WORK)
        for result in objects.results(orjson.dumps(work)):
            yield number, result


def _resolve_seed(api: OpenAlexApi, seed: str) -> str:
    """Return the present OpenAlex id of a seed: works are sometimes merged."""
    written = seed.strip().removeprefix(f"{SOURCE}:")
    doi = identifiers.doi(written)
    work = api.work(work_key(written) or (f"doi:{doi.value}" if doi else written))
    key = work_key(work.get("id")) if work else None
    if key is None:
        raise InputError(f"OpenAlex has no paper {seed}", "write W2741809807 or doi:10.1/x")
    return key


def _find_levels(
    seeds: Iterable[str], hops: int, api: OpenAlexApi, direction: Direction, limit: int
) -> list[list[str]]:
    """Return the sorted ids of the seeds, of the papers one hop from them, and so on, each once."""
    levels = [_sort_ids(seeds)]
    known = set(levels[0])
    for _ in range(hops):
        level: set[str] = set()
        for key in _find_neighbors(api, levels[-1], direction):
            if key not in known:
                level.add(key)
            if len(known) + len(level) > limit:
                raise InputError(
                    f"there are more than {limit:,} papers within {counted(len(levels), 'hop')}",
                    "reduce hops, or follow only references (direction references)",
                )
        known |= level
        levels.append(_sort_ids(level))
    return levels


def _find_neighbors(api: OpenAlexApi, ids: list[str], direction: Direction) -> Iterator[str]:
    for joined in map("|".join, batches(ids, MAX_VALUES)):
        if direction != "citations":
            for work in api.works([f"openalex_id:{joined}"], ["id", "referenced_works"]):
                yield from filter(None, map(work_key, work.get("referenced_works") or ()))
        if direction != "references":
            for work in api.works([f"cites:{joined}"], ["id"]):
                yield from filter(None, [work_key(work.get("id"))])


def _sort_ids(ids: Iterable[str]) -> list[str]:
    """Return ids in the order of their creation: new works do not change earlier parts."""
    return sorted(set(ids), key=lambda key: int(key[1:]))
