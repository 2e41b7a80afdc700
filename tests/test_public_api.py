"""Test the public names of specter_graph, and LiteratureGraph for users of the driver."""

import ast
import inspect
import json
import os
import pydoc
import re
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from pathlib import Path
from threading import Barrier

import neo4j
import numpy
import pandas
import pytest

import specter_graph
from specter_graph import (
    CooccurrenceTriplets,
    Encoder,
    GraphError,
    InputError,
    LiteratureGraph,
    Reranker,
    SearchHit,
    ServerError,
    Settings,
    SpecterGraphError,
)
from specter_graph.core import errors
from specter_graph.graph.algorithms.centrality import pagerank
from specter_graph.graph.database import Database, connect, translate_driver_error
from specter_graph.graph.queries.cypher import run_cypher
from specter_graph.graph.triplets.triplet_files import read_triplets
from specter_graph.groups import Group, Method
from specter_graph.groups.algorithms import Algorithms
from specter_graph.groups.evaluations import Evaluations
from specter_graph.groups.maintenance import Maintenance
from specter_graph.groups.spaces import Spaces
from specter_graph.loaders.records import Paper, PaperText

PAPERS = [
    Paper("a", "Neutrino masses", "We study masses.", references=("b",)),
    Paper("b", "Seesaw mechanism", "We study the seesaw."),
]

GROUPS = ("algorithms", "evaluations", "lists", "maintenance", "screening", "spaces", "watches")

INTERNAL = {"Algorithms", "Database", "Evaluations", "Screening"}
"""Classes of the attributes of a graph."""


class Lengths:
    """An encoder of a user."""

    def encode(self, texts):
        return numpy.array([[len(text), 1] for text in texts])


@pytest.fixture
def literature(graph) -> LiteratureGraph:
    literature = LiteratureGraph(graph.driver, database="neo4j")
    literature.load(PAPERS)
    return literature


def test_dicts_and_rows_of_frames_are_loaded_as_jsonl(literature, tmp_path):
    frame = pandas.DataFrame(
        {"id": ["c", "d"], "title": ["C", "D"], "year": [2001, None], "doi": ["10.1/C", None]}
    )
    records = [
        *({"id": "e", "title": "E", "authors": ("Ann Bee",), "references": {"a"}}, PAPERS[0]),
        *({"id": "f"}, {"id": "e", "title": "E", "cites": [], "references": ["a"]}),
    ]
    assert literature.load(frame.to_dict("records")).new == 2
    summary = literature.load(iter(records), rejects=tmp_path / "rejects.jsonl")
    assert (summary.records, summary.rejected, summary.unknown_keys) == (4, 2, ["cites"])
    reasons = [json.loads(line)["reason"] for line in (tmp_path / "rejects.jsonl").open()]
    assert reasons == [
        "the dict is not JSON: Type is not JSON serializable: set",
        "title is missing",
    ]
    assert literature.paper("c").year == 2001
    assert literature.paper("d").year is None
    query = "MATCH (:Paper {id: 'e'})-[:CITES]->(p) RETURN p.id AS id"
    assert [row["id"] for row in literature.cypher(query)] == ["a"]
    assert not [*literature.cypher("MATCH (load:Load) RETURN load.key AS key")]


def test_columns_of_lists_dates_and_missing_values_of_frames_are_loaded(literature, tmp_path):
    frame = pandas.DataFrame(
        {
            "id": ["c", "d"],
            "title": ["C", "D"],
            "published": pandas.to_datetime(["2001-02-03", None]),
            "references": [["a", "b"], None],
            "language": pandas.array(["en", None], dtype="string"),
        }
    )
    frame.to_parquet(tmp_path / "papers.parquet")
    stored = pandas.read_parquet(tmp_path / "papers.parquet")
    assert isinstance(stored["references"][0], numpy.ndarray)
    assert literature.load(stored.to_dict("records")).new == 2
    query = "MATCH (p:Paper {id: $id}) RETURN p.published, p.language, COUNT {(p)-->(:Paper)}"
    assert [*literature.cypher(query, id="c")[0].values()] == ["2001-02-03", "en", 2]
    assert [*literature.cypher(query, id="d")[0].values()] == [None, None, 0]


