"""The cited references in exports of Scopus and Web of Science, which are texts.

Scopus: `Ide, A., Salt (2019) J. Sea, 4, pp. 1-9. , https://doi.org/10.1000/s.1; ...`, often without
a DOI. Web of Science: lines such as `GNATENKO YP, 2003, J APPL PHYS, V94, P4896, DOI 10.1063/1.2`.
"""

import re
from collections.abc import Iterator

from specter_graph.loaders import identifiers

WOS_SCHEME = "wosref"
"""The scheme of cited references as Web of Science writes them."""
SCOPUS_DOI = re.compile(r"(?<![\w.])10\.\d{4,9}/[^\s;,]+")
"""Matches a DOI in the cited references of Scopus."""

_KEY = re.compile(r"([^,]+), (\d{4}), ([^,]+)((?:, V[^,\s]+)?, P[^,\s]+)(?:, .*)?")
_FULL_STOP = re.compile(r"\.\s*\n\s*|(?<=\S\S)\.\s+(?=[^,]{2,60},\s+\d{4},\s)")
_ARTICLE = re.compile(r", ARTN (?=[^,\s])")


def scopus_references(written: str) -> Iterator[str]:
    """Yield the paper ids of the cited references of Scopus that have a DOI."""
    for doi in SCOPUS_DOI.findall(written):
        if known := identifiers.doi(doi):
            yield f"doi:{known.value}"


def wos_references(written: str) -> Iterator[str]:
    """Yield the paper ids of the cited references in BibTeX of Web of Science.

    Each ends with a full stop at the end of a line; JabRef and others break the lines elsewhere.
    """
    for reference in _FULL_STOP.split(written.strip().removesuffix(".")):
        if key := wos_reference(reference):
            yield key


def wos_reference(reference: str) -> str | None:
    """Return the paper id of a cited reference of Web of Science; None without a DOI or a page.

    With a DOI it is the paper `doi:...`. Otherwise it is `wosref:` and its text up to the page,
    which may be an article number (`ARTN 061102` is `P061102`).
    """
    written = reference.partition(", DOI ")[2].lstrip("[")
    if known := identifiers.doi(written.split(", ")[0].rstrip("]")):
        return f"doi:{known.value}"
    match = _KEY.fullmatch(_ARTICLE.sub(", P", " ".join(reference.split())))
    if not match:
        return None
    author = match[1].replace(".", "").upper()
    return f"{WOS_SCHEME}:{author}, {match[2]}, {match[3].upper()}{match[4].upper()}"
