"""Reading lists: entries survive merging and deletion, and exports keep citation keys."""

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from specter_graph import LiteratureGraph, ReportSettings, open_corpus
from specter_graph.core.errors import GraphError, InputError
from specter_graph.graph.database import Database, connect
from specter_graph.graph.embeddings.spaces import EmbeddingSpace, write_space
from specter_graph.graph.loading.loader import load_papers
from specter_graph.graph.maintenance import reading_lists
from specter_graph.graph.queries.library_queries import paper_rows
from specter_graph.loaders.records import Field, Identifier, Paper
from tests.graph.reading_list_papers import PAPERS, paper


@pytest.fixture
def lists(graph: Database) -> LiteratureGraph:
    load_papers(graph, PAPERS)
    opened = LiteratureGraph(graph.driver, graph.name)
    opened.lists.create("reefs", "A review")
    return opened


def ids(graph: LiteratureGraph, name: str = "reefs") -> list[str]:
    return [entry.id for entry in graph.lists.entries(name)]


def test_papers_in_place_of_a_description_or_a_note_are_an_error(lists: LiteratureGraph):
    for call, name in (
        (lambda: lists.lists.create("new", ["a", "b"]), "description"),
        (lambda: lists.lists.create(["a"]), "name"),
        (lambda: lists.lists.add("reefs", ["a"], note=["b"]), "note"),
    ):
        with pytest.raises(InputError, match=f"{name} is a list, not a text"):
            call()
    assert [each.name for each in lists.lists.list()] == ["reefs"]


def test_one_text_instead_of_a_list_is_an_error(lists: LiteratureGraph, tmp_path: Path):
    lists.lists.add("reefs", ["a", "b"])
    for call in (
        lambda: lists.lists.add("reefs", "ab"),
        lambda: lists.lists.add("reefs", ["a"], tags="ab"),
        lambda: lists.lists.remove("reefs", "ab"),
        lambda: lists.screening.label("reefs", "ab", "yes"),
        lambda: lists.maintenance.delete_papers("ab"),
        lambda: lists.search(like="ab"),
        lambda: lists.search("light", exclude="ab"),
        lambda: lists.missing_references("light", cites="ab"),
        lambda: lists.export(tmp_path / "papers.jsonl", spaces="ab"),
        lambda: lists.evaluate.geometry("ab"),
    ):
        with pytest.raises(InputError, match="is the text 'ab', not a list") as error:
            call()
        assert error.value.hint.endswith("=['ab']")
    assert ids(lists) == ["a", "b"]


def test_no_space_is_not_the_same_as_all_spaces(lists: LiteratureGraph, tmp_path: Path):
    for call in (
        lambda: lists.evaluate.held_out([]),
        lambda: lists.evaluate.tasks([]),
        lambda: lists.evaluate.arxiv(()),
        lambda: lists.evaluate.geometry([]),
        lambda: lists.evaluate.compare([], "base"),
        lambda: lists.evaluate.report(tmp_path, ReportSettings([])),
    ):
        with pytest.raises(InputError, match="spaces is an empty list"):
            call()


def test_papers_are_named_by_identifiers_too(lists: LiteratureGraph, tmp_path: Path):
    assert lists.lists.add("reefs", ["10.1000/A", "b", "arXiv:2004.07180"]).changed == 2
    assert ids(lists) == ["a", "b"]
    assert lists.screening.label("reefs", ["doi:10.1000/a"], "yes").included == 1
    lists.watches.add("paper", "https://doi.org/10.1000/a", name="near")
    assert [watch.target for watch in lists.watches.list()] == ["a"]
    lists.export(tmp_path / "around.jsonl", around="10.1000/a", hops=1)
    assert len((tmp_path / "around.jsonl").read_text().splitlines()) == 3
    assert lists.lists.remove("reefs", ["https://arxiv.org/abs/2004.07180"]).changed == 1
    assert ids(lists) == ["b"]


def test_a_list_that_is_deleted_while_lists_are_read_has_no_name_and_is_left_out(
    lists: LiteratureGraph,
):
    lists.database.write("CREATE (:ReadingList)")
    assert [each.name for each in lists.lists.list()] == ["reefs"]
    with pytest.raises(GraphError, match="no reading list 'x'") as error:
        lists.lists.entries("x")
    assert error.value.hint == "use one of: reefs"