@pytest.mark.parametrize(
    "corpus", [pandas.DataFrame({"id": ["c"]}), {"id": "c"}, Path("papers.jsonl"), "a.jsonl", None]
)
def test_a_frame_or_a_path_is_not_a_corpus(literature, corpus):
    with pytest.raises(InputError, match=f"the corpus is a {type(corpus).__name__}") as caught:
        literature.load(corpus)
    assert 'frame.to_dict("records")' in caught.value.hint


def test_a_year_of_numpy_is_loaded(literature):
    years = pandas.Series([2001])
    literature.load([Paper("c", "C", year=years.max(), references=("a",))])
    assert literature.paper("c").year == 2001
    assert literature.load([Paper("c", "C", year=2001, references=("a",))]).unchanged == 1


@pytest.mark.parametrize(
    ("part", "value"), [("year", "2001"), ("year", float("nan")), ("abstract", float("nan"))]
)
def test_a_part_of_a_record_has_its_type(literature, part, value):
    with pytest.raises(InputError, match=f"the {part} of the paper 'c' is {value!r}"):
        literature.load([Paper("c", "C", **{part: value})])
    with pytest.raises(InputError, match="the id of the paper 3 is 3"):
        literature.load([Paper(3, "C")])


@pytest.mark.parametrize("name", specter_graph.__all__)
def test_a_public_name_can_be_imported(name):
    assert getattr(specter_graph, name)
    assert name in dir(specter_graph)


def test_every_exception_is_public():
    raised = {
        name
        for name, value in vars(errors).items()
        if inspect.isclass(value) and issubclass(value, Exception)
    }
    assert raised <= {*specter_graph.__all__}
    for name in raised:
        assert issubclass(getattr(specter_graph, name), SpecterGraphError)


@pytest.mark.parametrize(
    "module",
    ["literature_graph", "venue"] + [f"groups/{group}" for group in GROUPS],
)
def test_classes_in_public_signatures_are_public(module):
    tree = ast.parse((Path(specter_graph.__file__).parent / f"{module}.py").read_text())
    imported = {
        name.name: node.module
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module.startswith("specter_graph")
        for name in node.names
    }
    for function in ast.walk(tree):
        if not isinstance(function, ast.FunctionDef) or function.name.startswith("_"):
            continue
        for annotation in [*(each.annotation for each in function.args.args), function.returns]:
            for name in re.findall(r"\w+", ast.unparse(annotation) if annotation else ""):
                if name in imported and inspect.isclass(
                    getattr(import_module(imported[name]), name)
                ):
                    assert name in {*specter_graph.__all__, *INTERNAL}, (function.name, name)


def public_functions():
    """Yield all public functions and methods, with their names."""
    groups = [import_module(f"specter_graph.groups.{group}") for group in GROUPS]
    classes = {each for group in groups for each in vars(group).values() if inspect.isclass(each)}
    classes = {each for each in classes if issubclass(each, Group)} | {LiteratureGraph}
    for name in specter_graph.__all__:
        value = getattr(specter_graph, name)
        if inspect.isfunction(value):
            yield name, value
        elif inspect.isclass(value):
            classes.add(value)
    for each in classes:
        for name, value in vars(each).items():
            function = getattr(value, "__func__", getattr(value, "function", value))
            is_public = not name.startswith("_") and each is not specter_graph.Settings
            if inspect.isfunction(function) and is_public:
                yield f"{each.__name__}.{name}", function


def test_every_path_of_a_public_function_may_be_a_text():
    paths = {
        f"{name}({parameter})"
        for name, function in public_functions()
        for parameter in inspect.signature(function).parameters.values()
        if re.search(r"\bPath\b", str(parameter.annotation))
    }
    assert len(paths) > 30
    assert [each for each in sorted(paths) if not re.search(r"\bstr\b", each)] == []


def test_an_unknown_name_is_refused():
    with pytest.raises(AttributeError, match="Literature"):
        specter_graph.Literature  # noqa: B018


def test_importing_the_package_loads_nothing_else():
    code = "import sys, specter_graph; print(*[m for m in sys.modules if 'specter_graph.' in m])"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    assert ran.stdout.split() == []


def test_a_graph_needs_only_a_driver_which_remains_open(graph):
    with LiteratureGraph(graph.driver) as literature:
        assert literature.load(PAPERS).new == 2
        assert literature.stats().papers == 2
    graph.driver.verify_connectivity()


