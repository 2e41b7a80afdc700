"""`search`, `similar` and `missing-references`: find papers."""

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import click

import specter_graph as sg
from specter_graph.cli.options import (
    FILE,
    diversity_option,
    filter_options,
    graph_command,
    k_option,
    min_score_option,
    option,
    rerank_option,
    space_option,
    until_option,
)
from specter_graph.cli.output import Output, terminal_safe
from specter_graph.core.errors import InputError, counted

_MAX_AUTHORS = 3


def _show_similar(output: Output, hits: "list[sg.SearchHit]") -> None:
    if output.format == "table":
        print_hits(hits, score="score")
    else:
        columns = ("score", "distance", "year", "citations", "id", "authors", "title")
        output.show_list(hits, columns)


def _show_results(output: Output, results: "sg.SearchResults") -> None:
    if output.format == "json":
        notes = ("authors", "did_you_mean", "notes")
        output.show({"hits": results} | {name: getattr(results, name) for name in notes})
    else:
        output.show(results, _print_results)


def _show_missing(output: Output, results: "sg.MissingReferencesResult") -> None:
    if output.format == "json":
        output.show(results)
    else:
        output.show([*results], lambda _: _print_missing(results))


def _print_results(results: "sg.SearchResults") -> None:
    for note in results.notes:
        click.echo(note)
    if results.did_you_mean:
        click.echo(terminal_safe(f"Did you mean: {results.did_you_mean}"))
    for author in results.authors:
        named = terminal_safe(author.name)
        click.echo(f"Author: {named} ({counted(author.papers, 'paper')})")
    print_hits(results)


def _print_missing(results: "sg.MissingReferencesResult") -> None:
    print_hits(results, score="probability")
    if not results.hits:
        click.echo("  try: add --text, or load papers that cite the same references", err=True)
    if results.outside:
        click.echo("\nOften cited, not in this corpus:")
        print_hits(results.outside, score="probability")


def print_hits(hits: "Iterable[sg.SearchHit]", *, score: str = "") -> None:
    """Print papers with their reasons, and with their scores if these have a name."""
    number = 0
    for number, hit in enumerate(hits, 1):
        click.secho(f"{number:3} {terminal_safe(hit.title or hit.id)}", bold=True)
        parts = [*_describe(hit), *([f"{score} {hit.score:.2f}"] if score else [])]
        click.echo("    " + terminal_safe(" · ".join(parts)))
        if hit.snippet:
            click.echo(f"    {_mark_words(hit)}")
        if hit.reasons:
            click.echo("    " + terminal_safe("; ".join(each.text for each in hit.reasons)))
    if not number:
        click.echo("no papers", err=True)


def _describe(hit: "sg.SearchHit") -> "Iterable[str]":
    if hit.retracted:
        yield "RETRACTED"
    if hit.authors:
        more = " et al." if len(hit.authors) > _MAX_AUTHORS else ""
        yield ", ".join(hit.authors[:_MAX_AUTHORS]) + more
    if hit.venue:
        yield hit.venue
    if hit.year:
        yield str(hit.year)
    yield "cited once" if hit.citations == 1 else f"cited {hit.citations:,} times"
    yield hit.id


def _mark_words(hit: "sg.SearchHit") -> str:
    """Return the snippet with the words of the query in bold."""
    snippet = terminal_safe(hit.snippet)
    if not hit.words:
        return snippet
    pattern = r"\b(" + "|".join(map(re.escape, hit.words)) + r")\b"
    return re.sub(pattern, lambda word: click.style(word[0], bold=True), snippet)


@click.command()
@click.argument("paper_id")
@space_option()
@k_option
@min_score_option
@diversity_option
@filter_options
@graph_command(_show_similar)
def similar(graph: "sg.LiteratureGraph", paper_id: str, **options: Any) -> object:
    """Find the papers nearest to a paper.

    \b
    Example:  specter-graph similar hep-ph/9901001
              specter-graph similar hep-ph/9901001 --space sgc -k 5 --format json
              specter-graph similar hep-ph/9901001 --since 2000 --venue PhysRevD
              specter-graph similar hep-ph/9901001 -k 100 --min-score 0.6 --diversity 0.3
              specter-graph similar hep-ph/9901001 --list reefs
    """
    return graph.similar(paper_id, **options)


