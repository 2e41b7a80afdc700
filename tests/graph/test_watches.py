"""Watches: new papers near a query, a list or a paper, or citing them, reported once."""

from dataclasses import replace
from email import message_from_bytes
from email.policy import default
from pathlib import Path

import numpy as np
import pytest

from specter_graph import LiteratureGraph, NewPaper, write_email
from specter_graph.core.errors import GraphError, InputError, QueryTimeoutError
from specter_graph.cypher import statement
from specter_graph.graph.database import Database
from specter_graph.graph.embeddings.spaces import EmbeddingSpace, write_space
from specter_graph.graph.loading.loader import load_papers
from specter_graph.groups import watches
from specter_graph.groups.watches import MAX_AMONG
from specter_graph.loaders.records import Citation, Identifier, Paper

OLD = [
    Paper("old", "Coral bleaching", abstract="Corals bleach."),
    Paper("seed", "Reefs of the south", identifiers=(Identifier("doi", "10.1000/s"),)),
    Paper("spuds", "Starch of potatoes"),
]
NEW = [
    Paper("bleaching", "Bleaching of coral in warm water", year=2026),
    Paper("citing", "A survey", references=("seed", "stub")),
    Paper("other", "Potatoes again"),
]


@pytest.fixture
def watched(graph: Database) -> LiteratureGraph:
    load_papers(graph, OLD)
    literature = LiteratureGraph(graph.driver, graph.name)
    literature.lists.create("reefs")
    literature.lists.add("reefs", ["seed"])
    return literature


def load(watched: LiteratureGraph, papers: list) -> None:
    load_papers(watched.database, papers)
    watched.database.read(statement("search/await_text").text)


def run(watched: LiteratureGraph, name: str | None = None) -> list[str]:
    return [paper.id for paper in watched.watches.run(lambda papers: None, name)]


def test_new_papers_near_a_query_are_reported_once(watched: LiteratureGraph):
    watch = watched.watches.add("query", "coral bleaching")
    assert (watch.name, watch.kind, watch.among, watch.ran) == (
        "coral bleaching",
        "query",
        100,
        None,
    )
    assert run(watched) == []
    load(watched, NEW)
    [paper] = watched.watches.run(lambda papers: None)
    assert (paper.id, paper.year, paper.at) == ("bleaching", 2026, None)
    assert paper.reason in {f"number {n} of the papers near 'coral bleaching'" for n in (1, 2)}
    assert run(watched) == []
    load(watched, NEW)
    load(watched, [Paper("bleaching", "Bleaching of coral in warm water, revised")])
    assert run(watched) == []
    [paper] = watched.watches.reported("coral bleaching")
    assert (paper.id, paper.title) == (
        "bleaching",
        "Bleaching of coral in warm water, revised",
    )
    [watch] = watched.watches.list()
    assert (watch.reported, bool(watch.ran)) == (1, True)


def test_papers_that_cite_a_list_or_a_paper(watched: LiteratureGraph):
    watched.watches.add("list", "reefs", name="my list")
    watched.watches.add("paper", "seed")
    load(watched, NEW)
    papers = watched.watches.run(lambda papers: None)
    reasons = {(paper.watch, paper.id): paper.reason for paper in papers}
    assert reasons["my list", "citing"].startswith("cites Reefs of the south")
    assert reasons["seed", "citing"] == "cites Reefs of the south"
    load(watched, [Citation("other", "seed")])
    assert ("seed", "other") in {(p.watch, p.id) for p in watched.watches.run(lambda papers: None)}
    load(watched, [Citation("spuds", "seed")])  # its record is not new
    assert run(watched) == []
    load(watched, [Paper("stub", "A late record", references=("seed",))])
    assert run(watched, "seed") == ["stub"]


def test_a_new_paper_near_the_vector_of_a_paper(watched: LiteratureGraph, graph: Database):
    watched.watches.add("paper", "seed", among=1)
    load(watched, NEW)
    papers = [*OLD, *NEW]
    record = EmbeddingSpace("specter", "base", 2, "", "", "text", sees_edges=False)
    vectors = np.array([[0, 1]] * 3 + [[0, 1], [0, 1], [1, 0]], np.float32)
    vectors[1] = [1, 0.1]
    assert run(watched) == ["citing"]
    write_space(graph, record, [paper.id for paper in papers], vectors, ["0" * 16] * 6)
    assert run(watched) == ["other"]  # its vector came after a run


def test_what_was_not_recorded_is_reported_again(watched: LiteratureGraph):
    watched.watches.add("paper", "seed")
    load(watched, NEW)

    def fail(papers: list[NewPaper]) -> None:
        assert [paper.id for paper in papers] == ["citing"]
        raise BrokenPipeError

    with pytest.raises(BrokenPipeError):
        watched.watches.run(fail)
    assert watched.watches.reported() == []
    assert run(watched) == ["citing"]
    assert run(watched) == []


def test_a_watch_whose_list_was_deleted_does_not_stop_the_others(watched: LiteratureGraph):
    watched.watches.add("list", "reefs")
    watched.watches.add("paper", "seed")
    watched.lists.delete("reefs")
    load(watched, NEW)
    reports: list[list[str]] = []
    with pytest.raises(GraphError, match="the watch 'reefs' did not run") as error:
        watched.watches.run(lambda papers: reports.append([paper.id for paper in papers]))
    assert (reports, error.value.hint) == ([["citing"]], "specter-graph watch delete 'reefs'")
    watched.watches.delete("reefs")
    assert run(watched) == []


