"""Read the files of rated expertise: evaluations, papers in OpenReview's format, and scores.

    evaluations.csv           tab-separated: ParticipantID, Paper1.., Expertise1.. (may be empty)
    DIR/submissions.json      {id: {"id", "content": {"title", "abstract"}}}
    DIR/submissions/ID.jsonl  the same, one file a submission; read if submissions.json is missing
    DIR/archives/~NAME.jsonl  a line {"id", "content": {"title", "abstract"}} per publication
    predictions               JSON {NAME: {paper: score}}

A value of `content` is a text, or {"value": text} (OpenReview's second API). The "~" before the
name of a reviewer is removed. Every error is an InputError with the file and the line.
"""

import csv
import json
import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Any

import orjson

from specter_graph.core.errors import InputError
from specter_graph.loaders.records import PaperText
from specter_graph.matching.evaluation.expertise_metrics import Scores

MIN_RATING, MAX_RATING = 1.0, 5.0

_MISSING = {"", "na", "n/a", "nan", "none", "null", "-"}
_COLUMN = re.compile(r"(paper|expertise)[\s_]*(\d+)")


@dataclass(frozen=True, slots=True)
class GoldPapers:
    """The papers of a data set: submissions by id, and publications by reviewer.

    Papers without title and abstract are omitted, so an archive can be empty.
    """

    submissions: dict[str, PaperText]
    archives: dict[str, tuple[PaperText, ...]]


def read_evaluations(path: Path) -> dict[str, dict[str, float]]:
    """Return ratings, 1 to 5, by reviewer and paper; papers without a rating are omitted.

    Raises:
        InputError: The file has no ratings, or a line is invalid.
    """
    rows = csv.reader(StringIO(_text(path)), delimiter="\t")
    columns = _columns(path, next(rows, []))
    ratings: dict[str, dict[str, float]] = {}
    for row in rows:
        if not any(cell.strip() for cell in row):
            continue
        cells = {key: row[place].strip() for key, place in columns.items() if place < len(row)}
        where = f"{path}, line {rows.line_num}"
        name = _reviewer(cells[_NAME])
        if not name:
            raise InputError(f"{where}: ParticipantID is empty", "fill in the first column")
        own = ratings.setdefault(name, {})
        for paper, rating in _ratings(cells, where):
            if own.setdefault(paper, rating) != rating:
                raise InputError(
                    f"{where}: {name} rates the paper {paper} twice, {own[paper]:g} and {rating:g}",
                    "keep one of the two",
                )
    if not ratings:
        raise InputError(f"{path}: the file has no evaluations", "add a line for each reviewer")
    return ratings


def read_papers(folder: Path) -> GoldPapers:
    """Read the submissions and archives of the folder of a data set.

    Raises:
        InputError: The folder has no archives.
    """
    if not (folder / "archives").is_dir():
        raise InputError(
            f"{folder}: the folder `archives` is missing",
            "give the folder that holds submissions.json and archives/",
        )
    archives = {
        _reviewer(path.stem): tuple(_distinct(_notes(path)))
        for path in sorted((folder / "archives").glob("*.jsonl"))
    }
    if not archives:
        raise InputError(f"{folder / 'archives'}: the folder has no file ~NAME.jsonl")
    return GoldPapers({paper.id: paper for paper in _submissions(folder)}, archives)


def read_predictions(path: Path) -> dict[str, dict[str, float]]:
    """Read scores by reviewer and paper.

    Raises:
        InputError: The file is not an object of numbers by reviewer and paper.
    """
    hint = 'write {"reviewer": {"paper": 0.5, ...}, ...}'
    content = _json(_text(path), str(path))
    if not isinstance(content, dict):
        raise InputError(f"{path}: the file is not a JSON object", hint)
    for name, own in content.items():
        if not isinstance(own, dict):
            raise InputError(f"{path}: the scores of {name} are not a JSON object", hint)
        for paper, score in own.items():
            number = isinstance(score, int | float) and not isinstance(score, bool)
            if not number or not math.isfinite(score):
                raise InputError(f"{path}: the score of {name} for {paper} is not a number", hint)
    return {
        _reviewer(name): {paper: float(score) for paper, score in own.items()}
        for name, own in content.items()
    }


def write_predictions(predictions: Scores, path: Path) -> None:
    """Write scores for `read_predictions`."""
    plain = {name: {p: float(s) for p, s in own.items()} for name, own in predictions.items()}
    path.write_bytes(orjson.dumps(plain, option=orjson.OPT_INDENT_2) + b"\n")


