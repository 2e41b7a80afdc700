"""An update gives the graph of the snapshot, and reports papers that the snapshot lacks."""

import json
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from specter_graph.core.errors import GraphError
from specter_graph.graph.contents import stats
from specter_graph.graph.database import Database
from specter_graph.graph.deduplication.merge import merge
from specter_graph.graph.loading import write_transactions
from specter_graph.graph.loading.loader import (
    begin_load,
    end_load,
    file_done,
    load_number,
    load_papers,
)
from specter_graph.graph.maintenance import update as update_module
from specter_graph.graph.maintenance.delete import DeleteCounts, clear
from specter_graph.graph.maintenance.update import delete_vanished, update
from specter_graph.loaders import open_corpus
from specter_graph.loaders.records import CorpusItem, EndOfFile, Filtered, Identifier, Paper, Reject
from tests.graph.canonical import canonical


@dataclass
class Snapshot:
    """Corpus of one file; `key` is also the key of the file."""

    key: str
    items: list[CorpusItem]
    is_mutable: bool = False

    def read(self, passed_over: Collection[str]) -> Iterator[CorpusItem]:
        if self.key not in passed_over:
            yield from self.items
            yield EndOfFile(self.key)


def papers(*ids: str, **properties) -> list[CorpusItem]:
    return [Paper(each, f"On {each}", **properties) for each in ids]


LESSER, GREATER = Paper("a", "A"), Paper("a", "A", abstract="A longer record.")


@pytest.fixture
def listed(tmp_path: Path) -> Path:
    return tmp_path / "vanished.jsonl"


@pytest.fixture(autouse=True)
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(update_module, "_ITEMS", 2)
    monkeypatch.setattr(write_transactions, "MAX_PAPERS", 3)


def ids(path: Path) -> list[str]:
    return sorted(json.loads(line)["id"] for line in path.read_text().splitlines())


def test_the_graph_is_that_of_the_snapshot_when_the_vanished_are_deleted(
    graph: Database, listed: Path
):
    old = [*papers("a", "b", "c", year=2001), Paper("d", "D", references=("a", "b"))]
    new = [Paper("a", "Changed", references=("c",)), *papers("d", "e")]
    load_papers(graph, new)
    expected = canonical(graph)
    clear(graph)
    load_papers(graph, Snapshot("old", old))
    summary = update(graph, Snapshot("new", new), listed)
    assert (summary.load.new, summary.load.changed, summary.load.unchanged) == (1, 2, 0)
    assert (summary.vanished, summary.file) == (2, str(listed))
    assert sorted(listed.read_text().splitlines()) == [
        '{"id":"b","title":"On b","year":2001}',
        '{"id":"c","title":"On c","year":2001}',
    ]
    assert stats(graph).papers == 5
    assert delete_vanished(graph, summary) == DeleteCounts(papers=2)
    assert canonical(graph) == expected


def test_the_same_snapshot_has_no_vanished_papers(graph: Database, listed: Path):
    load_papers(graph, Snapshot("one", papers("a", "b")))
    for snapshot in (Snapshot("one", papers("a", "b")), Snapshot("more", papers("c", "b", "a"))):
        summary = update(graph, snapshot, listed)
        assert (summary.vanished, summary.file) == (0, None)
        assert delete_vanished(graph, summary) == DeleteCounts()
    assert not listed.exists()


def test_a_source_that_changes_under_one_name_is_replaced(graph: Database, listed: Path):
    """As with OpenAlex, a query can return other works later, and records can become shorter."""
    old = [*papers("a", "b", abstract="A long abstract.", references=("c",)), *papers("d")]
    load_papers(graph, Snapshot("asked", old, is_mutable=True))
    new = [*papers("a", retracted=True), *papers("b")]
    summary = update(graph, Snapshot("asked", new, is_mutable=True), listed)
    assert (summary.load.changed, summary.load.duplicates) == (2, 0)
    assert summary.retracted == ["a"]
    assert ids(listed) == ["d"]
    delete_vanished(graph, summary)
    result = canonical(graph)
    clear(graph)
    load_papers(graph, new)
    assert canonical(graph) == result
    back = load_papers(graph, Snapshot("asked", old, is_mutable=True))
    assert (back.new, back.changed) == (1, 2)


