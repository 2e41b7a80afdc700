"""Maps preserve distances, are reproducible, and belong to the vectors of their space."""

import gzip
import json
from dataclasses import replace

import numpy as np
import pytest

from specter_graph.core.errors import GraphError
from specter_graph.cypher import statement
from specter_graph.pipelines import corpus_map
from specter_graph.pipelines.corpus_map import (
    SIDE,
    _count_labels,
    make_map,
    map_file,
    place,
    project_to_plane,
)
from specter_graph.service.models import MapResponse
from tests.service.small_service import FLAVOR, GLUE, HALO, JETS, ask


def clusters(each=16, of=3):
    rng = np.random.default_rng(0)
    centers = rng.normal(size=(of, 16)) * 10
    return np.concatenate([center + rng.normal(size=(each, 16)) for center in centers]).astype(
        np.float32
    )


def separate(places, each=16):
    """Return the distance of the nearest centers, relative to the spread of the widest cluster."""
    groups = places.reshape(-1, each, 2)
    centers = groups.mean(axis=1)
    far = [np.linalg.norm(a - b) for i, a in enumerate(centers) for b in centers[:i]]
    return min(far) / np.linalg.norm(groups - centers[:, None], axis=2).mean(axis=1).max()


@pytest.mark.parametrize("landmarks", [1_000, 30])
def test_clusters_are_separate_with_and_without_landmarks(monkeypatch, landmarks):
    monkeypatch.setattr(corpus_map, "MAX_LANDMARKS", landmarks)
    calls = []
    places = project_to_plane(clusters(), progress=lambda *call: calls.append(call))
    assert places.shape == (48, 2)
    assert separate(places) > 2
    assert np.array_equal(places, project_to_plane(clusters()))
    iterations = 750 if landmarks > 48 else 1_000
    assert calls[-1] == ("map, iterations", iterations, iterations)


def test_a_new_paper_is_placed_near_its_neighbors_and_the_others_do_not_move(small, tmp_path):
    file, _ = make_map(small.database, None, tmp_path)
    before = json.loads(gzip.decompress(file.read_bytes()))
    assert before["space"] == "specter"  # the page of the map searches in it
    small.database.write(
        "MATCH (p:Paper {id: $near}) CREATE (:Paper {id: 'new', specter: p.specter})", near=JETS
    )
    try:
        make_map(small.database, "specter", tmp_path)
    finally:
        small.database.write("MATCH (p:Paper {id: 'new'}) DELETE p")
    after = json.loads(gzip.decompress(file.read_bytes()))
    places = {id: (after["x"][row], after["y"][row]) for row, id in enumerate(after["ids"])}
    new = np.array(places.pop("new"))
    assert min(places, key=lambda id: np.linalg.norm(new - places[id])) == JETS
    assert places == {
        id: (before["x"][row], before["y"][row]) for row, id in enumerate(before["ids"])
    }


@pytest.mark.parametrize("landmarks", [1_000, 30])
def test_new_papers_are_placed_in_their_cluster(monkeypatch, landmarks):
    monkeypatch.setattr(corpus_map, "MAX_LANDMARKS", landmarks)
    known = np.flatnonzero(np.arange(48) % 4)
    positions = project_to_plane(clusters()[known]) + 100
    places = place(clusters(), known, positions)
    assert np.array_equal(places[known], positions)
    assert separate(places) > 2


@pytest.mark.filterwarnings("ignore:invalid value:RuntimeWarning")  # the share of a component
def test_equal_vectors_have_positions():
    assert np.isfinite(project_to_plane(np.ones((48, 16), np.float32))).all()


@pytest.mark.parametrize(("known", "remain"), [(4, 0), (5, 5)])
def test_papers_keep_their_positions_if_the_map_has_four_of_five(small, tmp_path, known, remain):
    file, papers = make_map(small.database, "specter", tmp_path)
    assert papers == 6
    former = json.loads(gzip.decompress(file.read_bytes()))
    former |= {"ids": former["ids"][:known], "x": [7] * known, "y": [9] * known}
    file.write_bytes(gzip.compress(json.dumps(former).encode()))
    make_map(small.database, "specter", tmp_path)
    after = json.loads(gzip.decompress(file.read_bytes()))
    places = [*zip(after["x"], after["y"], strict=True)]
    assert places[:known].count((7, 9)) == remain


