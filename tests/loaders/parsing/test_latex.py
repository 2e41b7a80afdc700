"""Convert LaTeX to plain text."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pylatexenc.latex2text._defaultspecs import unicode_accents_list

from specter_graph.loaders.parsing import latex
from specter_graph.loaders.parsing.latex import printed_text, verbatim_text


@pytest.mark.parametrize(
    ("latex", "text"),
    [
        (r"{\"o} \"o \"{o} {\"{o}} {\'\i} \'{\i}", "ö ö ö ö í í"),
        (r"{\v s} {\v{s}} \v{s} {\c c} \c{c} {\H o} \k{a} {\u g} {\r a}", "š š š ç ç ő ą ğ å"),
        (r"{\ss} {\o} {\L} {\ae} {\aa} stra\ss e", "ß ø Ł æ å straße"),
        (r"The {DNA} of {{BERT}}", "The DNA of BERT"),
        (r"\textit{a} \emph{b} {\em c} \textbf{d} {\bf e}", "a b c d e"),
        (r"$\mathbb{Z}_p$ and $x^{2}$", r"$\mathbb{Z}_p$ and $x^{2}$"),
        (r"$x$ by M{\"u}ller", "$x$ by Müller"),
        (r"R\&D, 50\% \_ \# \$5", "R&D, 50% _ # $5"),
        ("100 % of it", "100 % of it"),
        (r"100 % of {\o}", "100 % of ø"),
        ("a--b---c ``d''", "a\N{EN DASH}b\N{EM DASH}c “d”"),
        (r"a--b \o", "a\N{EN DASH}b ø"),
        ("A.~B.\n  C", "A. B. C"),
        (r"{\textless}i{\textgreater} {\textquoteright}", "<i> \N{RIGHT SINGLE QUOTATION MARK}"),
        (r"\href{https://example.org}{here} \url{https://example.org}", "here https://example.org"),
        (r"\unknown{text} stays", "text stays"),
        (r"a } b { c", "a b c"),
        ("", ""),
    ],
)
def test_the_text_is_what_latex_prints(latex: str, text: str):
    assert printed_text(latex) == text


def test_addresses_keep_their_characters():
    assert verbatim_text(r" {https://example.org/a\_b~c\%20--d} ") == (
        "https://example.org/a_b~c%20--d"
    )


@pytest.mark.parametrize(
    "latex", ["{" * 5_000 + r"\a", "\\" * 20_001, r"\textbf{" * 2_000, "$" * 999]
)
def test_unusual_input_is_converted_quickly_without_errors(latex: str):
    begin = time.process_time()
    printed_text(latex)
    assert time.process_time() - begin < 2


@settings(max_examples=100)
@given(st.lists(st.sampled_from([*"\\{}$%~'\"` aé", r"\textit", r"\href", r"\begin{a}", r"\c"])))
def test_any_latex_gives_a_text(pieces: list[str]):
    text = printed_text("".join(pieces))
    assert text == " ".join(text.split())


@pytest.mark.parametrize("name", [name for name, _ in unicode_accents_list])
def test_nested_accents_do_not_double_the_text(name: str):
    text = "a" * 20
    for _ in range(40):
        text = f"\\{name}{{{text}}}"
    assert len(printed_text(text)) <= len(text)


def test_no_macro_expands_without_limit():
    known = latex._CONVERTER.latex_context
    names = {name for each in known.category_list for name in known.d[each]["macros"]}
    for name in names - {"today"}:
        text = "a" * 20
        for _ in range(12):
            text = f"\\{name}{{{text}}}"
        assert len(printed_text(text)) <= len(text), name


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        (r"In the {$\tev$}  range ``5~%'' & {QED}", r"In the $\tev$ range “5 %” & QED"),
        (r"$10% - 85\%$ of {{$B^{0}$}}", r"$10\% - 85\%$ of $B^{0}$"),
    ],
)
def test_a_text_whose_only_commands_are_in_formulas_is_not_parsed(monkeypatch, written, expected):
    monkeypatch.delattr(latex, "_convert")
    assert printed_text(written) == expected
