"""The group `graph.screening`: screening of reading lists for systematic reviews.

Labels are properties of the entries of a list:

    (:ReadingList)-[:LISTS {included, labeled}]->(:Paper)
"""

import csv
import io
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from operator import itemgetter
from pathlib import Path

import numpy as np
from scipy.sparse import csr_matrix, hstack
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression

from specter_graph.core.atomic_files import write_file
from specter_graph.core.errors import (
    GraphError,
    InputError,
    require_choice,
    require_counts,
    text_list,
)
from specter_graph.core.statistics import LEVEL, recall_bound, recall_p_value
from specter_graph.core.vectors import Vectors, unit
from specter_graph.graph.embeddings.paper_texts import paper_texts
from specter_graph.graph.embeddings.spaces import first_space
from specter_graph.graph.export.references import ReferenceExport
from specter_graph.graph.maintenance.reading_lists import LABELS, Label, list_entries
from specter_graph.graph.queries.library_queries import current_ids
from specter_graph.graph.search.hits import SearchHit, add_details
from specter_graph.graph.search.missing_references import papers_by_entry
from specter_graph.graph.search.vector_search import vectors_or_zeros
from specter_graph.groups import Group
from specter_graph.loaders.corpus_files import find_file, read_head
from specter_graph.loaders.format_api import ParseResult, RecordError, RecordIssue
from specter_graph.loaders.formats import csv as tables
from specter_graph.loaders.formats import ris
from specter_graph.loaders.parsing.delimited import escape_formula
from specter_graph.loaders.parsing.tabular import Row, cell, column_names, read_table
from specter_graph.loaders.parsing.tagged_lines import Record, read_tagged_records
from specter_graph.loaders.records import Paper

RECALL = 0.95
"""The default target of recall."""
VECTOR_WEIGHT = 0.5
"""Length of the vectors beside the words, whose TF-IDF has the length 1; see bench/screening.py."""
LABEL_COLUMNS = ("asreview_label", "included", "label_included", "final_included", "label")
"""Columns of labels in tables of ASReview and of `export_labels`, the preferred one first.

A table of ASReview has the label of each screened paper in `asreview_label`, beside the column
`included` that the table had before.
"""
_TIME_COLUMNS = {"asreview_label": "asreview_time"}
"""The columns of times, by that of the labels; `labeled` for all others."""
_VALUES = {"1": True, "yes": True, "true": True, "0": False, "no": False, "false": False}
_ASREVIEW = re.compile(r"\bASReview_(relevant|irrelevant)\b")
_RAYYAN = re.compile(r"RAYYAN-INCLUSION:\s*\{([^}]*)\}")
_DECISION = re.compile(r'=>\s*"(\w+)"')
_DECISIONS = {"relevant": True, "irrelevant": False, "Included": True, "Excluded": False}
_NO_LABEL = frozenset({"", "-1", "nan"})
_EXPORTED = ("id", "title", "abstract", "authors", "year", "doi", "included", "labeled", "note")


@dataclass(frozen=True, slots=True)
class ScreeningStatus:
    """The counts of a PRISMA flow diagram, and the stopping rule.

    Attributes:
        name: The list.
        identified: Records: those that `merge` combined count separately.
        duplicates: Records that were removed because `merge` combined them with others.
        papers: Papers of the list, which are to be screened.
        screened: Papers with a label.
        included: Papers with the label yes.
        excluded: Papers with the label no.
        not_screened: Papers without a label.
        recall_target: The share of the relevant papers that are to be included.
        p_value: The p-value of the hypothesis that the recall is below the target.
        recall_lower_bound: The lower bound of the recall with a nominal confidence of 95 %, which
            may be too high (docs/reading-lists.md); None if no paper is included.
        may_stop: True if the p-value is below 0.05.
    """

    name: str
    identified: int
    duplicates: int
    papers: int
    screened: int
    included: int
    excluded: int
    not_screened: int
    recall_target: float
    p_value: float
    recall_lower_bound: float | None
    may_stop: bool


@dataclass(frozen=True, slots=True)
class LabelImport:
    """The rows of a table of labels.

    Attributes:
        rows: All rows, or records of RIS.
        labeled: Papers that got a label.
        unlabeled: Rows without a label.
        unmatched: Titles or ids of labeled rows whose paper is not in the list.
        contradictory: Titles or ids of papers that have rows with yes and rows with no. They get
            the label yes.
    """

    rows: int
    labeled: int
    unlabeled: int
    unmatched: tuple[str, ...]
    contradictory: tuple[str, ...]


