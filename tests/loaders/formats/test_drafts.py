"""Read drafts in LaTeX: their texts and their citations."""

import pytest

from specter_graph import uploads
from specter_graph.core.errors import InputError
from specter_graph.core.limited_processes import LimitedProcesses
from specter_graph.loaders.formats import drafts
from specter_graph.loaders.formats.drafts import (
    MAX_PDF_BYTES,
    MAX_WORDS,
    cited_entries,
    read_draft,
)
from specter_graph.loaders.records import Identifier, Paper

HEAD = r"""\documentclass{article}
\title[Short]{Neutrino \emph{masses}\thanks{Supported by \textbf{nobody}.} at 5\%}  % \cite{no}
\begin{document}
\maketitle
"""
ABSTRACT = (
    r"\begin{abstract}We study $\theta_{13}$~\cite{wolfenstein} in {\it matter}.\end{abstract}"
)


@pytest.fixture
def draft(tmp_path):
    def read(text, **options):
        (tmp_path / "draft.tex").write_text(text)
        return read_draft(tmp_path / "draft.tex", **options)

    return read


def cited(result):
    return {entry.id: [each.value for each in entry.identifiers] for entry in result.entries}


def test_the_text_is_title_and_abstract_without_commands(draft):
    result = draft(HEAD + ABSTRACT + r"\section{Introduction} Later text. \end{document}")
    assert result.text == r"Neutrino masses at 5%. We study $\theta_{13}$ in matter."
    again = draft(HEAD + r"\abstract{It \textbf{works}.} Later text. \end{document}")
    assert again.text == "Neutrino masses at 5%. It works."


def test_without_an_abstract_the_text_is_the_beginning_of_the_body(draft):
    body = r"\section{One} Words.\footnote{No.} \begin{equation} x \end{equation} " + "more " * 400
    result = draft(HEAD + body + r"\begin{thebibliography}{9} \bibitem{a} last")
    assert result.text.startswith("Neutrino masses at 5%. Words. more more")
    assert len(result.text.split()) == 4 + MAX_WORDS
    assert "last" not in result.text


def test_cited_keys_come_once_in_order_without_comments(draft):
    text = r"\cite{b,a} \citep[see][p.~3]{c} \citet*{a} \parencite{d} \nocite{e} % \cite{no}"
    assert [*cited(draft(text))] == ["b", "a", "c", "d", "e"]
    assert [*cited(draft(r"100\% \cite{kept} \\% \cite{no}"))] == ["kept"]


def test_the_commands_of_biblatex_cite_in_several_arguments(draft):
    text = "\\textcites(see)()[3]{a}[p.~{4}]{b, c} \\citetitle*{d} \\parencites{e}\n[5]{f} no {x}"
    result = draft(text)
    assert [*cited(result)] == ["a", "b", "c", "d", "e", "f"]
    assert result.text == "no x"


def test_a_chapter_alone_has_its_title(draft):
    result = draft(r"\chapter[Short]{Neutrino \emph{masses}}\label{chap} \section{One} Words.")
    assert result.text == "Neutrino masses. Words."


def test_a_key_may_be_an_identifier_or_the_id_of_a_paper(draft):
    result = cited(draft(r"\cite{hep-ph/9811448,arXiv:2004.07180v2,10.1103/PhysRevD.17.2369,Wein}"))
    identified = ["hep-ph/9811448", "2004.07180", "10.1103/physrevd.17.2369"]
    assert [*result.values()] == [[*identified[n : n + 1], key] for n, key in enumerate(result)]


