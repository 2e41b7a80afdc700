"""Compare what the loaders read in files of providers with readers of other projects.

    uv pip install rispy
    python bench/independent_readers.py FOLDER [--show 20] [--json FILE]

FOLDER has folders for formats: bibtex, ris, jats, pubmed, csl and crossref. The files are read by
bibtexparser with pylatexenc, by rispy, by lxml with XPath, and by json. Title, names of authors,
year, DOI, abstract and references (the number of ids that a simple rule finds) of each record that
both read are compared: the letters and digits of texts, in Unicode's form NFKC. The share of
fields that differ is printed, with `--show` examples of each kind.

Differences that are intended are counted by their reasons; see `explained`.
"""

import html
import json
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import click
from lxml import etree

from specter_graph.core.errors import InputError
from specter_graph.loaders import open_corpus
from specter_graph.loaders.records import Paper

Fields = dict[str, Any]
TAG = re.compile(r"<[^<>]*>")
YEAR = re.compile(r"\d{4}")
DOI = re.compile(r"10\.\d{4,9}(?:\.\d+)*/\S+")


_DROPPED = re.compile(r"\\\\(?:mkbib\w+|url|href|ensuremath|vphantom)|\+an|family=")
"""Macros whose text pylatexenc leaves out, and names that bibtexparser does not know."""


def letters(text: str | None) -> str:
    """Return the letters and digits of a text."""
    text = html.unescape(html.unescape(text or ""))
    text = unicodedata.normalize("NFKC", TAG.sub(" ", text))
    text = unicodedata.normalize("NFKD", text).replace("\u02c6", "")  # pylatexenc's superscript
    return "".join(filter(str.isalnum, text)).casefold()


def doi(text: str | None) -> str:
    """Return a DOI in lower case without the mark of a sentence after it."""
    match = DOI.search(html.unescape(text or ""))
    return match[0].rstrip(".,;").lower() if match else ""


def ours(path: Path, format: str) -> Iterator[Fields]:
    """Yield the fields of the papers that the loader reads."""
    for item in open_corpus(format, path):
        if isinstance(item, Paper):
            yield {
                "id": item.id,
                "source": item.source,
                "title": letters(item.title),
                "names": [letters(author.name) for author in item.authors],
                "year": item.year,
                "doi": next((i.value for i in item.identifiers if i.scheme == "doi"), ""),
                "abstract": letters(item.abstract),
                "references": len(item.references),
                "pmid": next((i.value for i in item.identifiers if i.scheme == "pmid"), ""),
            }


def read_bibtex(path: Path) -> Iterator[Fields]:
    """Yield the entries that bibtexparser reads, with pylatexenc's text of their values."""
    import bibtexparser
    from bibtexparser.middlewares.names import (
        parse_single_name_into_parts,
        split_multiple_persons_names,
    )
    from pylatexenc.latex2text import LatexNodes2Text

    convert = LatexNodes2Text(math_mode="verbatim", keep_braced_groups=False)

    def text(value: str) -> str:
        value = re.sub(r"(?<!\\)([&%#])", r"\\\1", value)
        return str(convert.latex_to_text(value))

    library = bibtexparser.parse_string(path.read_text(encoding="utf-8", errors="replace"))
    for entry in library.entries:
        values = {name.lower(): field.value for name, field in entry.fields_dict.items()}
        names = []
        for name in split_multiple_persons_names(values.get("author", "")):
            # braces around accents, so that the parser of names sees letters
            try:
                parts = parse_single_name_into_parts(name, strict=False)
                order = [*parts.first, *parts.von, *parts.last, *parts.jr]
                names.append(text(" ".join(order)))
            except Exception:
                names.append(text(name))
        title = ": ".join(text(values[n]) for n in ("title", "subtitle") if values.get(n))
        year = YEAR.search(text(values.get("date") or values.get("year", "")))
        yield {
            "key": entry.key,
            "title": letters(title),
            "names": [letters(name) for name in names if name.lower() != "others"],
            "year": int(year[0]) if year else None,
            "doi": doi(values.get("doi")),
            "abstract": letters(text(values.get("abstract", ""))),
            "has parent": bool(values.get("crossref") or values.get("xdata")),
            "has macro": bool(_DROPPED.search(str(values))),
        }


