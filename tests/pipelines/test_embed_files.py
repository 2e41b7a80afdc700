"""Embed files of papers: values, counts, and runs that are continued after a kill."""

import gzip
import json

import numpy as np
import pyarrow.parquet as pq
import pytest

from specter_graph.core.errors import InputError
from specter_graph.core.parts import open_parts, parts_folder
from specter_graph.encoder.device import Benchmark, PrecisionChoice, has_fast_bfloat16
from specter_graph.encoder.encoder import Encoder
from specter_graph.loaders import open_corpus
from specter_graph.loaders.records import Paper
from specter_graph.pipelines import embed_parts
from specter_graph.pipelines.embed_parts import embed_files, unreadable
from specter_graph.pipelines.vector_files import quantize


@pytest.fixture
def encoder(tiny_bert):
    return Encoder.load(str(tiny_bert))


@pytest.fixture
def source(tmp_path, papers):
    """Write 13 records: ten papers, a huge one, one without a title, one that is no JSON."""
    records = [
        {"id": paper.id, "title": paper.title, "abstract": paper.abstract} for paper in papers[:10]
    ]
    lines = [json.dumps(record) for record in records]
    lines.insert(3, json.dumps({"id": "huge", "title": "huge", "abstract": "x" * 1_000_000}))
    lines.insert(5, json.dumps({"id": "untitled", "abstract": "quark"}))
    lines.insert(8, "no JSON")
    path = tmp_path / "papers.jsonl"
    path.write_text("\n".join(lines) + "\n")
    return path


def embed(encoder, source, name, **options):
    return embed_files(
        encoder,
        open_corpus("auto", source),
        source.parent / name,
        rejects=source.parent / "rejects.jsonl",
        **options,
    )


def stop_after_one_part(encoder, run, *arguments):
    encode, chunks = encoder.encode, iter([1])
    encoder.encode = lambda texts: next(chunks) and encode(texts)
    with pytest.raises(StopIteration):
        run(encoder, *arguments)
    encoder.encode = encode


def lines(path):
    text = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    return [json.loads(line) for line in text.splitlines()]


def test_the_encoder_may_be_the_path_of_a_model(encoder, tiny_bert, source):
    embed(encoder, source, "a.jsonl")
    for number, path in enumerate((tiny_bert, str(tiny_bert))):
        embed(path, source, f"{number}.jsonl")
        assert lines(source.parent / f"{number}.jsonl") == lines(source.parent / "a.jsonl")


@pytest.mark.parametrize("name", ["vectors.jsonl", "vectors.jsonl.gz"])
def test_json_lines_are_those_of_specter(encoder, source, papers, name):
    skipped = []
    summary = embed(encoder, source, name, on_skip=lambda *paper: skipped.append(paper))
    result = lines(source.parent / name)
    assert [set(line) for line in result] == [{"paper_id", "title", "embedding"}] * 10
    assert [(line["paper_id"], line["title"]) for line in result] == [
        (paper.id, paper.title) for paper in papers[:10]
    ]
    vectors = np.array([line["embedding"] for line in result], np.float32)
    np.testing.assert_allclose(vectors, encoder.encode(papers[:10]), atol=1e-6)
    assert (summary.records, summary.embedded, summary.skipped, summary.rejected) == (13, 10, 1, 2)
    assert summary.title_only == 2
    assert skipped == [("huge", "its text is 1,000,004 characters long, more than 1,000,000")]
    assert [each["line"] for each in lines(source.parent / "rejects.jsonl")] == [6, 9]
    assert {path.name for path in source.parent.iterdir()} == {source.name, name, "rejects.jsonl"}


@pytest.mark.parametrize(("dtype", "near"), [("float32", 1e-6), ("float16", 2e-3)])
def test_parquet_has_vectors_of_fixed_size(encoder, source, papers, dtype, near):
    embed(encoder, source, "vectors.parquet", dtype=dtype)
    table = pq.read_table(source.parent / "vectors.parquet")
    kind = table.schema.field("vector").type
    assert (kind.list_size, str(kind.value_type)) == (
        32,
        {"float16": "halffloat"}.get(dtype, "float"),
    )
    assert table["id"].to_pylist() == [paper.id for paper in papers[:10]]
    assert table["title"].to_pylist() == [paper.title for paper in papers[:10]]
    vectors = np.stack(table["vector"].combine_chunks().flatten().to_numpy().reshape(10, 32))
    np.testing.assert_allclose(vectors, encoder.encode(papers[:10]), atol=near)
    assert json.loads(table.schema.metadata[b"specter-graph"])["digest"] == encoder.digest


