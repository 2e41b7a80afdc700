"""Select the papers of a load."""

import pytest

from specter_graph.loaders.paper_filter import PaperFilter, language_of
from specter_graph.loaders.records import Field, Identifier, Paper

PAPER = Paper(
    "a",
    "Gluon amplitudes at two loops",
    abstract="We compute the helicity amplitudes of four gluons and discuss their poles.",
    year=2001,
    identifiers=(Identifier("arxiv", "hep-ph/0001001"),),
    fields=(Field("arxiv", "cs.LG", "Machine Learning"),),
    references=("b", "c"),
)
BARE = Paper("b", "Étude des amplitudes de diffusion dans la théorie quantique des champs")


@pytest.mark.parametrize(
    ("filters", "takes", "takes_bare"),
    [
        (PaperFilter(), True, True),
        (PaperFilter(languages=("en",)), True, False),
        (PaperFilter(languages=("fr", "de")), False, True),
        (PaperFilter(fields=("CS.lg",)), True, False),
        (PaperFilter(fields=("cs",)), True, False),
        (PaperFilter(fields=("machine learning", "x")), True, False),
        (PaperFilter(fields=("c",)), False, False),
        (PaperFilter(years=(2001, 2001)), True, False),
        (PaperFilter(years=(2002, None)), False, False),
        (PaperFilter(years=(None, 2001)), True, False),
        (PaperFilter(in_arxiv=True), True, False),
        (PaperFilter(in_arxiv=False), False, True),
        (PaperFilter(has_abstract=True), True, False),
        (PaperFilter(min_references=2), True, False),
        (PaperFilter(min_references=3), False, False),
        (PaperFilter(min_references=2, years=(None, 2000)), False, False),
    ],
)
def test_a_filter_selects_the_described_papers(filters: PaperFilter, takes: bool, takes_bare: bool):
    assert (filters(PAPER), filters(BARE)) == (takes, takes_bare)


def test_a_language_given_by_the_source_is_used():
    assert language_of(Paper("a", PAPER.title, language="DE-at")) == "de"


@pytest.mark.parametrize(
    ("language", "wanted", "takes"),
    [
        ("de-AT", "de", True),
        ("ger", "DE", True),
        ("de", "deu", True),
        ("de", "german", True),
        ("arm", "hy", True),
        ("arm", "ar", False),
        ("ice", "is", True),
        ("ice", "ic", False),
        ("nb", "no", True),
        ("yue-HK", "yue", True),
        ("yue", "yu", False),
        ("spanglish", "sp", False),
    ],
)
def test_a_language_has_several_forms(language: str, wanted: str, takes: bool):
    assert PaperFilter(languages=(wanted,))(Paper("a", "A", language=language)) is takes


def test_papers_are_not_rejected_for_fields_in_other_files_of_the_source():
    assert PaperFilter(has_abstract=True)(Paper("a", "A", elsewhere=("abstract",)))
    assert not PaperFilter(has_abstract=True)(Paper("a", "A", elsewhere=("references",)))
    assert PaperFilter(min_references=5)(Paper("a", "A", elsewhere=("references",)))
    assert not PaperFilter(min_references=5)(Paper("a", "A", elsewhere=("abstract",)))
