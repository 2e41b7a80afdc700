"""`graph.spaces.load` makes a space from vectors of other programs."""

import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

from specter_graph import Encoder, LiteratureGraph, embed_files, open_corpus
from specter_graph.cli import cli
from specter_graph.core.errors import GraphError, InputError, LeakError
from specter_graph.graph.embeddings.spaces import read_vectors
from specter_graph.graph.export import export_graph
from specter_graph.graph.loading.loader import load_papers
from specter_graph.graph.search.vector_search import similar
from specter_graph.loaders.records import Identifier, Paper
from specter_graph.pipelines import load_vectors
from specter_graph.pipelines.vector_files import VectorFile
from tests.environment import server_environment

SHA = "0" * 39 + "a"
IDS = ["s2:11", "doi:10.1000/x", "c", "d"]
VECTORS = np.array([[0, 0], [1, 0], [0.5, 2], [9, 9]], np.float32)


@pytest.fixture
def literature(graph):
    stored = {"s2:11": f"s2:{SHA} s2corpus:11", "doi:10.1000/x": "doi:10.1000/x"}
    papers = [
        Paper(
            paper,
            f"On {paper}",
            identifiers=tuple(
                Identifier(*name.split(":")) for name in stored.get(paper, "").split()
            ),
        )
        for paper in IDS
    ]
    load_papers(graph, [*papers, Paper("later", "Later", references=("stub",))])
    return LiteratureGraph(graph.driver)


def table(**columns):
    return pa.table({name: pa.array(*values) for name, values in columns.items()})


def lines(rows):
    return "".join(json.dumps(row) + "\n" for row in rows)


def vectors(literature, space):
    ids, stored = read_vectors(literature.database, space)
    return dict(zip(ids, stored.tolist(), strict=True))


EXPECTED = dict(zip(IDS, VECTORS.tolist(), strict=True))
HALF = pa.list_(pa.float16(), 2)
FILES = {
    "specter": lines(
        {"paper_id": paper, "title": "", "embedding": vector.tolist()}
        for paper, vector in zip([SHA, "10.1000/X", "c", "d"], VECTORS, strict=True)
    ),
    "s2-datasets": lines(
        {"corpusid": number, "model": "specter_v2", "vector": str(vector.tolist())}
        for number, vector in zip([11], VECTORS[:1], strict=True)
    ),
    "s2-graph": json.dumps(
        [
            {"paperId": SHA, "embedding": {"model": "specter_v2", "vector": [0, 0]}},
            {"paperId": "1" * 40, "embedding": None},
        ]
    ),
    "export": lines(
        {"id": paper, "vectors": {"new": vector.tolist(), "other": [1]}}
        for paper, vector in zip(IDS, VECTORS, strict=True)
    ),
}


@pytest.mark.parametrize("name", FILES)
def test_json_of_other_programs_is_loaded(literature, tmp_path, name):
    (tmp_path / "shard").write_text(FILES[name])
    summary = literature.spaces.load(tmp_path / "shard", space="new")
    stored = vectors(literature, "new")
    assert stored == {paper: EXPECTED[paper] for paper in stored}
    assert summary.vectors == len(stored) == (1 if name.startswith("s2") else 4)
    record = literature.spaces.get("new")
    assert (record.kind, record.origin, record.dimension) == ("imported", "imported", 2)
    assert record.base == ("specter_v2" if name.startswith("s2") else "")


@pytest.mark.parametrize(
    ("kind", "values", "scale"),
    [
        (HALF, VECTORS, None),
        (pa.list_(pa.int8()), [[0, 0], [2, 0], [1, 4], [18, 18]], [0.5] * 4),
        (pa.large_list(pa.float64()), VECTORS, None),
    ],
)
def test_parquet_of_any_number_type_is_loaded(literature, tmp_path, kind, values, scale):
    rows = [list(map(kind.value_type.to_pandas_dtype(), row)) for row in values]
    columns = {"id": (IDS,), "vector": ([*rows], kind)} | ({"scale": (scale,)} if scale else {})
    pq.write_table(table(**columns), tmp_path / "v.parquet")
    literature.spaces.load(tmp_path / "v.parquet", space="new")
    assert vectors(literature, "new") == EXPECTED
    assert [hit.id for hit in literature.similar("s2:11", k=2, space="new")] == IDS[1:3]