class Screening(Group):
    """Screening of the papers of a reading list: labels, ranking, stopping rule, PRISMA counts."""

    def label(self, name: str, ids: Sequence[str], label: Label) -> ScreeningStatus:
        """Label papers of a reading list, in the order in which you screened them.

        Args:
            name: The list.
            ids: The papers.
            label: yes (included), no (excluded), or none, which removes the label.

        Returns:
            The counts afterwards.

        Raises:
            GraphError: The list is not in the graph, or a paper is not in the list.
            InputError: The label is unknown.
        """
        ids = text_list("ids", ids)
        require_choice("label", label, LABELS)
        known = {entry.id for entry in list_entries(self.database, name)}
        current = current_ids(self.database, ids)
        absent = [each for each, now in zip(ids, current, strict=True) if now not in known]
        if absent:
            raise GraphError(
                f"the list {name!r} does not have {absent[0]!r}",
                f"specter-graph lists add {name!r} {absent[0]}",
            )
        papers = dict.fromkeys(current)
        labels = [{"id": paper, "included": LABELS[label], "at": None} for paper in papers]
        self.database.write("lists/label", name=name, labels=labels)
        return self.status(name)

    def rank(
        self, name: str, *, k: int = 10, space: str | None = None, seed: int = 0
    ) -> list[SearchHit]:
        """Rank the papers of a list without a label by a classifier that learns from the labels.

        The classifier is a logistic regression on the words and on the vectors of a space. Without
        an included paper, the order is random; without an excluded one, the papers without a label
        take their place.

        Args:
            name: The list.
            k: The number of papers.
            space: The embedding space, by default `specter` if the graph has it, else `base`, else
                `static`, else words alone.
            seed: The seed of the random order.

        Returns:
            The papers to screen next, the best first. A score is not a calibrated probability. It
            is 0 before the first included paper.

        Raises:
            GraphError: The list or the space is not in the graph.
        """
        require_counts(k=k)
        db = self.database
        entries = list_entries(db, name)
        ids = [entry.id for entry in entries]
        texts = {text.id: f"{text.title} {text.abstract or ''}" for text in paper_texts(db, ids)}
        space = space or first_space(db)
        vectors = vectors_or_zeros(db, space, ids) if space else None
        features = screening_features([texts.get(paper, "") for paper in ids], vectors)
        order = rank_unlabeled(features, [entry.included for entry in entries], seed)
        hits = [SearchHit(ids[row], None, None, score) for row, score in order[:k]]
        return add_details(db, hits)

    def status(self, name: str, *, recall: float = RECALL) -> ScreeningStatus:
        """Count the papers of a screening, and test whether you may stop.

        Args:
            name: The list.
            recall: The share of the relevant papers that are to be included, between 0 and 1.

        Raises:
            GraphError: The list is not in the graph.
            InputError: `recall` is invalid.
        """
        if not 0 < recall < 1:
            raise InputError(f"recall is {recall}", f"choose a share between 0 and 1: {RECALL}")
        entries = list_entries(self.database, name)
        records = self.database.value("lists/records", name=name)
        times = [
            (datetime.fromisoformat(entry.labeled), bool(entry.included))
            for entry in entries
            if entry.labeled
        ]
        labels = [label for _, label in sorted(times, key=itemgetter(0))]
        included = sum(labels)
        p_value = recall_p_value(labels, len(entries), recall)
        return ScreeningStatus(
            name=name,
            identified=records,
            duplicates=records - len(entries),
            papers=len(entries),
            screened=len(labels),
            included=included,
            excluded=len(labels) - included,
            not_screened=len(entries) - len(labels),
            recall_target=recall,
            p_value=p_value,
            recall_lower_bound=recall_bound(labels, len(entries)) if included else None,
            may_stop=p_value < 1 - LEVEL,
        )

    def import_labels(self, name: str, path: Path | str) -> LabelImport:
        """Label the papers of a list by a table or by RIS.

        The rows are in the order of screening, unless a column `labeled`, or `asreview_time` for
        the labels of ASReview, has times. A paper is found by its id, its identifiers or its
        title.

        Args:
            name: The list.
            path: CSV, TSV or Parquet with one of LABEL_COLUMNS, such as an export of ASReview or
                of `export_labels`, with 1, yes or true; 0, no or false; or nothing. Or a table or
                RIS with the decisions of Rayyan or ASReview in the notes.

        Raises:
            GraphError: The list is not in the graph.
            InputError: The file cannot be read, has no labels, or has an invalid time.
        """
        known = {entry.id for entry in list_entries(self.database, name)}
        rows = _read_labels(Path(path))
        if rows and not any(row.labels for row in rows):
            raise InputError(f"{path} has no label", "export the labels or decisions, too")
        given = [(row.paper, label, row.time) for row in rows for label in row.labels]
        papers = self._find([paper for paper, _, _ in given], known)
        labels: dict[str, dict[str, object]] = {}
        contradictory: dict[str, str] = {}
        for (paper, title), (_, included, at) in zip(papers, given, strict=True):
            if paper in labels and labels[paper]["included"] != included:
                contradictory.setdefault(paper, title)
                if not included:
                    continue
            if paper:
                labels[paper] = {"id": paper, "included": included, "at": at}
        unmatched = tuple(title for paper, title in papers if not paper)
        self.database.write("lists/label", name=name, labels=[*labels.values()])
        unlabeled = sum(not row.labels for row in rows)
        return LabelImport(len(rows), len(labels), unlabeled, unmatched, (*contradictory.values(),))

    def export_labels(self, name: str, path: Path | str) -> ReferenceExport:
        """Write the papers of a list with their labels as CSV, which ASReview reads, too.

        Args:
            name: The list.
            path: The file.

        Returns:
            The number of papers, and that of stubs, which are left out, labeled ones too.

        Raises:
            GraphError: The list is not in the graph.
            InputError: The file cannot be written.
        """
        every = list_entries(self.database, name)
        entries = [entry for entry in every if entry.title]
        ids = [entry.id for entry in entries]
        rows = {row["id"]: row for row in self.database.value("search/hits", ids=ids)}
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(_EXPORTED)
        for entry in entries:
            label = "" if entry.included is None else int(entry.included)
            own = {"included": label, "labeled": entry.labeled, "note": entry.note}
            values = rows[entry.id] | {"authors": "; ".join(entry.authors)} | own
            cells = (values[column] for column in _EXPORTED)
            writer.writerow([escape_formula(c) if isinstance(c, str) else c for c in cells])
        write_file(path, text.getvalue())
        return ReferenceExport(str(path), len(entries), len(every) - len(entries))

    def _find(
        self, entries: Sequence[Paper], known: Collection[str]
    ) -> list[tuple[str | None, str]]:
        """Return the paper of each entry, if it is in the list, and the title, else the id."""
        ids = [entry.id for entry in entries]
        current = self.database.value("embeddings/has_vectors", ids=ids, spaces=[])
        by_id = {row["id"]: row["paper"] for row in current if row["paper"] in known}
        papers = [by_id.get(entry.id) for entry in entries]
        others = [number for number, paper in enumerate(papers) if not paper]
        for place, paper in papers_by_entry(self.database, [entries[n] for n in others]).items():
            if paper in known:
                papers[others[place]] = paper
        return [(paper, e.title or e.id) for paper, e in zip(papers, entries, strict=True)]