def test_a_list_that_is_deleted_while_papers_are_added_is_an_error(
    lists: LiteratureGraph, monkeypatch: pytest.MonkeyPatch
):
    def delete_first(*arguments):
        lists.lists.delete("reefs")
        return paper_rows(*arguments)

    monkeypatch.setattr(reading_lists, "paper_rows", delete_first)
    with pytest.raises(GraphError, match="the graph has no reading list 'reefs'"):
        lists.lists.add("reefs", ["a"])
    with pytest.raises(GraphError, match="deleted from the graph while it was used"):
        lists.database.write("CREATE (n:Paper {id: 'gone'}) DELETE n WITH n RETURN n.id")


def test_two_people_add_papers_to_one_list_at_the_same_time(
    lists: LiteratureGraph, server_variables: dict[str, str]
):
    papers = [Paper(f"p{n}", f"Paper {n}") for n in range(30)]
    load_papers(lists.database, papers)

    def add(person: int) -> None:
        login = [server_variables[f"NEO4J_{each}"] for each in ("URI", "USERNAME", "PASSWORD")]
        with connect(*login, connect_timeout=10) as db:  # no retries, as in the service
            for each in papers:
                reading_lists.add_to_list(db, "reefs", [each.id], tags=[f"tag {person}"])

    with ThreadPoolExecutor(2) as executor:
        assert [*executor.map(add, range(2))] == [None, None]
    entries = lists.lists.entries("reefs")
    assert sorted(entry.id for entry in entries) == sorted(each.id for each in papers)
    assert {frozenset(entry.tags) for entry in entries} == {frozenset({"tag 0", "tag 1"})}


def test_one_list_is_read_without_the_others(lists: LiteratureGraph):
    lists.lists.create("new")
    assert [each.name for each in lists.lists.list()] == ["new", "reefs"]
    assert [each.description for each in lists.lists.list("reefs")] == ["A review"]
    assert lists.lists.list("none") == []


def test_a_control_character_is_refused_but_not_a_line_break(lists: LiteratureGraph):
    for change in (
        lambda: lists.lists.add("reefs", ["a"], note="a\x1b[31m"),
        lambda: lists.lists.add("reefs", ["a"], tags=["b", "c\0"]),
        lambda: lists.lists.create("reefs", "a\x7f"),
    ):
        with pytest.raises(InputError, match="control character"):
            change()
    lists.lists.add("reefs", ["a"], note="one\n\ttwo")
    assert [entry.note for entry in lists.lists.entries("reefs")] == ["one\n\ttwo"]


def test_papers_are_added_once_with_notes_and_tags(lists: LiteratureGraph):
    change = lists.lists.add("reefs", ["c", "a", "stub"], note="first", tags=["x"])
    assert (change.changed, change.papers) == (3, 3)
    change = lists.lists.add("reefs", ["a", "b"], tags=["y", "x"], keys={"a": "Light2011"})
    assert (change.changed, change.papers) == (1, 4)
    entries = lists.lists.entries("reefs")
    assert [entry.id for entry in entries] == ["c", "a", "stub", "b"]
    assert (entries[1].note, entries[1].tags) == ("first", ("x", "y"))
    assert (entries[1].key, entries[1].year) == ("Light2011", 2011)
    assert entries[1].authors == ("Anna B. Light", "Bo van Sound Jr.")
    assert (entries[2].title, entries[3].note) == (None, None)
    lists.lists.add("reefs", ["c"], note="")
    assert [entry.note for entry in lists.lists.entries("reefs")] == [None, "first", "first", None]
    assert [entry.id for entry in lists.lists.entries("reefs", tag="y")] == ["a", "b"]
    assert lists.lists.remove("reefs", ["c", "stub"]).papers == 2
    assert ids(lists) == ["a", "b"]
    [counts] = lists.lists.list()
    assert (counts.name, counts.description, counts.papers) == ("reefs", "A review", 2)
    assert not lists.lists.create("reefs", "Another description")
    lists.lists.delete("reefs")
    assert lists.lists.list() == []
    assert lists.stats().papers == 4


