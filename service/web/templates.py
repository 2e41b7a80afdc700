"""The pages' templates, and what all of them know."""

import re
from collections.abc import Mapping, Sequence
from functools import cache, partial
from typing import TYPE_CHECKING, Any, Protocol
from urllib.parse import quote, urlencode, urlsplit

from markupsafe import Markup, escape
from starlette.types import Scope

from specter_graph.service.web.mathml import with_mathematics

if TYPE_CHECKING:
    from jinja2 import Environment

_SITES = {"doi.org": "DOI", "arxiv.org": "arXiv", "pubmed.ncbi.nlm.nih.gov": "PubMed"}


class _Reason(Protocol):
    @property
    def text(self) -> str: ...
    @property
    def papers(self) -> Sequence[str]: ...


@cache
def environment() -> "Environment":
    """Where templates come from: all that they print is escaped."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    found = Environment(
        loader=PackageLoader("specter_graph.service", "templates"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
    )
    found.filters |= {
        "path": path,
        "site": site,
        "marked": marked,
        "mathematics": with_mathematics,
        "sentence": sentence,
    }
    found.globals |= {"with_query": with_query, "trail": trail}
    return found


def render(name: str, scope: Scope, **values: Any) -> str:  # noqa: ANN401
    """Fill a template in."""
    app = scope.get("app")
    noted = app is not None and app.state.use is not None
    option = app.state.backend.opened.database.option if app is not None else ""
    page = environment().get_template(name)
    return page.render(here=scope["path"], noted=noted, option=option, **values)


def path(identifier: str) -> str:
    """An id as part of an address: its slashes stay."""
    return quote(identifier, safe="/:")


def with_query(address: str, **values: object) -> str:
    """An address with those of the values that are there."""
    given = {key: value for key, value in values.items() if value not in (None, "")}
    return f"{address}?{urlencode(given)}" if given else address


def trail(name: str | None, place: int) -> str:
    """What a link to a paper says of the list that it stands on, if that is noted."""
    return f"?list={name}&place={place}" if name else ""


def site(address: str) -> str:
    """Name the site of an address: DOI, arXiv, PubMed, or its host."""
    try:
        host = urlsplit(address).hostname or address
    except ValueError:
        return address
    return _SITES.get(host, host.removeprefix("www."))


def marked(text: str, words: Sequence[str]) -> Markup:
    """Mark words in a text, and draw its TeX."""
    return with_mathematics(text, partial(_marked, words=words) if words else escape)


def _marked(text: str, words: Sequence[str]) -> Markup:
    pattern = r"\b(" + "|".join(map(re.escape, words)) + r")\b"
    parts = re.split(pattern, text)
    return Markup("").join(
        Markup("<mark>{}</mark>").format(part) if number % 2 else escape(part)
        for number, part in enumerate(parts)
    )


def sentence(reasons: Sequence[_Reason], papers: Mapping[str, Mapping[str, Any]]) -> Markup:
    """Join reasons to a sentence in which the papers that they name, by title, are links."""
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