def read_ris(path: Path) -> Iterator[Fields]:
    """Yield the records that rispy reads."""
    import rispy

    text = path.read_text(encoding="utf-8-sig", errors="replace")
    try:
        entries = rispy.loads(text, skip_unknown_tags=True)
    except Exception:
        return
    for entry in entries:
        title = entry.get("title") or entry.get("primary_title") or ""
        dates = (str(entry.get(name, "")) for name in ("date", "year", "publication_year"))
        year = next(filter(None, map(YEAR.search, dates)), None)
        names = [*entry.get("authors", ()), *entry.get("first_authors", ())]
        yield {
            "key": entry.get("id", ""),
            "title": letters(title),
            "names": [name for name in map(letters, map(in_order, names)) if name],
            "year": int(year[0]) if year else None,
            "doi": doi(entry.get("doi")),
            "abstract": letters(entry.get("abstract") or entry.get("notes_abstract") or ""),
        }


def in_order(name: str) -> str:
    """Return a name with the family name last."""
    last, _, rest = name.partition(",")
    given, _, suffix = rest.partition(",")
    return f"{given} {last} {suffix}"


def elements(path: Path, tag: str) -> Iterator[Any]:
    """Yield the elements of a name in an XML file, recovering from errors."""
    parser = etree.XMLParser(recover=True, resolve_entities=False, no_network=True, huge_tree=True)
    tree = etree.fromstring(path.read_bytes(), parser)
    if tree is None:
        return
    for element in tree.iter():
        if isinstance(element.tag, str):
            element.tag = etree.QName(element).localname
    yield from tree.iter(tag)


def joined(element: Any) -> str:  # noqa: ANN401
    """Return all text of an element."""
    return "" if element is None else "".join(element.itertext())


def first(element: Any, path: str) -> str:  # noqa: ANN401
    """Return the text of the first element at an XPath that has one."""
    return next(filter(None, map(joined, element.xpath(path))), "")


def read_pubmed(path: Path) -> Iterator[Fields]:
    """Yield the articles of PubMed's XML."""
    for article in elements(path, "PubmedArticle"):
        names = []
        for author in article.xpath(".//Article/AuthorList/Author[not(@ValidYN='N')]"):
            given = "ForeName" if first(author, "ForeName") else "Initials"
            parts = (given, "LastName", "Suffix", "CollectiveName")
            names.append(" ".join(first(author, part) for part in parts))
        date = first(article, ".//Journal/JournalIssue/PubDate") or first(article, ".//ArticleDate")
        year = YEAR.search(date)
        abstract = "".join(
            f"{part.get('Label') or ''} {joined(part)}"
            for part in article.xpath(".//Article/Abstract/AbstractText")
        )
        own = article.xpath("./PubmedData/ArticleIdList/ArticleId[@IdType='doi']")
        listed = [*article.xpath(".//Article/ELocationID[@EIdType='doi']"), *own]
        yield {
            "key": first(article, "./MedlineCitation/PMID"),
            "title": letters(first(article, ".//Article/ArticleTitle")),
            "names": [letters(name) for name in names],
            "year": int(year[0]) if year else None,
            "doi": next((found for each in listed if (found := doi(joined(each)))), ""),
            "abstract": letters(abstract),
            "references": len(
                {
                    first(each, ".//ArticleId[@IdType='pubmed']")
                    or first(each, ".//ArticleId[@IdType='doi']").lower()
                    or first(each, ".//ArticleId[@IdType='pmc']")
                    for each in article.xpath(".//ReferenceList/Reference[.//ArticleId]")
                }.union(
                    joined(pmid)
                    for each in article.xpath(".//CommentsCorrections[@RefType='Cites']")
                    for pmid in each.xpath("./PMID")
                )
                - {"", "0"}
            ),
        }


