"""Papers on light and sound for reading lists."""

from specter_graph.loaders.records import Author, Field, Identifier, Paper, Venue


def paper(id: str, title: str, **values: object) -> Paper:
    return Paper(id, title, source="test", **values)


PAPERS = [
    paper(
        "a",
        "Slow light & fast <sound>",
        abstract="Light is slow.",
        year=2011,
        published="2011-05-09",
        language="en",
        identifiers=(Identifier("doi", "10.1000/a"), Identifier("arxiv", "2004.07180")),
        authors=(Author("x:1", "Anna B. Light"), Author("x:2", "Bo van Sound Jr.")),
        venue=Venue("v", "Journal of Waves"),
        fields=(Field("keyword", "light", "light"),),
    ),
    paper("b", "Slow light in glass", year=2012, references=("a", "stub")),
    paper("c", "Fast sound in glass and slow light", year=2013, references=("a", "b")),
    paper("d", "Potatoes", year=1999),
]
