"""RIS of papers, for reference managers."""

from collections.abc import Iterator, Sequence

from specter_graph.graph.database import Database
from specter_graph.graph.export.selection import Selection
from specter_graph.graph.export.source import Source, StoredPaper

_PROPERTIES = ("title", "abstract", "year", "published", "language", "url", "doi", "arxiv_id")


def ris(db: Database, paper_ids: Sequence[str]) -> str:
    """Return the records of papers; those without a record in the graph have none."""
    papers = Source(db, Selection([*paper_ids])).papers(*_PROPERTIES)
    return "".join(entry(paper) for paper in papers if not paper.stub)


def entry(paper: StoredPaper) -> str:
    """Return the record of a paper, from TY to ER, followed by an empty line."""
    lines = [f"{tag}  - {' '.join(value.split())}" for tag, value in _values(paper)]
    return "".join(f"{line}\r\n" for line in [*lines, "ER  - ", ""])


def _values(paper: StoredPaper) -> Iterator[tuple[str, str]]:
    values = paper.values
    yield "TY", "JOUR" if paper.venues else "GEN"
    yield "ID", paper.id
    yield "TI", values["title"] or paper.id
    for author in paper.authors:
        yield "AU", author["name"] or author["id"]
    if paper.venues:
        yield "JO", paper.venues[0]["name"] or paper.venues[0]["id"]
    if values["year"] is not None:
        yield "PY", str(values["year"])
    if values["published"]:
        yield "DA", values["published"].replace("-", "/")
    if values["doi"]:
        yield "DO", values["doi"]
    if values["arxiv_id"]:
        yield "UR", f"https://arxiv.org/abs/{values['arxiv_id']}"
    if values["url"]:
        yield "UR", values["url"]
    if values["language"]:
        yield "LA", values["language"]
    for field in paper.fields:
        yield "KW", field["name"] or field["id"]
    if values["abstract"]:
        yield "AB", values["abstract"]
