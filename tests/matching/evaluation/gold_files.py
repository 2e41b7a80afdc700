"""Write the files of rated expertise, as `gold_standard` reads them."""

import csv
from pathlib import Path

import orjson

from specter_graph.loaders.records import PaperText
from specter_graph.matching.evaluation import GoldPapers, Scores


def write_evaluations(ratings: Scores, path: Path) -> None:
    """Write ratings in the format of `read_evaluations`."""
    width = max([10, *map(len, ratings.values())])
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, delimiter="\t", lineterminator="\n")
        numbers = range(1, width + 1)
        writer.writerow(
            ["ParticipantID", *(f"Paper{n}" for n in numbers), *(f"Expertise{n}" for n in numbers)]
        )
        for name, own in ratings.items():
            blank = [""] * (width - len(own))
            writer.writerow([name, *own, *blank, *map(float, own.values()), *blank])


def write_papers(papers: GoldPapers, folder: Path) -> None:
    """Write a data set in the format of `read_gold_papers`."""
    (folder / "archives").mkdir(parents=True, exist_ok=True)
    submissions = {paper.id: _note(paper) for paper in papers.submissions.values()}
    (folder / "submissions.json").write_bytes(orjson.dumps(submissions))
    for name, archive in papers.archives.items():
        lines = b"".join(orjson.dumps(_note(paper)) + b"\n" for paper in archive)
        (folder / "archives" / f"~{name}.jsonl").write_bytes(lines)


def _note(paper: PaperText) -> dict[str, object]:
    content = {"title": paper.title, "abstract": paper.abstract}
    return {"id": paper.id, "content": content}
