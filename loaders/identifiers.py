"""Normalization of the identifiers and languages that sources write in several ways."""

import re
import unicodedata
from collections.abc import Callable, Iterable
from functools import partial
from hashlib import blake2b
from pathlib import Path
from urllib.parse import quote, unquote

from specter_graph.loaders.records import Author, Identifier

ENRICHES = "enriches"
"""Scheme that marks a record that `enrich` has found; the value is the id of the paper that the
record completes. The merge combines both, and prefers the values of all other records."""

_DOI = re.compile(r"10\.\d{4,9}(?:\.\d+){0,9}/\S+")
_PAGE = re.compile(
    r"(?:/(?:abstract|asset|e?pdf|full|html|meta)(?:/.*)?|(?:\.full|\.abstract)?\.(?:html?|pdf))$",
    re.IGNORECASE,
)
"""What URLs of publishers' pages have after a DOI."""
_ARXIV_NEW = re.compile(r"(?<![\d.])\d\d(?:0[1-9]|1[0-2])\.\d{4,5}(?!\d)")
_ARXIV_OLD = re.compile(r"(?<![a-z-])-*+([a-z][a-z-]*+)(?:\.[A-Za-z]{2})?/(\d{7})(?!\d)")
_DIGITS = re.compile(r"(?<!\d)\d{1,12}(?!\d)", re.ASCII)
_PMC = re.compile(r"(?:PMC)?(?<!\d)(\d{1,12})(?!\d)", re.IGNORECASE | re.ASCII)
_WELL_WRITTEN_DOI = re.compile(r"10\.\d{4,9}/[!-@\[-~]+(?<![.,;])", re.ASCII)
"""A DOI without capital letters: the usual form, recognized faster."""
_ARXIV_DOI = "10.48550/arxiv."
_ORCID = re.compile(
    r"(?<!\d)(\d{4})-?(\d{4})-?(\d{4})-?(\d{3}[\dX])(?!\d)", re.IGNORECASE | re.ASCII
)
_ROR = re.compile(r"(?<!\w)0[a-z0-9]{6}\d\d(?!\w)", re.IGNORECASE)
_ISSN = re.compile(r"(?<!\d)(\d{4})-?(\d{3}[\dX])(?!\d)", re.IGNORECASE)
_NUMBER = re.compile(r"(?:[a-z]+:\s*)?0*([1-9]\d{0,17})", re.IGNORECASE | re.ASCII)
_SHA = re.compile(r"[0-9a-f]{40}", re.IGNORECASE)
_ACL_OLD = re.compile(r"\b[A-Z]\d\d-\d{4,5}\b", re.IGNORECASE)
_ACL_NEW = re.compile(r"\b\d{4}\.[a-z0-9_]+-[a-z0-9_]+\.\d+\b", re.IGNORECASE)
_CJK = re.compile(
    "[\u3005-\u3007\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff]"
)
"""A Han character, or a syllable of Kana or Hangul."""
_SUFFIX = re.compile(r"(.*[^\s,]),? ((?:Jr|Sr)\.?|2nd|3rd|II|III|IV)")
_DBLP = re.compile(r"(?:conf|journals|books|series|phd|reference|tr|data)(?:/[^/\s?#]+)+")

_CODES = {
    name: line.split()[0]
    for line in Path(__file__).with_name("languages.txt").read_text(encoding="utf-8").splitlines()
    for name in line.split()
}
"""ISO 639-1 codes by themselves, by both kinds of ISO 639-2 codes, by English names, and by the
names of BibLaTeX and babel. Both written forms of Norwegian have one code."""


def doi(value: str) -> Identifier | None:
    """Return the DOI in a string in lower case (`10.1000/xyz123`), or None.

    DOIs are ASCII case-insensitive (DOI Handbook, section 2.4). A final mark (. , ;) is removed:
    it belongs to the sentence or list around the DOI. From a URL, what comes after the DOI is
    removed. A DOI that a line break splits after a mark is joined.
    """
    text = value.strip()
    if "://" in text:
        text = _cut_url(text)
    elif len(parts := text.split()) == 2 and parts[0].endswith((".", "/", "-")):
        text = "".join(parts)
    match = _DOI.search(text)
    return Identifier("doi", match[0].rstrip(".,;").lower()) if match else None


