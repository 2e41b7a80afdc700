"""Fill gaps of papers from web services: abstracts, identifiers, references and citing papers.

Records of a source complete papers: each has an identifier of the scheme `enriches` whose value is
the id of its paper. The merge combines the record with the paper: values that the paper has remain,
and the SourceRecord says where a new value comes from. A record has only the parts that the paper
lacks, so that the first source that has a part counts.

Papers are completed in portions, and all answers are stored: an interrupted run, started again,
asks nothing twice.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from time import monotonic
from typing import Literal, TypeAlias

from specter_graph.core.errors import InputError, require_choice, text_list
from specter_graph.core.progress import Progress, batches, silent
from specter_graph.graph.database import Database
from specter_graph.graph.deduplication.duplicates import family_name, normal_title
from specter_graph.graph.deduplication.merge import MergeSummary, merge_again
from specter_graph.graph.loading.loader import load_papers
from specter_graph.graph.loading.source_records import SourceContent, record_from_json
from specter_graph.graph.maintenance.reading_lists import list_entries
from specter_graph.loaders.identifiers import ENRICHES, is_distinctive
from specter_graph.loaders.paper_sources import (
    IDENTIFIERS,
    Answer,
    IncompletePaper,
    PaperSource,
    omit_parts,
)
from specter_graph.loaders.records import Abstract, Citation, Field, Identifier, Item, Paper

EnrichPart: TypeAlias = Literal["abstracts", "identifiers", "references", "citing"]

ENRICH_PARTS: tuple[EnrichPart, ...] = ("abstracts", "identifiers", "references")
"""The parts that are looked up by default."""
_MISSING = {
    "abstracts": frozenset({"abstract"}),
    "identifiers": IDENTIFIERS,
    "references": frozenset({"references"}),
    "citing": frozenset({"citing"}),
}
_PAPERS = 500
"""Papers that are completed together."""
_MAX_YEARS = 1
"""Years between two records of equal titles that are the same paper: a preprint and its article."""


@dataclass(frozen=True, slots=True)
class EnrichedPart:
    """The papers that lacked a part.

    Attributes:
        part: "abstract", "references", "citing" (papers that cite it) or a scheme of identifiers.
        missing: Number of papers that lacked the part.
        by_source: Number of papers that got the part, by source.
        remaining: Number of papers without the part.
    """

    part: str
    missing: int
    by_source: dict[str, int]
    remaining: int


@dataclass(frozen=True, slots=True)
class EnrichSummary:
    """The result of `enrich`.

    Attributes:
        papers: Papers that were looked up.
        unidentified: Papers that cannot be looked up: they have no identifier that a source knows,
            and not all of title, year and author.
        parts: Counts of each part.
        requests: Number of requests that were sent, including repeated ones, by source; all other
            answers were stored.
        failures: The error of each source that did not answer.
        merge: The result of the merge.
        seconds: Duration.
    """

    papers: int
    unidentified: int
    parts: tuple[EnrichedPart, ...]
    requests: dict[str, int]
    failures: dict[str, str]
    merge: MergeSummary
    seconds: float


@dataclass(frozen=True, slots=True)
class EnrichPlan:
    """The plan of `enrich`.

    Attributes:
        papers: Papers that would be looked up.
        unidentified: As for `EnrichSummary`.
        missing: Number of papers that lack a part, by part.
        requests: Number of requests for all of these papers, by source. A source is asked for fewer
            papers if the sources before it have their values. The papers that cite a paper may take
            several requests.
    """

    papers: int
    unidentified: int
    missing: dict[str, int]
    requests: dict[str, int]


def enrich(
    db: Database,
    sources: Sequence[PaperSource],
    parts: Iterable[EnrichPart] = (),
    *,
    list: str | None = None,
    max_papers: int | None = None,
    report: Path | str | None = None,
    progress: Progress = silent,
) -> EnrichSummary:
    """Look up the missing parts of papers in open sources; see `Maintenance.enrich`."""
    started = monotonic()
    papers, unidentified = incomplete_papers(db, sources, parts, list=list, max_papers=max_papers)
    failures: dict[str, str] = {}
    got: dict[tuple[str, str], tuple[str, str]] = {}
    done = 0
    for portion in batches(papers, _PAPERS):
        load_papers(db, _complete(db, sources, portion, got, failures))
        done += len(portion)
        progress("papers", done, len(papers))
    merge = merge_again(db, report=report, progress=progress)
    return EnrichSummary(
        papers=len(papers),
        unidentified=unidentified,
        parts=_enriched_parts(db, list, papers, got),
        requests={source.name: source.http.requests for source in sources},
        failures=failures,
        merge=merge,
        seconds=monotonic() - started,
    )


def preview(
    db: Database,
    sources: Sequence[PaperSource],
    parts: Iterable[EnrichPart] = (),
    *,
    list: str | None = None,
    max_papers: int | None = None,
) -> EnrichPlan:
    """Count the papers that lack parts, and the requests for them; nothing is sent or changed.

    The arguments are those of `enrich`.
    """
    papers, unidentified = incomplete_papers(db, sources, parts, list=list, max_papers=max_papers)
    requests = {}
    for source in sources:
        requested = [questions[0] for paper in papers if (questions := source.questions(paper))]
        citing = sum(
            "citing" in source.gives & paper.missing and not _is_answered([source], paper)
            for paper in papers
        )
        requests[source.name] = source.unanswered(requested) + citing
    return EnrichPlan(len(papers), unidentified, _missing(papers), requests)


def incomplete_papers(
    db: Database,
    sources: Sequence[PaperSource],
    parts: Iterable[EnrichPart],
    *,
    list: str | None,
    max_papers: int | None,
) -> tuple[list[IncompletePaper], int]:
    """Return the papers that lack parts and that a source can look up, in the order of their ids.

    The second value is the number of papers that no source can look up, whatever they lack. Papers
    for which no request is sent, because all answers are stored, do not count for `max_papers`.
    """
    used = text_list("parts", parts) or ENRICH_PARTS
    for part in used:
        require_choice("part", part, _MISSING)
    if list is not None:
        list_entries(db, list)
    wanted = frozenset[str]().union(*(_MISSING[part] for part in used))
    papers, requested, unidentified = [], 0, 0
    for row in db.stream("maintenance/incomplete_papers", list=list, enriches=ENRICHES):
        known = dict(reversed([(scheme, value) for scheme, value in row["identifiers"]]))
        has = {part for part in ("abstract", "references") if row[part]} | known.keys()
        paper = IncompletePaper(
            row["id"], row["title"], row["year"], row["author"], known, wanted - has
        )
        if not any(source.first_question(paper) for source in sources):
            unidentified += not any(
                source.first_question(replace(paper, missing=source.gives)) for source in sources
            )
            continue
        if max_papers is not None and not _is_answered(sources, paper):
            requested += 1
            if requested > max_papers:
                continue
        papers.append(paper)
    return papers, unidentified


def is_same_paper(paper: IncompletePaper, other: Paper) -> bool:
    """Return True if a record from a search for the title describes the paper.

    The letters and digits of the titles and the family names of the first authors are equal, and
    the years differ by one at most.
    """
    title, author = normal_title(paper.title), family_name(paper.author or "")
    if not is_distinctive(paper.title) or not author or not other.authors:
        return False
    return (
        title == normal_title(other.title)
        and author == family_name(other.authors[0].name)
        and paper.year is not None
        and other.year is not None
        and abs(paper.year - other.year) <= _MAX_YEARS
    )


def _missing(papers: Iterable[IncompletePaper]) -> dict[str, int]:
    return dict(sorted(Counter(part for paper in papers for part in paper.missing).items()))


def _enriched_parts(
    db: Database,
    list: str | None,
    papers: Sequence[IncompletePaper],
    got: Mapping[tuple[str, str], tuple[str, str]],
) -> tuple[EnrichedPart, ...]:
    """Count the parts that the merge has given to papers; `got` names source and record of each."""
    records: dict[str, set[str]] = {}
    for row in db.stream("maintenance/incomplete_papers", list=list, enriches=ENRICHES):
        own = {row["id"], *row["records"]}
        records |= dict.fromkeys(own, own)
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for (paper, part), (source, record) in got.items():
        if record in records.get(paper, ()):
            counts[part][source] += 1
    return tuple(
        EnrichedPart(part, missing, dict(counts[part]), missing - counts[part].total())
        for part, missing in _missing(papers).items()
    )


def _complete(
    db: Database,
    sources: Iterable[PaperSource],
    papers: Iterable[IncompletePaper],
    got: dict[tuple[str, str], tuple[str, str]],
    failures: dict[str, str],
) -> Iterator[Item]:
    """Yield the items that sources have of papers; `got` gets source and record of each part."""
    lacking = {paper.id: paper for paper in papers}
    loaded = _MatchingRecords()
    for source in sources:
        if source.name in failures:
            continue
        try:
            records = loaded.assign(db, _look_up(source, lacking.values()))
            for key, (record, labels) in records.items():
                paper = lacking[key]
                lacking[key] = _with_record(source, paper, record)
                for part in paper.missing - lacking[key].missing:
                    got[key, part] = source.name, record.id
                loaded.add(omit_parts(record, *{"abstract", "references"} - paper.missing), key)
                loaded.labels.update(dict.fromkeys(labels))
            for key, paper in lacking.items():
                if "citing" in source.gives & paper.missing:
                    cited = records[key][0] if key in records else source.blank(paper)
                    if cited and _add_citing(source, paper, cited, loaded):
                        got[key, "citing"] = source.name, cited.id
                        lacking[key] = replace(paper, missing=paper.missing - {"citing"})
        except InputError as error:
            failures[source.name] = error.one_line
    yield from loaded.items(db)


def _look_up(
    source: PaperSource, papers: Iterable[IncompletePaper]
) -> dict[str, tuple[Paper, list[Field]]]:
    """Return the records that a source has of papers, with the labels above their labels."""
    records: dict[str, tuple[Paper, list[Field]]] = {}
    waiting = {paper.id: (paper, source.questions(paper)) for paper in papers}
    while waiting := {k: each for k, each in waiting.items() if each[1] and k not in records}:
        answers = source.ask(questions[0] for _, questions in waiting.values())
        for key, (paper, questions) in waiting.items():
            question = questions.pop(0)
            if record := _record(source, paper, question, answers[question]):
                records[key] = record
    return records


def _record(
    source: PaperSource, paper: IncompletePaper, question: str, answer: Answer
) -> tuple[Paper, list[Field]] | None:
    """Return the record of a paper in an answer, with the labels above its labels."""
    for record, labels in source.papers(answer, paper):
        if not question.startswith("title:") or is_same_paper(paper, record):
            return record, labels
    return None


def _is_answered(sources: Iterable[PaperSource], paper: IncompletePaper) -> bool:
    """Return True if `enrich` sends no request for a paper, because all answers are stored."""
    for source in sources:
        cited = source.blank(paper)
        for question in source.questions(paper):
            stored = source.cache.get(source.url, [question])
            if not stored:
                return False
            if answered := _record(source, paper, question, stored[question]):
                cited = answered[0]
                paper = _with_record(source, paper, cited)
                break
        citing = source.citing_question(cited) if cited else None
        if citing and "citing" in paper.missing:
            stored = source.cache.get(source.url, [citing])
            if not stored:
                return False
            if cited and any(isinstance(i, Citation) for i in source.citing(stored[citing], cited)):
                paper = replace(paper, missing=paper.missing - {"citing"})
    return True


def _with_record(source: PaperSource, paper: IncompletePaper, record: Paper) -> IncompletePaper:
    """Return a paper that lacks less, because a source has a record of it."""
    has = {part for part in ("abstract", "references") if getattr(record, part)}
    known = {identifier.scheme: identifier.value for identifier in reversed(record.identifiers)}
    missing = paper.missing - (source.gives & (has | known.keys()))
    return replace(paper, identifiers=known | dict(paper.identifiers), missing=missing)


def _add_citing(
    source: PaperSource, paper: IncompletePaper, record: Paper, loaded: "_MatchingRecords"
) -> bool:
    """Add the papers that cite a paper; return False if the source knows none."""
    question = source.citing_question(record)
    if question is None:
        return False
    before = len(loaded.citations)
    for item in source.citing(source.ask([question])[question], record):
        if isinstance(item, Citation):
            loaded.citations[item] = None
        elif isinstance(item, Field):
            loaded.labels[item] = None
        else:
            loaded.citing.setdefault(item.id, item)
    if record.id not in loaded.records and len(loaded.citations) > before:
        loaded.add(record, paper.id)
    return len(loaded.citations) > before


class _MatchingRecords:
    """Records that sources have of a portion of papers.

    Attributes:
        records: Records of these papers, by id.
        enriches: Id of the paper that a record completes.
        citing: Records of papers that cite them.
        citations: Citations of them, in order.
        labels: Labels above the labels of the records, in order.
    """

    def __init__(self) -> None:
        self.records: dict[str, Paper] = {}
        self.enriches: dict[str, str] = {}
        self.citing: dict[str, Paper] = {}
        self.citations: dict[Citation, None] = {}
        self.labels: dict[Field, None] = {}
        self._papers: dict[Identifier, str] = {}

    def assign(
        self, db: Database, matches: Mapping[str, tuple[Paper, list[Field]]]
    ) -> dict[str, tuple[Paper, list[Field]]]:
        """Return the records of a source by paper, without those of other papers.

        A record completes one paper, and has no identifier of another, so that no two papers are
        combined.
        """
        records = [record for record, _ in matches.values()]
        known = _known_records(db, [record.id for record in records])
        owners = _owners(db, records)
        assigned = {}
        for paper, (record, labels) in matches.items():
            earlier = known.get(record.id)
            if earlier and earlier.papers and paper not in earlier.papers:
                continue
            if self.enriches.setdefault(record.id, paper) != paper:
                continue
            own = tuple(
                identifier
                for identifier in record.identifiers
                if owners.get(identifier, {paper}) <= {paper}
                and self._papers.setdefault(identifier, paper) == paper
            )
            assigned[paper] = replace(record, identifiers=own), labels
        return assigned

    def add(self, record: Paper, paper: str) -> None:
        """Add a record of a paper."""
        self.records[record.id] = record
        self.enriches[record.id] = paper

    def items(self, db: Database) -> Iterator[Item]:
        """Yield the items to be loaded.

        A record that was loaded otherwise is not replaced: it only gets the missing parts.
        """
        yield from self.labels
        known = _known_records(db, [*self.records, *self.citing])
        owners = _owners(db, self.citing.values())
        for key, record in (self.citing | self.records).items():
            earlier = known.get(key)
            if earlier and not earlier.marks:
                if key in self.records:
                    if record.abstract:
                        yield Abstract(key, record.abstract)
                    yield from (Citation(key, reference) for reference in record.references)
                continue
            if key in self.records:
                marks, others = {self.enriches[key]}, record.identifiers
            else:
                marks, others = earlier.marks if earlier else {key}, _of_one(record, owners)
            yield replace(
                record,
                identifiers=(*others, *(Identifier(ENRICHES, paper) for paper in sorted(marks))),
            )
        yield from self.citations


def _of_one(record: Paper, owners: Mapping[Identifier, set[str]]) -> tuple[Identifier, ...]:
    """Return the identifiers of a record without those of a second paper of the graph."""
    first = min(
        (min(owners[identifier]) for identifier in record.identifiers if identifier in owners),
        default="",
    )
    return tuple(
        identifier
        for identifier in record.identifiers
        if owners.get(identifier, {first}) <= {first}
    )


@dataclass(frozen=True, slots=True)
class _KnownRecord:
    """A record in the graph.

    Attributes:
        papers: The paper of the record; empty if it only cites papers, so that any may get it.
        marks: Values of ENRICHES; empty for a record that `enrich` has not added.
    """

    papers: set[str]
    marks: set[str]


def _known_records(db: Database, ids: Sequence[str]) -> dict[str, _KnownRecord]:
    known: dict[str, _KnownRecord] = {}
    for row in db.read("maintenance/known_records", ids=ids, enriches=ENRICHES):
        marks = {*row["enriches"]}
        papers = {row["paper"]} if row["paper"] else marks - {row["id"]}
        if row["json"]:
            paper = SourceContent.from_json(row["json"]).paper
            paper = record_from_json(row["pending_record"]) if row["pending_record"] else paper
            ids_of = paper.identifiers if paper else ()
            marks = {identifier.value for identifier in ids_of if identifier.scheme == ENRICHES}
        known[row["id"]] = _KnownRecord(papers if marks else papers or {row["id"]}, marks)
    return known


def _owners(db: Database, records: Iterable[Paper]) -> dict[Identifier, set[str]]:
    """Return the papers that have the identifiers of records."""
    pairs = {
        (identifier.scheme, identifier.value)
        for record in records
        for identifier in record.identifiers
    }
    rows = db.read(
        "maintenance/owned_identifiers",
        identifiers=[[*pair] for pair in sorted(pairs)],
        enriches=ENRICHES,
    )
    return {Identifier(row["scheme"], row["value"]): {*row["papers"]} for row in rows}
