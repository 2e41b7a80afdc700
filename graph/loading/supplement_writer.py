"""Write items that are not records of papers within a transaction."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from operator import itemgetter
from typing import Any

import neo4j

from specter_graph.graph.database import run_statement
from specter_graph.graph.loading.record_rows import (
    CITATION_PROPERTIES,
    broader_rows,
    citation_properties,
    united_fields,
)
from specter_graph.graph.loading.source_records import (
    Supplement,
    canonical_papers,
    derive_citations,
    rank,
)
from specter_graph.graph.loading.summary import WriteCounts
from specter_graph.loaders.records import Abstract, Citation, Field, Labels, Reading, sample_key

_NOTHING = dict.fromkeys(CITATION_PROPERTIES)
"""A citation of higher rank removes the properties of the replaced citation."""


def write_citations(tx: neo4j.ManagedTransaction, citations: Sequence[Citation]) -> WriteCounts:
    """Write citations; papers without a record become stubs."""
    best: dict[tuple[str, str], tuple[int, Citation]] = {}
    for citation in citations:
        key = citation.citing, citation.cited
        best[key] = max(
            best.get(key, (-1, citation)), (rank(citation), citation), key=itemgetter(0)
        )
    records = canonical_papers(tx, (cited for _, cited in best))
    papers = _number_papers(end for pair in best if pair[1] not in records for end in pair)
    plain: list[dict[str, object]] = []
    of_records: list[dict[str, object]] = []
    for (citing, cited), (of_rank, citation) in sorted(best.items(), key=itemgetter(0)):
        row: dict[str, object] = {
            "rank": of_rank,
            "properties": _NOTHING | citation_properties(citation),
        }
        if cited in records:
            of_records.append(
                row | {"citing": citing, "sample_key": sample_key(citing), "cited": cited}
            )
        else:
            plain.append(row | {"citing": papers[citing], "cited": papers[cited]})
    [counts] = run_statement(
        tx, "loading/supplement_citations", papers=_paper_rows(papers), citations=plain
    )
    if of_records:
        [added] = run_statement(tx, "loading/supplement_record_citations", citations=of_records)
        derive_citations(tx, citing={citing for citing, cited in best if cited in records})
        counts = {name: counts[name] + added[name] for name in counts}
    return _count_written(len(citations), len(best), counts["created"], counts["changed"])


def write_abstracts(tx: neo4j.ManagedTransaction, abstracts: Sequence[Abstract]) -> WriteCounts:
    """Write abstracts; if a paper has several, the longest is written."""
    best: dict[str, str] = {}
    for abstract in abstracts:
        best[abstract.id] = max(best.get(abstract.id, ""), abstract.text, key=lambda t: (len(t), t))
    rows = [{"id": key, "sample_key": sample_key(key), "text": best[key]} for key in sorted(best)]
    [row] = run_statement(tx, "loading/supplement_abstracts", abstracts=rows)
    return _count_written(len(abstracts), len(best), row["written"], 0)


def write_labels(tx: neo4j.ManagedTransaction, labels: Sequence[Labels]) -> WriteCounts:
    """Write labels of papers."""
    papers = _number_papers(label.id for label in labels)
    fields = united_fields(field for label in labels for field in label.fields)
    of: dict[tuple[str, str], dict[int, None]] = defaultdict(dict)
    for label in labels:
        for field in label.fields:
            of[field.scheme, field.id][papers[label.id]] = None
    rows = [
        {"scheme": field.scheme, "id": field.id, "name": field.name, "papers": list(of[key])}
        for key, field in fields.items()
    ]
    [row] = run_statement(tx, "loading/supplement_labels", papers=_paper_rows(papers), fields=rows)
    if broader := broader_rows(fields):
        run_statement(tx, "loading/broader", fields=broader)
    created = min(row["created"], len(labels))
    return WriteCounts(new=created, unchanged=len(labels) - created)


def write_vocabulary(tx: neo4j.ManagedTransaction, fields: Sequence[Field]) -> WriteCounts:
    """Write the labels of a vocabulary and their broader labels."""
    distinct = united_fields(fields)
    rows = [
        {"scheme": f.scheme, "id": f.id, "name": f.name, "broader": sorted(f.broader)}
        for f in distinct.values()
    ]
    [row] = run_statement(tx, "loading/vocabulary", fields=rows)
    return _count_written(len(fields), len(distinct), row["created"], 0)


def write_readings(tx: neo4j.ManagedTransaction, readings: Sequence[Reading]) -> WriteCounts:
    """Write readings: the papers that readers viewed or saved."""
    distinct = dict.fromkeys(readings)
    canonical = canonical_papers(tx, (reading.paper for reading in distinct))
    created = _create_readings(tx, [item for item in distinct if item.paper not in canonical])
    if merged := [item for item in distinct if item.paper in canonical]:
        rows = [asdict(item) for item in sorted(merged, key=lambda item: (item.paper, item.reader))]
        created += run_statement(tx, "loading/read_records", readings=rows)[0]["created"]
        _create_readings(tx, [replace(item, paper=canonical[item.paper]) for item in merged])
    return _count_written(len(readings), len(distinct), created, 0)


def _create_readings(tx: neo4j.ManagedTransaction, readings: Sequence[Reading]) -> int:
    papers = _number_papers(reading.paper for reading in readings)
    by: dict[tuple[str, str], list[dict[str, object]]] = defaultdict(list)
    for reading in readings:
        by[reading.reader, reading.kind].append(
            {"paper": papers[reading.paper], "at": reading.at, "session": reading.session}
        )
    rows = [{"id": key, "kind": kind, "readings": by[key, kind]} for key, kind in sorted(by)]
    [row] = run_statement(tx, "loading/readings", papers=_paper_rows(papers), readers=rows)
    created: int = row["created"]
    return created


def _count_written(items: int, distinct: int, created: int, changed: int) -> WriteCounts:
    unchanged = distinct - created - changed
    return WriteCounts(
        new=created, changed=changed, unchanged=unchanged, duplicates=items - distinct
    )


def _number_papers(ids: Iterable[str]) -> dict[str, int]:
    """Number papers in the order of their ids, so that concurrent loads lock in the same order."""
    return {key: number for number, key in enumerate(sorted(set(ids)))}


def _paper_rows(papers: Iterable[str]) -> list[dict[str, object]]:
    return [{"id": key, "sample_key": sample_key(key)} for key in papers]


_WRITERS: dict[type, Callable[[neo4j.ManagedTransaction, list[Any]], WriteCounts]] = {
    Citation: write_citations,
    Abstract: write_abstracts,
    Labels: write_labels,
    Field: write_vocabulary,
    Reading: write_readings,
}


def write_others(tx: neo4j.ManagedTransaction, others: Mapping[type, list[Any]]) -> WriteCounts:
    """Write items that are not papers, by their types."""
    return sum(
        (write(tx, others[kind]) for kind, write in _WRITERS.items() if others.get(kind)),
        start=WriteCounts(),
    )


def write_supplements(tx: neo4j.ManagedTransaction, items: Iterable[Supplement]) -> None:
    """Write supplements of papers."""
    others: dict[type, list[Supplement]] = defaultdict(list)
    for item in items:
        others[type(item)].append(item)
    write_others(tx, others)