def doi_url(value: str) -> str:
    """Return the URL of a DOI; characters that would end the DOI in it, such as #, are encoded."""
    return f"https://doi.org/{quote(value, safe='/:;(),<>[]')}"


def _cut_url(url: str) -> str:
    """Return the DOI in a URL, without what follows it."""
    before, ten, suffix = url.partition("10.")
    written = re.split("[?#&]" if "?" in before else "[?#]", suffix, maxsplit=1)[0]
    return ten + _PAGE.sub("", unquote(written))


def arxiv(value: str) -> Identifier | None:
    """Return an arXiv id without version and prefix (`2004.07180`, `hep-ph/9901001`), or None.

    The subject class of old ids is removed, as arXiv does: `math.GT/0309136` is `math/0309136`.
    """
    if match := _ARXIV_NEW.search(value):
        return Identifier("arxiv", match[0])
    if match := _ARXIV_OLD.search(value):
        return Identifier("arxiv", f"{match[1]}/{match[2]}")
    return None


def pubmed(value: str | int) -> Identifier | None:
    """Return a PubMed id: digits without leading zeros."""
    match = _DIGITS.search(str(value))
    return Identifier("pmid", match[0].lstrip("0")) if match and int(match[0]) else None


def pmc(value: str | int) -> Identifier | None:
    """Return a PubMed Central id: `PMC123`."""
    match = _PMC.search(str(value))
    return Identifier("pmcid", f"PMC{int(match[1])}") if match else None


def number(scheme: str, value: str | int) -> Identifier | None:
    """Return a number of Microsoft Academic Graph ("mag") or of Semantic Scholar ("s2corpus").

    It has no leading zeros.
    """
    match = _NUMBER.fullmatch(str(value).strip())
    return Identifier(scheme, match[1]) if match else None


def acl(value: str) -> Identifier | None:
    """Return an id of the ACL Anthology: `P18-1001`, `2020.acl-main.447`."""
    if match := _ACL_NEW.search(value):
        return Identifier("acl", match[0].lower())
    match = _ACL_OLD.search(value)
    return Identifier("acl", match[0].upper()) if match else None


def dblp(value: str) -> Identifier | None:
    """Return a key of dblp: `conf/acl/LoWNKW20`."""
    match = _DBLP.search(value)
    return Identifier("dblp", match[0]) if match else None


def s2(value: str) -> Identifier | None:
    """Return a paper id of Semantic Scholar: 40 hexadecimal digits."""
    match = _SHA.fullmatch(value.strip())
    return Identifier("s2", match[0].lower()) if match else None


def isbn(value: str) -> Identifier | None:
    """Return an ISBN as 13 digits, or None if the check digit is wrong."""
    written = re.sub(r"[\s-]", "", value).upper()
    if re.fullmatch(r"\d{9}[\dX]", written, re.ASCII):
        digits = [10 if digit == "X" else int(digit) for digit in written]
        if sum(digit * (10 - at) for at, digit in enumerate(digits)) % 11:
            return None
        written = f"978{written[:9]}"
        return Identifier("isbn", f"{written}{-_sum_ean(written) % 10}")
    if re.fullmatch(r"97[89]\d{10}", written, re.ASCII) and _sum_ean(written) % 10 == 0:
        return Identifier("isbn", written)
    return None


def _sum_ean(digits: str) -> int:
    return sum(int(digit) * (3 if at % 2 else 1) for at, digit in enumerate(digits))


def doi_id(value: str) -> str | None:
    """Return the paper id of a DOI, for sources whose ids are DOIs: `doi:10.1000/xyz123`."""
    if _WELL_WRITTEN_DOI.fullmatch(value):
        return f"doi:{value}"
    result = doi(value)
    return f"doi:{result.value}" if result else None


def dois(value: str) -> tuple[Identifier, ...]:
    """Return the DOI, and the arXiv id if arXiv issued the DOI."""
    result = doi(value)
    if result and result.value.startswith(_ARXIV_DOI):
        paper = arxiv(result.value.removeprefix(_ARXIV_DOI))
        return (result, paper) if paper else (result,)
    return (result,) if result else ()