def test_with_the_driver_of_a_user_only_the_users_own_cypher_logs_notifications(
    graph, local_instance, caplog
):
    endpoint = local_instance.up(keep=False)
    auth = (endpoint.username, endpoint.password)
    with neo4j.GraphDatabase.driver(endpoint.uri, auth=auth) as driver:
        driver.execute_query("MATCH (n:NoSuchLabel) RETURN n")
        assert [record.name for record in caplog.records] == ["neo4j.notifications"]
        caplog.clear()
        literature = LiteratureGraph(driver)
        literature.load(PAPERS)
        literature.search("seesaw", mode="text")
        literature.paper("a")
        literature.query("most_cited_stubs")
        literature.explain("MATCH (n:NoSuchLabel) RETURN n")
        literature.maintenance.delete_papers(["a"])
        assert [record.name for record in caplog.records] == []
        literature.cypher("MATCH (n:NoSuchLabel) RETURN n")
    assert [record.name for record in caplog.records] == ["neo4j.notifications"]


def test_a_graph_is_opened_without_with(graph, local_instance):
    endpoint = local_instance.up(keep=False)
    literature = LiteratureGraph.open(
        endpoint.uri, auth=(endpoint.username, endpoint.password), database="neo4j"
    )
    assert literature.stats().papers == 0
    literature.close()
    with pytest.raises(Exception, match="closed"):
        literature.stats()


def test_custom_cypher_returns_rows_as_dicts(literature):
    text = "MATCH (p:Paper) WHERE p.id IN $ids RETURN p.id AS id, p.title AS title ORDER BY id"
    rows = literature.cypher(text, ids=["a", "b"])
    assert [row["title"] for row in rows] == ["Neutrino masses", "Seesaw mechanism"]
    assert literature.cypher(text, {"ids": ["a"]}).rows == rows[:1]
    assert literature.cypher("RETURN $text AS text", text="a").rows == [{"text": "a"}]
    assert literature.cypher(text, ids=["a", "b"], limit_=1).is_truncated
    with pytest.raises(InputError, match="would change"):
        literature.cypher("CREATE (:Invoice)")
    assert literature.cypher("CREATE (:Invoice)", write_=True).changes["nodes_created"] == 1


def test_the_rows_of_custom_cypher_and_of_a_library_query_have_one_form(literature):
    literature.embed(Lengths(), "specter")
    answers = (
        literature.cypher("MATCH (p:Paper) RETURN p.id AS id, p.title AS title"),
        literature.query("more_like_these", ids=["a"]),
    )
    for answer in answers:
        assert [*answer] == answer.rows
        assert [[*row] for row in answer.rows] == [answer.columns] * len(answer)
        assert {"id", "title"} <= {*answer.columns}


def test_results_are_indexed_and_sliced(literature):
    literature.embed(Lengths(), "specter")
    rows = literature.cypher("MATCH (p:Paper) RETURN p.id AS id ORDER BY id")
    assert (rows[0], rows[-1:], [*rows]) == ({"id": "a"}, [{"id": "b"}], rows[:])
    for result in (
        literature.missing_references("masses"),
        literature.query("more_like_these", ids=["a"]),
    ):
        assert result[0] is next(iter(result))
        assert result[:1] == [result[0]]
        with pytest.raises(IndexError):
            result[len(result)]


@pytest.mark.parametrize("option", ["write", "limit", "timeout", "parameters"])
def test_a_keyword_that_custom_cypher_does_not_use_is_an_error(literature, option):
    with pytest.raises(InputError, match=f"does not use {option}") as caught:
        literature.cypher("MATCH (p:Paper) RETURN p.id", **{option: 1})
    assert "write_=True" in caught.value.hint
    assert literature.cypher(f"RETURN $`{option}` AS value", **{option: 1}).rows == [{"value": 1}]


def test_the_recipe_of_a_training_may_be_a_name_or_a_file(literature, tmp_path):
    with pytest.raises(InputError, match="'hed' is neither a recipe nor a file") as caught:
        literature.train(tmp_path / "model", "hed")
    assert "head" in caught.value.hint
    (tmp_path / "own.yaml").write_text("training: {mode: head, epochs: -1}")
    with pytest.raises(
        InputError, match=r"the recipe \(.*own.yaml\) is not valid: training.epochs"
    ):
        literature.train(tmp_path / "model", tmp_path / "own.yaml")


