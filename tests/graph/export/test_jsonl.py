"""Export JSON Lines, from which `load jsonl` restores the same graph."""

import gzip
import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from specter_graph.graph.database import Database
from specter_graph.graph.export import export_graph, source
from specter_graph.graph.loading.loader import load_papers
from specter_graph.graph.maintenance.delete import clear
from specter_graph.loaders import open_corpus
from specter_graph.loaders.records import Author, Citation, Field, Identifier, Paper, Venue
from tests.graph.canonical import canonical
from tests.graph.export.rich_corpus import NASTY, READING, load_rich_corpus, write_places

IDS = st.sampled_from("abcdefg")
NAMES = st.sampled_from(["Ann", "Bob", 'Öz; 漢, "Q"'])
PAPERS = st.builds(
    Paper,
    id=IDS,
    title=st.sampled_from(["On this", "On $that$ \\ it\nis"]),
    abstract=st.none() | st.just("We look."),
    year=st.none() | st.just(1999),
    published=st.none() | st.just("1999-01"),
    language=st.none() | st.just("en"),
    url=st.none() | st.just("https://example.org/a"),
    body=st.none() | st.just("All of it."),
    retracted=st.none() | st.just(True),
    identifiers=st.sampled_from(
        [
            (),
            (Identifier("arxiv", "1901.1234"), Identifier("doi", "10.1234/x")),
            (Identifier("doi", "10.9999/published"), Identifier("doi", "10.1111/preprint")),
        ]
    ),
    authors=st.lists(NAMES.map(lambda name: Author(name, name)), max_size=3, unique=True).map(
        tuple
    ),
    venue=st.none() | st.sampled_from([Venue("J", "J"), Venue("K", "K")]),
    # The graph does not store the order of these, on which the digest of a record depends.
    fields=st.sets(NAMES).map(
        lambda names: tuple(Field("keyword", name, name) for name in sorted(names))
    ),
    references=st.sets(IDS).map(lambda ids: tuple(sorted(ids))),
).map(lambda paper: replace(paper, references=tuple(r for r in paper.references if r != paper.id)))


@settings(max_examples=10)
@given(papers=st.lists(PAPERS, unique_by=lambda paper: paper.id))
def test_a_loaded_export_is_the_same_graph(graph: Database, tmp_path: Path, papers: list[Paper]):
    clear(graph)
    load_papers(graph, papers)
    expected = canonical(graph)
    export_graph(graph, tmp_path / "again.jsonl.zst")
    clear(graph)
    load_papers(graph, open_corpus("jsonl", tmp_path / "again.jsonl.zst", full_text=True))
    assert canonical(graph) == expected


def test_a_graph_of_another_source_is_the_same_from_the_second_time_on(
    graph: Database, tmp_path: Path
):
    load_rich_corpus(graph)
    load_papers(graph, [READING])
    texts = []
    for name in ("one.jsonl.gz", "two.jsonl.gz"):
        export_graph(graph, tmp_path / name)
        texts.append(gzip.decompress((tmp_path / name).read_bytes()))
        clear(graph)
        summary = load_papers(graph, open_corpus("jsonl", tmp_path / name, full_text=True))
        assert (summary.new, summary.rejected, summary.unknown_keys) == (4, 0, [])
    assert texts[0] == texts[1]
    assert b"reader" not in texts[0]


def test_a_record_has_all_fields_of_the_format(graph: Database, tmp_path: Path):
    load_rich_corpus(graph)
    write_places(graph)
    export_graph(graph, tmp_path / "all.jsonl", spaces=["specter"])
    records = [json.loads(line) for line in (tmp_path / "all.jsonl").read_text().splitlines()]
    assert [record["id"] for record in records] == ["a", "b", "c", "d e/f"]
    assert records[0] == {
        "id": "a",
        "title": NASTY,
        "abstract": f"First.\n\nThen: {NASTY}",
        "year": 1999,
        "published": "1999-07-02",
        "language": "en",
        "url": "https://example.org/a?b=1&c={d}",
        "retracted": True,
        "identifiers": ["arxiv:hep-ph/9901001", "doi:10.1234/x_y", "pmid:17"],
        "body": "All\x1fof it.",
        "authors": ['Zoë "Z" Ångström', "Smith and Sons"],
        "venue": "J. of A & B",
        "fields": ["Disease", "k"],
        "references": ["b", "c", "unread"],
        "vectors": {"specter": [0.5, 1.0]},
    }
    assert records[3] == {"id": "d e/f", "title": "Alone", "venue": "K"}


@pytest.mark.parametrize("page", [1, 3])
def test_the_page_size_does_not_matter(
    graph: Database, tmp_path: Path, page: int, monkeypatch: pytest.MonkeyPatch
):
    load_rich_corpus(graph)
    export_graph(graph, tmp_path / "one.jsonl")
    monkeypatch.setattr(source, "PAGE", page)
    export_graph(graph, tmp_path / "two.jsonl")
    assert (tmp_path / "one.jsonl").read_bytes() == (tmp_path / "two.jsonl").read_bytes()


def test_citations_of_stubs_are_neither_written_nor_counted(graph: Database, tmp_path: Path):
    load_papers(graph, [Paper("a", "A", references=("b",)), Citation("b", "c"), Citation("c", "a")])
    summary = export_graph(graph, tmp_path / "out.jsonl")
    assert (summary.papers, summary.stubs, summary.citations) == (1, 0, 1)