def test_a_watch_that_exceeds_the_time_limit_is_named(
    watched: LiteratureGraph, monkeypatch: pytest.MonkeyPatch
):
    def too_long(*_: object) -> None:
        raise QueryTimeoutError("the query exceeded its time limit")

    watched.watches.add("paper", "seed")
    monkeypatch.setattr(watches, "current_ids", too_long)
    with pytest.raises(GraphError, match="watch 'seed' did not run: the query exceeded") as error:
        run(watched)
    assert error.value.hint is None  # no hint to delete the watch


def test_the_error_names_all_watches_that_did_not_run(
    watched: LiteratureGraph, graph: Database, tmp_path: Path
):
    moved = str(tmp_path / "moved")
    record = EmbeddingSpace("specter", "base", 2, moved, "", "text", sees_edges=False)
    write_space(graph, record, ["old"], np.array([[0, 1]], np.float32), ["0" * 16])
    watched.watches.add("list", "reefs")
    watched.watches.add("query", "coral bleaching")
    watched.watches.add("query", "potatoes")
    watched.watches.add("paper", "seed")
    watched.lists.delete("reefs")
    load(watched, NEW)
    reports: list[list[str]] = []
    with pytest.raises(GraphError, match="watches 'coral bleaching', 'potatoes' did not") as error:
        watched.watches.run(lambda papers: reports.append([paper.id for paper in papers]))
    assert reports == [["citing"]]
    assert "the watch 'reefs' did not run: the graph has no reading list" in error.value.message
    model, deletion = str(error.value.hint).split("; ")
    assert "delete" not in model
    assert deletion == "specter-graph watch delete 'reefs'"


def test_merging_makes_nothing_new(watched: LiteratureGraph):
    same = (Identifier("doi", "10.1000/same"),)
    load(watched, [Paper("z", "Old twin", references=("seed",), source="bibtex", identifiers=same)])
    watched.watches.add("paper", "seed")
    load(
        watched, [Paper("a", "Old twin", references=("seed",), source="crossref", identifiers=same)]
    )
    watched.maintenance.merge()
    assert run(watched) == []
    load(
        watched,
        [Paper("b", "Twins", references=("seed",), identifiers=(Identifier("doi", "10.1/b"),))],
    )
    assert run(watched) == ["b"]
    twin = Paper("c", "Twins", references=("seed",), source="crossref")
    load(
        watched,
        [
            Paper(
                "c",
                twin.title,
                references=("seed",),
                source="crossref",
                identifiers=(Identifier("doi", "10.1/b"),),
            )
        ],
    )
    watched.maintenance.merge()
    assert run(watched) == []
    assert [paper.id for paper in watched.watches.reported()] == ["c"]
    load(
        watched,
        [
            Paper(
                "a", "Old twin, revised", references=("seed",), source="crossref", identifiers=same
            )
        ],
    )
    watched.maintenance.merge()
    assert run(watched) == []


def test_errors_say_what_to_do(watched: LiteratureGraph):
    with pytest.raises(GraphError, match="no reading list 'reef'"):
        watched.watches.add("list", "reef")
    with pytest.raises(GraphError, match="no paper 'x'"):
        watched.watches.add("paper", "x")
    with pytest.raises(InputError, match="unknown kind of target 'author'"):
        watched.watches.add("author", "x")
    with pytest.raises(InputError, match="target is a list, not a text"):
        watched.watches.add("paper", ["x"])
    with pytest.raises(InputError, match="needs a target"):
        watched.watches.add("query", " ")
    for among in (0, MAX_AMONG + 1, 3.5, "3"):
        with pytest.raises(InputError, match=f"among is {among!r}"):
            watched.watches.add("query", "coral", among=among)
    with pytest.raises(InputError, match="at most 200"):
        watched.watches.add("query", "coral " * 50)
    watched.watches.add("query", "coral")
    with pytest.raises(InputError, match="there is a watch 'coral'"):
        watched.watches.add("query", "coral")
    with pytest.raises(GraphError, match="no watch 'reef'") as error:
        watched.watches.run(print, "reef")
    assert error.value.hint == "use one of: coral"
    assert watched.watches.delete("coral").target == "coral"
    assert watched.watches.list() == []


TO = "me@example.org"


def test_an_email_for_other_programs(tmp_path: Path):
    paper = NewPaper(
        "reefs",
        "a",
        "Corals é",
        ("Ann Reef",),
        2026,
        "Waves",
        ("https://doi.org/1",),
        "cites X",
        None,
    )
    file = tmp_path / "new.eml"
    write_email([paper, replace(paper, watch="waves"), replace(paper, id="b")], file, recipient=TO)
    message = message_from_bytes(file.read_bytes(), policy=default)
    assert (message["Subject"], message["To"]) == ("specter-graph: 2 new papers", TO)
    text = message.get_content()
    assert text.count("Corals é\r\n") + text.count("Corals é\n") == 3
    assert "reefs\n=====" in text.replace("\r", "")
    with pytest.raises(InputError, match="may not have been sent"):
        write_email([paper], file)
    with pytest.raises(InputError, match="not an address"):
        write_email([paper], tmp_path / "b.eml", recipient="a\nb")
