"""TeX is converted to MathML, and to nothing else."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specter_graph.graph.search.hits import SearchReason
from specter_graph.service.templating import explain, highlight, render_math, site_name


def test_tex_between_dollars_becomes_mathml():
    shown = render_math(r"The decay $B \to K^* \mu^+\mu^-$ at $\sqrt{s}$ <7 TeV")
    assert shown.count("<math") == 2
    assert "<mi>μ</mi>" in shown
    assert "→" in shown
    assert "&lt;7 TeV" in shown
    assert "$" not in shown


@pytest.mark.parametrize("text", ["from $5 to $10", "a $ alone", r"$\frac{$ is none", "$ x $"])
def test_text_without_tex_is_unchanged(text):
    assert render_math(text) == text


@pytest.mark.parametrize(
    "text",
    [
        r"$\text{<script>alert(1)</script>}$",
        r"$\text{&lt;script&gt;alert(1)&lt;/script&gt;}$",
        r"$\href{javascript:alert(1)}{x}$",
        r"$\style{color:red}{x}$",
        r"$\class{x onload=alert(1)}{x}$",
        "<b>$a<b$</b>",
        "$" + "{" * 290 + "$",
    ],
)
def test_no_script_in_tex_is_run(text):
    assert_only_mathml(render_math(text))


@given(st.text(st.sampled_from("$\\{}<>&;'\"=ax ^_/") | st.characters(codec="utf-8"), max_size=60))
def test_any_title_becomes_text_or_mathml(text):
    assert_only_mathml(render_math(text))


def assert_only_mathml(shown):
    for tag, attributes in re.findall(r"<(/?\w*)([^>]*)>", shown):
        assert re.fullmatch(r"/?m[a-z]+", tag), shown
        assert not re.search(r"\b(href|style|class|on\w+)=", attributes), shown


def test_words_are_highlighted_outside_tex():
    shown = highlight(r"the mass <m> of $\nu mass$", ["mass"])
    assert shown.startswith("the <mark>mass</mark> &lt;m&gt; of <math")
    assert shown.count("<mark>") == 1


def test_reasons_are_a_sentence_in_which_titles_are_links():
    reasons = [
        SearchReason("similar in meaning"),
        SearchReason("cited by A, B & C, <b>", ("a", "b/1", "<b>"), ("A", "B & C", "<b>")),
    ]
    assert explain(reasons) == (
        'Similar in meaning; cited by <a href="/papers/a">A</a>, '
        '<a href="/papers/b/1">B &amp; C</a>, <a href="/papers/%3Cb%3E">&lt;b&gt;</a>.'
    )
    assert explain([SearchReason("cited by A, ...", ("a",), ("A",))]).endswith("</a>, ...")
    number = SearchReason("cited by 2 of the top results: 2, 7", ("2", "7"), ("2", "7"))
    assert explain([number]) == (
        'Cited by 2 of the top results: <a href="/papers/2">2</a>, <a href="/papers/7">7</a>.'
    )
    assert explain([]) == ""


@pytest.mark.parametrize(
    ("address", "name"),
    [
        ("https://doi.org/10.1/x", "DOI"),
        ("https://www.example.org/x", "example.org"),
        ("http://[", "http://["),
        ("https://", "https://"),
    ],
)
def test_a_link_is_named_after_its_site(address, name):
    assert site_name(address) == name
