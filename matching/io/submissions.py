"""Read submissions from tables, JSON Lines, or exports of OpenReview.

| path             | content                                                                      |
|------------------|------------------------------------------------------------------------------|
| .csv, .tsv       | columns id, title, abstract, authors, references, topics, demand, track;     |
|                  | authors, references and topics have semicolons between them; all columns but |
|                  | id and title can be missing or empty                                         |
| .csv             | three columns without a header: id, title, abstract (`csv_submissions` of    |
|                  | https://github.com/openreview/openreview-expertise)                          |
| .jsonl           | objects with these keys, with lists of texts instead of semicolons; or notes |
| .json            | OpenReview's submissions.json: {id: note}; or the JSON file of HotCRP        |
| .csv, .xlsx,     | EasyChair's submission.csv; CMT's export of submissions. See `easychair` and |
| .xls, .txt       | `cmt`.                                                                       |
| a folder         | OpenReview's submissions/: a file ID.jsonl each, with one note               |

A note is {"id", "content": {"title", "abstract", "authors", "authorids", "keywords"}}, where each
value can be {"value": ...}. Its authors are `authorids`, or else `authors`; its topics are the
keywords. All files can be compressed (.gz, .zst).
"""

import csv
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from io import StringIO
from itertools import chain
from operator import attrgetter
from pathlib import Path
from typing import Any, cast

import orjson

from specter_graph.core.errors import InputError, counted
from specter_graph.loaders.corpus_files import (
    DamagedFileError,
    find_file,
    find_files,
    read_contents,
)
from specter_graph.loaders.format_api import RecordError
from specter_graph.loaders.parsing.field_values import required, text, type_name
from specter_graph.loaders.parsing.json import parse_json
from specter_graph.loaders.review_records import Conflict, Submission, parse_person_id
from specter_graph.matching.io import cmt, easychair, hotcrp
from specter_graph.matching.io.openreview import flatten_note
from specter_graph.matching.io.rows import (
    Layout,
    ReadReport,
    Row,
    SkippedRow,
    bare_name,
    count_skipped,
    errors_of,
    key,
    kind_of,
    listed,
    once,
    parse_int,
    read_table,
    row_error,
    with_columns,
)

COLUMNS = ("id", "title", "abstract", "authors", "references", "topics", "demand", "track")
_NOTE_COLUMNS = (*COLUMNS, "content")
_PLAIN_COLUMNS = ("id", "title", "abstract")
_ADDRESS = re.compile(r"[^\s,;<>()]+@[^\s,;<>()]+")


def read_submissions(path: Path, report: ReadReport | None = None) -> list[Submission]:
    """Read the submissions of a file or a folder, in its order.

    The report gets unread columns, skipped rows, and the ids of withdrawn, deleted or desk-rejected
    submissions; see `rows.read_table`.

    Raises InputError for the first submission that cannot be used, for an id that occurs twice, and
    for a file without submissions.
    """
    report = report or ReadReport(checks_columns=False)
    own = Layout("a list of submissions", ("id", "title"), _submission, _NOTE_COLUMNS[2:])
    systems = [
        with_columns(layout, ("demand", "track"), _demands)
        for layout in (easychair.SUBMISSIONS, cmt.SUBMISSIONS)
    ]
    layouts = once([own, *systems], attrgetter("id"))
    convert = cast("Callable[[Row], Submission]", layouts[0].convert)  # which skips no row
    if path.is_dir():
        submissions = list(_read_folder(path, convert))
    elif kind_of(path) == "json":
        submissions = list(_read_object(path, convert, report))
    elif kind_of(path) == "csv" and (rows := _rows_without_header(path, layouts)):
        submissions = [_convert_row(path, line, row, convert) for line, row in rows]
    else:
        submissions = read_table(path, layouts, report)
        if easychair.has_submissions(path):
            submissions = easychair.with_companions(path, submissions, report)
    if not submissions and not report.withdrawn:
        raise InputError(f"{path} has no submissions", "see docs/matching.md for its format")
    return submissions


def _submission(row: Row) -> Submission:
    """Return the submission of a row or a note; raise RecordError with its id."""
    name = key(row, "id")
    with errors_of(name):
        row = flatten_note(row) if "content" in row else row
        people = "authorids" if row.get("authorids") else "authors"
        return Submission(
            id=name,
            title=required(row, "title"),
            abstract=text(row, "abstract"),
            authors=tuple(dict.fromkeys(chain.from_iterable(map(_people, listed(row, people))))),
            references=listed(row, "references"),
            topics=listed(row, "topics"),
            **_demands(row),
        )