def parse_identifier(value: str) -> Identifier | None:
    """Return the identifier in a string with a scheme, such as `pmid:29456894`, or None.

    The value of a scheme that this module does not know is unchanged.
    """
    scheme, colon, written = (part.strip() for part in value.partition(":"))
    if not (scheme and colon and written):
        return None
    normalize = _NORMALIZERS.get(scheme.lower())
    return normalize(written) if normalize else Identifier(scheme.lower(), written)


_NORMALIZERS: dict[str, Callable[[str], Identifier | None]] = {
    "doi": doi, "arxiv": arxiv, "pmid": pubmed, "pmcid": pmc, "mag": partial(number, "mag"),
    "acl": acl, "dblp": dblp, "s2": s2, "s2corpus": partial(number, "s2corpus"), "isbn": isbn,
}  # fmt: skip


def value_of(ids: Iterable[Identifier], scheme: str) -> str | None:
    """Return the first identifier of a scheme, or None."""
    return next((identifier.value for identifier in ids if identifier.scheme == scheme), None)


def first_key(ids: Iterable[Identifier], schemes: Iterable[str]) -> str | None:
    """Return the paper id from the first of the schemes that has an identifier."""
    known: dict[str, str] = {}
    for identifier in ids:
        known.setdefault(identifier.scheme, identifier.value)
    return next((f"{scheme}:{known[scheme]}" for scheme in schemes if scheme in known), None)


def make_id(
    source: str,
    ids: Iterable[Identifier],
    title: str,
    year: int | None,
    authors: tuple[Author, ...],
    key: str | None = None,
) -> str:
    """Return the DOI, or else the key, or else a digest of title, year and first author.

    The DOI is preferred, because a key like `Wang2020` is not unique.
    """
    if doi := first_key(ids, ["doi"]):
        return doi
    text = f"{title.casefold()}\n{year}\n{authors[0].name if authors else ''}"
    return key or f"{source}:{blake2b(text.encode(), digest_size=8).hexdigest()}"


def is_cjk(name: str) -> bool:
    """Return True if all letters of a name are Chinese, Japanese or Korean, and there are some."""
    if name.isascii():
        return False
    letters = re.sub(r"[\W\d_]+", "", name)
    return bool(letters) and not _CJK.sub("", letters)


def split_suffix(name: str) -> tuple[str, str]:
    """Return a name without its suffix, and the suffix: "R. S. Van Dyck", "Jr."."""
    match = _SUFFIX.fullmatch(name)
    return (match[1], match[2]) if match else (name, "")


def is_distinctive(title: str) -> bool:
    """Return True if a title is long enough to identify a paper: 12 letters and digits.

    A Han character, or a syllable of Kana or Hangul, counts twice: six are usual for a title, while
    "前言" (preface) and "编者的话" (editorial) are as common as "Foreword".
    """
    letters = re.sub(r"[\W_]+", "", unicodedata.normalize("NFKC", title))
    return len(letters) + len(_CJK.findall(letters)) >= 12


def orcid(value: str) -> str | None:
    """Return an ORCID iD without its address, with its hyphens: `0000-0002-1825-0097`."""
    match = _ORCID.search(value)
    return "-".join(match.groups()).upper() if match else None


def ror(value: str) -> str | None:
    """Return the id of an institution in the Research Organization Registry: `02nr0ka47`."""
    match = _ROR.search(value)
    return match[0].lower() if match else None


def issn(value: str) -> str | None:
    """Return an ISSN with its hyphen: `0317-8471`."""
    match = _ISSN.search(value)
    return f"{match[1]}-{match[2].upper()}" if match else None


def language_code(value: str | None) -> str | None:
    """Return the ISO 639-1 code of a language: "en" for "eng", "english" and "en-GB".

    The first of several languages counts: "English; French". An unknown language is returned in
    lower case, an empty one as None.
    """
    written = (value or "").strip().lower()
    if not written or written in _CODES:
        return _CODES.get(written)
    return _CODES.get(re.split("[-_;,/]", written, maxsplit=1)[0].strip(), written)