def test_papers_lost_in_an_earlier_load_have_vanished_too(graph: Database, listed: Path):
    load_papers(graph, Snapshot("asked", papers("a", "b"), is_mutable=True))
    begin_load(graph, load_number("asked"), is_mutable=True)
    file_done(graph, load_number("asked"), "asked")  # by a process that was delayed
    end_load(graph, load_number("asked"))
    load_papers(graph, Snapshot("asked", papers("a"), is_mutable=True))
    assert update(graph, Snapshot("asked", papers("a"), is_mutable=True), listed).vanished == 1
    assert ids(listed) == ["b"]


@pytest.mark.parametrize("papers", [[LESSER, GREATER], [GREATER, LESSER]])
def test_files_that_are_loaded_again_replace_nothing(graph: Database, papers: list[CorpusItem]):
    """The lower-ranking record of an id does not even temporarily replace the higher one."""
    load_papers(graph, Snapshot("file", papers))
    again = load_papers(graph, Snapshot("file", papers))
    assert (again.new, again.changed, again.unchanged + again.duplicates) == (0, 0, 2)


def test_papers_of_another_load_command_are_another_corpus(graph: Database, listed: Path):
    load_papers(graph, Snapshot("mine", papers("a", "b")))
    load_papers(graph, Snapshot("theirs", papers("x", "y")))
    load_papers(graph, papers("z"))
    assert update(graph, Snapshot("mine, newer", papers("b")), listed).vanished == 1
    assert ids(listed) == ["a"]


def test_a_snapshot_may_replace_a_corpus_of_two_loads(graph: Database, listed: Path):
    load_papers(graph, Snapshot("part 1", papers("a", "b")))
    load_papers(graph, Snapshot("part 2", papers("c", "d")))
    assert update(graph, Snapshot("whole", papers("a", "c")), listed).vanished == 2
    assert ids(listed) == ["b", "d"]


def test_a_repeated_and_a_killed_update_list_the_same_papers(graph: Database, listed: Path):
    load_papers(graph, Snapshot("old", papers("a", "b", "c", "d", "e")))

    def breaking() -> Iterator[CorpusItem]:
        yield from papers("a", "b", "c")
        raise KeyboardInterrupt

    broken = Snapshot("new", breaking())
    with pytest.raises(KeyboardInterrupt):
        update(graph, broken, listed)
    for _ in range(2):
        summary = update(graph, Snapshot("new", papers("a", "b", "c")), listed)
        assert (summary.vanished, ids(listed)) == (2, ["d", "e"])
    assert delete_vanished(graph, summary).papers == 2
    assert update(graph, Snapshot("new", papers("a", "b", "c")), listed).vanished == 0


def test_after_a_return_to_an_older_snapshot_papers_of_the_newer_one_have_vanished(
    graph: Database, listed: Path
):
    old, new = Snapshot("old", papers("a", "b")), Snapshot("new", papers("b", "c"))
    load_papers(graph, old)
    delete_vanished(graph, update(graph, new, listed))
    assert update(graph, old, listed).vanished == 1
    assert ids(listed) == ["c"]


def test_newly_retracted_papers_are_marked_and_reported(graph: Database, listed: Path):
    load_papers(graph, Snapshot("old", [*papers("a", "b"), *papers("c", retracted=True)]))
    new = [*papers("a"), *papers("b", "c", "d", retracted=True)]
    summary = update(graph, Snapshot("new", new), listed)
    assert summary.retracted == ["b", "d"]
    assert graph.read("MATCH (p:Paper {retracted: true}) RETURN p.id AS id ORDER BY id") == [
        {"id": "b"},
        {"id": "c"},
        {"id": "d"},
    ]
    assert update(graph, Snapshot("new", new), listed).retracted == []


@pytest.mark.parametrize("killed", [True, False])
def test_nothing_is_deleted_when_a_record_may_have_been_missed(
    graph: Database, listed: Path, tmp_path: Path, killed: bool
):
    load_papers(graph, Snapshot("old", papers("a", "b")))
    reject = Reject("f", 2, None, "no JSON", "{")
    if killed:

        @dataclass
        class Two(Snapshot):
            def read(self, passed_over: Collection[str]) -> Iterator[CorpusItem]:
                if "part" not in passed_over:
                    yield reject
                    yield EndOfFile("part")
                yield from papers("a", "c", "d", "e")
                if not passed_over:
                    raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            update(graph, Two("new", []), listed)
        summary = update(graph, Two("new", []), listed)
    else:
        summary = update(graph, Snapshot("new", [*papers("a"), reject]), listed)
    assert ids(listed) == ["b"]
    assert (summary.load.rejected, summary.load.rejected_before) == ((0, 1) if killed else (1, 0))
    with pytest.raises(GraphError, match="nothing was deleted: 1 record of"):
        delete_vanished(graph, summary)
    assert graph.read("MATCH (p:Paper {id: 'b'}) RETURN p.title AS t") == [{"t": "On b"}]