def test_int8_comes_back_to_half_a_scale(encoder, source, papers):
    embed(encoder, source, "vectors.parquet", dtype="int8")
    table = pq.read_table(source.parent / "vectors.parquet")
    numbers = table["vector"].combine_chunks().flatten().to_numpy().reshape(10, 32)
    scale = table["scale"].to_numpy()
    vectors = encoder.encode(papers[:10])
    assert numbers.dtype == np.int8
    assert np.abs(numbers).max(axis=1).tolist() == [127] * 10
    assert (np.abs(numbers * scale[:, None] - vectors) <= 0.501 * scale[:, None]).all()


def test_a_vector_of_zeros_is_unchanged():
    numbers, scale = quantize(np.zeros((1, 4), np.float32))
    assert (numbers.tolist(), scale.tolist()) == ([[0, 0, 0, 0]], [1])


@pytest.mark.parametrize("name", ["v.jsonl", "v.jsonl.gz", "v.parquet"])
def test_a_killed_run_is_completed_by_the_next(encoder, source, monkeypatch, name):
    monkeypatch.setattr(embed_parts, "PAPERS_PER_PART", 3)
    expected = embed(encoder, source, f"whole-{name}")
    rejects = (source.parent / "rejects.jsonl").read_bytes()
    encode, encoded = encoder.encode, []

    def stop_in_the_third_chunk(texts):
        if len(encoded) == 2:
            raise KeyboardInterrupt
        encoded.append([text.id for text in texts])
        return encode(texts)

    encoder.encode = stop_in_the_third_chunk
    with pytest.raises(KeyboardInterrupt):
        embed(encoder, source, name)
    assert not (source.parent / name).exists()
    (parts_folder(source.parent / name) / "000002.parquet").write_bytes(b"half a par")
    with (source.parent / "rejects.jsonl").open("ab") as file:
        file.write(b"half a rej")
    encoded.clear()
    encoder.encode = lambda texts: encoded.extend(text.id for text in texts) or encode(texts)
    again = embed(encoder, source, name)
    assert encoded == ["p06", "p07", "p08", "p09"]
    assert (source.parent / name).read_bytes() == (source.parent / f"whole-{name}").read_bytes()
    assert (source.parent / "rejects.jsonl").read_bytes() == rejects
    assert (again.records, again.embedded, again.rejected) == (13, 10, 2)
    assert (expected.before, again.before) == (0, 8)
    assert not list(source.parent.glob(".*"))


def test_a_run_is_completed_in_the_precision_that_the_first_run_measured(
    encoder, source, tiny_bert, monkeypatch
):
    """Through one kill after another; and the encoder is left as it was."""
    monkeypatch.setattr(embed_parts, "PAPERS_PER_PART", 3)
    # Not the one that it would take unmeasured.
    measured = "float32" if has_fast_bfloat16(encoder.model.device) else "bfloat16"
    encoder.model.precision = measured
    embed(encoder, source, "whole.jsonl")

    def killed_in_the_second_chunk(choice):
        own = Encoder.load(str(tiny_bert))
        encode, chunks = own.encode, []

        def encode_one(texts):
            if chunks:
                raise KeyboardInterrupt
            own.model.choice = choice
            chunks.append(texts)
            return encode(texts)

        own.encode = encode_one
        with pytest.raises(KeyboardInterrupt):
            embed(own, source, "v.jsonl")
        return own

    killed_in_the_second_chunk(PrecisionChoice((Benchmark(measured, 2.0, 0.9999),)))
    last = killed_in_the_second_chunk(None)
    del last.encode
    embed(last, source, "v.jsonl")
    assert last.model.precision == "auto"
    result, expected = (source.parent / name for name in ("v.jsonl", "whole.jsonl"))
    assert result.read_bytes() == expected.read_bytes()


def test_long_texts_make_short_chunks(encoder, source, monkeypatch):
    monkeypatch.setattr(embed_parts, "TEXT_PER_PART", 60)
    sizes, encode = [], encoder.encode
    encoder.encode = lambda texts: sizes.append(len(texts)) or encode(texts)
    embed(encoder, source, "v.jsonl")
    assert sum(sizes) == 10
    assert max(sizes) < 5