@click.command()
@click.argument("text", default="")
@option("--like", "Find papers like this one.", "ID", multiple=True)
@option("--unlike", "Move away from this paper.", "ID", multiple=True)
@option(
    "--mode",
    "Rank by words, vectors and citations, by words, or by vectors.",
    ("hybrid", "text", "vector"),
    shown="hybrid, and identifiers and names of authors are found",
)
@space_option()
@k_option
@min_score_option
@diversity_option
@rerank_option
@filter_options
@graph_command(_show_results)
def search(graph: "sg.LiteratureGraph", text: str, **options: Any) -> object:
    """Find papers by words, vectors and citations.

    Each hit has the reasons why it was found. An id, a DOI, an arXiv or PubMed id finds its
    paper, and an author's name the author's papers. TEXT may have "quoted phrases", -word, OR,
    author:NAME, year:1998-2001 and venue:NAME.

    \b
    Example:  specter-graph search "neutrino oscillations in matter"
              specter-graph search "neutrino mass" --mode vector --space base --since 1998
              specter-graph search --like hep-ph/9901001 --unlike hep-ph/9810316
              specter-graph search 'author:Weinberg "effective field theory" -gravity'
    """
    return graph.search(text, **options)


class _DraftCommand(click.Command):
    """A command whose draft has several options; an argument without one names all of them."""

    allow_extra_args = True

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        extra = super().parse_args(ctx, args)
        if extra and not ctx.resilient_parsing:
            ctx.fail(
                f"{extra[0]!r} needs an option before it: --bib for a bibliography, --tex for a"
                " draft, --text for a text, or --id for a paper of the graph."
            )
        return extra


@click.command(cls=_DraftCommand)
@option("--id", "Paper of the graph that is the draft.", "ID")
@option("--text", "Title and abstract of the draft.", "TEXT", "")
@option("--bib", "Bibliography (BibTeX, RIS, CSL, or another format of `load`).", FILE)
@option("--tex", "The draft in LaTeX, with the files beside it, or in PDF.", FILE)
@option("--cites", "Paper that the draft cites.", "ID", multiple=True)
@until_option
@space_option()
@k_option
@rerank_option
@graph_command(_show_missing)
def missing_references(
    graph: "sg.LiteratureGraph",
    id: str | None,
    text: str,
    bib: Path | None,
    tex: Path | None,
    cites: tuple[str, ...],
    **options: Any,
) -> object:
    """Find references that a paper or a draft lacks.

    Give what you have of the draft; the options may be combined. Returns papers that are
    cited together with its references, and papers near its text, each with the probability that the
    draft should cite it. With --id, only papers up to the year of that paper are found.

    \b
    Example:  specter-graph missing-references --id hep-ph/9901001
              specter-graph missing-references --bib mine.bib --text "Neutrino masses from ..."
              specter-graph missing-references --tex draft.tex --until 2001 -k 20
              specter-graph missing-references --tex chapters/two.tex --bib library.bib
    """
    known = list(cites)
    if bib is not None and tex is None:
        matched = graph.match_bibliography(bib)
        report_matches(bib, matched)
        known += matched.ids
    if tex is not None:
        draft, matched = graph.match_draft(tex, bib)
        for name in draft.unread:
            click.echo(f"not read: {name}", err=True)
        report_matches(tex, matched)
        text = " ".join(part for part in (text, draft.text) if part)
        known += matched.ids
    if (bib or tex) and not (known or id or text.strip()):
        raise InputError(
            f"no paper of {bib or tex} is in the graph",
            "load a corpus that has them, or give a text: --text TEXT",
        )
    cited = [*dict.fromkeys(known)]
    return graph.missing_references(text, id=id, cites=cited, **options)


def report_matches(file: Path, matched: "sg.BibliographyMatch") -> None:
    """Print the entries of a bibliography that are not in the graph."""
    for entry in matched.unmatched:
        name = f"{entry.id}: {entry.title}" if entry.title else entry.id
        click.echo(terminal_safe(f"not in the graph: {name}"), err=True)
    for reject in matched.rejected:
        click.echo(terminal_safe(f"skipped: {reject.name}: {reject.reason}"), err=True)
    in_graph = matched.entries - len(matched.unmatched) - len(matched.rejected)
    click.echo(
        f"{file}: {in_graph:,} of {counted(matched.entries, 'paper')}"
        f" {'is' if in_graph == 1 else 'are'} in the graph",
        err=True,
    )
