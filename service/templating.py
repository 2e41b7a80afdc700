"""Templates of the web pages, with MathML for formulas."""

import html
import re
from collections.abc import Callable, Sequence
from datetime import datetime
from email.utils import format_datetime
from functools import cache, lru_cache, partial
from typing import TYPE_CHECKING, Annotated, Any
from urllib.parse import quote, urlencode, urlsplit
from xml.etree.ElementTree import tostring

from fastapi import Depends, Request
from markupsafe import Markup, escape
from starlette.types import Scope

from specter_graph.core.atomic_files import jinja_environment
from specter_graph.graph.search.hits import SearchReason
from specter_graph.loaders.review_records import REVIEWER

if TYPE_CHECKING:
    from jinja2 import Environment

MAX_AUTHORS = 5
"""Maximum authors of a hit."""
MAX_CACHED = 10_000
"""Addresses and formulas that are kept; pages name the same papers again and again."""
_TEX = re.compile(r"\$(?! )([^$\n]{1,300})(?<! )\$(?!\d)")
"""TeX as in Pandoc's Markdown, in which "$5 and $10" is not a formula."""
_ATTRIBUTES = {
    "accent", "columnalign", "display", "fence", "form", "linethickness", "lspace", "mathvariant",
    "maxsize", "minsize", "movablelimits", "rspace", "separator", "stretchy", "width", "xmlns",
}  # fmt: skip
"""Allowed attributes of an element: no URLs and no styles."""

_SITES = {"doi.org": "DOI", "arxiv.org": "arXiv", "pubmed.ncbi.nlm.nih.gov": "PubMed"}


def render_math(text: str, as_html: Callable[[str], Markup] = escape) -> Markup:
    """Convert TeX in a text to MathML; invalid TeX is unchanged.

    `as_html` converts the text between formulas to HTML; the default escapes it.
    """
    if "$" not in text:
        return as_html(text)
    parts = _TEX.split(text)
    return Markup("").join(
        _mathml(part) if number % 2 else as_html(part) for number, part in enumerate(parts)
    )


@lru_cache(MAX_CACHED)
def _mathml(tex: str) -> Markup:
    from latex2mathml.converter import convert_to_element

    try:
        element = convert_to_element(tex)
    except Exception:  # the library has no common exception class, and the TeX may be arbitrary
        return escape(f"${tex}$")
    for child in element.iter():
        child.text = html.unescape(child.text or "")  # `tostring` escapes references again
        for name in {*child.attrib} - _ATTRIBUTES:
            del child.attrib[name]
    return Markup(tostring(element, encoding="unicode"))  # noqa: S704, escaped by `tostring`


@cache
def environment() -> "Environment":
    """Return the Jinja environment, which escapes all values."""
    jinja = jinja_environment("specter_graph.service", "templates")
    jinja.filters |= {
        "path": quote_id,
        "site": site_name,
        "highlight": highlight,
        "math": render_math,
        "explain": explain,
        "rss_date": lambda time: format_datetime(datetime.fromisoformat(time)),
    }
    jinja.globals |= {
        "with_query": with_query,
        "venue_address": venue_address,
        "click_parameters": click_parameters,
        "max_authors": MAX_AUTHORS,
    }
    return jinja


def render(scope: Scope, name: str, /, **values: Any) -> str:  # noqa: ANN401
    """Render a template with the given values, and with those that all pages have."""
    app = scope.get("app")
    backend = app.state.backend if app else None
    allows_jobs = backend is not None and backend.jobs is not None
    page = environment().get_template(name)
    return page.render(
        request_path=scope["path"],
        is_logged=backend is not None and backend.usage_log is not None,
        is_read_only=backend is not None and not allows_jobs,
        may_change=allows_jobs and scope["state"]["may_write"],
        instance_option=backend.opened.database.option if backend else "",
        **values,
    )


async def _renderer(request: Request) -> Callable[..., str]:
    return partial(render, request.scope)


RenderDep = Annotated[Callable[..., str], Depends(_renderer)]
"""The function `render` for the page of a request."""


@lru_cache(MAX_CACHED)
def quote_id(identifier: str) -> str:
    """Quote an id for a URL path, preserving slashes."""
    return quote(identifier, safe="/:")


def with_query(address: str, **values: object) -> str:
    """Add the values that are not empty to a URL as its query string."""
    pairs = [
        (name, item)
        for name, value in values.items()
        for item in (value if isinstance(value, list) else [value])
        if item not in (None, "")
    ]
    return f"{address}?{urlencode(pairs)}" if pairs else address


def venue_address(venue: str, name: str, page: str = "", **values: object) -> str:
    """Return the address of a page about an assignment of a review venue."""
    return with_query(
        f"/match/{quote_id(venue)}{page}", name=None if name == REVIEWER else name, **values
    )


def click_parameters(list_name: str | None, position: int) -> str:
    """Return the query string that records the list and position of a link, if it is logged."""
    return f"?list={list_name}&place={position}" if list_name else ""


@lru_cache(MAX_CACHED)
def site_name(address: str) -> str:
    """Return the name of a URL's site: DOI, arXiv, PubMed, or its host."""
    try:
        host = urlsplit(address).hostname or address
    except ValueError:
        return address
    return _SITES.get(host, host.removeprefix("www."))


def highlight(text: str, words: Sequence[str]) -> Markup:
    """Highlight words in a text, and convert its TeX."""
    return render_math(text, partial(_highlight, words=words) if words else escape)


def _highlight(text: str, words: Sequence[str]) -> Markup:
    pattern = r"\b(" + "|".join(map(re.escape, words)) + r")\b"
    parts = map(escape, re.split(pattern, text))
    marked = (f"<mark>{part}</mark>" if number % 2 else part for number, part in enumerate(parts))
    return Markup("".join(marked))  # noqa: S704, the parts are escaped


def explain(reasons: Sequence[SearchReason]) -> Markup:
    """Join reasons to a sentence with links to the papers that they name."""
    joined = Markup("; ").join(map(_link_papers, reasons))
    end = "" if joined.endswith(".") or not joined else "."
    return joined[:1].upper() + joined[1:] + end


def _link_papers(reason: SearchReason) -> Markup:
    """Link the titles, which end the text: a title such as 2 may also occur before them."""
    linked, remaining = Markup(""), reason.text
    for id, title in reversed(list(zip(reason.papers, reason.titles, strict=True))):
        remaining, _, after = remaining.rpartition(title)
        link = Markup('<a href="/papers/%s">%s</a>') % (quote_id(id), render_math(title))
        linked = link + escape(after) + linked
    return escape(remaining) + linked