def _people(entry: str) -> list[str]:
    """Return the e-mail addresses in an entry ("a@x.org, Bob <b@x.org>"), or the id that it is."""
    return _ADDRESS.findall(entry) or [parse_person_id(entry)]


def _demands(row: Row) -> dict[str, Any]:
    return {"demand": parse_int(row, "demand"), "track": text(row, "track")}


def _read_folder(folder: Path, convert: Callable[[Row], Submission]) -> Iterator[Submission]:
    """Yield the notes of each file; the name of the file is the id of a note without one."""
    for path in find_files([folder]):
        stem, ending = bare_name(path)
        if ending != ".jsonl":
            continue
        layout = Layout("notes", ("id",), _with_default_id(stem, convert), _NOTE_COLUMNS[1:])
        notes = read_table(path, [layout])
        if not notes:
            raise row_error(path, None, "the file is empty", stem)
        yield from notes


def _rows_without_header(
    path: Path, layouts: Iterable[Layout[Submission]]
) -> list[tuple[int, list[str]]]:
    """Return the lines and cells of a CSV file without a header, nothing for other files."""
    try:
        reader = csv.reader(StringIO(_read_contents(path).decode("utf-8"), newline=""))
        first = next(reader, [])
        names = {cell.strip().lower() for cell in first}
        has_header = names & {*_PLAIN_COLUMNS} or any(names >= {*each.needed} for each in layouts)
        if has_header or len(first) != len(_PLAIN_COLUMNS):
            return []
        return [(1, first), *((reader.line_num, row) for row in reader if row)]
    except (UnicodeDecodeError, csv.Error):
        return []  # the reader of files with a header gives the reason


def _convert_row(
    path: Path, line: int, row: list[str], convert: Callable[[Row], Submission]
) -> Submission:
    try:
        if len(row) != len(_PLAIN_COLUMNS):
            raise RecordError(
                f"the row has {counted(len(row), 'column')} instead of {len(_PLAIN_COLUMNS)}"
            )
        return convert(dict(zip(_PLAIN_COLUMNS, row, strict=True)))
    except RecordError as error:
        raise row_error(path, line, str(error), error.id) from error


def _with_default_id(
    stem: str, convert: Callable[[Row], Submission]
) -> Callable[[Row], Submission]:
    return lambda row: convert(row if row.get("id") is not None else {**row, "id": stem})


def _read_object(
    path: Path, convert: Callable[[Row], Submission], report: ReadReport
) -> Iterator[Submission]:
    data = _read_contents(path)
    skipped: Counter[str] = Counter()
    for name, note in _notes(path, data):
        try:
            if not isinstance(note, dict):
                raise RecordError(f"the note must be an object, not {type_name(note)}")
            row = hotcrp.submission_row(note) if "pid" in note else note
            yield convert({**row, "id": name})
        except SkippedRow as row_skipped:
            count_skipped(row_skipped, skipped, report)
        except RecordError as error:
            at = data.find(orjson.dumps(name))
            line = data.count(b"\n", 0, at) + 1 if at >= 0 else None
            raise row_error(path, line, str(error), error.id or name) from error
    report.add_skipped(path, skipped)


def _notes(path: Path, data: bytes) -> Iterable[tuple[str, Any]]:
    try:
        notes = parse_json(data)
    except orjson.JSONDecodeError as error:
        raise row_error(path, error.lineno, f"this is not JSON: {error.msg}", None) from error
    if isinstance(notes, list):
        return [(_hotcrp_id(path, paper), paper) for paper in notes]
    if not isinstance(notes, dict):
        raise row_error(path, None, f"this is {type_name(notes)}, not an object {{id: note}}", None)
    return notes.items()


def _hotcrp_id(path: Path, paper: object) -> str:
    if not isinstance(paper, dict) or type(paper.get("pid")) is not int:
        raise row_error(
            path, None, "an entry of the list is not a paper of HotCRP with a pid", None
        )
    return str(paper["pid"])


def read_submission_conflicts(path: Path) -> list[Conflict]:
    """Read the conflicts of PC members within a JSON file of HotCRP, none from other files."""
    if path.is_dir() or kind_of(path) != "json":
        return []
    papers = [each for _, each in _notes(path, _read_contents(path)) if isinstance(each, dict)]
    try:
        return [
            conflict
            for paper in papers
            if "pid" in paper
            for conflict in hotcrp.submission_conflicts(paper)
        ]
    except RecordError as error:
        raise row_error(path, None, str(error), error.id) from error


def _read_contents(path: Path) -> bytes:
    find_file(path)
    try:
        return b"".join(read_contents(path, lambda size: None)).removeprefix(b"\xef\xbb\xbf")
    except DamagedFileError as error:
        raise row_error(path, None, str(error), None) from error