def read_jats(path: Path) -> Iterator[Fields]:
    """Yield the articles of JATS."""
    for article in elements(path, "article"):
        meta = next(iter(article.xpath("./front/article-meta | ./front-stub")), None)
        if meta is None:
            continue
        names = []
        for person in meta.xpath("./contrib-group/contrib"):
            if person.get("contrib-type") not in ("author", "collab", None):
                continue
            groups = person.xpath("./collab")
            name = next(
                iter(person.xpath(".//name[not(@name-style='eastern')] | .//string-name")), None
            )
            if name is not None and first(name, "surname") and not groups:
                parts = [
                    first(name, part) for part in ("given-names", "prefix", "surname", "suffix")
                ]
                parts[1] = ""
                names.append(" ".join(parts))
            else:
                for part in person.xpath(".//collab//*[self::email or self::contrib-group]"):
                    part.getparent().remove(part)
                names.append(joined(next(iter(person.xpath(".//collab")), name)))
        order = ("publication", "pub", "epub", "epub-ppub", "ppub", "collection")
        dates = sorted(
            (
                date
                for date in meta.xpath("./pub-date[year]")
                if (date.get("date-type") or date.get("pub-type")) != "pmc-release"
            ),
            key=lambda date: (
                order.index(kind)
                if (kind := date.get("date-type") or date.get("pub-type")) in order
                else len(order)
            ),
        )
        year = YEAR.search(first(dates[0], "year")) if dates else None
        plain, typed = (meta.xpath(f"./abstract{kind}") for kind in ("[not(@abstract-type)]", ""))
        abstract = next(iter([*plain, *typed]), None)
        own = ".//object-id | .//label | ./title | ./sec/title[.='Abstract'] | .//tex-math[../*[2]]"
        for extra in meta.xpath(".//alternatives/tex-math") if plain or typed else []:
            _remove(extra)
        for extra in [] if abstract is None else abstract.xpath(own):
            _remove(extra)
        for extra in [] if abstract is None else abstract.xpath(".//p"):
            if joined(extra).strip().startswith("DOI:"):
                _remove(extra)
        yield {
            "key": doi(first(meta, "./article-id[@pub-id-type='doi']")),
            "title": letters(first(meta, "./title-group/article-title")),
            "names": [letters(name) for name in names if letters(name)],
            "year": int(year[0]) if year else None,
            "doi": doi(first(meta, "./article-id[@pub-id-type='doi']")),
            "abstract": letters(joined(abstract)),
        }


def _remove(element: Any) -> None:  # noqa: ANN401
    """Remove an element, but not the text after it."""
    parent, before = element.getparent(), element.getprevious()
    if before is not None:
        before.tail = (before.tail or "") + (element.tail or "")
    else:
        parent.text = (parent.text or "") + (element.tail or "")
    parent.remove(element)


def objects(path: Path) -> Iterator[Fields]:
    """Yield the objects of a JSON file, of its lists, and of Crossref's pages."""
    try:
        values = json.loads(path.read_text(encoding="utf-8-sig"))
    except ValueError:
        return
    if isinstance(values, dict):
        values = values.get("message", values)
        values = values.get("items", values) if isinstance(values, dict) else values
    yield from values if isinstance(values, list) else [values]


def parts_of_name(name: Fields) -> str:
    """Return a name of CSL or Crossref."""
    keys = ("prefix", "given", "dropping-particle", "non-dropping-particle", "family", "suffix")
    return " ".join(str(name[key]) for key in keys if name.get(key)) or str(
        name.get("literal") or name.get("name") or ""
    )


def one(value: object) -> str:
    """Return a text, or the first text of a list."""
    if isinstance(value, list):
        value = next(iter(value), "")
    return value if isinstance(value, str) else ""


def read_csl(path: Path) -> Iterator[Fields]:
    """Yield the items of CSL-JSON."""
    for item in objects(path):
        if not isinstance(item, dict):
            continue
        issued = item.get("issued")
        written = json.dumps(issued.get("date-parts") or issued) if isinstance(issued, dict) else ""
        year = YEAR.search(written or str(issued or ""))
        names = [parts_of_name(name) for name in item.get("author") or () if isinstance(name, dict)]
        yield {
            "key": str(item.get("id", "")).strip(),
            "title": letters(one(item.get("title"))),
            "names": [letters(name) for name in names if letters(name)],
            "year": int(year[0]) if year else None,
            "doi": doi(one(item.get("DOI"))),
            "abstract": letters(one(item.get("abstract"))),
        }


def read_crossref(path: Path) -> Iterator[Fields]:
    """Yield the works of Crossref."""
    dates = (
        *("issued", "published", "published-print", "published-online", "published-other"),
        *("posted", "content-created"),
    )
    for work in objects(path):
        if not isinstance(work, dict):
            continue
        parts = [(work.get(name) or {}).get("date-parts") for name in dates]
        years = [part[0][0] for part in parts if part and part[0] and part[0][0]]
        names = [parts_of_name(name) for name in work.get("author") or ()]
        title = one(work.get("title")) or one(work.get("original-title"))
        subtitle = one(work.get("subtitle"))
        if subtitle and letters(subtitle) not in letters(title):
            title += f": {subtitle}"
        references = {doi(each.get("DOI")) for each in work.get("reference") or ()}
        yield {
            "key": doi(work.get("DOI")),
            "title": letters(title),
            "names": [letters(name) for name in names if letters(name)],
            "year": int(years[0]) if years else None,
            "doi": doi(work.get("DOI")),
            "abstract": letters(work.get("abstract")),
            "references": len(references - {"", doi(work.get("DOI"))}),
        }