def test_errors_state_what_to_do(lists: LiteratureGraph):
    with pytest.raises(GraphError, match="no reading list 'reef'") as error:
        lists.lists.add("reef", ["a"])
    assert error.value.hint == "use one of: reefs"
    with pytest.raises(GraphError, match="'zzz'"):
        lists.lists.add("reefs", ["a", "zzz"])
    assert ids(lists) == []
    with pytest.raises(GraphError, match="does not have 'a'"):
        lists.lists.remove("reefs", ["a"])
    for name in ("  ", "a\0b", "two\nlines", "\x9b", "x" * 201):
        with pytest.raises(InputError, match="needs a name"):
            lists.lists.create(name)
    with pytest.raises(InputError, match="no known suffix"):
        lists.lists.export("reefs", "a.docx")
    with pytest.raises(GraphError, match="no reading list 'x'"):
        lists.search("light", mode="text", list="x")


def test_entries_survive_merging_and_deletion(lists: LiteratureGraph, graph: Database):
    twin = paper("twin", "Slow light & fast <sound>", identifiers=PAPERS[0].identifiers, year=2011)
    load_papers(graph, [twin])
    lists.lists.add("reefs", ["twin", "b"], note="mine")
    lists.maintenance.merge()
    [merged] = [each for each in ids(lists) if each != "b"]
    assert merged in ("a", "twin")
    assert lists.lists.add("reefs", ["a"], tags=["x"]).changed == 0
    lists.lists.add("reefs", ["twin"])
    [entry, _] = lists.lists.entries("reefs")
    assert (entry.note, entry.tags) == ("mine", ("x",))
    assert [hit.id for hit in lists.search("light", mode="text", list="reefs")]
    lists.maintenance.delete_papers(["b"])
    assert ids(lists) == [merged, "b"]
    assert lists.lists.remove("reefs", ["a"]).changed == 1


def test_two_records_of_one_paper_are_one_entry_with_its_former_key(
    lists: LiteratureGraph, graph: Database, tmp_path: Path
):
    values = {"identifiers": PAPERS[0].identifiers, "year": 2011}
    load_papers(graph, [paper("Light2011", PAPERS[0].title, **values)])
    lists.lists.add("reefs", ["Light2011", "a", "b"])
    lists.maintenance.merge()
    [merged, other] = lists.lists.entries("reefs")
    former = next(id for id in ("Light2011", "a") if id != merged.id)
    assert (merged.key, other.key) == (former, None)
    assert lists.lists.list()[0].papers == 2
    lists.lists.export("reefs", tmp_path / "out.bib")
    assert f"{{{former}," in (tmp_path / "out.bib").read_text()
    lists.lists.create("new")
    change = lists.lists.add("new", ["a", "Light2011"], keys={"Light2011": "Mine"})
    assert (change.changed, change.papers, lists.lists.list()[0].papers) == (1, 1, 1)
    assert [entry.key for entry in lists.lists.entries("new")] == ["Mine"]


def test_a_list_filters_and_recommends(lists: LiteratureGraph):
    lists.lists.add("reefs", ["a"])
    hits = lists.search("slow light", mode="text", list="reefs")
    assert [hit.id for hit in hits] == ["a"]
    hits = [hit.id for hit in lists.lists.recommend("reefs", k=2)]
    assert set(hits) == {"b", "c"}
    assert [hit.id for hit in lists.lists.recommend("reefs", since=2013)] == ["c"]
    lists.lists.create("empty")
    with pytest.raises(GraphError, match="no paper with a record"):
        lists.lists.recommend("empty")
    record = EmbeddingSpace("specter", "base", 2, "m", "m", "d", sees_edges=False)
    write_space(lists.database, record, ["b"], np.ones((1, 2), np.float32))
    with pytest.raises(GraphError, match="no paper of the list 'reefs' has a vector"):
        lists.lists.recommend("reefs")


