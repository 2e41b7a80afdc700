"""Read BibTeX: fields of the BibTeX manual ("BibTeXing") and of BibLaTeX's, section 2.2.

The samples have the layouts of Zotero, Better BibTeX, dblp, Google Scholar and JabRef.
"""

import tracemalloc
from functools import partial
from pathlib import Path
from time import process_time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from specter_graph.loaders.format_api import RecordIssue, UnknownField
from specter_graph.loaders.formats import bibtex
from specter_graph.loaders.formats.bibtex import BibtexEntry, convert, read_bibtex
from specter_graph.loaders.records import Author, Field, Identifier, Paper, Venue
from tests.loaders import results

SAMPLES = Path(__file__).parent / "samples"
read = partial(results.read, "bibtex")
TEXT = st.text("aé{}\\\"'#,$%@=~ \n()", max_size=12)


def authors(*names: str) -> tuple[Author, ...]:
    return tuple(Author(f"bibtex:{name}", name) for name in names)


def keywords(*names: str) -> tuple[Field, ...]:
    return tuple(Field("keyword", name, name) for name in names)


def venue(name: str) -> Venue:
    return Venue(f"bibtex:{name}", name)


def paper(kind: str = "article", **fields: str) -> Paper:
    """Return the paper of an entry that needs no repair."""
    [result] = convert(BibtexEntry(kind, "key", {"title": "A", **fields}, ""), {})
    assert isinstance(result, Paper)
    return result


def test_every_field_of_an_export_is_read():
    book = "Proceedings of the Imaginary Workshop"
    assert dict(read_bibtex(SAMPLES / "bibtex.bib")) == {
        6: Paper(
            id="kim_braided_2019",
            title="On the Homology of Braided Hölder spaces: $x_{1}$ & more",
            abstract="We show that 50% of all knots are knotted \N{EN DASH} really.",
            year=2019,
            published="2019-07",
            language="en",
            url="https://example.org/a_b~c?x=1&y=2",
            source="bibtex",
            identifiers=(
                Identifier("doi", "10.1000/abc.123"),
                Identifier("pmid", "12345678"),
                Identifier("pmcid", "PMC7654321"),
            ),
            authors=authors(
                "Ji-Woo Kim", "José Álvarez", "Jan van der Berg", "The Knot Consortium"
            ),
            venue=venue("Journal of Made-up Letters"),
            fields=keywords("braids", "knots"),
        ),
        29: Paper(
            id="doeSeeing2021",
            title="Seeing Is Not Reading: A Note",
            year=2021,
            published="2021-03-04",
            language="en",
            source="bibtex",
            identifiers=(Identifier("arxiv", "2103.01234"),),
            authors=authors("Jane Doe", "Ludwig van Beethoven"),
            fields=(*keywords("reading", "seeing"), Field("arxiv", "cs.CL", "cs.CL")),
        ),
        42: Paper(
            id="roe:paper",
            title="A Paper in a Book",
            year=2001,
            published="2001-09",
            source="bibtex",
            authors=authors("Richard Roe", "Jane Øre"),
            venue=venue(book),
        ),
        49: Paper(
            id="roe:book",
            title=book,
            year=2001,
            published="2001-09",
            source="bibtex",
            identifiers=(Identifier("isbn", "9780306406157"),),
        ),
    }


