"""Parse names, dates, keywords, identifiers and languages of personal libraries."""

import time
from collections.abc import Callable

import pytest

from specter_graph.loaders.formats.bibliography import (
    date,
    from_notes,
    from_url,
    keywords,
    name_in_order,
    split_names,
)
from specter_graph.loaders.identifiers import arxiv, doi, doi_url, isbn, language_code, orcid
from specter_graph.loaders.records import Identifier


@pytest.mark.parametrize(
    ("written", "month", "expected"),
    [
        ("2020-07-05", "", (2020, "2020-07-05")),
        ("2020/7/5/", "", (2020, "2020-07-05")),
        ("2020-07-00", "", (2020, "2020-07")),
        ("2020-13-01", "", (2020, None)),
        ("5 July 2020", "", (2020, "2020-07")),
        ("2020", "jul", (2020, "2020-07")),
        ("2020", "7", (2020, "2020-07")),
        ("2020", "13", (2020, None)),
        ("2020", "summer", (2020, None)),
        ("c1999", "", (1999, None)),
        ("1994/1995", "", (1994, None)),
        ("20200705", "", (2020, "2020-07-05")),
        ("20200700", "", (2020, "2020-07")),
        ("12345", "", (None, None)),
        ("199x", "jul", (None, None)),
    ],
)
def test_a_date_gives_its_year_and_its_iso_form(
    written: str, month: str, expected: tuple[int | None, str | None]
):
    assert date(written, month) == expected


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("King, Martin Luther, Jr.", "Martin Luther King Jr."),
        ("King, Martin L Jr", "Martin L King Jr"),
        ("Ide, Ann 3rd", "Ann Ide 3rd"),
        ("Ide, IV", "IV Ide"),
        ("Plato", "Plato"),
        ("Ann One", "Ann One"),
        ("One,A.,,,x", "A. One"),
        (",", ""),
        ("张, 伟", "张伟"),
        ("やまだ,タロウ", "やまだタロウ"),
        ("김, 철수", "김철수"),
        ("张, Wei", "Wei 张"),
        ("张 伟", "张 伟"),
    ],
)
def test_a_name_is_written_with_the_first_name_first(written: str, name: str):
    assert name_in_order(written) == name


def test_keywords_are_separated_by_semicolons_lines_or_else_commas():
    def names(*values: str) -> list[str]:
        return [field.name for field in keywords(values)]

    assert names("a, b,a") == ["a", "b"]
    assert names("a, b; c", "d\ne") == ["a, b", "c", "d", "e"]
    assert names("", " ;; ") == []
    assert names("深度\N{FULLWIDTH SEMICOLON}图像", "检索\N{IDEOGRAPHIC COMMA}分类") == [
        *("深度", "图像", "检索", "分类")
    ]


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://doi.org/10.1000/A", ("doi", "10.1000/a")),
        ("http://arxiv.org/abs/hep-ph/9901001v2", ("arxiv", "hep-ph/9901001")),
        ("https://arxiv.org/pdf/2004.07180.pdf", ("arxiv", "2004.07180")),
        ("https://pubmed.ncbi.nlm.nih.gov/7/", ("pmid", "7")),
        ("http://www.ncbi.nlm.nih.gov/pubmed/7", ("pmid", "7")),
        ("https://www.ncbi.nlm.nih.gov/pmc/articles/PMC7/", ("pmcid", "PMC7")),
        ("https://aclanthology.org/2020.acl-main.447.pdf", ("acl", "2020.acl-main.447")),
        ("https://dblp.org/rec/conf/acl/X20", ("dblp", "conf/acl/X20")),
        ("http://sfx.x.org/a?sid=E&id=doi:10.1000%2FA&title=B", ("doi", "10.1000/a")),
    ],
)
def test_addresses_contain_identifiers(url: str, expected: tuple[str, str]):
    assert from_url(url) == Identifier(*expected)
    assert from_url(url.replace("/", "|")) is None


def test_notes_contain_identifiers():
    note = "Some words.\nPMID: 7\nPMCID: PMC8\n DOI: 10.1000/A\narXiv: 2004.07180 [cs]\nPMID 9"
    assert list(from_notes([note])) == [
        Identifier("pmid", "7"),
        Identifier("pmcid", "PMC8"),
        Identifier("doi", "10.1000/a"),
        Identifier("arxiv", "2004.07180"),
    ]


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("978-0-306-40615-7", "9780306406157"),
        ("0-306-40615-2", "9780306406157"),
        ("080442957x", "9780804429573"),
        ("0-306-40615-3", None),
        ("978-0-306-40615-8", None),
        ("", None),
    ],
)
def test_an_isbn_has_13_digits_and_a_valid_check_digit(written: str, expected: str | None):
    assert isbn(written) == (Identifier("isbn", expected) if expected else None)


