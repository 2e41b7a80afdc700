"""Maps preserve distances, are reproducible, and belong to the vectors of their space."""

import gzip
import json
from dataclasses import replace

import numpy as np
import pytest

from specter_graph.core.errors import GraphError
from specter_graph.cypher import statement
from specter_graph.pipelines import corpus_map
from specter_graph.pipelines.corpus_map import make_map, map_file, project_to_plane
from tests.service.small_service import GLUE, HALO, JETS, ask


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
    places = project_to_plane(clusters())
    assert places.shape == (48, 2)
    assert (places.min(), places.max()) == (0, 1)
    assert separate(places) > 2
    assert np.array_equal(places, project_to_plane(clusters()))


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
    assert places.pop("new") == places[JETS]
    assert places == {
        id: (before["x"][row], before["y"][row]) for row, id in enumerate(before["ids"])
    }


@pytest.mark.parametrize("papers", [0, 1, 3, 5])
def test_a_small_graph_has_a_map_too(papers):
    places = project_to_plane(clusters(2)[:papers])
    assert places.shape == (papers, 2)
    assert np.isfinite(places).all()


def test_a_map_has_a_position_and_colors_for_each_paper_and_is_served(small, tmp_path):
    with ask(small, data_folder=tmp_path) as client:
        assert client.get("/v1/map").status_code == 404
        assert "specter-graph spaces map" in client.get("/map").text
        for number, papers in enumerate([["alone", JETS], [GLUE]]):
            topic = {"id": f"specter:{number}", "name": f"on {papers[0]}", "space": "specter"}
            small.database.write(statement("algorithms/write_topics").text, topics=[topic])
            rows = [{"id": each, "topic": topic["id"], "score": 1.0} for each in papers]
            small.database.write(statement("algorithms/write_in_topic").text, rows=rows)
        file, papers = make_map(small.database, "specter", tmp_path)
        built = client.get("/v1/map").json()
        assert built == json.loads(gzip.decompress(file.read_bytes()))
        assert len(built["ids"]) == papers == 6
        assert built["year"][built["ids"].index("alone")] == 2005
        assert built["fields"] == ["physics"]
        assert set(built["field"]) == {0}
        assert built["topics"] == ["on alone", f"on {GLUE}"]
        of = dict(zip(built["ids"], built["topic"], strict=True))
        assert [of[each] for each in ("alone", JETS, GLUE, HALO)] == [0, 0, 1, -1]
        label, _ = built["labels"]
        assert (label["name"], label["papers"]) == ("on alone", 2)
        assert (
            label["x"] == sum(built["x"][built["ids"].index(each)] for each in ("alone", JETS)) // 2
        )
        assert "<canvas" in client.get("/map").text
        plain = client.get("/v1/map", headers={"Accept-Encoding": "identity"})
        assert plain.json() == built
    [record] = [each for each in small.spaces.list() if each.name == "specter"]
    assert map_file(tmp_path, replace(record, created="later")) == file  # embedded new papers
    for change in ({"digest": "new"}, {"trained_on": "new"}, {"origin": "imported"}):
        assert map_file(tmp_path, replace(record, **change)) != file
    with pytest.raises(GraphError, match="no embedding space"):
        make_map(small.database, "nowhere", tmp_path)