def test_nothing_is_deleted_when_the_file_of_the_snapshot_is_truncated(
    graph: Database, listed: Path, tmp_path: Path
):
    expected = json.dumps(
        [{"id": f"c{n}", "type": "article", "title": f"T {n}"} for n in range(20)]
    )
    (full := tmp_path / "full.json").write_text(expected)
    (half := tmp_path / "half.json").write_text(expected[: expected.index('{"id": "c12"')])
    update(graph, open_corpus("csl", full, prefix="cut"), listed)
    summary = update(graph, open_corpus("csl", half, prefix="cut"), listed)
    assert (summary.vanished, summary.load.rejected) == (8, 1)
    with pytest.raises(GraphError, match="nothing was deleted"):
        delete_vanished(graph, summary)
    assert stats(graph).papers == 20


def test_an_update_of_the_corrected_file_lists_the_papers_that_a_refused_one_listed(
    graph: Database, listed: Path
):
    load_papers(graph, Snapshot("old", papers("a", "b")))
    reject = Reject("f", 2, None, "no JSON", "{")
    refused = update(graph, Snapshot("new", [*papers("a", "c"), reject]), listed)
    assert refused.incomplete_reason
    listed.unlink()
    for name in ("mended", "mended again"):
        summary = update(graph, Snapshot(name, papers("a", "c", "d")), listed)
        assert ids(listed) == ["b"]
    assert delete_vanished(graph, summary).papers == 1
    later = update(graph, Snapshot("later", papers("a", "c")), listed)
    assert (later.vanished, ids(listed)) == (1, ["d"])


def test_the_vanished_record_of_a_merged_paper_is_deleted(graph: Database, listed: Path):
    doi = (Identifier("doi", "10.1/x"),)
    load_papers(graph, Snapshot("one", papers("a", "b", identifiers=())))
    load_papers(graph, Snapshot("two", papers("x", identifiers=doi) + papers("y")))
    load_papers(graph, Snapshot("three", papers("z", identifiers=doi)))
    merge(graph)
    summary = update(graph, Snapshot("two, newer", papers("y")), listed)
    assert ids(listed) == ["x"]
    assert delete_vanished(graph, summary) == DeleteCounts(papers=1, restored=1)
    assert graph.read("MATCH (p:Paper) RETURN p.id AS id ORDER BY id") == [
        {"id": each} for each in "abyz"
    ]


def test_papers_excluded_by_the_filters_of_an_update_have_not_vanished(
    graph: Database, listed: Path
):
    load_papers(graph, Snapshot("old", papers("a", "b", "c")))
    new = [Filtered("a"), *papers("b", "d"), Filtered("e")]
    for _ in range(2):
        summary = update(graph, Snapshot("new", new), listed)
        assert ids(listed) == ["c"]
    delete_vanished(graph, summary)
    assert stats(graph).papers == 3
    assert stats(graph).stubs == 0
    update(graph, Snapshot("newest", papers("b")), listed)
    assert ids(listed) == ["a", "d"]


def test_a_stub_belongs_to_no_load(graph: Database, listed: Path):
    """Otherwise it would vanish with the next snapshot, and be deleted."""
    load_papers(graph, Snapshot("old", papers("a", references=("stub",))))
    for key in ("new", "newest"):
        snapshot = Snapshot(key, [Filtered("stub"), *papers("a", references=("stub",))])
        assert update(graph, snapshot, listed).vanished == 0
    assert graph.value("MATCH (s:Stub) RETURN s.load") is None
    graph.write("MATCH (s:Stub) SET s.load = 7")
    assert graph.read("maintenance/vanished", loads=[7]) == []


def test_a_record_of_a_merged_paper_excluded_by_filters_has_not_vanished(
    graph: Database, listed: Path
):
    same = (Identifier("doi", "10.1/1"),)
    load_papers(graph, Snapshot("one", papers("a", "b", identifiers=same)))
    merge(graph)
    summary = update(graph, Snapshot("new", [Filtered("a"), Filtered("b")]), listed)
    assert summary.vanished == 0
