"""Merging gives the same graph in any order of loads, and no data of a source are lost."""

import json
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from specter_graph.core.errors import InputError
from specter_graph.graph.contents import stats
from specter_graph.graph.database import Database
from specter_graph.graph.deduplication import duplicates
from specter_graph.graph.deduplication.combine import Member, Preference, combine
from specter_graph.graph.deduplication.merge import merge, merge_status, preview
from specter_graph.graph.loading import write_transactions
from specter_graph.graph.loading.loader import load_papers
from specter_graph.graph.loading.source_records import SourceContent
from specter_graph.graph.maintenance.delete import clear
from specter_graph.graph.server import Instance
from specter_graph.loaders.records import (
    Abstract,
    Affiliation,
    Author,
    Citation,
    Field,
    Identifier,
    Item,
    Labels,
    Paper,
    Reading,
    Venue,
)
from specter_graph.loaders.validation import add_prefix
from tests.graph.canonical import canonical
from tests.graph.deduplication.example_records import (
    ACME,
    DOI,
    EXAMPLE,
    OPENALEX,
    SEQUENCE,
    restore_all,
)
from tests.graph.plans import operators

BELL = Affiliation("ror:2", "Bell")
FIELDS = st.sampled_from([Field("s", "x", "X"), Field("s", "y", "Y"), Field("t", "x", "Z")])
IDENTIFIERS = st.sampled_from(
    [Identifier("doi", "10.1/x"), Identifier("doi", "10.1/y"), Identifier("pmid", "1"),
     Identifier("isbn", "9")]
)  # fmt: skip
NAMED = st.sampled_from(["A:1", "A:2", "A:3", "B:1", "B:2", "B:3", "doi:10.1/x", "pmid:1", "z"])
AUTHORS = st.builds(
    Author,
    id=st.sampled_from(["u", "v", "w"]),
    name=st.just("N"),
    affiliations=st.sampled_from([(), (ACME,), (BELL, ACME)]),
)


@st.composite
def papers(draw: st.DrawFn, source: str) -> Paper:
    key = f"{source}:{draw(st.integers(1, 3))}"
    references = draw(st.lists(NAMED, max_size=4))
    details = [
        Citation(key, cited, contexts=(draw(st.sampled_from(["see", "as in"])),))
        for cited in sorted({*references} - {key})
        if draw(st.booleans())
    ]
    return Paper(
        key,
        draw(st.sampled_from(["On this very thing", "On that other one"])),
        year=draw(st.sampled_from([None, 1999, 2004])),
        language=draw(st.sampled_from([None, "en"])),
        retracted=draw(st.sampled_from([None, False, True])),
        source=source,
        identifiers=tuple(draw(st.lists(IDENTIFIERS, min_size=1, max_size=2))),
        authors=tuple(draw(st.lists(AUTHORS, max_size=3))),
        venue=draw(st.sampled_from([None, Venue("J", "J"), Venue("K", "K")])),
        fields=tuple(draw(st.lists(FIELDS, max_size=2))),
        references=tuple(references),
        citations=tuple(details),
        abstract=draw(st.sampled_from([None, "Its own.", "A text of its own that is long."])),
    )


def corpora(source: str) -> st.SearchStrategy[list[Paper]]:
    return st.lists(papers(source), min_size=1, max_size=3, unique_by=lambda paper: paper.id)


SEPARATE = st.lists(
    st.builds(
        Citation,
        citing=NAMED,
        cited=NAMED,
        intents=st.sampled_from([(), ("method",)]),
        influential=st.sampled_from([None, True]),
    ).filter(lambda citation: citation.citing != citation.cited)
    | st.builds(Abstract, id=NAMED, text=st.sampled_from(["Short.", "Other.", "Longer text."]))
    | st.builds(Labels, id=NAMED, fields=st.lists(FIELDS, min_size=1, max_size=2).map(tuple))
    | st.builds(
        Reading,
        reader=st.sampled_from(["r", "s"]),
        paper=NAMED,
        kind=st.sampled_from(["VIEWED", "SAVED"]),
        at=st.none() | st.just("2020-01-01"),
    ),
    max_size=6,
)
some = settings(max_examples=8)
Step = Callable[[Database], object]


@pytest.fixture(autouse=True)
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(write_transactions, "MAX_PAPERS", 3)


def load(items: list[Item]) -> Step:
    return lambda graph: load_papers(graph, items)


