"""Mathematics in titles and abstracts: TeX between dollars as MathML, which browsers draw."""

import html
import re
from collections.abc import Callable
from xml.etree.ElementTree import tostring

from markupsafe import Markup, escape

_TEX = re.compile(r"\$(?! )([^$\n]{1,300})(?<! )\$(?!\d)")
"""As in Pandoc's Markdown, by which "$5 and $10" is money."""
_ATTRIBUTES = {
    "accent", "columnalign", "display", "fence", "form", "linethickness", "lspace", "mathvariant",
    "maxsize", "minsize", "movablelimits", "rspace", "separator", "stretchy", "width", "xmlns",
}  # fmt: skip
"""What an element may have: neither addresses nor styles."""


def with_mathematics(text: str, as_html: Callable[[str], Markup] = escape) -> Markup:
    """Draw the TeX of a text as MathML, or leave it as it is where that is none.

    `as_html` makes HTML of the text between, by default by escaping.
    """
    parts = _TEX.split(text)
    return Markup("").join(
        _mathml(part) if number % 2 else as_html(part) for number, part in enumerate(parts)
    )


def _mathml(tex: str) -> Markup:
    from latex2mathml.converter import convert_to_element

    try:
        made = convert_to_element(tex)
    except Exception:  # the library names no common kind, and TeX of a corpus may be anything
        return escape(f"${tex}$")
    for each in made.iter():
        each.text = html.unescape(each.text or "")  # references, which `tostring` escapes again
        for name in {*each.attrib} - _ATTRIBUTES:
            del each.attrib[name]
    return Markup(tostring(made, encoding="unicode"))  # noqa: S704, escaped by `tostring`