def test_items_give_identifiers_and_quoted_titles(draft):
    result = draft(r"""\begin{thebibliography}{99}
    \bibitem{Wolf} L.~Wolfenstein, ``Neutrino oscillations in matter,'' Phys.\ Rev.\ D {\bf 17},
      2369 (1978), \href{https://doi.org/10.1103/PhysRevD.17.2369}{link}.
    \bibitem[{\citenamefont{Fogli}(1996)}]{Fogli} G. Fogli, Phys. Lett. B [hep-ph/9603237v2];
      doi:10.1016/S0370-2693(96)00957-1.
    \bibitem{both} A, hep-ph/9901001; B, arXiv:hep-ph/9901002.
    \bibitem{block} A. Author. \newblock The title of a block. \newblock {\em A journal}, 1999.
    \end{thebibliography} Later: hep-ph/9901003. \cite{Wolf}""")
    assert [(each.id, each.title) for each in result.entries] == [
        ("Wolf", "Neutrino oscillations in matter"), ("Fogli", ""), ("both", ""), ("both", ""),
        ("block", "The title of a block"),
    ]  # fmt: skip
    assert [each.identifiers for each in result.entries] == [
        (Identifier("doi", "10.1103/physrevd.17.2369"),),
        (Identifier("arxiv", "hep-ph/9603237"), Identifier("doi", "10.1016/s0370-2693(96)00957-1")),
        (Identifier("arxiv", "hep-ph/9901001"),),
        (Identifier("arxiv", "hep-ph/9901002"),),
        (),
    ]


def test_cited_entries_of_a_bib_file_beside_it_are_read(draft, tmp_path):
    (tmp_path / "refs.bib").write_text(
        "@article{a, title={The title of a}, eprint={hep-ph/9901001}}\n"
        "@article{b, title={Not cited}}\n"
    )
    result = draft(r"\cite{a,lost} \addbibresource{refs.bib}")
    assert [(each.id, each.title) for each in result.entries] == [
        ("a", "The title of a"),
        ("lost", ""),
    ]
    assert [*cited(draft(r"\nocite{*} \bibliography{refs}"))] == ["a", "b"]
    alone = draft(r"\cite{a} \bibliography{refs}", single_file=True)
    assert (cited(alone), alone.unread) == ({"a": ["a"]}, ("refs",))


def test_of_a_library_the_cited_entries_count(draft):
    library = [Paper("a", "The title of a"), Paper("b", "Not cited")]
    result = draft(r"\cite{a,lost,hep-ph/9901001}")
    entries = [(entry.id, entry.title) for entry in cited_entries([result], library)]
    assert entries == [("a", "The title of a"), ("lost", ""), ("hep-ph/9901001", "")]
    complete = draft(r"\cite{c} \bibitem{c} hep-ph/9901001")
    assert [entry.id for entry in cited_entries([complete], library)] == ["a", "b", "c"]


def test_the_bbl_file_replaces_a_missing_bib_file(draft, tmp_path):
    (tmp_path / "draft.bbl").write_text(r"\bibitem{a} hep-ph/9901001")
    result = draft(r"\cite{a} \bibliography{refs}")
    assert (cited(result), result.unread) == ({"a": ["hep-ph/9901001"]}, ("refs",))


def test_included_files_are_read_in_order_and_only_from_the_folder(draft, tmp_path):
    folder, outside = tmp_path / "sections", tmp_path.parent / "outside.tex"
    folder.mkdir()
    (folder / "one.tex").write_text(r"\cite{one} \input{draft} \input{sections/two.tex}")
    (folder / "two.tex").write_text(r"\cite{two}")
    outside.write_text(r"\cite{secret}")
    (tmp_path / "link.tex").symlink_to(outside)
    names = ["../outside", str(outside), "link", "nowhere", ".", " ", "sections/../../outside"]
    result = draft(
        r"\include{sections/one} \cite{three}" + "".join(rf"\input{{{n}}}" for n in names)
    )
    assert [*cited(result)] == ["one", "two", "three"]
    assert result.unread == tuple(name.strip() for name in names)


def test_a_draft_that_is_too_large_with_its_included_files_is_refused(draft, tmp_path, monkeypatch):
    monkeypatch.setattr(drafts, "MAX_BYTES", 100)
    (tmp_path / "part.tex").write_text("x" * 90)
    with pytest.raises(InputError, match="more than 100 bytes"):
        draft(r"\section{A} \input{part}")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "draft.tex is not LaTeX"),
        ("\0\1\2 PDF", "draft.tex is not LaTeX"),
        (r"\begin{document}\end{document}", "neither text nor citations"),
    ],
)
def test_a_file_that_is_no_draft_is_refused(draft, text, message):
    with pytest.raises(InputError, match=message):
        draft(text)


def test_a_file_that_is_missing_is_named(tmp_path):
    with pytest.raises(InputError, match=r"file not found: .*none\.tex"):
        read_draft(tmp_path / "none.tex")