def test_numpy_arrays_need_a_file_of_ids(literature, tmp_path):
    np.save(tmp_path / "v.npy", VECTORS.astype(np.float16))
    with pytest.raises(InputError, match="has no ids"):
        literature.spaces.load(tmp_path / "v.npy", space="new")
    (tmp_path / "ids").write_text("\n".join(IDS[:3]))
    with pytest.raises(InputError, match=r"the shape \(4, 2\), and .*ids has 3 lines"):
        literature.spaces.load(tmp_path / "v.npy", space="new", ids=tmp_path / "ids")
    (tmp_path / "ids").write_text("\ufeff" + "\n".join(IDS))
    literature.spaces.load(tmp_path / "v.npy", space="new", ids=tmp_path / "ids")
    assert vectors(literature, "new") == EXPECTED
    np.save(tmp_path / "complex.npy", VECTORS * 1j)
    with pytest.raises(InputError, match="is not a list of finite numbers"):
        literature.spaces.load(tmp_path / "complex.npy", space="other", ids=tmp_path / "ids")
    damaged = (tmp_path / "v.npy").read_bytes()
    for text in (damaged.replace(b"{", b"(", 1), damaged.replace(b":", b"!"), damaged[:20]):
        (tmp_path / "v.npy").write_bytes(text)
        with pytest.raises(InputError, match=r"v\.npy cannot be read: "):
            literature.spaces.load(tmp_path / "v.npy", space="new", ids=tmp_path / "ids")


@pytest.mark.parametrize("about", ["specter", "{", "[1]", '{"model": 1}'])
def test_a_description_of_the_model_that_is_not_json_of_texts_is_an_error(tmp_path, about):
    columns = table(id=(IDS,), vector=([*VECTORS],))
    metadata = {"specter-graph": about}
    pq.write_table(columns.replace_schema_metadata(metadata), tmp_path / "v.parquet")
    with pytest.raises(InputError, match=r"the metadata 'specter-graph' of .*v\.parquet is not"):
        VectorFile(tmp_path / "v.parquet", "new", None)


def test_an_array_instead_of_a_file_is_an_error_that_names_the_files(literature, tmp_path):
    with pytest.raises(InputError, match="vectors is a ndarray, not a file") as caught:
        literature.spaces.load(VECTORS, space="new")
    assert "np.save" in caught.value.hint
    with pytest.raises(InputError, match="ids is a list, not a file"):
        literature.spaces.load(tmp_path / "v.npy", space="new", ids=IDS)


def test_vectors_of_given_papers_are_read_as_an_array(literature, tmp_path):
    np.save(tmp_path / "v.npy", VECTORS)
    (tmp_path / "ids").write_text("\n".join(IDS))
    literature.spaces.load(tmp_path / "v.npy", space="new", ids=tmp_path / "ids")
    ids, array = literature.spaces.vectors([IDS[2], "nowhere", IDS[0]], space="new")
    assert dict(zip(ids, array.tolist(), strict=True)) == {
        paper: EXPECTED[paper] for paper in (IDS[2], IDS[0])
    }
    assert len(literature.spaces.vectors(space="new")[0]) == len(IDS)


def test_unknown_ids_and_invalid_vectors_are_counted_and_written_to_the_rejects(
    literature, tmp_path
):
    rows = [
        {"id": "c", "vector": [1, 2]},
        {"id": "d", "vector": [1, 2, 3]},
        {"id": "nobody", "vector": [1, 2]},
        {"id": "stub", "vector": [1, 2]},
        {"vector": [1, 2]},
        {"id": "d", "vector": ["x", 1]},
        {"id": "d", "vector": None},
        *({"id": paper, "vector": [3, 4]} for paper in ("c", "10.1000/X", "doi:10.1000/x")),
    ]
    (tmp_path / "v.jsonl").write_text(lines(rows) + "{\n")
    summary = literature.spaces.load(
        tmp_path / "v.jsonl", space="new", rejects=tmp_path / "rejects"
    )
    counts = (summary.records, summary.vectors, summary.without_vector, summary.unknown)
    assert (*counts, summary.rejected, summary.duplicates) == (11, 2, 1, 2, 4, 2)
    rejects = map(json.loads, (tmp_path / "rejects").read_text().splitlines())
    reasons = {each["line"]: each["reason"] for each in rejects}
    assert reasons.keys() == {2, 3, 4, 5, 6, 11}
    assert reasons[2] == "the vector has 3 dimensions, not 2"
    assert reasons[4] == "no paper with a record has this id"