def test_an_unfinished_file_of_another_input_is_refused(encoder, source, tiny_bert, monkeypatch):
    monkeypatch.setattr(embed_parts, "PAPERS_PER_PART", 3)
    stop_after_one_part(encoder, embed, source, "v.parquet")
    with pytest.raises(InputError, match="made with another model"):
        embed(Encoder.base(str(tiny_bert), max_length=8), source, "v.parquet")
    with pytest.raises(InputError, match="made with another dtype"):
        embed(encoder, source, "v.parquet", dtype="int8")
    with pytest.raises(InputError, match="made with another format of ids"):
        embed(encoder, source, "v.parquet", strip_id_prefix=True)
    encoder.model.precision = "bfloat16"
    with pytest.raises(InputError, match="made with another precision"):
        embed(encoder, source, "v.parquet")
    encoder.model.precision = "auto"
    text = source.read_text()
    source.write_text(text + "\n")
    with pytest.raises(InputError, match="made with another input") as error:
        embed(encoder, source, "v.parquet")
    assert str(parts_folder(source.parent / "v.parquet")) in error.value.hint


def test_files_in_another_order_are_another_input(encoder, source, monkeypatch):
    monkeypatch.setattr(embed_parts, "PAPERS_PER_PART", 3)
    other, output = source.with_name("other.jsonl"), source.with_name("v.jsonl")
    other.write_text("".join(f'{{"id": "o{n}", "title": "quark"}}\n' for n in range(5)))
    stop_after_one_part(encoder, embed_files, open_corpus("jsonl", source, other), output)
    with pytest.raises(InputError, match="made with another input"):
        embed_files(encoder, open_corpus("jsonl", other, source), output)
    assert embed_files(encoder, open_corpus("jsonl", source, other), str(output)).embedded == 15


def test_a_run_with_only_rejects_writes_a_valid_file(encoder, tmp_path):
    (tmp_path / "none.jsonl").write_text('{"id": "a", "title": ""}\n')
    for name in ("v.jsonl", "v.jsonl.gz", "v.parquet"):
        summary = embed(encoder, tmp_path / "none.jsonl", name)
        assert (summary.records, summary.embedded, summary.rejected) == (1, 0, 1)
    assert lines(tmp_path / "v.jsonl") == lines(tmp_path / "v.jsonl.gz") == []
    assert pq.read_table(tmp_path / "v.parquet").num_rows == 0


def test_ids_of_semantic_scholar_may_have_no_prefix(encoder, tmp_path):
    path = tmp_path / "metadata.json"
    path.write_text(json.dumps({"sha": {"paper_id": "sha", "title": "quark", "abstract": "jet"}}))
    embed(encoder, path, "v.jsonl")
    embed(encoder, path, "bare.jsonl", strip_id_prefix=True)
    ids = [lines(tmp_path / name)[0]["paper_id"] for name in ("v.jsonl", "bare.jsonl")]
    assert ids == ["s2:sha", "sha"]


def test_an_invalid_output_is_an_error_at_the_start(encoder, source):
    with pytest.raises(InputError, match="no known suffix"):
        embed(encoder, source, "vectors.npz")
    with pytest.raises(InputError, match="float32 only"):
        embed(encoder, source, "vectors.jsonl", dtype="int8")
    with pytest.raises(InputError, match="one of the files to read"):
        embed(encoder, source, source.name)
    with pytest.raises(InputError, match="folder not found"):
        embed(encoder, source, "nowhere/vectors.jsonl")


def test_two_runs_do_not_write_one_file(encoder, source):
    with (
        open_parts(source.parent / "v.jsonl", {}),
        pytest.raises(InputError, match="another run is writing"),
    ):
        embed(encoder, source, "v.jsonl")


def test_a_blank_text_is_left_out():
    assert unreadable(Paper("a", " ", "\n")) == "its text is empty"
    assert unreadable(Paper("a", " ", "quark")) is None


def test_a_damaged_part_is_refused(encoder, source, monkeypatch):
    monkeypatch.setattr(embed_parts, "PAPERS_PER_PART", 3)
    stop_after_one_part(encoder, embed, source, "v.jsonl")
    part = parts_folder(source.parent / "v.jsonl") / "000000.parquet"
    part.write_bytes(part.read_bytes()[:-1] + b"?")
    with pytest.raises(InputError, match=r"000000\.parquet is damaged"):
        embed(encoder, source, "v.jsonl")