def test_parameters_of_a_query_without_their_names_are_an_error(literature):
    for given in (["a"], "a", pandas.DataFrame({"ids": ["a"]})):
        with pytest.raises(InputError, match=f"the parameters are a {type(given).__name__}"):
            literature.query("more_like_these", given)
        with pytest.raises(InputError, match=f"the parameters are a {type(given).__name__}"):
            literature.cypher("RETURN $ids", given)
    for text in (None, Path("query.cypher")):
        for call in (literature.explain, literature.cypher):
            with pytest.raises(InputError, match=f"text is a {type(text).__name__}, not a text"):
                call(text)


def test_the_year_of_a_venue_is_a_number(literature, tmp_path):
    (tmp_path / "reviewers.csv").write_text("id\nann\n")
    with pytest.raises(InputError, match="the year '2027' is not between"):
        literature.venue("v").load(year="2027", reviewers=tmp_path / "reviewers.csv")
    assert literature.venues() == []


def test_a_venue_needs_a_name_and_its_load_a_file_or_a_year(literature, tmp_path):
    (tmp_path / "submissions.csv").write_text("id,title\n1,Neutrino masses\n")
    with pytest.raises(InputError, match="name is a NoneType, not a text"):
        literature.venue(None)
    venue = literature.venue("v")
    venue.load(submissions=tmp_path / "submissions.csv")
    with pytest.raises(InputError, match="no file was given") as caught:
        venue.load()
    assert caught.value.hint.startswith("give one or more of submissions, reviewers")
    venue.load(year=2027)
    assert [each.year for each in literature.venues()] == [2027]


def test_an_encoder_refuses_hits_and_dicts():
    for given in (SearchHit("a", "A", 2001, 1.0), {"title": "A"}, None):
        with pytest.raises(InputError, match=f"texts has a {type(given).__name__}, not a text"):
            Encoder.load().encode([given])


def test_an_encoder_refuses_frames_and_papers_without_a_title():
    encoder = Encoder.load()
    frame = pandas.DataFrame({"title": ["A"], "abstract": ["B"]})
    for given in (frame, {"title": "A", "abstract": "B"}, None, 3):
        for encode in (encoder.encode, encoder.encode_query):
            with pytest.raises(InputError, match=f"texts is a {type(given).__name__}, not a list"):
                encode(given)
    for paper in (PaperText("a", None), PaperText("a", "A", float("nan"))):
        with pytest.raises(InputError, match="not a text or a paper with a title"):
            encoder.encode([paper])


def test_a_paper_of_a_corpus_is_encoded_like_its_text():
    encoder = Encoder.load()
    vector = encoder.encode(PAPERS[0])
    assert vector.shape == (encoder.dimension,)
    assert numpy.allclose(vector, encoder.encode([PAPERS[0], "other"])[0], atol=1e-5)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"pooling": "avg"}, "unknown pooling 'avg'"),
        ({"max_length": "128"}, "max_length is '128'"),
        ({"max_length": 0}, "max_length is 0"),
        ({"maxlength": 128}, "a base has no maxlength"),
    ],
)
def test_an_option_of_a_base_that_is_misspelled_or_invalid_is_an_error(options, message):
    with pytest.raises(InputError, match=message):
        Encoder.base(**options)


def test_a_misspelled_pooling_or_precision_is_an_error():
    with pytest.raises(InputError, match="unknown pooling 'avg'") as caught:
        Encoder.load(pooling="avg")
    assert caught.value.hint == "use one of cls, mean, max"
    with pytest.raises(InputError, match="unknown precision 'fp16'"):
        Encoder.load(precision="fp16")


def test_a_query_accepts_keyword_parameters(literature):
    with pytest.raises(InputError, match="nonsense"):
        literature.query("seminal_papers", nonsense=1)


def test_a_paper_is_read_with_its_references(literature):
    paper = literature.paper("a")
    assert (paper.title, paper.references, paper.citations) == ("Neutrino masses", 1, 0)
    assert [each["id"] for each in paper.cites] == ["b"]
    with pytest.raises(GraphError):
        literature.paper("c")


def test_a_method_of_a_group_has_the_signature_and_the_docstring_of_its_function(literature):
    method = literature.algorithms.pagerank
    assert [*inspect.signature(method).parameters] == [*inspect.signature(pagerank).parameters][1:]
    assert method.__doc__ == pagerank.__doc__


def test_help_of_the_class_shows_the_methods_that_are_functions():
    text = pydoc.render_doc(LiteratureGraph, renderer=pydoc.plaintext)
    assert "paper = read_paper(db: " in text
    assert "Read a paper: its text" in text