_NAME = ("participantid", 0)


def _columns(path: Path, header: Sequence[str]) -> dict[tuple[str, int], int]:
    """Return the place of each column, by its kind and number."""
    places: dict[tuple[str, int], int] = {}
    for place, cell in enumerate(header):
        name = cell.strip().lower()
        if re.sub(r"[\s_]", "", name) == _NAME[0]:
            places[_NAME] = place
        elif matched := _COLUMN.fullmatch(name):
            places[matched[1], int(matched[2])] = place
    papers = {number for kind, number in places if kind == "paper"}
    if _NAME in places and papers and papers == {n for kind, n in places if kind == "expertise"}:
        return places
    raise InputError(
        f"{path}, line 1: the header lacks ParticipantID, or a pair of PaperN and ExpertiseN",
        "write a tab-separated file with the header ParticipantID, Paper1, ..., Expertise1, ...",
    )


def _ratings(cells: dict[tuple[str, int], str], where: str) -> Iterator[tuple[str, float]]:
    for (kind, number), paper in cells.items():
        rating = cells.get(("expertise", number), "")
        if kind != "paper" or {paper.lower(), rating.lower()} & _MISSING:
            continue
        try:
            value = float(rating)
        except ValueError:
            value = math.nan
        if not MIN_RATING <= value <= MAX_RATING:
            raise InputError(
                f"{where}: Expertise{number} is {rating!r}, not a number from 1 to 5",
                "leave the cell empty if the paper has no rating",
            )
        yield paper, value


def _submissions(folder: Path) -> Iterator[PaperText]:
    file, notes = folder / "submissions.json", folder / "submissions"
    if file.is_file():
        content = _json(_text(file), str(file))
        if not isinstance(content, dict):
            raise InputError(f"{file}: the file is not a JSON object", "write {id: {...}, ...}")
        for key, note in content.items():
            yield from _paper(note, f"{file}, {key}", key)
    elif notes.is_dir():
        for path in sorted(notes.glob("*.jsonl")):
            yield from _notes(path, path.stem)
    else:
        raise InputError(
            f"{folder}: the folder has neither submissions.json nor a folder `submissions`",
            "give the folder that holds submissions.json and archives/",
        )


def _notes(path: Path, key: str | None = None) -> Iterator[PaperText]:
    """Yield the papers of a JSON Lines file; `key` replaces their ids."""
    for number, line in enumerate(_text(path).split("\n"), 1):
        if line.strip():
            where = f"{path}, line {number}"
            yield from _paper(_json(line, where), where, key)


def _paper(note: object, where: str, key: str | None) -> Iterator[PaperText]:
    """Yield the paper of an OpenReview note, if it has a text."""
    content = note.get("content") if isinstance(note, dict) else None
    if not isinstance(note, dict) or not isinstance(content, dict):
        raise InputError(
            f"{where}: this is not an OpenReview note",
            'write {"id": "...", "content": {"title": "...", "abstract": "..."}}',
        )
    id_ = str(key if key is not None else note.get("id") or "")
    if not id_:
        raise InputError(f"{where}: the note has no id", 'write {"id": "...", "content": {...}}')
    title, abstract = (_value(content, name, where) for name in ("title", "abstract"))
    if title or abstract:
        yield PaperText(id_, title, abstract or None)


def _value(content: dict[str, Any], name: str, where: str) -> str:
    value = content.get(name)
    if isinstance(value, dict):
        value = value.get("value")
    if value is None or value != value:  # pandas writes NaN for what is missing
        return ""
    if not isinstance(value, str):
        raise InputError(f"{where}: the {name} is not text", "write it in quotes")
    # JSON allows half of a surrogate pair, which tokenizers refuse.
    return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace").strip()


def _distinct(papers: Iterator[PaperText]) -> Iterator[PaperText]:
    """Yield the first paper of each id."""
    seen: set[str] = set()
    for paper in papers:
        if paper.id not in seen:
            seen.add(paper.id)
            yield paper


def _reviewer(name: str) -> str:
    return name.strip().removeprefix("~")


def _json(text: str, where: str) -> Any:  # noqa: ANN401
    try:
        return json.loads(text)
    except ValueError as error:
        raise InputError(
            f"{where}: this is not JSON: {error}", "correct the file at this place"
        ) from error


def _text(path: Path) -> str:
    try:
        return path.read_text("utf-8-sig")
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{path} is not UTF-8 (byte {error.start + 1})") from error
