"""Hypothesis strategies for corpora of every kind of item, with frequent collisions."""

from hypothesis import strategies as st

from specter_graph.loaders.records import (
    Abstract,
    Affiliation,
    Author,
    Citation,
    Field,
    Identifier,
    Item,
    Labels,
    Paper,
    Reading,
    Venue,
)

IDS = st.sampled_from("abcde")
NAMES = st.sampled_from(["Ann", "Zoë", 'O"Neil, "J', "x"])
TEXTS = st.sampled_from(["We look.", 'Two\nlines; "quoted", naïve 😀', "\x1f", "a\\", "é" * 40])


def lists(strategy: st.SearchStrategy, largest: int) -> st.SearchStrategy:
    return st.lists(strategy, max_size=largest).map(tuple)


AFFILIATIONS = st.builds(Affiliation, st.sampled_from("fg"), NAMES)
AUTHORS = st.builds(
    # The form of an id shows whether it identifies an author.
    lambda number, **rest: Author(f"author {number}", identified=number > 1, **rest),
    st.integers(0, 3),
    name=NAMES,
    orcid=st.none() | st.sampled_from(["0001", "0002"]),
    affiliations=lists(AFFILIATIONS, 2),
)
FIELDS = st.builds(
    Field, st.sampled_from("st"), st.sampled_from("xyz"), NAMES, lists(st.sampled_from("xyzw"), 2)
)
DETAILS = {
    "intents": lists(TEXTS, 2),
    "influential": st.none() | st.booleans(),
    "contexts": lists(TEXTS, 2),
}
CITATIONS = st.builds(Citation, IDS, IDS, **DETAILS).filter(lambda c: c.citing != c.cited)
PAPERS = st.builds(
    Paper,
    id=IDS,
    title=TEXTS,
    abstract=st.none() | TEXTS,
    year=st.none() | st.integers(1990, 1992),
    published=st.none() | st.just("1990-01-02"),
    language=st.none() | st.just("en"),
    url=st.none() | st.just("u"),
    source=st.none() | st.just("s"),
    body=st.none() | TEXTS,
    retracted=st.none() | st.booleans(),
    identifiers=lists(
        st.builds(Identifier, st.sampled_from(["doi", "arxiv", "mag"]), st.sampled_from("12")), 3
    ),
    authors=lists(AUTHORS, 3),
    venue=st.none() | st.builds(Venue, st.sampled_from("jk"), NAMES),
    fields=lists(FIELDS, 3),
    references=lists(IDS, 4),
    citations=lists(st.builds(Citation, st.just("any"), IDS, **DETAILS), 3),
    elsewhere=st.sampled_from([(), ("abstract",), ("references",), ("abstract", "references")]),
)
ITEMS: st.SearchStrategy[Item] = st.one_of(
    PAPERS,
    PAPERS,
    CITATIONS,
    st.builds(Abstract, IDS, TEXTS),
    st.builds(Labels, IDS, lists(FIELDS, 2)),
    FIELDS,
    st.builds(
        Reading,
        st.sampled_from("rs"),
        IDS,
        st.sampled_from(["VIEWED", "SAVED"]),
        at=st.none() | st.just("2001"),
        session=st.none() | st.just("1"),
    ),
)
CORPORA = st.lists(ITEMS, max_size=25)

ADA = Author("orcid:1", "Ada", True, "1", (Affiliation("ror:1", "Here"), Affiliation("ror:2", "B")))
FULL = Paper(
    "a",
    'On "this",\nand that; naïve 😀 \\',
    abstract="We look\r\nand see.",
    year=1999,
    published="1999-01-02",
    language="en",
    url="https://example.org/a",
    source="hand",
    body="All of it. " * 5_000,
    retracted=False,
    identifiers=(Identifier("doi", "10.1/a"), Identifier("doi", "10.2/a"), Identifier("mag", "7")),
    authors=(ADA, Author("hand:bob", "Bob"), Author("orcid:1", "Ada L.", True)),
    venue=Venue("hand:j", "J"),
    fields=(Field("mesh", "D1", "Disease", ("D0",)), Field("keyword", "x", "x")),
    references=("b", "c", "d"),
    citations=(
        Citation("a", "b", ("method",), True, ('They say "so";\x1f and so.', "Again.")),
        Citation("a", "c", contexts=("as in [3]",)),
    ),
)
EVERY_KIND: list[Item] = [
    FULL,
    Paper("a", "Shorter, so it does not count", references=("never",), authors=(Author("n", "N"),)),
    Paper(
        "b",
        "Told elsewhere",
        year=2001,
        authors=(Author("orcid:1", "Ada", True, None, (Affiliation("ror:1", "Over here"),)),),
        fields=(Field("mesh", "D1", "D1"), Field("keyword", "y", "y")),
        venue=Venue("hand:j", "Journal"),
        elsewhere=("abstract", "references"),
    ),
    Citation("a", "c", ("background",), None, ("seen here",)),
    Citation("a", "c", influential=True),
    Citation("b", "a"),
    Citation("e", "f", ("result",)),
    Abstract("b", "Short."),
    Abstract("a", "Shorter than its own, and counts."),
    Abstract("b", "The longer one,\nof two lines."),
    Abstract("stub with an abstract", "Of a paper without a Record."),
    Abstract("stub with an abstract", "Of a paper without a record."),  # of this length the last
    Abstract("stub with an abstract", "Of a paper without a REcord."),
    Labels("b", (Field("keyword", "y", "y"), Field("keyword", "z", "z", ("y",)))),
    Labels("labeled in vain", ()),
    Field("mesh", "D0", "All", ()),
    Field("mesh", "D2", "Other disease", ("D0", "D9")),
    Reading("r", "a", "VIEWED", "2001-01-01", "1"),
    Reading("r", "a", "VIEWED", "2001-01-01", "1"),
    Reading("r", "a", "VIEWED", "2001-01-02", None),
    Reading("r", "read only", "SAVED"),
]