def test_objects_show_their_database_or_settings(literature, tmp_path):
    place = literature.database.place
    assert repr(literature) == f"<LiteratureGraph of {place}>"
    assert repr(literature.spaces) == f"<Spaces of {place}>"
    assert repr(literature.venue("x")) == f"<ReviewVenue 'x' of {place}>"
    triplets = literature.triplets(CooccurrenceTriplets(source="coupling"), holdout=0)
    assert repr(triplets) == "<TripletStream of coupling: split='train', holdout=0, seed=0>"
    local = Settings(specter_graph_data=tmp_path).local("trial")
    assert repr(local) == f"<Instance 'trial' in {tmp_path}/instances/trial>"
    shown = repr(literature.query("most_cited_stubs"))
    assert re.fullmatch(r"QueryResult\(rows=\[.*\], is_truncated=False\)", shown)


def test_hits_and_lists_instead_of_ids_are_errors_that_name_the_id(literature):
    literature.database.read("search/await_text")
    [hit] = literature.search("seesaw", mode="text", k=1)
    for call in (literature.paper, literature.similar):
        with pytest.raises(InputError, match="id is a SearchHit, not a text") as caught:
            call(hit)
        assert caught.value.hint == "give its attribute id"
        with pytest.raises(InputError, match="id is a list, not a text"):
            call(["a", "b"])
    for name, call in (
        ("like", lambda hits: literature.search(like=hits)),
        ("cites", lambda hits: literature.missing_references(cites=hits)),
        ("ids", literature.maintenance.delete_papers),
    ):
        with pytest.raises(InputError, match=f"{name} has a SearchHit, not a text") as caught:
            call([hit])
        assert caught.value.hint == f"give {name}=[each.id for each in ...]"
    with pytest.raises(InputError, match="text is a list"):
        literature.search(["seesaw"])


def test_columns_sets_and_generators_are_lists_of_ids(literature, tmp_path):
    ids = ["a", "b"]
    for given in (pandas.Series(ids), numpy.array(ids), set(ids), (each for each in ids)):
        assert literature.search("neutrino seesaw", mode="text", exclude=given) == []
    with pytest.raises(InputError, match="like is a int, not a list"):
        literature.search(like=3)
    literature.embed(Lengths(), "specter")
    for cites in (pandas.Series(["b"]), {"b"}, iter(["b"])):
        assert literature.missing_references(cites=cites).known == ("b",)
    for like in (pandas.Series(["a"]), {"a"}, iter(["a"])):
        assert [hit.id for hit in literature.search(like=like)] == ["b"]
    literature.lists.create("reading")
    for given in (pandas.Series(ids), numpy.array(ids), {*ids}, {"a": 1, "b": 2}.keys()):
        assert literature.lists.add("reading", given, tags=given).papers == 2
        assert literature.screening.label("reading", given, "yes").included == 2
        assert len(literature.spaces.vectors(given)[0]) == 2
        assert literature.query("more_like_these", ids=given).rows == []
        assert literature.evaluate.set_split(test_ids=pandas.Series(["a"])).test == 1
        with pytest.raises(GraphError, match="there is no reader"):
            literature.maintenance.delete_readers(given)
    spaces = pandas.Series(["specter"])
    assert literature.spaces.embed_texts(pandas.Series(["A"])).tolist() == [[1, 1]]
    assert literature.export(tmp_path / "graph.jsonl", spaces=spaces).papers == 2
    with pytest.raises(InputError, match="hubness needs more than 10 papers"):
        literature.evaluate.geometry(spaces)


def test_a_frame_or_a_number_is_not_a_list_of_ids(literature):
    literature.lists.create("reading")
    for given in (pandas.DataFrame({"a": ["b"]}), 3):
        for call in (
            lambda ids: literature.search("seesaw", exclude=ids),
            lambda ids: literature.lists.add("reading", ids),
            lambda ids: literature.lists.remove("reading", ids),
            lambda ids: literature.screening.label("reading", ids, "yes"),
            literature.maintenance.delete_papers,
            literature.maintenance.delete_readers,
            lambda ids: literature.evaluate.set_split(test_ids=ids),
            literature.evaluate.held_out,
            literature.evaluate.geometry,
        ):
            with pytest.raises(InputError, match=f"is a {type(given).__name__}, not a list"):
                call(given)
        with pytest.raises(InputError, match="is LIST<PAPER>, not"):
            literature.query("more_like_these", ids=given)
    assert literature.stats().papers == 2


