"""Commands that find papers: similar, search and missing-references."""

import json
from collections.abc import Callable, Iterable
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from specter_graph.cli.options import instance_option, json_option, open_graph
from specter_graph.cli.terminal import print_table
from specter_graph.core.errors import InputError

if TYPE_CHECKING:
    from specter_graph.graph.search import Filters, Hit, Matched
    from specter_graph.literature_graph import LiteratureGraph

Command = TypeVar("Command", bound=Callable[..., Any])

_MAX_AUTHORS = 3

_space = click.option(
    "--space", default="specter", show_default=True, metavar="NAME", help="The embedding space."
)
_k = click.option(
    "-k", type=click.IntRange(min=1), default=10, show_default=True, help="How many papers."
)


def filter_options(command: Command) -> Command:
    """Add the options that say which papers may be found; they come as `asked`."""
    for option in reversed(
        (
            click.option("--since", type=int, metavar="YEAR", help="Papers of this year or later."),
            click.option(
                "--until", type=int, metavar="YEAR", help="Papers of this year or earlier."
            ),
            click.option("--language", metavar="CODE", help="Papers in this language: en."),
            click.option("--field", metavar="NAME", help="Papers about this field, by id or name."),
            click.option("--venue", metavar="NAME", help="Papers of this venue, by id or name."),
        )
    ):
        command = option(command)
    return command


def _filters(**asked: Any) -> "Filters":  # noqa: ANN401, the fields of Filters
    from specter_graph.graph.search import Filters

    return Filters(**asked)


@click.command()
@click.argument("paper_id")
@_space
@_k
@filter_options
@json_option
@instance_option
def similar(
    paper_id: str,
    space: str,
    k: int,
    as_json: bool,
    instance: str | None,
    **asked: Any,  # noqa: ANN401
) -> None:
    """Find the papers nearest to a paper.

    \b
    Example:  specter-graph similar hep-ph/9901001
              specter-graph similar hep-ph/9901001 --space sgc -k 5 --json
              specter-graph similar hep-ph/9901001 --since 2000 --venue PhysRevD
    """
    filters = _filters(**asked)
    with open_graph(instance) as graph:
        hits = graph.similar(paper_id, space=space, k=k, filters=filters)
    if as_json:
        click.echo(json.dumps([asdict(hit) for hit in hits]))
        return
    from specter_graph.cli.query import table_of

    columns = ["score", "distance", "year", "citations", "id", "authors", "title"]
    rows = [
        [
            hit.score,
            hit.distance,
            hit.year,
            hit.citations,
            hit.id,
            _names(hit.authors, 1),
            hit.title,
        ]
        for hit in hits
    ]
    print_table(table_of(columns, rows))


@click.command()
@click.argument("text", default="")
@click.option("--like", multiple=True, metavar="ID", help="A paper to find others like; again.")
@click.option("--unlike", multiple=True, metavar="ID", help="A paper to keep away from; again.")
@click.option(
    "--mode",
    type=click.Choice(["hybrid", "text", "vector"]),
    help="What to rank by.  [default: hybrid]",
)
@click.option(
    "--space",
    metavar="NAME",
    help="The embedding space.  [default: specter; in a graph without it, none]",
)
@_k
@filter_options
@json_option
@instance_option
def search(
    text: str,
    like: tuple[str, ...],
    unlike: tuple[str, ...],
    mode: Any,  # noqa: ANN401, a Mode
    space: str | None,
    k: int,
    as_json: bool,
    instance: str | None,
    **asked: Any,  # noqa: ANN401
) -> None:
    """Find papers by words, vectors and citations at once, and say why each was found.

    An id, a DOI, an arXiv or PubMed id finds its paper, and an author's name the author's papers.
    TEXT may have "quoted phrases", -word, OR, author:NAME, year:1998-2001 and venue:NAME.

    \b
    Example:  specter-graph search "neutrino oscillations in matter"
              specter-graph search "neutrino mass" --mode vector --space base --since 1998
              specter-graph search --like hep-ph/9901001 --unlike hep-ph/9810316
              specter-graph search 'author:Weinberg "effective field theory" -gravity'
    """
    filters = _filters(**asked)
    with open_graph(instance) as graph:
        found = graph.search(
            text, space=space, k=k, mode=mode, like=like, unlike=unlike, filters=filters
        )
    if as_json:
        click.echo(
            json.dumps(
                {
                    "hits": [asdict(hit) for hit in found],
                    "authors": [asdict(author) for author in found.authors],
                    "did_you_mean": found.did_you_mean,
                    "notes": found.notes,
                }
            )
        )
        return
    for note in found.notes:
        click.echo(note)
    if found.did_you_mean:
        click.echo(f"Did you mean: {found.did_you_mean}")
    for author in found.authors:
        papers = "1 paper" if author.papers == 1 else f"{author.papers:,} papers"
        click.echo(f"Author: {author.name} ({papers})")
    _show_hits(found)