def after(graph: Database, *steps: Step) -> dict[str, list[str]]:
    """Return the graph after these steps on an empty graph."""
    clear(graph)
    for step in steps:
        step(graph)
    return canonical(graph)


@some
@given(one=corpora("A"), other=corpora("B"), separate=SEPARATE, random=st.randoms())
def test_the_order_of_loading_and_merging_does_not_matter(
    graph: Database, one: list[Paper], other: list[Paper], separate: list[Item], random
):
    everything = [*one, *other, *separate]
    merged = after(graph, load(everything), merge)
    assert after(graph, load(other), load(separate), load(one), merge) == merged
    merge(graph)
    assert canonical(graph) == merged
    assert after(graph, load(one), merge, load(separate), load(other), merge) == merged
    shuffled = random.sample(everything, len(everything))
    steps = [step for item in shuffled for step in (load([item]), merge)]
    assert after(graph, *steps, merge) == merged


@some
@given(one=corpora("A"), other=corpora("B"), separate=SEPARATE)
def test_loading_the_same_again_changes_nothing(
    graph: Database, one: list[Paper], other: list[Paper], separate: list[Item]
):
    merged = after(graph, load([*one, *other, *separate]), merge)
    load_papers(graph, [*separate, *other, *one])
    assert canonical(graph) == merged


class Dying(Database):
    """Database whose program is killed after some transactions."""

    def __init__(self, database: Database, transactions: int) -> None:
        super().__init__(database.driver, database.name)
        object.__setattr__(self, "left", [transactions])

    def transaction(self, work):
        self._live()
        return super().transaction(work)

    def write(self, text: str, **parameters: object):
        self._live()
        return super().write(text, **parameters)

    def commit(self, text: str, **parameters: object) -> None:
        self._live()
        super().commit(text, **parameters)

    def _live(self) -> None:
        self.left[0] -= 1
        if self.left[0] < 0:
            raise KeyboardInterrupt


def merge_until(transactions: int | None, **rules: bool) -> Step:
    def step(graph: Database) -> None:
        if transactions is None:
            merge(graph, **rules)
            return
        with suppress(KeyboardInterrupt):
            merge(Dying(graph, transactions), **rules)

    return step


HISTORIES = st.lists(
    st.tuples(
        corpora("A") | corpora("B") | SEPARATE,
        st.sampled_from([None, {}, {"prefer": ["B"]}, {"by_title": True}]),
        st.none() | st.integers(1, 16),
    ),
    max_size=6,
)


@some
@given(history=HISTORIES)
def test_any_history_with_kills_ends_in_the_graph_of_the_last_records(
    graph: Database, history: list[tuple[list[Item], dict[str, bool] | None, int | None]]
):
    all_items = [item for items, _, _ in history for item in items]
    last = {item.id: item for item in all_items if isinstance(item, Paper)}
    separate = [item for item in all_items if not isinstance(item, Paper)]
    steps: list[Step] = []
    for items, rules, transactions in history:
        steps.append(load(items))
        if rules is not None:
            steps.append(merge_until(transactions, **rules))
    assert after(graph, *steps, merge) == after(graph, load([*last.values(), *separate]), merge)


def rows(graph: Database, text: str) -> list[tuple[object, ...]]:
    return [tuple(row.values()) for row in graph.read(text)]