@pytest.mark.parametrize("given", [3, ["specter"], Path("specter"), "record"])
def test_a_space_is_named_by_a_text(literature, given):
    literature.embed(Lengths(), "specter")
    hint = "give one text as space"
    if given == "record":
        [given], hint = literature.spaces.list(), "give its attribute name"
    for call in (
        lambda space: literature.search("seesaw", space=space),
        lambda space: literature.similar("a", space=space),
        lambda space: literature.embed(Lengths(), space),
        lambda space: literature.sgc("specter", output_space=space),
        literature.spaces.embed_text,
        literature.spaces.get,
        literature.spaces.check,
        literature.spaces.map,
        literature.spaces.delete,
        literature.algorithms.knn,
    ):
        arguments = ("seesaw", given) if call == literature.spaces.embed_text else (given,)
        with pytest.raises(InputError, match=f"space is a {type(given).__name__}, not a") as caught:
            call(*arguments)
        assert caught.value.hint == hint


def test_an_empty_text_is_not_embedded_as_a_query(literature):
    literature.embed(Lengths(), "specter")
    with pytest.raises(InputError, match="the text is empty"):
        literature.spaces.embed_text(" ", "specter")


def test_a_split_by_date_begins_with_a_text(literature):
    with pytest.raises(InputError, match="2001 is not a date") as caught:
        literature.evaluate.set_split(test_since=2001)
    assert '"YYYY"' in caught.value.hint


@pytest.mark.parametrize("number", [0, -1, 2.5, "3", None, 2**64])
def test_numbers_of_papers_and_rows_are_positive_integers(literature, number):
    for call in (
        lambda: literature.search("seesaw", k=number),
        lambda: literature.search("10.1000/x", k=number),
        lambda: literature.missing_references(cites=["b"], k=number),
        lambda: literature.cypher("RETURN 1", limit_=number),
        lambda: literature.query("most_cited_stubs", limit_=number),
    ):
        with pytest.raises(InputError, match=f"(k|limit) is {number!r}"):
            call()


def test_half_a_surrogate_pair_is_an_input_error(literature):
    encoder = Encoder.load()
    cut = "jets \ud800"
    for call in (
        lambda: literature.search(cut),
        lambda: literature.missing_references(cut),
        lambda: literature.similar(cut),
        lambda: encoder.encode([cut]),
        lambda: encoder.encode_query(cut),
    ):
        with pytest.raises(InputError, match="half of a surrogate pair"):
            call()


def test_filters_are_arguments_of_a_search(literature):
    with pytest.raises(InputError, match="the year is '2001'"):
        literature.search("seesaw", since="2001")
    literature.embed(Lengths(), "specter")
    literature.lists.create("reading")
    literature.lists.add("reading", ["a"])
    for call in (
        lambda **options: literature.search("seesaw", **options),
        lambda **options: literature.similar("a", **options),
        lambda **options: literature.lists.recommend("reading", **options),
    ):
        with pytest.raises(TypeError, match=r"argument 'limit': k is .* filters are since"):
            call(limit=5)


def test_a_reranker_is_named_by_a_folder_or_a_name(literature):
    for given in (True, Reranker("cross-encoder/some")):
        with pytest.raises(InputError, match=f"reranker is a {type(given).__name__}, not a file"):
            literature.search("seesaw", mode="text", rerank=given)


@pytest.mark.parametrize("given", [None, 3, ["papers.jsonl"], b"papers.jsonl"])
@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("path", lambda graph, given: graph.train(given)),
        ("recipe", lambda graph, given: graph.train("model", given)),
        ("path", lambda graph, given: graph.triplets().write(given)),
        ("path", lambda graph, given: graph.export(given)),
        ("path", lambda graph, given: graph.export_network(given, "co-author")),
        ("path", lambda graph, given: graph.lists.export("reading", given)),
        ("path", lambda graph, given: graph.venue("ICLR").report(given)),
        ("vectors", lambda graph, given: graph.spaces.load(given, space="specter")),
        ("file", lambda graph, given: graph.match_draft(given)),
        ("reranker", lambda _, given: Reranker(given)),
    ],
)
def test_a_path_is_a_text_or_a_path(literature, name, call, given):
    with pytest.raises(InputError, match=f"{name} is a {type(given).__name__}, not a file"):
        call(literature, given)