def screening_features(texts: Sequence[str], vectors: Vectors | None = None) -> csr_matrix:
    """Return the features of the classifier: TF-IDF of words, and vectors with half their length.

    Args:
        texts: Titles with abstracts, n; "" for an unknown text.
        vectors: Vectors of the papers, (n, d) float32; zeros for a missing one.

    Returns:
        Features, (n, f) float64.
    """
    try:
        words = TfidfVectorizer(sublinear_tf=True).fit_transform(texts)
    except ValueError:  # no text has a word
        words = csr_matrix((len(texts), 1))
    if vectors is None:
        return words
    return csr_matrix(hstack([words, VECTOR_WEIGHT * unit(vectors)]))


def rank_unlabeled(
    features: csr_matrix, labels: Sequence[bool | None], seed: int
) -> list[tuple[int, float]]:
    """Rank papers without a label by a logistic regression.

    Args:
        features: Features of the papers, (n, f), by `screening_features`.
        labels: Included, not included, or None for no label, n.
        seed: The seed of the random order, if no paper is included.

    Returns:
        The rows without a label and their scores, the best first.
    """
    rows = [row for row, label in enumerate(labels) if label is None]
    labeled = [row for row, label in enumerate(labels) if label is not None]
    if not rows or not any(labels):
        shuffled = np.random.default_rng(seed).permutation(rows)
        return [(int(row), 0.0) for row in shuffled]
    if all(labels[row] for row in labeled):
        labeled = [*range(len(labels))]
    model = LogisticRegression(class_weight="balanced", max_iter=1_000)
    model.fit(features[labeled], [bool(labels[row]) for row in labeled])
    scores = model.predict_proba(features[rows])[:, 1]
    best = np.argsort(-scores, kind="stable")
    return [(rows[place], float(scores[place])) for place in best]