@pytest.mark.parametrize("rows_per_transaction", [1, 2, 3])
def test_the_last_row_of_a_paper_is_stored_also_if_others_name_it_by_an_identifier(
    literature, tmp_path, monkeypatch, rows_per_transaction
):
    monkeypatch.setattr(load_vectors, "_BATCH", rows_per_transaction)
    names = ["10.1000/X", "doi:10.1000/x", "c"]
    rows = [{"id": name, "vector": [number, 1]} for number, name in enumerate(names)]
    (tmp_path / "v.jsonl").write_text(lines(rows))
    assert literature.spaces.load(tmp_path / "v.jsonl", space="new").duplicates == 1
    assert vectors(literature, "new") == {"doi:10.1000/x": [1, 1], "c": [2, 1]}


def test_an_incomplete_parquet_file_is_a_clear_error(literature, tmp_path):
    (tmp_path / "v.parquet").write_bytes(b"PAR1 without an end")
    with pytest.raises(InputError, match=r"v\.parquet cannot be read"):
        literature.spaces.load(tmp_path / "v.parquet", space="own")


@pytest.mark.parametrize("name", ["empty.npy", "empty.jsonl"])
def test_an_empty_file_is_a_clear_error(literature, tmp_path, name):
    (tmp_path / name).touch()
    with pytest.raises(InputError, match=f"{name} is empty"):
        literature.spaces.load(tmp_path / name, space="loaded")


def test_a_file_without_a_vector_of_the_graph_changes_nothing(literature, tmp_path):
    (tmp_path / "v.jsonl").write_text(lines([{"id": "nobody", "vector": [1]}]))
    with pytest.raises(InputError, match="none of 1 row is"):
        literature.spaces.load(tmp_path / "v.jsonl", space="new")
    assert literature.spaces.list() == []


def test_a_load_into_a_space_that_failed_starts_again(literature, tmp_path):
    (tmp_path / "v.jsonl").write_text(lines([{"id": "c", "vector": [1, 2]}]))
    literature.spaces.load(tmp_path / "v.jsonl", space="new")
    (tmp_path / "w.jsonl").write_text(lines([{"id": "nobody", "vector": [3, 4]}]))
    with pytest.raises(InputError, match="no paper with a record has this id"):
        literature.spaces.load(tmp_path / "w.jsonl", space="new")
    literature.load([{"id": "nobody", "title": "Somebody"}])
    assert literature.spaces.load(tmp_path / "w.jsonl", space="new").vectors == 1
    assert vectors(literature, "new") == {"nobody": [3, 4]}


def test_an_encoder_of_another_dimension_is_an_error_that_states_both(literature, tmp_path):
    class Own:
        def __init__(self, dimension):
            self.dimension = dimension

        def encode(self, texts):
            return np.ones((len(texts), self.dimension))

    (tmp_path / "v.jsonl").write_text(lines([{"id": "c", "vector": [1, 2]}]))
    literature.spaces.load(tmp_path / "v.jsonl", space="new")
    with pytest.raises(InputError, match="the vector has 2 dimensions, not 3"):
        literature.spaces.load(tmp_path / "v.jsonl", space="new", encoder=Own(3))
    literature.spaces.load(tmp_path / "v.jsonl", space="new", encoder=Own(2))
    assert literature.spaces.embed_text("c", "new").tolist() == [1, 1]


def test_vectors_with_too_many_dimensions_are_a_clear_error(literature, tmp_path):
    (tmp_path / "v.jsonl").write_text(lines([{"id": "c", "vector": [1] * 4_097}]))
    with pytest.raises(GraphError, match="up to 4,096 dimensions, not 4,097"):
        literature.spaces.load(tmp_path / "v.jsonl", space="new")


def test_an_interrupted_load_is_completed_by_running_it_again(literature, tmp_path, monkeypatch):
    monkeypatch.setattr(load_vectors, "_BATCH", 1)
    (tmp_path / "v.jsonl").write_text(
        lines(
            {"id": paper, "vector": vector.tolist()}
            for paper, vector in zip(["nobody", *IDS], [VECTORS[0], *VECTORS], strict=True)
        )
    )
    count, calls = load_vectors._Load._count, []

    def fail(*arguments):
        calls.append(1)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return count(*arguments)

    rejects = tmp_path / "rejects"
    with monkeypatch.context() as patch:
        patch.setattr(load_vectors._Load, "_count", fail)
        with pytest.raises(KeyboardInterrupt):
            literature.spaces.load(tmp_path / "v.jsonl", space="new", rejects=rejects)
    assert literature.spaces.list() == []
    summary = literature.spaces.load(tmp_path / "v.jsonl", space="new", rejects=rejects)
    assert (summary.records, summary.vectors) == (5, 4)
    assert len(rejects.read_text().splitlines()) == 1
    assert vectors(literature, "new") == EXPECTED