def test_an_example_is_merged_as_computed_by_hand(graph: Database):
    load_papers(graph, EXAMPLE)
    summary = merge(graph)
    assert (summary.merged, summary.ids, summary.conflicts, summary.restored) == (2, 5, 0, 0)
    assert rows(graph, "MATCH (p:Paper) RETURN p.id, p:Stub ORDER BY p.id") == [
        ("doi:10.1/other", True),
        ("doi:10.1234/x", False),
        ("openalex:W2", False),
        ("openalex:W3", False),
    ]
    [paper] = graph.read("MATCH (p:Paper {id: 'doi:10.1234/x'}) RETURN properties(p) AS p")
    expected = {
        "title": "A deep model",
        "abstract": "We look deep.",
        "year": 2017,
        "source": "crossref",
        "retracted": True,
        "doi": "10.1234/x",
        "arxiv_id": "1706.1",
    }
    assert {name: paper["p"].get(name) for name in expected} == expected
    assert rows(
        graph,
        "MATCH (s:SourceRecord)-[:DESCRIBES]->(p)"
        " RETURN s.id, p.id, s.record_version IS NOT NULL ORDER BY s.id",
    ) == [
        ("arxiv:1706.1", "doi:10.1234/x", False),
        ("doi:10.1/seq", "openalex:W2", False),
        ("doi:10.1234/x", "doi:10.1234/x", True),
        ("openalex:W1", "doi:10.1234/x", True),
        ("openalex:W2", "openalex:W2", True),
    ]
    of = "(p:Paper {id: 'doi:10.1234/x'})"
    assert rows(graph, f"MATCH {of}<-[w:WROTE]-(a) RETURN a.id, w.position") == [
        ("crossref:A. Vas", 1)
    ]
    assert rows(graph, "MATCH (a:Author)-[:AFFILIATED_WITH]->(f) RETURN a.id, f.id") == [
        ("crossref:A. Vas", "ror:1")
    ]
    assert stats(graph).authors == 1
    assert rows(graph, f"MATCH {of}-[:PUBLISHED_IN]->(v) RETURN v.id") == [("openalex:S1",)]
    assert rows(graph, f"MATCH {of}-[:ABOUT]->(f) RETURN f.id") == [("T1",)]
    assert rows(graph, f"MATCH (i:Identifier)-[:OF]->{of} RETURN i.value ORDER BY i.value") == [
        ("10.1234/x",),
        ("1706.1",),
        ("W1",),
    ]
    assert rows(
        graph,
        f"MATCH {of}-[c:CITES]->(q) RETURN q.id, c.intents, c.influential, c.contexts"
        " ORDER BY q.id",
    ) == [
        ("doi:10.1/other", None, None, None),
        ("openalex:W2", ["background", "method"], True, ["as [2] do", "see [1]"]),
    ]
    assert rows(graph, f"MATCH {of}<-[:CITES]-(q) RETURN q.id") == [("openalex:W3",)]
    assert rows(graph, f"MATCH {of}<-[v:VIEWED]-(r) RETURN r.id, v.at") == [("r", "2020-01-01")]
    assert rows(
        graph,
        f"MATCH {of}<-[:DESCRIBES]-(s)<-[n:NAMES]-(x)"
        " RETURN x.id, n.kind, s.id ORDER BY x.id, s.id",
    ) == [
        ("openalex:W3", None, "arxiv:1706.1"),
        ("openalex:W3", None, "openalex:W1"),
        ("r", "VIEWED", "arxiv:1706.1"),
        ("r", "VIEWED", "openalex:W1"),
    ]


@pytest.mark.parametrize("texts", [("ab", "aa"), ("aa", "ab"), ("b", "ab"), ("ab", "b")])
def test_of_several_supplementary_abstracts_the_longest_or_else_the_last_is_shown(texts):
    members = [
        Member(SourceContent(id, Paper(id, "A"), text), 0, 1, 1)
        for id, text in zip("xy", texts, strict=True)
    ]
    assert combine(members, Preference()).paper.abstract == "ab"


def test_the_preferred_source_gives_the_id_and_values(graph: Database):
    load_papers(graph, EXAMPLE)
    before = canonical(graph)
    merge(graph, prefer=["openalex"])
    assert rows(graph, "MATCH (p:Paper {id: 'openalex:W1'}) RETURN p.title, p.year") == [
        ("A Deep Model", 2018)
    ]
    assert rows(
        graph, "MATCH (:Paper {id: 'openalex:W1'})<-[w:WROTE]-(a) RETURN a.name ORDER BY a.name"
    ) == [("Ann Vas",), ("Noa Sha",)]
    assert restore_all(graph) == 2
    graph.write("MATCH (r:MergeRules) DELETE r")
    assert canonical(graph) == before


def test_a_changed_record_takes_effect_at_the_next_merge(graph: Database):
    load_papers(graph, EXAMPLE)
    merge(graph)
    before = canonical(graph)
    newer = replace(OPENALEX, abstract="We look deeper.", identifiers=OPENALEX.identifiers[:1])
    summary = load_papers(graph, [newer, SEQUENCE])
    assert (summary.new, summary.changed, summary.unchanged) == (0, 1, 1)
    assert merge_status(graph).pending == 1
    assert rows(graph, "MATCH (p:Paper {id: 'doi:10.1234/x'}) RETURN p.abstract") == [
        ("We look deep.",)
    ]
    merge(graph)
    assert rows(graph, "MATCH (p:Paper {id: 'openalex:W1'}) RETURN p.abstract") == [
        ("We look deeper.",)
    ]
    load_papers(graph, [OPENALEX])
    assert merge(graph).merged == 1
    assert canonical(graph) == before


