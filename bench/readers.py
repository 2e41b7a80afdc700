"""Compare our readers with independent ones, field by field, on your own files.

    uv pip install rispy pylatexenc
    python bench/readers.py FOLDER [--differences differences.tsv]

FOLDER has a folder for each format: bibtex, ris, jats, pubmed, csl, crossref. The independent
readers are bibtexparser with pylatexenc, rispy, lxml and json; they return the content of a file
without rules for exceptions. The script compares the letters and digits of title, names and
abstract outside formulas, the year, the DOI, and the DOIs of the references. Names without a letter
are left out. Records are paired by the letters of their titles, else by equal names or DOI; records
that only one of the two reads are counted separately.
"""

import csv
import gzip
import html
import json
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import click
from bibtexparser.entrypoint import parse_string
from bibtexparser.middlewares.names import split_multiple_persons_names
from lxml import etree

from specter_graph.core.errors import InputError
from specter_graph.loaders import open_corpus
from specter_graph.loaders.records import Paper

Fields = dict[str, Any]
"""Title, names, year, doi, abstract and references; missing or empty if a record has none."""

FIELDS = ("title", "names", "year", "doi", "abstract", "references")
_FORMULA = re.compile(r"\$[^$]*\$|\\[(\[].*?\\[)\]]", re.DOTALL)
_AMPERSAND = re.compile(r"(?<!\\)&")
_NAME_PART = re.compile(r"\s*([a-z-]+)\s*=\s*(.*)", re.DOTALL)
_ENTITY = re.compile(rb"&(?!(?:amp|lt|gt|quot|apos);)[A-Za-z]\w*;")
_TAG = re.compile(r"</?[A-Za-z][^<>]*>")
_LETTER = re.compile(r"[^\W\d]")
_NOT_LETTERS = re.compile(r"[\W_]+")
_DOI = re.compile(r"10\.\d{4,}/\S+")
_YEAR = re.compile(r"(?<!\d)(?<!^-)\d{4}(?!\d)")
"""A year after the birth of Christ."""


def letters(text: str) -> str:
    """Return the letters and digits of a text, without tags and formulas, in lower case."""
    shown = html.unescape(_TAG.sub("", html.unescape(_FORMULA.sub("", text))))
    return _NOT_LETTERS.sub("", unicodedata.normalize("NFKC", shown)).casefold()


def normalize_fields(fields: Fields) -> dict[str, Any]:
    """Return the fields in the form in which they are compared."""
    doi = _DOI.search(str(fields.get("doi") or ""))
    year = _YEAR.search(str(fields.get("year") or ""))
    return {
        "title": letters(fields.get("title") or ""),
        "names": [*dict.fromkeys(filter(_LETTER.search, map(letters, fields.get("names") or ())))],
        "year": (int(year[0]) or None) if year else None,
        "doi": doi[0].lower() if doi else None,
        "abstract": letters(fields.get("abstract") or "").removeprefix("abstract"),
        "references": sorted({letters(one) for one in fields.get("references") or ()}),
    }


def from_paper(paper: Paper) -> Fields:
    """Return the fields of a paper that our reader returns."""
    ids = {identifier.scheme: identifier.value for identifier in reversed(paper.identifiers)}
    return {
        "title": paper.title,
        "names": [author.name for author in paper.authors],
        "year": paper.year,
        "doi": ids.get("doi"),
        "abstract": paper.abstract,
        "references": [r.removeprefix("doi:") for r in paper.references if r.startswith("doi:")],
    }


def read_bibtex(data: bytes) -> Iterator[Fields]:
    """Read BibTeX with bibtexparser, and LaTeX with pylatexenc."""
    from pylatexenc.latex2text import LatexNodes2Text

    library = parse_string(_decoded(data))
    convert = LatexNodes2Text(keep_comments=True, math_mode="verbatim").latex_to_text
    names_of = LatexNodes2Text(keep_braced_groups=True).latex_to_text

    def to_text(written: str) -> str:
        return str(convert(_AMPERSAND.sub(r"\\&", written)))

    for entry in library.entries:
        values = {field.key.lower(): str(field.value) for field in entry.fields}
        # bibtexparser drops the accent at the start of a name: convert before splitting
        names = split_multiple_persons_names(names_of(values.get("author", "")))
        yield {
            "title": ": ".join(to_text(values[k]) for k in ("title", "subtitle") if values.get(k)),
            "names": [_in_order(name) for name in names if name.lower() != "others"],
            "year": values.get("date") or values.get("year"),
            "doi": values.get("doi", "").replace("\\", ""),
            "abstract": to_text(values.get("abstract", "")),
        }