@pytest.mark.parametrize("given", [3, ["model"], b"model"])
@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("name", Encoder.load),
        ("name", Encoder.base),
        ("uri", LiteratureGraph.open),
        ("instance", lambda given: LiteratureGraph.open(instance=given)),
        ("triplets", lambda given: [*read_triplets(given)]),
    ],
)
def test_a_name_that_may_be_missing_is_a_text(name, call, given):
    with pytest.raises(InputError, match=f"{name} is a {type(given).__name__}, not a "):
        call(given)


@pytest.mark.parametrize("name", ["language", "field", "venue", "author", "topic", "list"])
@pytest.mark.parametrize("given", [3, ["a", "b"], float("nan")])
def test_a_name_in_a_filter_is_a_text(literature, name, given):
    with pytest.raises(InputError, match=f"{name} is a {type(given).__name__}, not a text"):
        literature.search("seesaw", mode="text", **{name: given})


@pytest.mark.parametrize("value", ["0.5", None, float("nan"), 2])
def test_minimum_scores_and_diversity_are_numbers_from_0_to_1(literature, value):
    literature.embed(Lengths(), "specter")
    for option, name in (("min_score", "minimum score"), ("diversity", "diversity")):
        for call in (
            literature.similar,
            lambda id, **options: literature.search(like=[id], **options),
        ):
            with pytest.raises(InputError, match=f"the {name} is {value!r}"):
                call("a", **{option: value})
    assert literature.similar("a", min_score=numpy.float32(0), diversity=1)[0].id == "b"


@pytest.mark.parametrize("k", [10**7, 10**8, 10**10])
def test_a_huge_number_of_papers_returns_all(literature, k):
    literature.embed(Lengths(), "specter")
    assert [hit.id for hit in literature.similar("a", k=k)] == ["b"]
    assert {hit.id for hit in literature.search("seesaw", k=k)} == {"a", "b"}


def test_only_a_synchronous_driver_is_a_driver():
    for other, name in (("bolt://localhost", "'bolt://localhost'"), (None, "a NoneType")):
        with pytest.raises(InputError, match=f"{name} is not a neo4j.Driver") as caught:
            LiteratureGraph(other)
        assert "LiteratureGraph.open(" in caught.value.hint
    with pytest.raises(InputError, match="a AsyncBoltDriver is not"):
        LiteratureGraph(neo4j.AsyncGraphDatabase.driver("bolt://localhost"))


def test_the_login_of_a_driver_opens_a_graph(graph, local_instance):
    endpoint = local_instance.up(keep=False)
    for auth in (
        neo4j.basic_auth(endpoint.username, endpoint.password),
        [endpoint.username, endpoint.password],
    ):
        with LiteratureGraph.open(endpoint.uri, auth=auth) as literature:
            assert literature.stats().papers == 0
    for auth in ("neo4j", neo4j.bearer_auth("token"), ("neo4j",)):
        with pytest.raises(InputError, match="auth has no user and password") as caught:
            LiteratureGraph.open(endpoint.uri, auth=auth)
        assert "PASSWORD" in caught.value.hint


def test_a_driver_with_a_wrong_password_or_address_fails_immediately(graph, local_instance):
    uri = local_instance.up(keep=False).uri
    with (
        neo4j.GraphDatabase.driver(uri, auth=("neo4j", "wrong")) as driver,
        pytest.raises(ServerError, match="rejects the login") as caught,
    ):
        LiteratureGraph(driver)
    assert "password" in caught.value.hint
    started = time.monotonic()
    with (
        neo4j.GraphDatabase.driver("bolt://127.0.0.1:1") as driver,
        pytest.raises(ServerError, match="does not answer"),
    ):
        LiteratureGraph(driver)
    assert time.monotonic() - started < 10


def test_a_lost_server_is_an_error_for_the_user_in_every_call():
    lost = {"max_transaction_retry_time": 0}
    with neo4j.GraphDatabase.driver("bolt://127.0.0.1:1", **lost) as driver:
        db = Database(driver)
        for call in (
            lambda: db.read("RETURN 1"),
            lambda: db.write("RETURN 1"),
            lambda: db.commit("RETURN 1"),
            lambda: next(db.stream("RETURN 1")),
            lambda: run_cypher(db, "RETURN 1"),
            db.server_info,
        ):
            with pytest.raises(ServerError, match="the database does not answer"):
                call()