def test_new_records_cite_and_readers_read_merged_papers_under_any_id(graph: Database):
    load_papers(graph, EXAMPLE)
    merge(graph)
    load_papers(
        graph,
        [
            Paper("new", "New", references=("openalex:W1", "doi:10.1234/x", "openalex:W2")),
            Reading("r", "openalex:W1", "SAVED"),
            Citation("newer", "openalex:W1", contexts=("as they do",)),
        ],
    )
    assert rows(graph, "MATCH (:Paper {id: 'new'})-[c:CITES]->(p) RETURN p.id ORDER BY p.id") == [
        ("doi:10.1234/x",),
        ("openalex:W2",),
    ]
    assert rows(graph, "MATCH (:Reader)-[:SAVED]->(p:Paper) RETURN p.id") == [("doi:10.1234/x",)]
    assert rows(graph, "MATCH ({id: 'newer'})-[c:CITES]->(p) RETURN p.id, c.contexts") == [
        ("doi:10.1234/x", ["as they do"])
    ]
    assert merge_status(graph).pending == 0


def test_references_of_a_corpus_with_a_prefix_are_merged_by_identifier_too(graph: Database):
    cites = Paper("crossref:1", "A", references=("doi:10.1/seq", "doi:10.1/other"))
    load_papers(graph, [SEQUENCE, add_prefix(cites, "mine"), Paper("b", "B", references=("x:y",))])
    merge(graph)
    cited = "MATCH ({id: 'mine:crossref:1'})-[:CITES]->(p) RETURN p.id ORDER BY p.id"
    assert rows(graph, cited) == [("mine:doi:10.1/other",), (SEQUENCE.id,)]
    assert stats(graph).stubs == 2


def test_a_merged_paper_does_not_cite_itself_where_its_records_cite_each_other(graph: Database):
    one = Paper("openalex:1", "Jets", identifiers=(DOI,), references=("arxiv:1", "z"))
    load_papers(graph, [one, Paper("arxiv:1", "Jets", identifiers=(DOI,), references=(one.id,))])
    merge(graph)
    cited = "MATCH (p:Paper)-[:CITES]->(q) RETURN p.id, q.id"
    assert rows(graph, cited) == [("arxiv:1", "z")]


def test_an_unused_stub_is_deleted_by_the_next_merge(graph: Database):
    load_papers(graph, [SEQUENCE, Paper("a", "A", references=("doi:10.1/seq",))])
    merge(graph)
    assert merge_status(graph).members == 2
    load_papers(graph, [Paper("a", "A")])
    merge(graph)
    assert merge_status(graph).members == 0
    assert stats(graph).stubs == 0


@pytest.mark.parametrize(
    ("one", "other", "reason"),
    [
        (
            {"source": "s", "identifiers": (DOI, Identifier("pmid", "1"))},
            {"source": "s", "identifiers": (DOI, Identifier("pmid", "2"))},
            "two identifiers of the scheme pmid from s",
        ),
        (
            {"title": "One", "year": 1999, "identifiers": (DOI,)},
            {"title": "Two", "year": 2002, "identifiers": (DOI,)},
            "other titles, and more than 2 years between them",
        ),
    ],
)
def test_records_that_differ_too_much_are_a_conflict_and_are_not_merged(
    graph: Database, tmp_path: Path, one: dict[str, object], other: dict[str, object], reason: str
):
    titles = {"title": "T"}
    papers = [Paper(**({"id": "a"} | titles | one)), Paper(**({"id": "b"} | titles | other))]
    # A third source connects them: it matches first one of them, then the other.
    load_papers(graph, [papers[0], Paper("c", "T", identifiers=(DOI,))])
    assert merge(graph).merged == 1
    load_papers(graph, papers)
    for _ in range(2):
        summary = merge(graph, report=tmp_path / "report.jsonl")
        assert (summary.merged, summary.conflicts, summary.ids) == (0, 1, 0)
    [line] = map(json.loads, (tmp_path / "report.jsonl").read_text().splitlines())
    assert (line["kind"], line["papers"], line["reason"]) == ("conflict", ["a", "b", "c"], reason)
    assert set(line["values"]) == {"a", "b"}
    assert stats(graph).papers == 3