def test_problems_are_reported_and_the_rest_is_read():
    result = list(read_bibtex(SAMPLES / "bibtex.malformed.bib"))
    assert [(line, item.id, item.title) for line, item in result if isinstance(item, Paper)] == [
        (9, "bibtex:9b3cd7bd7cfce36d", "No key"),
        (28, "last", 'The "last" one'),
        (15, "mended", "Good enough"),
    ]
    problems = [(line, item) for line, item in result if isinstance(item, RecordIssue)]
    assert [(line, item.id, item.reason) for line, item in problems if not item.repaired] == [
        (1, None, "the entry cannot be read: a brace or a quotation mark is not closed"),
        (5, None, "the entry cannot be read: Expected comma after entry key, but found ="),
        (13, "untitled", "title is missing"),
    ]
    assert all(item.record for _, item in problems if not item.repaired)
    assert {item.reason for _, item in problems if item.repaired} == {
        "repeated fields, of which the first counts: title",
        "the abbreviation pnas is not defined, and was not replaced",
        "its parent entry nowhere is not in the file",
        "left out: year 199x is not a year",
        "left out: doi none is not a DOI",
    }
    assert [item for _, item in result if isinstance(item, UnknownField)] == [
        UnknownField("colour")
    ]


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("Knuth, Donald E.", "Donald E. Knuth"),
        ("Donald E. Knuth", "Donald E. Knuth"),
        ("de la Fontaine, Jean", "Jean de la Fontaine"),
        ("King, Jr., Martin Luther", "Martin Luther King Jr."),
        (r"{\"U}nl{\"u}, {\c C}a{\u g}da{\c s}", "Çağdaş Ünlü"),
        ("{Barnes and Noble}", "Barnes and Noble"),
        (r"Erd{\H o}s, P{\'a}l", "Pál Erdős"),
        ("family=Berg, given=Jan, prefix=van den, suffix=Jr.", "Jan van den Berg Jr."),
        (",", ""),
        ("肖, 发民", "肖发民"),
        ("{肖} 发民", "肖 发民"),
        ("family=肖, given=发民", "肖发民"),
    ],
)
def test_names_have_the_given_name_first(written: str, name: str):
    assert paper(author=written).authors == (authors(name) if name else ())


def test_names_between_semicolons_are_several():
    assert paper(author="Berg, A.; Erd{\\H o}s, P.").authors == authors("A. Berg", "P. Erdős")
    assert paper(author="{Food; Drugs} and Berg, A.").authors == authors("Food; Drugs", "A. Berg")


@pytest.mark.parametrize(
    "written",
    [
        r"Ann Berg \and Bo Ide \and Cy Orr",
        "Ann Berg, Bo Ide, and Cy Orr",
        "Berg, Ann, and Ide, Bo, and Orr, Cy",
        "Berg, Ann and Ide, Bo and Orr, Cy and",
    ],
)
def test_mistakes_around_and_do_not_join_names(written: str):
    assert paper(author=written).authors == authors("Ann Berg", "Bo Ide", "Cy Orr")


def test_a_repeated_author_counts_once_and_others_is_no_author():
    assert paper(author="A. B. and B, A. and A.~B. and others").authors == authors("A. B.", "A. B")


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"eprint": "2004.07180v2", "archiveprefix": "arXiv"}, ("arxiv", "2004.07180")),
        ({"eprint": "hep-ph/9901001"}, ("arxiv", "hep-ph/9901001")),
        ({"eprint": "123", "eprinttype": "pubmed"}, ("pmid", "123")),
        ({"journal": "arXiv preprint arXiv:2004.07180"}, ("arxiv", "2004.07180")),
        ({"journal": "CoRR", "volume": "abs/2004.07180"}, ("arxiv", "2004.07180")),
        ({"number": "arXiv:2004.07180", "publisher": "arXiv"}, ("arxiv", "2004.07180")),
        ({"arxivid": "2004.07180"}, ("arxiv", "2004.07180")),
        ({"pmid": "7"}, ("pmid", "7")),
        ({"pmcid": "PMC7"}, ("pmcid", "PMC7")),
        ({"url": "https://aclanthology.org/P18-1001/"}, ("acl", "P18-1001")),
        ({"biburl": "https://dblp.org/rec/conf/acl/X20.bib"}, ("dblp", "conf/acl/X20")),
        ({"doi": r"https://doi.org/10.1000/A\_b"}, ("doi", "10.1000/a_b")),
    ],
)
def test_identifiers_are_read_from_the_fields_of_each_program(
    fields: dict[str, str], expected: tuple[str, str]
):
    assert paper(**fields).identifiers == (Identifier(*expected),)


def test_a_number_of_another_archive_is_no_arxiv_id():
    assert paper(eprint="2004.07180", eprinttype="jstor", eprintclass="x") == paper()


