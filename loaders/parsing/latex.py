"""Plain text of the LaTeX in a .bib file."""

import re
from functools import lru_cache, partial
from itertools import starmap
from unicodedata import normalize

from specter_graph.core.errors import extra
from specter_graph.loaders.parsing.plain_text import MARKUP

with extra("formats"):
    from pylatexenc import latex2text, latexwalker
    from pylatexenc.latex2text import LatexNodes2Text, MacroTextSpec
    from pylatexenc.latex2text._defaultspecs import unicode_accents_list
    from pylatexenc.latexwalker import LatexMacroNode
    from pylatexenc.macrospec import MacroSpec

_ACCENT = re.compile(
    r"""(?<!\\[cvuHkrdbt"'`^~=.])                                            # not inside \c{...}
        \{\\(?:["'`^~=.]|[cvuHkrdbt]\b)\ *(?:\\?[A-Za-z]|\{\\?[^\W\d_]\})\}  # {\"o} {\v s} {\c{c}}
    |\\["'`^~=.]\ *(?:[A-Za-z]|\{\\?[^\W\d_]\})                            # \"o \"{o} \'{\i}
    |\\[cvuHkrdbt]\ *\{\\?[^\W\d_]\}                                       # \v{s}
    |\{\\LETTER\}                                                          # {\ss}
    |\\LETTER(?:\{\}|(?![A-Za-z])\ *)                                      # \ss{} \ss""".replace(
        "LETTER", "(?:ss|ae|AE|oe|OE|aa|AA|o|O|l|L|i|j|dh|DH|th|TH|dj|DJ|ng|NG)"
    ),
    re.VERBOSE,
)
_DBLP_SCRIPT = re.compile(r"\\\(\{\}[_^]\{\\mbox\{([^{}\\]*)\}\}\\\)")
"""Raised and lowered text as dblp writes it: 5\\({}^{\\mbox{th}}\\)."""
_SPECIAL = re.compile(r"\\(?=[_%&#~{}$ ])")
_TEXT_IN_BIBTEX = re.compile(r"(?<!\\)[%&]")
_FORMULA = re.compile(r"(\$[^$]+\$)")
_MAX_LENGTH = 200_000
"""Characters; longer texts are not parsed, because pylatexenc is slow."""
_LIGATURES = (("---", "\N{EM DASH}"), ("--", "\N{EN DASH}"), ("``", "“"), ("''", "”"))


_PRINTED: dict[str, str] = MARKUP["latex"]
"""Macros that pylatexenc does not know or print. Links are reduced to their text; \\maketitle is
removed, because pylatexenc repeats the title there."""


def _add_accent(node: LatexMacroNode, l2tobj: LatexNodes2Text, combining: str) -> str:
    """Put an accent on the first letter of its argument, as TeX does.

    pylatexenc would put it on all characters, including accents, which doubles the text with each
    level of nesting.
    """
    text = l2tobj.nodelist_to_text((node.nodeargs or [])[:1]).strip() or " "
    letter = {"\N{LATIN SMALL LETTER DOTLESS I}": "i", "\N{LATIN SMALL LETTER DOTLESS J}": "j"}
    return normalize("NFC", letter.get(text[0], text[0]) + combining) + text[1:]


_SYNTAX = latexwalker.get_default_latex_context_db()
_ARGUMENTS = {"href": "{{", "url": "{", "path": "{", "foreignlanguage": "{{"}
_SYNTAX.add_context_category("links", prepend=True, macros=starmap(MacroSpec, _ARGUMENTS.items()))

_TEXTS = latex2text.get_default_latex_context_db()
_ACCENTS = {name: partial(_add_accent, combining=mark) for name, mark in unicode_accents_list}
_TEXTS.add_context_category(
    "printed", prepend=True, macros=starmap(MacroTextSpec, (_PRINTED | _ACCENTS).items())
)
_CONVERTER = LatexNodes2Text(latex_context=_TEXTS, math_mode="verbatim")


def printed_text(latex: str) -> str:
    """Return the text that LaTeX would print, in Unicode with single spaces.

    Formulas (`$...$`) are unchanged. Braces are removed. LaTeX that cannot be parsed is unchanged
    except for its braces.
    """
    if "\\" in latex and "$" not in latex:
        latex = decode_accents(_DBLP_SCRIPT.sub(r"\1", latex))
    parts = _FORMULA.split(latex)
    has_commands = any("\\" in part or "$" in part for part in parts[::2])
    if has_commands and len(latex) <= _MAX_LENGTH:
        text = _convert(latex)
    else:  # without pylatexenc, which is slow, and leaves formulas unchanged
        parts[::2] = map(_remove_braces, parts[::2])
        parts[1::2] = (_TEXT_IN_BIBTEX.sub(r"\\\g<0>", formula) for formula in parts[1::2])
        text = "".join(parts)
    return " ".join(text.split())


def _remove_braces(text: str) -> str:
    for written, printed in _LIGATURES:  # before the braces are removed: -{}- is two hyphens
        text = text.replace(written, printed)
    return text.replace("{", "").replace("}", "").replace("~", " ")


def decode_accents(latex: str) -> str:
    r"""Replace accents and letters such as \~{a} or \O{} by characters; leave all other LaTeX."""
    for _ in range(2):  # \c{\u{e}}
        latex = _ACCENT.sub(lambda match: _convert_accent(match[0]), latex)
    return latex


def verbatim_text(latex: str) -> str:
    """Return a URL or an identifier without braces and escaping backslashes."""
    return _SPECIAL.sub("", latex).replace("{", "").replace("}", "").strip()


@lru_cache(10_000)
def _convert_accent(latex: str) -> str:
    return _convert(latex)


def _convert(latex: str) -> str:
    # In a .bib file, % and & are more often text than the beginning of a comment or of a column.
    written = _TEXT_IN_BIBTEX.sub(r"\\\g<0>", latex)
    walker = latexwalker.LatexWalker(written, latex_context=_SYNTAX, tolerant_parsing=True)
    try:
        text: str = _CONVERTER.nodelist_to_text(walker.get_latex_nodes()[0])
    except Exception:  # the converter may fail on any LaTeX
        return latex.replace("{", "").replace("}", "")
    return text