def test_more_ids_than_one_paper_can_have_are_a_conflict(
    graph: Database, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(duplicates, "MAX_MEMBERS", 3)
    load_papers(graph, [Paper(f"p{n}", "T", identifiers=(DOI,)) for n in range(3)])
    assert merge(graph).merged == 1
    load_papers(graph, [Paper("p3", "T", identifiers=(DOI,))])
    summary = merge(graph)
    assert (summary.merged, summary.conflicts, summary.ids) == (0, 1, 0)


def test_a_book_and_its_chapters_are_not_merged(graph: Database):
    isbn = Identifier("isbn", "9780306406157")
    load_papers(graph, [Paper(f"p{n}", "T", identifiers=(isbn,)) for n in range(2)])
    assert merge(graph).merged == 0


def test_title_year_and_first_author_identify_papers_on_request(graph: Database):
    def paper(key: str, title: str, year: int | None, *authors: str) -> Paper:
        names = tuple(Author(f"{key}:{name}", name) for name in authors)
        return Paper(key, title, year=year, authors=names)

    load_papers(
        graph,
        [
            paper("a", "Über the Rainbow!", 1999, "Judy Garland", "E. Harburg"),
            paper("b", "uber the  rainbow", 1999, "J. Garland, Jr."),
            paper("another year", "Uber the rainbow", 2000, "Garland, J."),
            paper("another author", "Uber the rainbow", 1999, "Harburg, E."),
            paper("no author", "Uber the rainbow", 1999),
            paper("no year", "Uber the rainbow", None, "Garland, J."),
            paper("short", "Rainbow", 1999, "Garland, J."),
            paper("short too", "Rainbow", 1999, "Garland, J."),
        ],
    )
    assert merge(graph).merged == 0
    assert merge(graph, by_title=True).merged == 1
    assert rows(graph, "MATCH (s:SourceRecord) RETURN s.id ORDER BY s.id") == [("a",), ("b",)]
    assert merge(graph, by_title=True).restored == 0
    load_papers(graph, [paper("c", "Uber the Rainbow", 1999, "J Garland")])
    assert merge(graph, by_title=True).ids == 3
    assert merge(graph).ids == 0


def test_a_chinese_first_author_may_be_written_with_a_space(graph: Database):
    title = "法医学中铁道损伤的类型与图谱研究"
    for key, name in (("a", "肖发民"), ("b", "肖 发民"), ("other", "肖伟民")):
        load_papers(graph, [Paper(key, title, year=1999, authors=(Author(name, name),))])
    assert merge(graph, by_title=True).merged == 1
    assert rows(graph, "MATCH (s:SourceRecord) RETURN s.id ORDER BY s.id") == [("a",), ("b",)]


def test_the_report_lists_preferred_records_and_differences(graph: Database, tmp_path: Path):
    path = tmp_path / "report.jsonl"
    load_papers(graph, EXAMPLE)
    before = canonical(graph)
    preview(graph, path)
    assert canonical(graph) == before
    previewed = [json.loads(line) for line in path.read_text().splitlines()]
    merge(graph, report=path)
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    assert [line | {"kind": "same"} for line in lines] == previewed
    assert lines[0] == {
        "kind": "merged",
        "paper": "doi:10.1234/x",
        "absorbed": ["arxiv:1706.1", "openalex:W1"],
        "sources": {
            "arxiv:1706.1": "arxiv",
            "doi:10.1234/x": "crossref",
            "openalex:W1": "openalex",
        },
        "origins": {
            "title": "doi:10.1234/x",
            "abstract": "openalex:W1",
            "year": "doi:10.1234/x",
            "source": "doi:10.1234/x",
            "authors": "doi:10.1234/x",
            "venue": "openalex:W1",
        },
        "differences": {
            "title": {"doi:10.1234/x": "A deep model", "openalex:W1": "A Deep Model"},
            "year": {"doi:10.1234/x": 2017, "openalex:W1": 2018},
        },
    }
    merge(graph, report=path)
    assert [json.loads(line) for line in path.read_text().splitlines()] == lines


def test_a_report_that_cannot_be_written_is_a_clear_error(graph: Database, tmp_path: Path):
    with pytest.raises(InputError, match="folder not found"):
        merge(graph, report=tmp_path / "absent" / "report.jsonl")


def test_the_canonical_paper_keeps_its_vectors(graph: Database):
    load_papers(graph, EXAMPLE)
    graph.write("MATCH (p:Paper {id: 'doi:10.1234/x'}) SET p.specter = [1.0]")
    graph.write("MATCH (p:Paper {id: 'openalex:W1'}) SET p.specter = [2.0]")
    merge(graph)
    assert rows(graph, "MATCH (p) WHERE p.specter IS NOT NULL RETURN p.id, p.specter") == [
        ("doi:10.1234/x", [1.0])
    ]


def test_data_that_a_concurrent_load_restores_are_merged(graph: Database):
    load_papers(graph, EXAMPLE)
    merge(graph)
    before = canonical(graph)
    graph.write(
        "MATCH (m:SourceRecord {id: 'openalex:W1'}) MATCH (p:Paper {id: 'openalex:W3'})"
        " CREATE (p)-[:CITES]->(:Paper:Stub {id: m.id, sample_key: m.sample_key})"
    )
    merge(graph)
    assert canonical(graph) == before


KILLED = """
import sys, time
from specter_graph.graph.database import connect
from specter_graph.graph.deduplication import merge
merge.IDS = 4
with connect(*sys.argv[1:4]) as db:
    print("merging", flush=True)
    merge.merge(db)
"""


def test_a_killed_merge_is_completed_by_running_it_again(
    graph: Database, local_instance: Instance, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(write_transactions, "MAX_PAPERS", 1_000)
    old, new = large("old"), large("new")
    load_papers(graph, old)
    merge(graph)
    load_papers(graph, new)
    merge(graph)
    full, complete = canonical(graph), merge_status(graph).members
    random = Random(3)
    unfinished = 0
    with local_instance.lease() as endpoint:
        for _ in range(3):
            clear(graph)
            load_papers(graph, old)
            merge(graph)
            load_papers(graph, new)
            process = subprocess.Popen(
                [sys.executable, "-c", KILLED, endpoint.uri, endpoint.username, endpoint.password],
                stdout=subprocess.PIPE,
            )
            assert process.stdout is not None
            process.stdout.readline()
            time.sleep(random.uniform(0.1, 2.5))
            process.kill()
            process.wait()
            unfinished += merge_status(graph).members < complete
            merge(graph)
            assert canonical(graph) == full
    assert unfinished


def large(version: str) -> list[Item]:
    """Return sixty papers of two sources each, which cite one another by all their ids."""
    random = Random(f"papers {version}")
    ids = [f"{source}:{n}" for source in "AB" for n in range(60)] + [
        f"doi:10.1/{n}" for n in range(60)
    ]
    return [
        Paper(
            f"{source}:{n}",
            f"Title {n} {version}",
            source=source,
            identifiers=(Identifier("doi", f"10.1/{n}"),),
            authors=(Author(f"{source}:author {n % 7}", "N"),),
            references=tuple(random.sample(ids, 5)),
        )
        for source in "AB"
        for n in range(60)
    ] + [Reading("r", random.choice(ids), "VIEWED", str(n)) for n in range(20)]


PER_BATCH = sorted(
    path.stem
    for path in (Path(__file__).parents[3] / "cypher/deduplication").glob("*.cypher")
    if path.stem
    not in {
        # Statements that read the whole graph once per merge.
        "authors_left", "combined", "known_authors", "lock", "mark_all", "mark_replaced", "pending",
        "shared_identifiers", "source_titles", "stub_identifiers", "titles",
    }
)  # fmt: skip


@pytest.mark.parametrize("name", PER_BATCH)
def test_statements_of_a_batch_look_up_by_keys(graph: Database, name: str):
    plan = {*operators(graph, f"deduplication/{name}")}
    assert not plan & {"AllNodesScan", "CartesianProduct", "UndirectedAllRelationshipsScan"}
    assert "NodeByLabelScan" not in plan


def test_a_pending_record_and_a_pending_citation_can_disagree_about_a_stub(graph):
    doi = (Identifier("doi", "10.1/x"),)
    cites_its_doi = Paper("A:3", "T", source="A", identifiers=doi, references=("doi:10.1/x", "A:1"))
    load_papers(graph, [cites_its_doi])
    merge(graph)
    load_papers(graph, [Citation("doi:10.1/x", "A:1")])
    load_papers(graph, [replace(cites_its_doi, references=())])
    merge(graph)
    cited = graph.values("MATCH (p:Paper)-[:CITES]->(q) RETURN p.id, q.id")
    assert cited == [["A:3", "A:1"]]