def test_a_doi_of_arxiv_is_an_arxiv_id_too():
    assert paper(doi="10.48550/arXiv.2004.07180").identifiers == (
        Identifier("doi", "10.48550/arxiv.2004.07180"),
        Identifier("arxiv", "2004.07180"),
    )


def test_the_isbn_of_a_book_is_not_its_chapters():
    assert paper("book", isbn="0-306-40615-2").identifiers == (Identifier("isbn", "9780306406157"),)
    assert paper("incollection", isbn="0-306-40615-2").identifiers == ()


def test_all_preprints_of_arxiv_have_one_venue():
    assert paper(journal="arXiv preprint arXiv:2004.07180").venue == venue("arXiv")
    assert paper(publisher="{arXiv}").venue == venue("arXiv")


@pytest.mark.parametrize(
    ("fields", "year", "published"),
    [
        ({"year": "1999"}, 1999, None),
        ({"year": "1999", "month": "10~Sep."}, 1999, "1999-09"),
        ({"year": "1999", "month": "#jun#"}, 1999, "1999-06"),
        ({"date": "2020-02-29"}, 2020, "2020-02-29"),
        ({"date": "2020-02/2020-03", "year": "1999"}, 2020, "2020-02"),
        ({"year": "in press, 2004"}, 2004, None),
        ({"year": r"{\noopsort{b}}1977"}, 1977, None),
    ],
)
def test_the_fields_of_a_date_give_year_and_iso_form(
    fields: dict[str, str], year: int, published: str | None
):
    assert (paper(**fields).year, paper(**fields).published) == (year, published)


def test_a_link_is_read_from_howpublished():
    assert paper(howpublished=r"\url{https://example.org/a}").url == "https://example.org/a"


def test_an_abbreviation_applies_to_later_entries():
    text = """@STRING(j = "Journal") @string{jx = j # { of } # "X"}
        @article{a, title = "A" # "B", journal = JX}"""
    [(_, result)] = read(text)
    assert isinstance(result, Paper)
    assert (result.title, result.venue) == ("AB", venue("Journal of X"))


def test_nested_abbreviations_have_a_limit():
    """ "Billion laughs": 10^17 characters from 1 KB; the test must not allocate 100 MB."""
    levels = range(1, 17)
    strings = ['@string{a0 = "aaaaaaaaaa"}']
    strings += [f"@string{{a{n} = {' # '.join([f'a{n - 1}'] * 10)}}}" for n in levels]
    sums = [f"@string{{b{n} = a3}}" for n in range(200)]  # 10,000 characters each
    entries = [
        "@article{long, title = a3, " + ", ".join(f"f{n} = a3" for n in range(50)) + "}",
        f"@article{{joined, title = {' # '.join(['a3'] * 50)}}}",
        "@article{fits, title = {A} # a0}",
    ]
    tracemalloc.start()
    result = read("\n".join([*strings, *sums, *entries]))
    _, largest = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert largest < 100 * 2**20
    assert [each.title for _, each in result if isinstance(each, Paper)] == ["A" + "a" * 10]
    refused = [each for _, each in result if isinstance(each, RecordIssue) and not each.repaired]
    assert {each.reason for each in refused if each.id in ("long", "joined")} == {
        "abbreviations add more than 65,536 characters to the entry"
    }
    assert sum("all abbreviations" in each.reason for each in refused) > 100


def test_an_entry_inherits_from_parents_before_and_after_it_and_from_theirs():
    text = """
        @xdata{x, year = 2010, language = {german}}
        @inbook{a, title = {A}, crossref = {B}, xdata = {x}}
        @book{b, title = {Book}, author = {Ann One}, crossref = {c}, year = 2011}
        @mvbook{c, title = {Books}, month = may}
        @book{d, title = {Loop}, crossref = {d}}"""
    papers = {result.id: result for _, result in read(text) if isinstance(result, Paper)}
    assert papers.keys() == {"a", "b", "c", "d"}
    assert papers["a"] == Paper(
        id="a", title="A", year=2011, published="2011-05", language="de", source="bibtex",
        authors=authors("Ann One"), venue=venue("Books"),
    )  # fmt: skip