@pytest.mark.parametrize("name", ["out.bib", "out.ris", "out.json"])
def test_exports_are_read_back_with_keys(name: str, lists: LiteratureGraph, tmp_path: Path):
    lists.lists.add("reefs", ["a"], note="A note", tags=["to read"], keys={"a": "Light2011"})
    lists.lists.add("reefs", ["d", "stub"], keys={"d": "Light2011"})
    summary = lists.lists.export("reefs", tmp_path / name)
    assert (summary.papers, summary.stubs) == (2, 1)
    corpus = open_corpus("auto", tmp_path / name)
    first, second = [item for item in corpus if isinstance(item, Paper)]
    key = "doi:10.1000/a" if name.endswith("ris") else "Light2011"
    assert (first.id, second.id) == (key, "Light2011-2")
    assert first.title == "Slow light & fast <sound>"
    assert [author.name for author in first.authors] == ["Anna B. Light", "Bo van Sound Jr."]
    assert (first.year, first.abstract) == (2011, "Light is slow.")
    assert first.venue.name == "Journal of Waves"
    assert {"light", "to read"} <= {field.name for field in first.fields}
    assert Identifier("doi", "10.1000/a") in first.identifiers
    assert Identifier("arxiv", "2004.07180") in first.identifiers
    text = (tmp_path / name).read_text()
    assert "Light2011" in text
    assert "A note" in text


@pytest.mark.parametrize("words", [("Databases, Genetic", "Light"), ("Databases, Genetic",)])
@pytest.mark.parametrize("name", ["out.bib", "out.json"])
def test_keywords_with_commas_are_read_back(
    name: str, words: tuple[str, ...], lists: LiteratureGraph, tmp_path: Path
):
    fields = tuple(Field("keyword", word, word) for word in words)
    load_papers(lists.database, [Paper("k", "Keywords with commas", fields=fields)])
    lists.lists.add("reefs", ["k"])
    lists.lists.export("reefs", tmp_path / name)
    [read] = [item for item in open_corpus("auto", tmp_path / name) if isinstance(item, Paper)]
    assert tuple(field.name for field in read.fields) == words


def test_a_list_is_exported_as_markdown(lists: LiteratureGraph, tmp_path: Path):
    lists.lists.add("reefs", ["a"], note="A *note*", tags=["to read"], keys={"a": "Light2011"})
    lists.lists.export("reefs", tmp_path / "out.md")
    assert (tmp_path / "out.md").read_text() == (
        "# reefs\n\n"
        "- Anna B. Light, Bo van Sound Jr. (2011). **[Slow light & fast \\<sound\\>]"
        "(<https://doi.org/10.1000/a>)**. *Journal of Waves*. [@Light2011] #to-read\n"
        "  - A \\*note\\*\n"
    )


def test_a_doi_with_angle_brackets_is_one_link_in_markdown(lists: LiteratureGraph, tmp_path: Path):
    identifier = Identifier("doi", "10.1002/(sici)47:4<250::aid-asi2>3.0.co;2-r")
    load_papers(lists.database, [paper("e", "Old", identifiers=(identifier,))])
    lists.lists.add("reefs", ["e"])
    lists.lists.export("reefs", tmp_path / "out.md")
    address = "(<https://doi.org/10.1002/(sici)47:4%3C250::aid-asi2%3E3.0.co;2-r>)"
    assert f"**[Old]{address}**" in (tmp_path / "out.md").read_text()


def test_a_bibliography_keeps_its_keys(lists: LiteratureGraph, tmp_path: Path):
    file = tmp_path / "mine.bib"
    file.write_text(
        "@article{Light11, title={Slow light}, doi={10.1000/a}}\n@book{No, title={Not there}}"
    )
    with pytest.raises(GraphError, match="no reading list 'other'"):  # before the file is read
        lists.lists.add_bibliography("other", tmp_path / "absent.bib")
    change, matched = lists.lists.add_bibliography("reefs", file, tags=["mine"])
    assert (change.changed, [entry.id for entry in matched.unmatched]) == (1, ["No"])
    [entry] = lists.lists.entries("reefs")
    assert (entry.id, entry.key, entry.tags) == ("a", "Light11", ("mine",))


def test_the_graph_is_exported_as_ris_and_csl(lists: LiteratureGraph, tmp_path: Path):
    lists.export(tmp_path / "all.ris")
    lists.export(tmp_path / "all.json")
    items = json.loads((tmp_path / "all.json").read_text())
    assert [item["id"] for item in items] == ["a", "b", "c", "d"]
    assert items[0]["author"][1] == {"family": "van Sound", "given": "Bo", "suffix": "Jr."}
    papers = [item for item in open_corpus("ris", tmp_path / "all.ris") if isinstance(item, Paper)]
    assert [paper.title for paper in papers] == [paper.title for paper in PAPERS]
