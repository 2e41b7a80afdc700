"""The pages' templates, and what all of them know."""

from functools import cache
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlencode

from markupsafe import Markup, escape
from starlette.types import Scope

from specter_graph.service.mathematics import with_mathematics

if TYPE_CHECKING:
    from jinja2 import Environment


@cache
def environment() -> "Environment":
    """Where templates come from: all that they print is escaped."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    found = Environment(
        loader=PackageLoader("specter_graph.service", "pages"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
    )
    found.filters |= {"path": path, "marked": marked, "mathematics": with_mathematics}
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


def marked(text: str, words: list[str]) -> Markup:
    """A text with these of its words marked."""
    import re

    if not words:
        return escape(text)
    pattern = r"\b(" + "|".join(map(re.escape, words)) + r")\b"
    parts = re.split(pattern, text)
    return Markup("").join(
        Markup("<mark>{}</mark>").format(part) if number % 2 else escape(part)
        for number, part in enumerate(parts)
    )