def test_parents_that_inherit_from_each_other_take_linear_time():
    names = ",".join(f"k{n}" for n in range(40))
    parents = [f"@xdata{{k{n}, xdata = {{{names}}}, year = {{2{n:03}}}}}" for n in range(40)]
    begin = process_time()
    [(_, result)] = read("\n".join([*parents, f"@book{{a, title = {{A}}, xdata = {{{names}}}}}"]))
    assert process_time() - begin < 2
    assert result == Paper(id="a", title="A", year=2000, source="bibtex")


def test_comments_are_no_entries():
    text = """Anything may stand here, even a { or one@example.org.
        @comment{ and here, "as well }
        %@article{a, title = {A}}
        % @article{b,
        %   title = {B}}
        @article{c, title = {100 % C}} trailing words
        """
    result = read(text)
    assert [(line, item.title) for line, item in result if isinstance(item, Paper)] == [
        (6, "100 % C")
    ]
    assert len(result) == 1


def test_entries_of_semantic_scholar_may_have_several_types():
    text = """@['JournalArticle', 'Review']{a,\n title = {A}}\n\n@[Book]{b,\n title = {B},
        isbn = {978-0-306-40615-7}}"""
    first, second = (item for _, item in read(text))
    assert (first.id, second.id) == ("a", "b")
    assert second.identifiers == (Identifier("isbn", "9780306406157"),)
    assert bibtex.detect("a.txt", text.encode()) == "BibTeX, @journalarticle"


def test_a_file_of_another_encoding_is_read_and_reported():
    text = "@article{a,\n title = {M\xfcller},\r\n year = 1999}"
    [(line, problem), (_, result)] = read(text.encode("latin-1"))
    assert isinstance(problem, RecordIssue)
    assert (line, problem.repaired) == (2, True)
    assert isinstance(result, Paper)
    assert result.title == "Müller"
    assert read(text.encode("utf-16")) == [(1, result)]


def test_an_entry_without_end_is_not_held_in_memory(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(bibtex, "MAX_ENTRY_LENGTH", 100)
    text = "@article{a, title = {" + "line\n" * 50 + "\n@article{b, title = {B}}"
    [(_, problem), (line, result)] = read(text)
    assert isinstance(problem, RecordIssue)
    assert (line, result) == (52, Paper(id="b", title="B", source="bibtex"))


@settings(max_examples=50)
@given(st.lists(st.tuples(TEXT, TEXT, TEXT), max_size=5))
def test_every_entry_is_a_paper_or_a_reasoned_reject(values: list[tuple[str, str, str]]):
    entries = [
        BibtexEntry("article", f"k{n}", {"title": title, "author": author, "year": year}, "text")
        for n, (title, author, year) in enumerate(values)
    ]
    result = [item for entry in entries for item in convert(entry, {})]
    papers = [item.id for item in result if isinstance(item, Paper)]
    rejected = [item.id for item in result if isinstance(item, RecordIssue) and not item.repaired]
    assert sorted(papers + [key or "" for key in rejected]) == sorted(e.key for e in entries)


def test_the_address_of_a_pdf_is_no_arxiv_id():
    """Wiley writes the address of the text into eprint."""
    pages = "https://rss.onlinelibrary.wiley.com/doi/pdf/10.1111/j.1467-9868.2005.00503.x"
    assert paper(eprint=pages).identifiers == ()
    assert paper(eprint="10.1111/1467-8659.12345").identifiers == ()
    for written in ("2004.07180", "https://arxiv.org/abs/2004.07180v2"):
        assert paper(eprint=written).identifiers == (Identifier("arxiv", "2004.07180"),)


@pytest.mark.parametrize(
    ("journal", "name"),
    [
        (r"\apj", "The Astrophysical Journal"),
        (r"{\mnras}", "Monthly Notices of the Royal Astronomical Society"),
        (r"\newj", "newj"),
        (r"Caf\'e \& Bar", "Caf\u00e9 & Bar"),
    ],
)
def test_a_journal_named_by_a_macro_has_its_name(journal: str, name: str):
    assert paper(journal=journal).venue == venue(name)
