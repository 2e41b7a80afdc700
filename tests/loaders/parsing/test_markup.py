"""Convert titles and abstracts with tags to plain text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specter_graph.loaders.parsing.plain_text import paragraphs, strip_markup


@pytest.mark.parametrize(
    ("tagged", "text"),
    [
        ("A  title\nof two lines", "A title of two lines"),
        ("CO<sub>2</sub> in <i>E. coli</i>", "CO2 in E. coli"),
        ('<span class="x">A</span><br/>B', "A B"),
        ("Food &amp; <b>R&amp;D</b>", "Food & R&D"),
        ("&lt;i&gt;E. coli&lt;/i&gt; &amp;amp; p &lt; 0.05", "E. coli & p < 0.05"),
        ("<jats:italic>A</jats:italic><mml:math><mml:mi>x</mml:mi></mml:math>", "Ax"),
        ("if a<b and c>d, p<0.05", "if a<b and c>d, p<0.05"),
        ("the list<int> of C<T>", "the list<int> of C<T>"),
        ("A<!-- hidden -->B", "AB"),
        ("<math><msup><mi>x</mi><mn>2</mn></msup><annotation>x^2</annotation></math>", "x2"),
        ("", ""),
    ],
)
def test_tags_are_removed_but_not_similar_text(tagged: str, text: str):
    assert strip_markup(tagged) == text


@pytest.mark.parametrize(
    ("tagged", "text"),
    [
        ("<jats:p>One.</jats:p><jats:p>Two.</jats:p>", "One.\n\nTwo."),
        ("<jats:title>Abstract</jats:title><jats:p>One.</jats:p>", "One."),
        ("<jats:title>Aims</jats:title> <jats:p>One.</jats:p>", "Aims\n\nOne."),
        ("Plain\n text", "Plain text"),
        ("<jats:p> </jats:p>", None),
        ("Abstract", None),
        ("<math><mi>x</mi><annotation>kept", "xkept"),
        ("<jats:tex-math>x^2</jats:tex-math>", "x^2"),
    ],
)
def test_an_abstract_keeps_its_paragraphs(tagged: str, text: str | None):
    assert paragraphs(tagged) == text


def test_a_formula_occurs_once():
    formula = "<jats:tex-math>$x$</jats:tex-math><mml:math><mml:mi>x</mml:mi></mml:math>"
    assert paragraphs(f"<jats:p>Let {formula} be.</jats:p>") == "Let x be."


@given(st.text(alphabet="<>/&;ab: \"'=-!p", max_size=60))
def test_any_text_is_converted(text: str):
    line = strip_markup(text)
    assert line == " ".join(line.split())
    assert " ".join((paragraphs(text) or "").split()) == line
    if "<" not in text and "&" not in text:
        assert line == " ".join(text.split())


PIECES = [
    *(("<i>", ""), ("</jats:italic>", ""), ('<span class="x">', ""), ("<!-- hidden -->", "")),
    *(("<p>", " "), ("<br/>", " "), ("&amp;", "&"), ("&lt; ", "< "), ("é", "é"), ("x ", "x ")),
    *(("a<b ", "a<b "), ("C<T> ", "C<T> ")),
]


@given(st.lists(st.sampled_from(PIECES)))
def test_only_tags_and_comments_are_removed(pieces: list[tuple[str, str]]):
    tagged, text = ("".join(parts) for parts in zip(*pieces, strict=True)) if pieces else ("", "")
    assert strip_markup(tagged) == " ".join(text.split())


def test_unclosed_tags_take_linear_time():
    assert strip_markup("<p a='" * 100_000)
    assert strip_markup("--><!--" * 100_000)
    assert strip_markup("<p" + " " * 1_000_000)
    assert paragraphs("<mml:math><tex-math>" * 50_000) is None