READERS: dict[str, Callable[[Path], Iterator[Fields]]] = {
    "bibtex": read_bibtex,
    "ris": read_ris,
    "jats": read_jats,
    "pubmed": read_pubmed,
    "csl": read_csl,
    "crossref": read_crossref,
}
_COMMON = ("title", "names", "year", "doi", "abstract")
NAMES = ("title", "names", "year", "doi", "abstract", "references")


def matched(mine: list[Fields], theirs: list[Fields]) -> Iterator[tuple[Fields, Fields]]:
    """Yield the pairs of records with the same key, DOI or PubMed id, or else the same title."""
    rest = list(theirs)
    for index, keys in enumerate(
        (("id", "key"), ("doi", "doi"), ("pmid", "key"), ("title", "title"))
    ):
        places: dict[str, list[Fields]] = defaultdict(list)
        for record in rest:
            if record.get(keys[1]):
                places[record[keys[1]]].append(record)
        left = []
        for record in mine:
            candidates = places.get(str(record.get(keys[0])).removeprefix("doi:"), [])
            alike = [c for c in candidates if c["title"] == record["title"] or index < 3]
            best = max(alike, key=lambda c: sum(c[n] == record[n] for n in _COMMON), default=None)
            if best is None:
                left.append(record)
                continue
            candidates.remove(best)
            rest = [each for each in rest if each is not best]
            yield record, best
        mine = left


def explained(form: str, field: str, record: Fields, other: Fields) -> str | None:
    """Return why a difference is intended; None if it is not."""
    mine, theirs = record[field], other[field]
    if field == "doi" and mine and not theirs:
        return "the DOI is in a URL, a note or the field of another id"
    if field == "names" and mine == list(
        dict.fromkeys(n for n in theirs if re.search(r"[^\W\d]", n))
    ):
        return "a repeated author counts once, a name without a letter is none"
    if field == "abstract" and theirs in (f"abstract{mine}", f"summary{mine}"):
        return "the heading of an abstract is left out"
    if field == "year" and mine is None and not 1000 <= (theirs or 0) <= 2100:
        return "a year outside 1000 to 2100 is left out"
    if form == "bibtex" and other["has parent"] and field in ("year", "title", "names"):
        return "inherited from the parent of a BibTeX entry"
    if form == "bibtex" and other["has macro"]:
        return "bibtexparser or pylatexenc leave out text: \\mkbibemph, \\url, family=..."
    return None


@click.command()
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--show", default=5, show_default=True, help="Examples of each kind.")
@click.option("--only", multiple=True, help="Format to compare. Repeatable.")
@click.option("--json", "output", type=click.Path(path_type=Path), help="File for the figures.")
def main(folder: Path, show: int, only: tuple[str, ...], output: Path | None) -> None:
    """Compare the records of each format and print the share of fields that differ."""
    table: dict[str, Counter[str]] = {}
    reasons = Counter[str]()
    examples: dict[tuple[str, str], list[str]] = defaultdict(list)
    for name, read in READERS.items():
        counts = table[name] = Counter[str]()
        if only and name not in only:
            continue
        for path in sorted(p for p in (folder / name).rglob("*") if p.is_file()):
            try:
                form = open_corpus("auto", path).files[0].format
            except InputError:
                continue
            if form != name:
                continue
            mine, theirs = list(ours(path, name)), list(read(path))
            counts["files"] += 1
            counts["papers"] += len(mine)
            for record, other in matched(mine, theirs):
                counts["compared papers"] += 1
                for field in NAMES:
                    if field not in other:
                        continue
                    counts["fields"] += 1
                    if record[field] != other[field]:
                        if reason := explained(name, field, record, other):
                            counts["intended"] += 1
                            reasons[reason] += 1
                            continue
                        counts["different"] += 1
                        counts[field] += 1
                        line = f"{path.name} {record['id']}\n   {record[field]}\n   {other[field]}"
                        examples[name, field].append(line)
    for (name, field), lines in examples.items():
        for line in lines[:show]:
            click.echo(f"{name} {field}: {line[:1500]}")
    for name, counts in table.items():
        click.echo(f"{name}: {json.dumps(counts)}")
    total = sum(table.values(), Counter())
    for reason, number in reasons.most_common():
        click.echo(f"intended, {number}: {reason}")
    share = total["different"] / max(1, total["fields"])
    click.echo(f"all: {json.dumps(total)}; {share:.3%} of the fields differ without a reason")
    if output:
        output.write_text(json.dumps(table | {"all": total | {"share": share}}, indent=1))


if __name__ == "__main__":
    main()
