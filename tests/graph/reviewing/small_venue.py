"""A venue whose results can be computed by hand.

Ann and Bob review. Submission s1 is by Cara, s2 by Ann, s3 by authors without records.

    p1 (2023) Cara, Ann      p3 (2020) Dan, Bob      p5 (no year) Cara, Bob
    p2 (2015) Cara, Ann      p4 (2021) Dan, Bob      p6 (2022) Bob

    p1 -> c1, c2     p6 -> c1, x     m -> p6, p3     p6 -> p3
    s1 cites p6, c1, m       s2 cites c2, p3
"""

from specter_graph.graph.database import Database
from specter_graph.graph.loading.loader import load_papers
from specter_graph.graph.reviewing.citation_signals import count_citation_signals
from specter_graph.graph.reviewing.venue_import import VenueRecords, import_venue
from specter_graph.loaders.records import Affiliation, Author, Field, Paper
from specter_graph.loaders.review_records import Reviewer, Submission

ACME, BELL, CERN = (Affiliation(key, f"{key} Inc") for key in ("acme", "bell", "cern"))
ANN_ORCID = "0000-0002-1825-0097"


def ann(*at: Affiliation) -> Author:
    return Author("openalex:A1", "Ann", True, ANN_ORCID, at)


def bob(*at: Affiliation) -> Author:
    return Author("openreview:~Bob_B1", "Bob", True, affiliations=at)


def cara(*at: Affiliation) -> Author:
    return Author("x:cara", "Cara", True, affiliations=at)


def dan(*at: Affiliation) -> Author:
    return Author("Dan", "Dan", affiliations=at)


PAPERS = [
    Paper("p1", "One", year=2023, authors=(cara(ACME), ann(BELL)), references=("c1", "c2")),
    Paper("p2", "Two", year=2015, authors=(cara(CERN), ann(CERN))),
    Paper("p3", "Three", year=2020, authors=(dan(), bob(ACME))),
    Paper("p4", "Four", year=2021, authors=(dan(), bob())),
    Paper("p5", "Five", authors=(cara(), bob())),
    Paper(
        "p6",
        "Six",
        year=2022,
        authors=(bob(ACME),),
        references=("c1", "x", "p3"),
        fields=(Field("keyword", "g", "Graph  Learning"), Field("mesh", "D1", "Optics")),
    ),
    Paper("m", "Between", references=("p6", "p3")),
]
SUBMISSIONS = [
    Submission(
        "s1",
        "On s1",
        "Its abstract.",
        ("x:cara",),
        ("p6", "c1", "m"),
        ("graph learning", "Ethics"),
    ),
    Submission("s2", "On s2", None, ("openalex:A1", "nobody"), ("c2", "p3", "lost")),
    Submission("s3", "On s3"),
]
REVIEWERS = [Reviewer("A1", 1, 4), Reviewer("~Bob_B1", senior=True)]
YEAR = 2024


def load_small_venue(graph: Database, venue: str = "V") -> None:
    load_papers(graph, PAPERS)
    import_venue(
        graph, venue, VenueRecords(submissions=SUBMISSIONS, reviewers=REVIEWERS, year=YEAR)
    )


def citation_counts(graph: Database) -> dict[tuple[str, str], tuple[int, ...]]:
    """Return (cited, shared, two hops) of the pairs with a count above 0."""
    signals = count_citation_signals(graph, "V")
    matrices = [each.toarray() for each in (signals.cited, signals.shared, signals.two_hops)]
    return {
        (reviewer, submission): counts
        for row, reviewer in enumerate(signals.reviewers)
        for column, submission in enumerate(signals.submissions)
        if any(counts := tuple(int(each[row, column]) for each in matrices))
    }