def _in_order(name: str) -> str:
    """Return given name, family name and suffix."""
    parts = name.split(",")
    if all(named := [_NAME_PART.fullmatch(part) for part in parts]):  # BibLaTeX's extended format
        given = {part[1]: part[2] for part in named if part}
        return " ".join(given.get(key, "") for key in ("given", "prefix", "family", "suffix"))
    last, *others = parts
    return " ".join([*reversed(others[-1:]), last, *others[:-1]])


def read_ris(data: bytes) -> Iterator[Fields]:
    """Read RIS with rispy."""
    import rispy

    for record in rispy.loads(_decoded(data)):
        names = [*record.get("first_authors", ()), *record.get("authors", ())]
        yield {
            "title": record.get("title") or record.get("primary_title"),
            "names": map(_in_order, names),
            "year": record.get("year") or record.get("publication_year") or record.get("date"),
            "doi": record.get("doi"),
            "abstract": record.get("abstract") or record.get("notes_abstract"),
        }


def read_jats(data: bytes) -> Iterator[Fields]:
    """Read JATS with lxml."""
    for article in _elements(data, "article"):
        etree.strip_elements(article, "tex-math", "xref", "fn", with_tail=False)
        [meta] = article.xpath("front/article-meta") or [etree.Element("none")]
        title = [_text(e) for e in meta.xpath("title-group/article-title|title-group/subtitle")]
        names = meta.xpath("contrib-group[1]/contrib[not(@contrib-type) or @contrib-type='author']")
        dates = meta.xpath("pub-date[not(@pub-type='pmc-release')]/year/text()")
        dois: list[str] = []
        for reference in article.xpath("back//ref"):
            marked = reference.xpath(".//pub-id[@pub-id-type='doi']/text()")
            in_text = _DOI.search(_text(reference))
            dois += marked or ([in_text[0]] if in_text else [])
        yield {
            "title": " ".join(title),
            "names": [_jats_name(one) for one in names],
            "year": dates[0] if dates else None,
            "doi": "".join(meta.xpath("article-id[@pub-id-type='doi'][1]/text()")),
            "abstract": " ".join(
                text
                for abstract in meta.xpath("abstract[not(@abstract-type)]")[:1]
                for each in abstract.xpath(".//p|.//title[parent::sec]")
                if not (text := _text(each)).startswith("DOI:")
            ),
            "references": [doi.strip().lower() for doi in dois],
        }


def _jats_name(contributor: etree._Element) -> str:
    name = contributor.find("name")
    if name is None:
        name = contributor.find("name-alternatives/name")
    if name is None:
        for group in contributor.iter("collab"):
            etree.strip_elements(group, "contrib-group", "address", "email", with_tail=False)
        return next(map(_text, contributor.iter("collab", "string-name")), "")
    parts = ("given-names", "prefix", "surname", "suffix")
    return " ".join(_text(part) for tag in parts for part in name.iterchildren(tag))


def read_pubmed(data: bytes) -> Iterator[Fields]:
    """Read PubMed XML with lxml."""
    for record in _elements(data, "PubmedArticle"):
        [article] = record.xpath("MedlineCitation/Article")
        dois = record.xpath(
            "PubmedData/ArticleIdList/ArticleId[@IdType='doi']/text()"
            "|MedlineCitation/Article/ELocationID[@EIdType='doi']/text()"
        )
        abstract = article.xpath("Abstract/AbstractText")
        names = article.xpath("AuthorList/Author")
        yield {
            "title": " ".join(_text(e) for e in article.xpath("ArticleTitle")),
            "names": [
                " ".join(_text(e) for t in _PUBMED_NAME for e in n.iterchildren(t)) for n in names
            ],
            "year": " ".join(article.xpath("Journal/JournalIssue/PubDate//text()")),
            "doi": dois[0] if dois else None,
            "abstract": " ".join(f"{e.get('Label') or ''} {_text(e)}" for e in abstract),
        }


_PUBMED_NAME = ("ForeName", "LastName", "Suffix", "CollectiveName")


def read_csl(data: bytes) -> Iterator[Fields]:
    """Read CSL-JSON with json."""
    items = json.loads(data)
    for item in items.get("items", []) if isinstance(items, dict) else items:
        names = (n for n in item.get("author") or () if isinstance(n, dict))
        parts = ("given", "dropping-particle", "non-dropping-particle", "family", "suffix")
        yield {
            "title": item.get("title"),
            "names": [
                " ".join(n.get(p) or "" for p in parts) + (n.get("literal") or "") for n in names
            ],
            "year": json.dumps(item.get("issued")),
            "doi": item.get("DOI"),
            "abstract": item.get("abstract"),
        }