def test_a_deadlock_is_retried_and_does_not_mean_that_the_database_is_down(graph, server_variables):
    login = [server_variables[f"NEO4J_{name}"] for name in ("URI", "USERNAME", "PASSWORD")]
    graph.write("CREATE (:Paper {id: 'a', year: 0}), (:Paper {id: 'b', year: 0})")

    def run_both(run):
        meeting = Barrier(2)

        def count(first, second):
            runs = []

            def work(tx):
                tx.run("MATCH (p:Paper {id: $id}) SET p.year = p.year + 1", id=first).consume()
                runs.append(first)
                if len(runs) == 1:
                    meeting.wait(10)
                tx.run("MATCH (p:Paper {id: $id}) SET p.year = p.year + 1", id=second).consume()

            try:
                run(work)
            except SpecterGraphError as error:
                return error

        with ThreadPoolExecutor(2) as executor:
            return [*executor.map(count, "ab", "ba")]

    def run_once(work):
        with db.session() as session:
            session.execute_write(work)

    with connect(*login, connect_timeout=10) as db:  # the driver retries nothing
        assert run_both(db.transaction) == [None, None]
        [error] = filter(None, run_both(run_once))
    assert type(error) is SpecterGraphError  # the service treats a ServerError as an outage
    assert error.message == "another command changes the same data"
    assert graph.read("MATCH (p:Paper) RETURN p.year AS year") == [{"year": 3}, {"year": 3}]


def test_a_user_without_rights_is_an_error_that_says_what_the_server_forbids(graph, local_instance):
    uri = local_instance.up(keep=False).uri
    user = "CREATE USER anna SET PASSWORD 'to be changed' CHANGE REQUIRED"
    graph.driver.execute_query(user, database_="system")
    try:
        with pytest.raises(ServerError, match=r"forbids it: [^{]+ must be changed") as caught:
            LiteratureGraph.open(uri, auth=("anna", "to be changed"))
    finally:
        graph.driver.execute_query("DROP USER anna", database_="system")
    assert "NEO4J_USERNAME" in caught.value.hint


@pytest.mark.parametrize(
    "code", ["Security.Forbidden", "General.WriteOnReadOnlyAccessDatabase", "Statement.SyntaxError"]
)
def test_a_write_that_the_server_forbids_is_an_error_for_the_user(code):
    error = neo4j.exceptions.Neo4jError._hydrate_neo4j(code=f"Neo.ClientError.{code}", message="No")
    translated = translate_driver_error(error)
    expected = None if code == "Statement.SyntaxError" else "the server forbids it: No"
    assert (translated and translated.message) == expected


@pytest.mark.parametrize("group", [Spaces, Algorithms, Maintenance, Evaluations])
def test_every_function_of_a_group_takes_the_database_first(group):
    for name, method in vars(group).items():
        if isinstance(method, Method):
            assert next(iter(inspect.signature(method.function).parameters)) == "db", name


def test_groups_work_on_the_same_graph(literature):
    assert literature.spaces.list() == []
    assert literature.algorithms.pagerank().papers == 2
    assert literature.maintenance.delete_papers(["b"]).papers == 1
    literature.maintenance.clear()
    assert literature.stats().papers == 0
    assert literature.evaluate is literature.evaluate


def test_a_graph_that_a_program_left_open_is_closed_at_its_exit(local_instance):
    """Later, at the end of the interpreter, the lease printed a traceback."""
    program = """if True:
        import atexit, sys
        atexit.register(lambda: print(len(opened - leases())))
        from pathlib import Path
        from specter_graph import LiteratureGraph
        home = Path(sys.argv[1])
        leases = lambda: {*home.glob("leases/*.lock")}
        graph = LiteratureGraph.open(instance=home.name)
        opened = leases()
    """
    home = local_instance.home
    with local_instance.lease():
        ran = subprocess.run(
            [sys.executable, "-c", program, str(home)],
            env=os.environ | {"SPECTER_GRAPH_DATA": str(local_instance.data_dir)},
            capture_output=True,
            text=True,
            check=True,
        )
    assert (ran.stdout, ran.stderr) == ("1\n", "")


def test_the_driver_prints_no_line_beside_the_error_of_a_command():
    code = (
        "import logging, specter_graph.graph.database\n"
        "logging.getLogger('neo4j.session').warning('will be retried')"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stderr == ""