def test_the_papers_of_a_sample_depend_on_the_seed(small, tmp_path, monkeypatch):
    monkeypatch.setattr(corpus_map, "MAX_PAPERS", 3)

    def ids(seed, folder):
        file, _ = make_map(small.database, "specter", tmp_path / folder, seed=seed)
        return json.loads(gzip.decompress(file.read_bytes()))["ids"]

    assert ids(1, "a") == ids(1, "b")
    assert len({(*ids(seed, str(seed)),) for seed in range(5)}) > 1


def test_a_paper_has_the_color_of_its_label_with_the_highest_count():
    labels = [["same name", "same name", "common"], ["common", "rare"], []]
    assert _count_labels(labels) == (["common", "rare", "same name"], [0, 0, -1])


@pytest.mark.parametrize("papers", [0, 1, 3, 5])
def test_a_small_graph_has_a_map_too(papers):
    places = project_to_plane(clusters(2)[:papers])
    assert places.shape == (papers, 2)
    assert np.isfinite(places).all()


def test_a_map_has_a_position_and_colors_for_each_paper_and_is_served(small, tmp_path):
    with ask(small, data_folder=tmp_path) as client:
        assert client.get("/v1/map").status_code == 404
        assert "specter-graph spaces map" in client.get("/map").text
        topics = [("topic", "specter"), ("topic", "specter"), ("another", "base")]
        members = [[GLUE], ["alone", JETS, HALO], [JETS, GLUE, HALO, FLAVOR]]
        for number, ((name, space), papers) in enumerate(zip(topics, members, strict=True)):
            topic = {"id": f"specter:{number}", "name": name, "space": space}
            small.database.write(statement("algorithms/write_topics").text, topics=[topic])
            rows = [{"id": each, "topic": topic["id"], "score": 1.0} for each in papers]
            small.database.write(statement("algorithms/write_in_topic").text, rows=rows)
        file, papers = make_map(small.database, "specter", tmp_path)
        built = client.get("/v1/map").json()
        assert built == json.loads(gzip.decompress(file.read_bytes()))
        assert MapResponse(**built).model_dump() == built
        assert len(built["ids"]) == papers == 6
        assert {min(built["x"] + built["y"]), max(built["x"] + built["y"])} == {0, SIDE}
        assert built["year"][built["ids"].index("alone")] == 2005
        assert built["fields"] == ["physics"]
        assert set(built["field"]) == {0}
        assert built["topics"] == ["topic", "topic"]  # two topics of the same name
        of = dict(zip(built["ids"], built["topic"], strict=True))
        assert [of[each] for each in ("alone", JETS, HALO, GLUE, FLAVOR)] == [0, 0, 0, 1, -1]
        label, _ = built["labels"]
        assert (label["name"], label["papers"]) == ("topic", 3)
        x = sorted(built["x"][built["ids"].index(each)] for each in ("alone", JETS, HALO))
        assert label["x"] == x[1]
        assert "<canvas" in client.get("/map").text
        for refusal in ("identity", "gzip;q=0", "br, gzip; q=0.00"):
            plain = client.get("/v1/map", headers={"Accept-Encoding": refusal})
            assert plain.json() == built
            assert "Content-Encoding" not in plain.headers
        packed = client.get("/v1/map", headers={"Accept-Encoding": "br;q=0, gzip;q=0.5"})
        assert packed.headers["Content-Encoding"] == "gzip"
    [record] = [each for each in small.spaces.list() if each.name == "specter"]
    assert map_file(tmp_path, replace(record, created="later")) == file  # embedded new papers
    for change in ({"digest": "new"}, {"trained_on": "new"}, {"origin": "imported"}):
        assert map_file(tmp_path, replace(record, **change)) != file
    with pytest.raises(GraphError, match="no embedding space"):
        make_map(small.database, "nowhere", tmp_path)
