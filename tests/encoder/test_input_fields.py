"""Test the parts of a paper that a model reads, as one text or separately."""

import numpy as np
import pytest

from specter_graph.core.errors import InputError
from specter_graph.encoder.encoder import Encoder
from specter_graph.encoder.input_fields import TITLE_AND_ABSTRACT, texts_of, venue_name, words_of
from specter_graph.encoder.recipe import read_recipe
from specter_graph.loaders.records import PaperText

PAPER = PaperText(
    "1",
    "neutrino mass",
    "quark of the jet",
    venue="Proc. of the 3rd Annual Halo Meeting, 2019",
    authors=("A Dwarf", "B Dual"),
    references=("string", "brane"),
    body="galaxy",
)
BARE = PaperText("2", "halo")


def test_parts_come_in_the_requested_order_and_may_be_empty():
    parts = ("body", "title", "venue", "authors", "references", "abstract")
    assert texts_of(PAPER, parts) == [
        "galaxy",
        "neutrino mass",
        "halo meeting",
        "A Dwarf, B Dual",
        "string; brane",
        "quark of the jet",
    ]
    assert texts_of(BARE, parts) == ["", "halo", "", "", "", ""]
    assert words_of([PAPER, BARE], TITLE_AND_ABSTRACT) == [
        "neutrino mass quark of the jet",
        "halo ",
    ]


@pytest.mark.parametrize(
    "name",
    [
        "Proceedings of the 12th Annual Meeting of the ACL",
        "ACL Meeting 1999",
        "Meeting ACL, Vol. 3",
    ],
)
def test_a_venues_years_are_one(name):
    assert sorted(venue_name(name).split()) == ["acl", "meeting"]


def test_the_text_of_title_and_abstract_has_not_changed(tiny_bert):
    base = Encoder.base(tiny_bert).model
    assert base.text(PAPER) == "neutrino mass[SEP]quark of the jet"
    assert base.text(BARE) == "halo[SEP]"


def test_only_the_parts_that_are_read_change_vectors(tiny_bert):
    without = Encoder.base(str(tiny_bert), parts=("title",))
    both = Encoder.base(str(tiny_bert))
    more = Encoder.base(str(tiny_bert), parts=(*TITLE_AND_ABSTRACT, "references"))
    other = PaperText("1", "neutrino mass", "brane dual")
    np.testing.assert_array_equal(without.encode([PAPER]), without.encode([other]))
    assert not np.allclose(both.encode([PAPER]), both.encode([other]))
    assert not np.allclose(both.encode([PAPER]), more.encode([PAPER]))
    assert len({each.digest for each in (without, both, more)}) == 3


def test_separate_parts_give_concatenated_vectors(tiny_bert):
    separate = Encoder.base(str(tiny_bert), separate_parts=True)
    single = Encoder.base(str(tiny_bert), parts=("title",))
    assert separate.dimension == 64
    papers = [PAPER, BARE, PAPER]
    abstracts = [PaperText("", paper.abstract or "") for paper in papers]
    expected = np.hstack([single.encode(papers), single.encode(abstracts)])
    np.testing.assert_allclose(separate.encode(papers), expected, atol=1e-6)


@pytest.mark.parametrize(
    ("name", "changes", "message"),
    [
        ("full", {"base.separate_parts": True}, "is for heads"),
        ("head", {"base.parts": ["title", "title"]}, "repeats a part"),
        ("head", {"base.parts": []}, "at least 1"),
        ("head", {"base.parts": ["figures"]}, "base.parts"),
    ],
)
def test_an_invalid_recipe_is_refused(name, changes, message):
    with pytest.raises(InputError, match=message):
        read_recipe(name).changed(changes)
