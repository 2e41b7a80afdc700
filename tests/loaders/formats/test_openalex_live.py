"""Load from OpenAlex by a real server on loopback, which fails in all known ways."""

import logging
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from specter_graph.cli.corpus_options import _open_live
from specter_graph.core.errors import InputError
from specter_graph.loaders.corpus import Corpus
from specter_graph.loaders.formats.openalex_live import (
    Direction,
    OpenAlexApi,
    openalex_live,
    snowball,
)
from specter_graph.loaders.records import CorpusItem, EndOfFile, Filtered, Paper, Reject, UnknownKey
from tests.loaders.formats.openalex_server import OpenAlexServer, make_work, openalex_server

MODULE = "specter_graph.loaders.formats.openalex_live"
KEY, EMAIL = "a-very-secret-key", "someone@example.org"


@pytest.fixture
def server() -> Iterator[OpenAlexServer]:
    with openalex_server() as server:
        yield server


@pytest.fixture
def slept() -> list[float]:
    return []


@pytest.fixture
def api(server: OpenAlexServer, slept: list[float]) -> OpenAlexApi:
    return OpenAlexApi(EMAIL, KEY, url=server.address, sleep=slept.append)


def ids(read: Iterator[CorpusItem]) -> list[str]:
    return [item.id.removeprefix("openalex:W") for item in read if isinstance(item, Paper)]


def filters_of(corpus: Corpus) -> list[str]:
    return [file.name.removeprefix("OpenAlex, ") for file in corpus.files]


def test_all_works_are_read_by_year_and_page(server: OpenAlexServer, api: OpenAlexApi):
    server.add(*(make_work(n, 2019 if n % 3 else 2021) for n in range(1, 400)))
    server.add(make_work(1000, None), *(make_work(n, 1900) for n in (2000, 2001)))
    corpus = openalex_live({"publication_year": "2019|2021|null"}, api)
    assert filters_of(corpus) == [
        f"publication_year:2019|2021|null,publication_year:{year}" for year in ("null", 2019, 2021)
    ]
    read = list(corpus)
    assert sorted(map(int, ids(iter(read)))) == [*range(1, 400), 1000]
    assert [type(item) for item in read if not isinstance(item, Paper)] == [EndOfFile] * 3
    sizes = [query.get("per-page") for _, query, _ in server.requests]
    assert sizes == [None] + ["100"] * (1 + 3 + 2)  # the counts, then null, 2019 and 2021


def test_filters_are_texts_and_a_key_may_be_repeated(server: OpenAlexServer, api: OpenAlexApi):
    server.add(*(make_work(n, 2000 + n) for n in range(1, 10)))
    for filters in (
        "publication_year:>2003, publication_year:>2008",
        ["publication_year:>2003", "publication_year:>2008"],
    ):
        assert ids(iter(openalex_live(filters, api))) == ["9"]


