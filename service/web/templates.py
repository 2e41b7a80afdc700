"""Templates of the web pages, with MathML for formulas."""

import html
import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from typing import TYPE_CHECKING, Any, Protocol
from urllib.parse import quote, urlencode, urlsplit
from xml.etree.ElementTree import tostring

from markupsafe import Markup, escape
from starlette.types import Scope

if TYPE_CHECKING:
    from jinja2 import Environment

_TEX = re.compile(r"\$(?! )([^$\n]{1,300})(?<! )\$(?!\d)")
"""TeX as in Pandoc's Markdown, in which "$5 and $10" is not a formula."""
_ATTRIBUTES = {
    "accent", "columnalign", "display", "fence", "form", "linethickness", "lspace", "mathvariant",
    "maxsize", "minsize", "movablelimits", "rspace", "separator", "stretchy", "width", "xmlns",
}  # fmt: skip
"""Allowed attributes of an element: no URLs and no styles."""


def with_mathematics(text: str, as_html: Callable[[str], Markup] = escape) -> Markup:
    """Convert TeX in a text to MathML; invalid TeX is unchanged.

    `as_html` converts the text between formulas to HTML; the default escapes it.
    """
    parts = _TEX.split(text)
    return Markup("").join(
        _mathml(part) if number % 2 else as_html(part) for number, part in enumerate(parts)
    )


def _mathml(tex: str) -> Markup:
    from latex2mathml.converter import convert_to_element

    try:
        element = convert_to_element(tex)
    except Exception:  # the library has no common exception class, and the TeX may be arbitrary
        return escape(f"${tex}$")
    for each in element.iter():
        each.text = html.unescape(each.text or "")  # references, which `tostring` escapes again
        for name in {*each.attrib} - _ATTRIBUTES:
            del each.attrib[name]
    return Markup(tostring(element, encoding="unicode"))  # noqa: S704, escaped by `tostring`


_SITES = {"doi.org": "DOI", "arxiv.org": "arXiv", "pubmed.ncbi.nlm.nih.gov": "PubMed"}


class _Reason(Protocol):
    @property
    def text(self) -> str: ...
    @property
    def papers(self) -> Sequence[str]: ...


@cache
def environment() -> "Environment":
    """Return the Jinja environment, which escapes all values."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    jinja = Environment(
        loader=PackageLoader("specter_graph.service", "templates"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
    )
    jinja.filters |= {
        "path": path,
        "site": site,
        "marked": marked,
        "mathematics": with_mathematics,
        "sentence": sentence,
    }
    jinja.globals |= {"with_query": with_query, "trail": trail}
    return jinja


def render(name: str, scope: Scope, **values: Any) -> str:  # noqa: ANN401
    """Render a template."""
    app = scope.get("app")
    noted = app is not None and app.state.use is not None
    option = app.state.backend.opened.database.option if app is not None else ""
    page = environment().get_template(name)
    return page.render(here=scope["path"], noted=noted, option=option, **values)


def path(identifier: str) -> str:
    """Quote an id for a URL path, preserving slashes."""
    return quote(identifier, safe="/:")


def with_query(address: str, **values: object) -> str:
    """Add the values that are not empty to a URL as its query string."""
    given = {key: value for key, value in values.items() if value not in (None, "")}
    return f"{address}?{urlencode(given)}" if given else address


def trail(name: str | None, place: int) -> str:
    """Return the query string that records the list and position of a link, if it is logged."""
    return f"?list={name}&place={place}" if name else ""


def site(address: str) -> str:
    """Return the name of a URL's site: DOI, arXiv, PubMed, or its host."""
    try:
        host = urlsplit(address).hostname or address
    except ValueError:
        return address
    return _SITES.get(host, host.removeprefix("www."))


def marked(text: str, words: Sequence[str]) -> Markup:
    """Highlight words in a text, and convert its TeX."""
    return with_mathematics(text, partial(_marked, words=words) if words else escape)


def _marked(text: str, words: Sequence[str]) -> Markup:
    pattern = r"\b(" + "|".join(map(re.escape, words)) + r")\b"
    parts = re.split(pattern, text)
    return Markup("").join(
        Markup("<mark>{}</mark>").format(part) if number % 2 else escape(part)
        for number, part in enumerate(parts)
    )


def sentence(reasons: Sequence[_Reason], papers: Mapping[str, Mapping[str, Any]]) -> Markup:
    """Join reasons to a sentence with links to the papers they name."""
    joined = Markup("; ").join(_linked(each, papers) for each in reasons)
    end = "" if joined.endswith(".") or not joined else "."
    return joined[:1].upper() + joined[1:] + end


def _linked(reason: _Reason, papers: Mapping[str, Mapping[str, Any]]) -> Markup:
    parts, rest = list[Markup](), reason.text
    for id in reason.papers:
        before, title, after = rest.partition(papers.get(id, {}).get("title") or id)
        if title:
            link = Markup('<a href="/papers/{}">{}</a>').format(path(id), with_mathematics(title))
            parts += [escape(before), link]
            rest = after
    return Markup("").join([*parts, escape(rest)])