@dataclass(frozen=True, slots=True)
class _LabeledRow:
    """A row of a table or a record of RIS: its paper, labels (none, one or both), and time."""

    paper: Paper
    labels: tuple[bool, ...]
    time: str | None = None


def _read_labels(path: Path) -> list[_LabeledRow]:
    """Return the rows of a table or the records of RIS, with their labels."""
    is_ris = ris.detect(path.name, read_head(find_file(path))[0])
    return [*(_read_ris if is_ris else _read_rows)(path)]


def _read_ris(path: Path) -> Iterator[_LabeledRow]:
    """Yield the records of RIS, with the labels in their notes."""
    for line, record in read_tagged_records(path, lambda size: None, ris.LAYOUT):
        if isinstance(record, Record):
            labels = _labels_in_notes(" ".join(record.all("N1")))
            yield _LabeledRow(_read_paper(ris.convert(record), ""), labels)
        elif not record.repaired:
            raise InputError(f"line {line} of {path}: {record.reason}")


def _read_rows(path: Path) -> Iterator[_LabeledRow]:
    """Yield the rows of a table, with the labels of a column or of notes."""
    names = column_names(path)
    column = next((name for name in (*LABEL_COLUMNS, "notes") if name in names), None)
    if column is None:
        raise InputError(
            f"{path} has no column of labels, or cannot be read",
            "use RIS of Rayyan or ASReview, or a CSV, TSV or Parquet file with a column 'included'"
            " of 1, 0, or nothing",
        )
    rows: list[Row] = []

    def collect(row: Row) -> Iterator[ParseResult]:
        rows.append(row)
        yield from ()

    for number, result in read_table(path, lambda size: None, collect, frozenset(names)):
        if isinstance(result, RecordIssue) and not result.repaired:
            raise InputError(f"line {number} of {path}: {result.reason}")
    for number, row in enumerate(rows, 1):
        place, text = f"row {number} of {path}", cell(row, column)
        labels = _labels_in_notes(text) if column == "notes" else _read_label(text, place)
        written = cell(row, _TIME_COLUMNS.get(column, "labeled")) if labels else ""
        paper = _read_paper(tables.convert(row), cell(row, "title"))
        yield _LabeledRow(paper, labels, _read_time(written, place))


def _read_label(written: str, place: str) -> tuple[bool, ...]:
    value = written.lower().removesuffix(".0")
    if value not in _NO_LABEL | _VALUES.keys():
        raise InputError(f"{place} has the label {written!r}", "use 1 or yes, 0 or no")
    return (_VALUES[value],) if value in _VALUES else ()


def _labels_in_notes(notes: str) -> tuple[bool, ...]:
    """Return the decisions in notes of Rayyan or ASReview: none, one, or yes and no.

    Rayyan: `RAYYAN-INCLUSION: {"Ann"=>"Included", "Bo"=>"Maybe"} | RAYYAN-LABELS: ...`. ASReview:
    `ASReview_relevant`.
    """
    written = _ASREVIEW.findall(notes)
    for decisions in _RAYYAN.findall(notes):
        written += _DECISION.findall(decisions)
    labels = {_DECISIONS[each] for each in written if each in _DECISIONS}
    return tuple(sorted(labels, reverse=True))


def _read_paper(results: Iterator[ParseResult], title: str) -> Paper:
    """Return the paper of a row or a record; of an invalid one, its id and title."""
    try:
        return next(record for record in results if isinstance(record, Paper))
    except RecordError as error:
        return Paper(error.id or "", title)


def _read_time(value: str, place: str) -> str | None:
    """Return the time of a label with its zone, by default UTC; None for an empty value."""
    if not value:
        return None
    try:
        time = datetime.fromisoformat(value)
        return (time if time.tzinfo else time.replace(tzinfo=UTC)).astimezone(UTC).isoformat()
    except (ValueError, OverflowError):
        raise InputError(
            f"{place} has the time {value!r}", "use ISO 8601: 2026-11-25T19:20:00Z"
        ) from None