@click.command()
@click.option("--id", "paper", metavar="ID", help="A paper of the graph: what it should cite.")
@click.option("--text", default="", metavar="TEXT", help="The title and abstract of a draft.")
@click.option(
    "--bib",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="What the draft cites: a bibliography (BibTeX, RIS, CSL).",
)
@click.option(
    "--tex",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="The draft in LaTeX: its text and what it cites; files beside it are read too.",
)
@click.option("--cites", multiple=True, metavar="ID", help="A paper that the draft cites; again.")
@click.option(
    "--until",
    type=int,
    metavar="YEAR",
    help="Papers of this year or earlier.  [default: with --id the year of the paper]",
)
@_space
@_k
@json_option
@instance_option
def missing_references(
    paper: str | None,
    text: str,
    bib: Path | None,
    tex: Path | None,
    cites: tuple[str, ...],
    until: int | None,
    space: str,
    k: int,
    as_json: bool,
    instance: str | None,
) -> None:
    """Find references that a paper, a draft or a bibliography lacks.

    Give what there is of the draft; the options may be combined. The papers that other papers cite
    together with its references, and those near its text, come with the probability that the draft
    should cite them.

    \b
    Example:  specter-graph missing-references --id hep-ph/9901001
              specter-graph missing-references --bib mine.bib --text "Neutrino masses from ..."
              specter-graph missing-references --tex draft.tex --until 2001 -k 20
    """
    with open_graph(instance) as graph:
        known = list(cites)
        if bib is not None:
            matched = graph.bibliography(bib)
            _say_what_matched(bib, matched)
            known += matched.ids
        if tex is not None:
            of_draft, matched = _read_draft(graph, tex)
            text = " ".join(part for part in (text, of_draft) if part)
            known += matched.ids
        if (bib or tex) and not (known or paper or text.strip()):
            raise InputError(
                f"no paper of {bib or tex} is in the graph",
                "load a corpus that has them, or give a text: --text TEXT",
            )
        found = graph.missing_references(
            text, id=paper, cites=[*dict.fromkeys(known)], until=until, space=space, k=k
        )
    if as_json:
        click.echo(json.dumps(asdict(found)))
        return
    _show_hits(found.hits, probability=True)
    if found.outside:
        click.echo("\nOften cited, not in this corpus:")
        _show_hits(found.outside, probability=True)


def _read_draft(graph: "LiteratureGraph", file: Path) -> "tuple[str, Matched]":
    from specter_graph.graph.search import match_entries
    from specter_graph.loaders.formats.drafts import read_draft

    draft = read_draft(file)
    for name in draft.unread:
        click.echo(f"not read: {name}", err=True)
    matched = match_entries(graph.database, draft.entries)
    _say_what_matched(file, matched)
    return draft.text, matched


def _say_what_matched(file: Path, matched: "Matched") -> None:
    for entry in matched.unmatched:
        named = f"{entry.id}: {entry.title}" if entry.title else entry.id
        click.echo(f"not in the graph: {named}", err=True)
    for reject in matched.rejected:
        named = reject.id or f"line {reject.line}"
        click.echo(f"skipped, it cannot be used: {named}: {reject.reason}", err=True)
    found = matched.entries - len(matched.unmatched) - len(matched.rejected)
    click.echo(f"{file}: {found} of {matched.entries} papers are in the graph", err=True)


def _show_hits(hits: "Iterable[Hit]", *, probability: bool = False) -> None:
    number = 0
    for number, hit in enumerate(hits, 1):
        click.secho(f"{number:3} {hit.title or hit.id}", bold=True)
        parts = [*_described(hit)] + [f"probability {hit.score:.2f}"] * probability
        click.echo("    " + " · ".join(parts))
        if hit.snippet:
            click.echo(f"    {_marked(hit)}")
        if hit.reasons:
            click.echo("    " + "; ".join(reason.text for reason in hit.reasons))
    if not number:
        click.echo("no papers", err=True)


def _described(hit: "Hit") -> "Iterable[str]":
    if hit.authors:
        yield _names(hit.authors)
    if hit.venue:
        yield hit.venue
    if hit.year:
        yield str(hit.year)
    yield "cited once" if hit.citations == 1 else f"cited {hit.citations:,} times"
    yield hit.id


def _names(authors: tuple[str, ...], most: int = _MAX_AUTHORS) -> str:
    return ", ".join(authors[:most]) + (" et al." if len(authors) > most else "")


def _marked(hit: "Hit") -> str:
    """The snippet with the words that were looked for in bold, on a terminal."""
    import re

    if not hit.words:
        return hit.snippet
    pattern = r"\b(" + "|".join(map(re.escape, hit.words)) + r")\b"
    return re.sub(pattern, lambda word: click.style(word[0], bold=True), hit.snippet)