@pytest.mark.parametrize(
    ("written", "code"),
    [
        ("eng", "en"),
        ("en-GB", "en"),
        ("en_US", "en"),
        ("English; French", "en"),
        ("Portuguese, English", "pt"),
        ("ngerman", "de"),
        ("Chinese", "zh"),
        ("xx", "xx"),
        ("arm", "hy"),
        ("baq", "eu"),
        ("geo", "ka"),
        ("ice", "is"),
        ("mac", "mk"),
        ("wel", "cy"),
        ("nn", "no"),
    ],
)
def test_a_language_has_one_code(written: str, code: str):
    assert language_code(written) == code


@pytest.mark.parametrize(
    ("written", "result"),
    [
        ("https://orcid.org/0000-0002-1825-0097", "0000-0002-1825-0097"),
        ("0000000179841889", "0000-0001-7984-1889"),  # example of NLM's description of PubMed's XML
        ("http://orcid.org/000000021694233x", "0000-0002-1694-233X"),
        ("00000001798418890", None),
        ("0000-0001-7984", None),
    ],
)
def test_an_orcid_has_its_hyphens(written: str, result: str | None):
    assert orcid(written) == result


@pytest.mark.parametrize(
    ("written", "result"),
    [
        ("arXiv:hep-th/9901001v2", "hep-th/9901001"),
        ("math.GT/0309136", "math/0309136"),
        ("-hep-ph/9901001", "hep-ph/9901001"),
        ("https://arxiv.org/abs/cs/0309136", "cs/0309136"),
        ("a/b/0309136", "b/0309136"),
        ("hep-th/99010011", None),
    ],
)
def test_old_ids_of_arxiv(written: str, result: str | None):
    assert arxiv(written) == (Identifier("arxiv", result) if result else None)


@pytest.mark.parametrize(
    "read", [arxiv, doi, from_url, lambda text: next(from_notes([text]), None)]
)
@pytest.mark.parametrize("piece", ["a", "a-", "-", "10.1111.", "10.1111.1", "\n", "http://"])
def test_texts_without_identifiers_take_linear_time(
    read: Callable[[str], Identifier | None], piece: str
):
    started = time.process_time()
    assert read(piece * 100_000) is None
    assert time.process_time() - started < 2


@pytest.mark.parametrize(
    ("written", "names"),
    [
        ("Ide, Ann", ["Ann Ide"]),
        ("Ide Orr, Ann Bo", ["Ann Bo Ide Orr"]),
        ("Ann Ide, Bo Orr, Cy Ash", ["Ann Ide", "Bo Orr", "Cy Ash"]),
        ("Ann Ide,Bo Orr", ["Ann Ide", "Bo Orr"]),
        ("Ann Ide, Bo Orr and Cy Ash", ["Ann Ide", "Bo Orr", "Cy Ash"]),
        ("Ann Ide, Bo Orr, and Cy Ash", ["Ann Ide", "Bo Orr", "Cy Ash"]),
        ("Ide, A. B., & Orr, C.", ["A. B. Ide", "C. Orr"]),
        ("Food & Drugs, Inc.", ["Inc. Food & Drugs"]),
        ("van der Ide AB, Orr C", ["van der Ide AB", "Orr C"]),
        ("Ide, Ann and Orr, Bo", ["Ann Ide", "Bo Orr"]),
        ("Ann Ide|Bo Orr", ["Ann Ide", "Bo Orr"]),
        ("Centers for Disease Control and Prevention", None),
        ("张伟, 李娜, 王芳", ["张伟", "李娜", "王芳"]),
        ("张, 伟", ["张伟"]),
        ("张, 伟, Jr.", ["张伟 Jr."]),
        ("King, Martin Luther, Jr.", ["Martin Luther King Jr."]),
    ],
)
def test_names_without_semicolons_are_split(written: str, names: list[str] | None):
    assert split_names(written) == (names or [written])


@pytest.mark.parametrize("value", ["10.1000/a#b?c%2fd", "10.1002/(sici)47:4<250::a>3.0.co;2-r"])
def test_the_url_of_a_doi_leads_to_this_doi(value: str):
    address = doi_url(value)
    assert "#" not in address
    assert doi(address) == Identifier("doi", value)