def read_crossref(data: bytes) -> Iterator[Fields]:
    """Read works of Crossref with json."""
    message = json.loads(data)
    message = message.get("message", message) if isinstance(message, dict) else {"items": message}
    for work in message.get("items") or [message]:
        title = " ".join([*(work.get("title") or [""])[:1], *(work.get("subtitle") or [""])[:1]])
        dates = (work.get(key) for key in ("issued", "published"))
        cited = (reference.get("DOI") for reference in work.get("reference") or ())
        yield {
            "title": title,
            "names": [
                " ".join(n.get(part) or "" for part in ("given", "family", "suffix", "name"))
                for n in work.get("author") or ()
            ],
            "year": next((json.dumps(d) for d in dates if d and any(d["date-parts"][0])), None),
            "doi": work.get("DOI"),
            "abstract": work.get("abstract"),
            "references": [doi.lower() for doi in cited if doi],
        }


READERS: dict[str, Callable[[bytes], Iterator[Fields]]] = {
    "bibtex": read_bibtex,
    "ris": read_ris,
    "jats": read_jats,
    "pubmed": read_pubmed,
    "csl": read_csl,
    "crossref": read_crossref,
}


def _decoded(data: bytes) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("cp1252", "replace")


def _elements(data: bytes, tag: str) -> list[Any]:
    data = _ENTITY.sub(_character_references, data)
    root = etree.fromstring(data, etree.XMLParser(recover=True, huge_tree=True, no_network=True))
    for element in root.iter(etree.Element):
        element.tag = etree.QName(element).localname
    return [root] if root.tag == tag else list(root.iter(tag))


def _character_references(entity: re.Match[bytes]) -> bytes:
    """Return an entity of HTML as numbers, because lxml drops entities without a DTD."""
    return html.unescape(entity[0].decode()).encode("ascii", "xmlcharrefreplace")


def _text(element: etree._Element) -> str:
    return " ".join("".join(map(str, element.itertext())).split())


def pair_records(
    ours: list[Fields], theirs: list[Fields]
) -> Iterator[tuple[Fields | None, Fields | None]]:
    """Yield pairs of records with equal titles, or else names or DOIs, and the records of one."""
    places = defaultdict(list)
    for record in ours:
        places[record["title"]].append(record)
    left = []
    for record in theirs:
        if places[record["title"]]:
            yield places[record["title"]].pop(0), record
        else:
            left.append(record)
    others = [record for record in ours if any(record is each for each in places[record["title"]])]
    for record in left:
        same = (each for each in others if _same_names_or_doi(each, record))
        if (own := next(same, None)) is not None:
            others = [each for each in others if each is not own]
        yield own, record
    yield from ((own, None) for own in others)


def _same_names_or_doi(one: Fields, other: Fields) -> bool:
    return any(one[field] and one[field] == other[field] for field in ("names", "doi"))


@click.command()
@click.argument("folder", type=click.Path(path_type=Path))
@click.option(
    "--differences", type=click.Path(path_type=Path), help="TSV file for all differences."
)
def main(folder: Path, differences: Path | None) -> None:
    """Print the number of compared and of different fields for each format."""
    rows = []
    for name, read in READERS.items():
        fields, counts = Counter[str](), Counter[str]()
        for path in sorted(each for each in (folder / name).rglob("*") if each.is_file()):
            try:
                ours = [
                    normalize_fields(from_paper(item))
                    for item in open_corpus(name, path)
                    if isinstance(item, Paper)
                ]
                data = path.read_bytes()
                data = gzip.decompress(data) if path.suffix == ".gz" else data
                theirs = [
                    fields_of
                    for record in read(data)
                    if (fields_of := normalize_fields(record))["title"]
                ]
            except (
                InputError,
                ValueError,
                KeyError,
                etree.Error,
                OSError,
                AttributeError,
            ) as error:
                counts["files that one of the two cannot read"] += 1
                rows.append((name, path, "file", "", "", repr(error)[:200]))
                continue
            counts["files"] += 1
            for own, other in pair_records(ours, theirs):
                if own is None or other is None:
                    side = "theirs" if own is None else "ours"
                    counts[f"records that only {side} has"] += 1
                    rows.append(
                        (name, path, f"record, {side}", (own or other or {})["title"], "", "")
                    )
                    continue
                counts["records"] += 1
                for field in FIELDS:
                    left, right = own[field], other[field]
                    if left or right:
                        fields["all"] += 1
                    if left and not right:
                        fields["only ours"] += 1
                    elif left != right:
                        fields[field] += 1
                        rows.append((name, path, field, own["title"][:40], left, right))
        different = fields.total() - fields["all"] - fields["only ours"]
        click.echo(f"{name}: {dict(counts)}")
        click.echo(f"    {different} of {fields['all']:,} fields differ: {dict(fields)}")
    if differences:
        with differences.open("w", newline="") as file:
            csv.writer(file, delimiter="\t").writerows(rows)


if __name__ == "__main__":
    main()
