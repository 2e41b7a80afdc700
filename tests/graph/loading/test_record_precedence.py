"""The rank of a record depends on all its fields, and grows with its length."""

from dataclasses import fields, replace

import pytest

from specter_graph.graph.loading.source_records import length_of, rank
from specter_graph.loaders.records import (
    Affiliation,
    Author,
    Citation,
    Field,
    Identifier,
    Paper,
    Venue,
)

BARE = Paper("p", "T")
AUTHOR = Author("a", "A")
FIELD = Field("s", "f", "F")
OTHER = {
    "id": "q",
    "title": "U",
    "year": 1999,
    "retracted": True,
    "identifiers": (Identifier("doi", "10.1/x"),),
    "authors": (AUTHOR,),
    "venue": Venue("v", "V"),
    "fields": (FIELD,),
    "references": ("q",),
    "citations": (Citation("p", "q", ("method",)),),
    "elsewhere": ("abstract",),
}


@pytest.mark.parametrize("name", [field.name for field in fields(Paper)])
def test_each_field_of_a_paper_changes_the_rank(name: str):
    assert rank(replace(BARE, **{name: OTHER.get(name, "text")})) != rank(BARE)


@pytest.mark.parametrize(
    ("name", "entry", "changed"),
    [
        *(
            ("authors", AUTHOR, replace(AUTHOR, **{name: value}))
            for name, value in {
                "id": "b",
                "name": "B",
                "identified": True,
                "orcid": "0",
                "affiliations": (Affiliation("x", "X"),),
            }.items()
        ),
        *(
            ("fields", FIELD, replace(FIELD, **{name: value}))
            for name, value in {"scheme": "t", "id": "g", "name": "G", "broader": ("h",)}.items()
        ),
        ("venue", Venue("v", "V"), Venue("w", "V")),
        ("venue", Venue("v", "V"), Venue("v", "W")),
    ],
)
def test_each_field_of_authors_labels_and_venues_changes_the_rank(
    name: str, entry: object, changed: object
):
    of = (lambda each: each) if name == "venue" else (lambda each: (each,))
    assert rank(replace(BARE, **{name: of(entry)})) != rank(replace(BARE, **{name: of(changed)}))


def test_a_longer_record_ranks_higher():
    longer = replace(BARE, abstract="x" * 100)
    assert rank(longer) > rank(BARE)
    assert length_of(rank(longer)) == length_of(rank(BARE)) + 100 - len("null") + len('""')


def test_a_complete_record_ranks_above_a_longer_partial_one():
    expected = replace(BARE, abstract="x", references=("q",))
    for elsewhere in (("abstract",), ("abstract", "references")):
        separate = replace(BARE, title="T" * 1_000, elsewhere=elsewhere)
        assert 0 < rank(separate) < rank(expected) < 2**63