def test_a_year_with_too_many_works_is_split_into_months(
    server: OpenAlexServer, api: OpenAlexApi, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(f"{MODULE}._MAX_PER_YEAR", 20)
    server.add(*(make_work(n, 2020) for n in range(1, 31)), make_work(99, 2021))
    corpus = openalex_live("publication_year:>1000", api)
    assert filters_of(corpus)[1].endswith(
        "from_publication_date:2020-02-01,to_publication_date:2020-02-29"
    )
    assert len(corpus.files) == 13
    assert sorted(map(int, ids(iter(corpus)))) == [*range(1, 31), 99]


def test_an_interrupted_load_skips_completed_parts(server: OpenAlexServer, api: OpenAlexApi):
    server.add(*(make_work(n, 2000 + n % 2) for n in range(1, 11)))
    first = openalex_live("publication_year:>0", api)
    done = next(item.key for item in first if isinstance(item, EndOfFile))
    server.add(make_work(20, 2002))  # OpenAlex has got a new work meanwhile
    again = openalex_live("publication_year:>0", api)
    assert again.key == first.key
    assert sorted(map(int, ids(again.read({done})))) == [1, 3, 5, 7, 9, 20]
    assert again.done == again.size


def test_another_query_is_another_corpus(server: OpenAlexServer, api: OpenAlexApi):
    server.add(make_work(1))
    keys = {
        openalex_live("publication_year:2020", api).key,
        openalex_live("publication_year:>2019", api).key,
        openalex_live("publication_year:2020", api, prefix="mine").key,
        openalex_live("publication_year:2020", api, keep=lambda paper: False).key,
        snowball(["W1"], 0, api).key,
        snowball(["W1"], 1, api).key,
        snowball(["W1"], 1, api, direction="references").key,
    }
    assert len(keys) == 7


def test_prefix_and_filters_of_the_load_apply(server: OpenAlexServer, api: OpenAlexApi):
    server.add(make_work(1), make_work(2))
    corpus = openalex_live(
        "publication_year:2020", api, prefix="mine", keep=lambda paper: paper.title == "Work 2"
    )
    assert [item for item in corpus if isinstance(item, Filtered)] == [Filtered("mine:openalex:W1")]
    with pytest.raises(InputError, match="is not a name"):
        openalex_live("publication_year:2020", api, prefix="my own")


def test_unusable_works_are_reported(server: OpenAlexServer, api: OpenAlexApi):
    server.add(make_work(1) | {"title": None, "display_name": None}, make_work(2) | {"stray": 1})
    read = list(openalex_live("publication_year:2020", api))
    assert [(r.line, r.id, r.reason) for r in read if isinstance(r, Reject)] == [
        (1, "openalex:W1", "title is missing")
    ]
    assert [u.key for u in read if isinstance(u, UnknownKey)] == ["stray"]


CITES = {1: (2, 3), 2: (4,), 3: (), 4: (5,), 5: (), 6: (1,), 7: (6, 8), 8: ()}


@pytest.mark.parametrize(
    ("hops", "direction", "around"),
    [
        (0, "both", [[1]]),
        (1, "both", [[1], [2, 3, 6]]),
        (2, "both", [[1], [2, 3, 6], [4, 7]]),
        (2, "references", [[1], [2, 3], [4]]),
        (2, "citations", [[1], [6], [7]]),
        (4, "references", [[1], [2, 3], [4], [5]]),
    ],
)
def test_a_snowball_has_the_requested_number_of_hops(
    server: OpenAlexServer,
    api: OpenAlexApi,
    hops: int,
    direction: Direction,
    around: list[list[int]],
):
    server.add(*(make_work(n, cites=cites) for n, cites in CITES.items()))
    corpus = snowball(["W1"], hops, api, direction=direction)
    assert filters_of(corpus) == [
        f"hop {hop}, W{hop_ids[0]} to W{hop_ids[-1]}" for hop, hop_ids in enumerate(around)
    ]
    assert ids(iter(corpus)) == [str(number) for hop_ids in around for number in hop_ids]


def test_a_wide_hop_is_requested_in_hundreds_and_read_in_parts(
    server: OpenAlexServer, api: OpenAlexApi, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(f"{MODULE}._WORKS_PER_PART", 150)
    wide = tuple(range(100, 430))
    server.add(make_work(1, cites=wide), *(make_work(n) for n in wide if n != 200))
    corpus = snowball(["W1"], 2, api)
    assert len(corpus.files) == 1 + 3
    read = list(corpus)
    assert ids(iter(read)) == ["1", *(str(n) for n in wide if n != 200)]
    assert [(item.reason, item.repaired) for item in read if isinstance(item, Reject)] == [
        ("OpenAlex has no record of 1 of the papers: W200", True)
    ]
    assert max(query.get("filter", "").count("|") for _, query, _ in server.requests) == 99


@pytest.mark.parametrize(
    "seed", ["W1", "w1", "openalex:W1", "https://openalex.org/W1", "10.5555/1", "doi:10.5555/1"]
)
def test_a_seed_has_several_forms_of_id(server: OpenAlexServer, api: OpenAlexApi, seed: str):
    server.add(make_work(1))
    assert ids(iter(snowball([seed, "W1"], 0, api))) == ["1"]


def test_a_snowball_that_is_too_large_or_has_no_seed_is_an_error(
    server: OpenAlexServer, api: OpenAlexApi
):
    server.add(*(make_work(n, cites=cites) for n, cites in CITES.items()))
    with pytest.raises(InputError, match="there are more than 3 papers within 1 hop"):
        snowball(["W1"], 2, api, limit=3)
    with pytest.raises(InputError, match="OpenAlex has no paper W77"):
        snowball(["W1", "W77"], 1, api)
    with pytest.raises(InputError, match="-1 hops"):
        snowball(["W1"], -1, api)


@pytest.mark.parametrize("filters", [[], "", "publication_year", ["a:1", "b"], {"a": ""}])
def test_an_invalid_filter_is_an_error(api: OpenAlexApi, filters: list[str]):
    with pytest.raises(InputError, match="filter"):
        openalex_live(filters, api)


def test_transient_failures_are_retried(
    server: OpenAlexServer, api: OpenAlexApi, slept: list[float]
):
    server.add(*(make_work(n) for n in range(1, 4)))
    server.failures = [
        (429, {"Retry-After": "7"}),
        (500, {}),
        ("drop", {}),
        ("garbage", {}),
        (503, {"Retry-After": format_datetime(datetime.now(UTC) + timedelta(seconds=90))}),
        (403, {"Retry-After": "soon"}),
    ]
    assert ids(iter(openalex_live("publication_year:2020", api))) == ["1", "2", "3"]
    waits = [wait for wait in slept if wait > 0.2]
    assert len(waits) == 6
    assert waits[0] >= 7
    assert 80 < waits[4] <= 91


def test_requests_have_a_minimum_interval(
    server: OpenAlexServer, api: OpenAlexApi, slept: list[float], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(api.http, "interval", 60)  # a busy machine may need 0.1 s without a wait
    server.add(make_work(1))
    list(openalex_live("publication_year:2020", api))
    assert len(server.requests) == 2
    assert len(slept) == 1
    assert 0 < slept[0] <= 60


@pytest.mark.parametrize(
    ("failures", "reason"),
    [
        ([(500, {})] * 8, "OpenAlex answers 500"),
        ([("garbage", {})] * 8, "the response of OpenAlex is not JSON"),
        ([("drop", {})] * 8, "OpenAlex cannot be reached"),
        ([(400, {})], "OpenAlex rejects the query: cats is not a valid field"),
        ([(401, {})], "OpenAlex rejects the API key"),
        ([(404, {})], "OpenAlex answers 404"),
        ([(429, {"Retry-After": "50400"})], "budget at OpenAlex is used up for 14.0 hours"),
    ],
)
def test_permanent_failures_end_the_load_with_a_hint(
    server: OpenAlexServer,
    api: OpenAlexApi,
    failures: list[tuple[int | str, dict[str, str]]],
    reason: str,
):
    server.failures = failures
    with pytest.raises(InputError, match=reason) as raised:
        openalex_live("publication_year:2020", api)
    assert not server.failures
    assert "secret" not in f"{raised.value.message} {raised.value.hint}"


def test_an_interrupted_part_is_not_completed(server: OpenAlexServer, api: OpenAlexApi):
    server.add(*(make_work(n) for n in range(1, 150)))
    read = iter(openalex_live("publication_year:2020", api))
    first = [next(read) for _ in range(100)]
    server.failures = [(500, {})] * 8
    with pytest.raises(InputError):
        next(read)
    assert not any(isinstance(item, EndOfFile) for item in first)


def test_a_server_that_is_gone_is_an_error(server: OpenAlexServer, api: OpenAlexApi):
    server.server_close()
    server.shutdown()
    with pytest.raises(InputError, match=r"cannot be reached \(ConnectionError\)"):
        openalex_live("publication_year:2020", api)


def test_email_and_key_are_sent_and_never_logged(
    server: OpenAlexServer, api: OpenAlexApi, caplog: pytest.LogCaptureFixture
):
    caplog.set_level(logging.DEBUG)
    server.add(make_work(1))
    server.failures = [(500, {}), (429, {"Retry-After": "1"})]
    list(openalex_live("publication_year:2020", api))
    assert caplog.text
    assert KEY not in caplog.text
    assert EMAIL not in caplog.text
    for _, query, headers in server.requests:
        assert headers["Authorization"] == f"Bearer {KEY}"
        assert headers["From"] == EMAIL
        assert KEY not in str(query)


def test_the_command_uses_the_address_in_the_settings(
    server: OpenAlexServer, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("OPENALEX_URL", server.address)
    server.add(make_work(1))
    assert ids(iter(_open_live(("publication_year:2020",), (), 0, "both"))) == ["1"]
