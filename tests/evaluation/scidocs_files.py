"""Write small files in the layout of SciDocs."""

import csv
import json
from pathlib import Path

import numpy as np

RANKED = ("coview", "coread", "cite", "cocite")
CLASSES = 3
DIMENSION = 6


def write_vectors(path: Path, vectors: dict[str, np.ndarray]) -> Path:
    lines = (
        json.dumps({"paper_id": paper, "embedding": [float(v) for v in vector]})
        for paper, vector in vectors.items()
    )
    path.write_text("".join(f"{line}\n" for line in lines))
    return path


def write_csv(path: Path, header: list[str], rows) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([header, *rows])


def write_qrel(path: Path, judgments: dict[str, dict[str, int]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(
        "".join(
            f"{query} 0 {candidate} {relevance}\n"
            for query, candidates in judgments.items()
            for candidate, relevance in candidates.items()
        )
    )


def write_scidocs(folder: Path, seed: int = 0) -> dict[str, Path]:
    """Write a folder with all seven tasks, and three files of vectors better than chance."""
    rng = np.random.default_rng(seed)
    embedded = {}
    near: dict[str, np.ndarray] = {}
    for task in RANKED:
        for part in ("val", "test"):
            rated = {}
            for q in range(20):
                query = f"{task}-{part}-{q}"
                near[query] = rng.normal(size=DIMENSION)
                rated[query] = {f"{query}-{i}": int(i < 5) for i in range(30)}
                for paper, relevance in rated[query].items():
                    near[paper] = rng.normal(size=DIMENSION) + relevance * near[query]
            write_qrel(folder / task / f"{part}.qrel", rated)
    embedded["user-citation"] = write_vectors(folder / "user-citation.jsonl", near)

    classified: dict[str, np.ndarray] = {}
    for task in ("mag", "mesh"):
        for part, papers in (("train", 60), ("val", 30), ("test", 30)):
            rows = [(f"{task}-{part}-{i}", str(i % CLASSES)) for i in range(papers)]
            for paper, label in rows:
                classified[paper] = rng.normal(size=DIMENSION) + 1.5 * np.eye(DIMENSION)[int(label)]
            write_csv(folder / task / f"{part}.csv", ["pid", "class_label"], rows)
    embedded["cls"] = write_vectors(folder / "cls.jsonl", classified)

    clicked: dict[str, np.ndarray] = {}
    papers = {}
    for part, clicks in (("train", 80), ("val", 20), ("test", 20)):
        rows = []
        for q in range(clicks):
            query, shown = f"{part}-{q}", [f"{part}-{q}-{i}" for i in range(5)]
            right = int(rng.integers(5))
            clicked[query] = rng.normal(size=DIMENSION)
            papers[query] = record(query, year=2015)
            for i, paper in enumerate(shown):
                clicked[paper] = rng.normal(size=DIMENSION) + 2 * (i == right) * clicked[query]
                papers[paper] = record(paper, year=2000 + i)
            rows.append((query, shown[right], ",".join(shown)))
        write_csv(folder / "recomm" / f"{part}.csv", ["pid", "clicked_pid", "all_pids"], rows)
    scores = {"scores": [0.5, 0.2, 0.15, 0.1, 0.05]}
    (folder / "recomm" / "propensity_scores.json").write_text(json.dumps(scores))
    (folder / "paper_metadata_recomm.json").write_text(json.dumps(papers))
    embedded["recomm"] = write_vectors(folder / "recomm.jsonl", clicked)
    return embedded


def record(paper: str, **known) -> dict[str, object]:
    blank = {"paper_id": paper, "title": f"On {paper}", "abstract": None, "year": None}
    return {**blank, "authors": [], "references": [], "cited_by": [], **known}