def test_vectors_of_embed_files_keep_their_model_and_replace_a_space(literature, tmp_path):
    literature.spaces.load(_export(literature, tmp_path), space="new")
    (tmp_path / "papers.jsonl").write_text(lines({"id": paper, "title": paper} for paper in IDS))
    encoder = Encoder.load()
    output = tmp_path / "v.parquet"
    embed_files(encoder, open_corpus("jsonl", tmp_path / "papers.jsonl"), output, dtype="int8")
    summary = literature.spaces.load(output, space="new")
    assert summary.dimension == 384
    record = literature.spaces.get("new")
    assert (record.model, record.digest, record.sees_edges) == (encoder.name, encoder.digest, True)
    assert similar(literature.database, "c", "new", 1)
    literature.spaces.load(output, space="new", encoder=encoder)
    assert literature.spaces.get("new").sees_edges is False
    hits = literature.search("d", space="new", mode="vector", k=1)
    assert [hit.id for hit in hits] == ["d"]


def test_vectors_of_an_unknown_model_do_not_replace_those_of_a_model(literature, tmp_path):
    literature.embed(static := Encoder.load("static"), space="made")
    before = vectors(literature, "made")
    (tmp_path / "v.jsonl").write_text(FILES["specter"])
    with pytest.raises(InputError, match="'made' has vectors of static") as refused:
        literature.spaces.load(tmp_path / "v.jsonl", space="made")
    assert "spaces delete made" in refused.value.hint
    assert vectors(literature, "made") == before
    assert literature.spaces.get("made").digest == static.digest
    literature.spaces.delete("made")
    literature.spaces.load(tmp_path / "v.jsonl", space="made")
    assert vectors(literature, "made") == EXPECTED


def _export(literature, tmp_path):
    (tmp_path / "v.jsonl").write_text(FILES["export"])
    literature.spaces.load(tmp_path / "v.jsonl", space="new")
    export_graph(literature.database, tmp_path / "graph.parquet", spaces=["new"])
    literature.spaces.delete("new")
    return tmp_path / "graph.parquet" / "papers.parquet"


def test_the_command_loads_and_a_search_by_text_says_what_to_do(
    literature, local_instance, tmp_path, monkeypatch
):
    (tmp_path / "v.jsonl").write_text(FILES["export"])
    monkeypatch.chdir(tmp_path)
    with server_environment(local_instance):
        ran = CliRunner().invoke(cli, ["spaces", "load", "v.jsonl", "--space", "new"])
    assert "vectors 4" in " ".join(ran.stdout.split())
    with pytest.raises(InputError, match=r"'new' \(imported\) has no model") as caught:
        literature.search("neutrino", space="new")
    assert "their model (encoder)" in caught.value.hint
    [check] = literature.spaces.check()
    assert (check.vectors, check.missing, check.outdated, check.recall) == (4, 1, None, 1.0)


def test_refused_imported_vectors_are_named_with_the_option_that_accepts_them(literature, tmp_path):
    (tmp_path / "v.jsonl").write_text(FILES["export"])
    literature.spaces.load(tmp_path / "v.jsonl", space="new")
    with pytest.raises(LeakError, match="'new'") as refused:
        literature.evaluate.held_out(["new"])
    assert "load new again with text_only" in refused.value.hint
    triplets = tmp_path / "triplets.jsonl"
    triplets.write_text(lines([{"query": "c", "positive": "d", "negative": "later", "hard": True}]))
    with pytest.raises(GraphError, match=r"'new' holds vectors of another base \(imported\)"):
        literature.train(tmp_path / "m", triplets=triplets, base_space="new", holdout=0)


def test_a_file_without_triplets_is_an_error_before_papers_are_embedded(literature, tmp_path):
    triplets = tmp_path / "none.jsonl"
    triplets.touch()
    with pytest.raises(InputError, match=r"none\.jsonl has no triplets"):
        literature.train(tmp_path / "model", triplets=triplets)
    assert literature.spaces.list() == []
    assert list(tmp_path.iterdir()) == [triplets]
