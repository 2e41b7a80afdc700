"""Records of one paper from several sources, a paper that it cites, and a paper that cites it."""

from dataclasses import replace

from specter_graph.graph.database import Database
from specter_graph.graph.deduplication.merge import restore_batches
from specter_graph.loaders.records import (
    Affiliation,
    Author,
    Citation,
    Field,
    Identifier,
    Paper,
    Reading,
    Venue,
)

ACME = Affiliation("ror:1", "Acme")
DOI = Identifier("doi", "10.1234/x")
CROSSREF = Paper(
    "doi:10.1234/x",
    "A deep model",
    year=2017,
    source="crossref",
    identifiers=(DOI,),
    authors=(Author("crossref:A. Vas", "A. Vas", affiliations=(ACME,)),),
    references=("doi:10.1/seq", "doi:10.1/other"),
    citations=(Citation("doi:10.1234/x", "doi:10.1/seq", ("method",), contexts=("as [2] do",)),),
)
OPENALEX = Paper(
    "openalex:W1",
    "A Deep Model",
    abstract="We look deep.",
    year=2018,
    source="openalex",
    retracted=True,
    identifiers=(Identifier("openalex", "W1"), DOI, Identifier("arxiv", "1706.1")),
    authors=(Author("openalex:A1", "Ann Vas", True), Author("openalex:A2", "Noa Sha", True)),
    venue=Venue("openalex:S1", "arXiv"),
    fields=(Field("topic", "T1", "Language"),),
    references=("openalex:W2",),
    citations=(Citation("openalex:W1", "openalex:W2", ("background",), True, ("see [1]",)),),
)
SEQUENCE = Paper(
    "openalex:W2",
    "Sequences",
    source="openalex",
    identifiers=(Identifier("openalex", "W2"), Identifier("doi", "10.1/seq")),
)
CITING = Paper("openalex:W3", "Another", references=("openalex:W1", "arxiv:1706.1"))
VIEW = Reading("r", "openalex:W1", "VIEWED", "2020-01-01")
EXAMPLE = [CROSSREF, OPENALEX, SEQUENCE, CITING, VIEW, replace(VIEW, paper="arxiv:1706.1")]


def restore_all(graph: Database) -> int:
    """Restore the records of all merged papers; return the number of records."""
    papers = graph.read("MATCH (:SourceRecord)-[:DESCRIBES]->(p) RETURN DISTINCT p.id AS id")
    return restore_batches(graph, sorted(row["id"] for row in papers))