def test_unclosed_braces_and_latin_1_are_read(tmp_path):
    file = tmp_path / "draft.tex"
    file.write_bytes(rb"\title{M\"uller und die Fr" + b"\xfc" + rb"chte {\it \cite{a}")
    assert read_draft(file).text.startswith("Müller und die Früchte")


def test_an_uploaded_draft_is_read_alone_in_a_limited_process(tmp_path):
    file = tmp_path / "upload"
    file.write_text(HEAD + ABSTRACT + r"\bibitem{a} hep-ph/9901001 \input{other}")
    (tmp_path / "other.tex").write_text(r"\cite{other}")
    limited = LimitedProcesses(*uploads.MODULES)
    try:
        result = uploads.draft(limited, file, 2)
        assert result == read_draft(file, single_file=True)
        assert (cited(result), result.unread) == (
            {"a": ["hep-ph/9901001"], "wolfenstein": ["wolfenstein"]},
            ("other",),
        )
        with pytest.raises(InputError, match="cites more than 1 papers"):
            uploads.draft(limited, file, 1)
        file.write_bytes(b"%PDF-1.4")
        with pytest.raises(InputError, match="is not LaTeX"):
            uploads.draft(limited, file, 1)
    finally:
        limited.close()


PDF_LINES = [
    "Neutrino masses in matter", "We study oscilla-", "tions of neutrinos.", "References",
    "[1] L. Wolfenstein, Phys. Rev. D 17, doi:10.1103/PhysRevD.17.2369.",
    "[2] A. Author, arXiv:hep-ph/9901001",
]  # fmt: skip


def write_pdf(path, lines):
    """Write a page with lines of text, without a cross-reference table, which readers rebuild."""
    shown = "".join(f"({line.replace('(', '').replace(')', '')}) Tj T* " for line in lines)
    content = f"BT /F 12 Tf 14 TL 50 700 Td {shown}ET"
    path.write_text(
        "%PDF-1.4\n1 0 obj <</Type /Catalog /Pages 2 0 R>> endobj\n"
        "2 0 obj <</Type /Pages /Kids [3 0 R] /Count 1>> endobj\n"
        "3 0 obj <</Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 4 0 R"
        " /Resources <</Font <</F <</Type /Font /Subtype /Type1 /BaseFont /Helvetica>>>>>>>>"
        f" endobj\n4 0 obj <</Length {len(content)}>> stream\n{content}\nendstream endobj\n"
        "trailer <</Root 1 0 R>>\nstartxref\n0\n%%EOF\n"
    )


def test_a_pdf_gives_its_first_words_and_the_identifiers_of_its_references(tmp_path):
    write_pdf(tmp_path / "draft.pdf", PDF_LINES)
    result = read_draft(tmp_path / "draft.pdf")
    assert result.text.startswith("Neutrino masses in matter We study oscillations of neutrinos.")
    assert [*cited(result).values()] == [["10.1103/physrevd.17.2369"], ["hep-ph/9901001"]]


def test_a_pdf_without_text_or_with_errors_is_refused(tmp_path):
    write_pdf(tmp_path / "scan.pdf", [])
    with pytest.raises(InputError, match="has no text, only images"):
        read_draft(tmp_path / "scan.pdf")
    (tmp_path / "draft.pdf").write_bytes(b"%PDF-1.4\nnothing")
    with pytest.raises(InputError, match="cannot be read as PDF"):
        read_draft(tmp_path / "draft.pdf")


def test_a_pdf_without_a_heading_of_references_cites_nothing(tmp_path):
    write_pdf(tmp_path / "draft.pdf", ["Neutrino masses", "doi 10.1000/own"])
    result = read_draft(tmp_path / "draft.pdf")
    assert (result.text, result.entries) == ("Neutrino masses doi 10.1000/own", ())


def test_a_pdf_that_is_too_large_is_refused(tmp_path):
    with (tmp_path / "draft.pdf").open("wb") as file:
        file.truncate(MAX_PDF_BYTES + 1)
    with pytest.raises(InputError, match="more than 50,000,000 bytes"):
        read_draft(tmp_path / "draft.pdf")
