"""Arguments and options that select a corpus; commands get it open."""

import re
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from specter_graph.core.errors import extra
from specter_graph.loaders.corpus import NAMES

if TYPE_CHECKING:
    from specter_graph.loaders import Corpus
    from specter_graph.loaders.formats.openalex_live import Direction
    from specter_graph.loaders.paper_filter import PaperFilter

Command = TypeVar("Command", bound=Callable[..., Any])


def _years(
    context: click.Context, option: click.Parameter, value: str | None
) -> tuple[int | None, int | None]:
    if not value:
        return None, None
    match = re.fullmatch(r"(\d{4})?(-)?(\d{4})?", value)
    if not match or not (match[1] or match[3]) or (match[1] and match[3] and not match[2]):
        raise click.BadParameter("give FIRST-LAST, such as 2000-2010, 2000- or -2010")
    first, last = (int(year) if year else None for year in (match[1], match[3]))
    return first, last if match[2] else first


_OPTIONS = (
    click.argument("format_name", metavar="FORMAT", type=click.Choice(["auto", *NAMES])),
    click.argument("paths", metavar="[PATH...]", nargs=-1, type=click.Path(path_type=Path)),
    click.option(
        "--filter",
        "live",
        multiple=True,
        metavar="KEY:VALUE",
        help="openalex: load works from its API that match this filter. Repeatable.",
    ),
    click.option(
        "--seed-paper",
        "seeds",
        multiple=True,
        metavar="ID",
        help="openalex: load this paper (OpenAlex id or DOI) and papers around it from its API."
        " Repeatable.",
    ),
    click.option(
        "--hops",
        type=click.IntRange(0),
        default=1,
        show_default=True,
        help="Number of citations to follow.",
    ),
    click.option(
        "--direction",
        type=click.Choice(["both", "references", "citations"]),
        default="both",
        show_default=True,
        help="Follow references of the seed papers, citations of them, or both.",
    ),
    click.option(
        "--prefix", metavar="NAME", help="Put NAME: before all ids, to keep corpora separate."
    ),
    click.option("--full-text", is_flag=True, help="Store full texts of papers."),
    click.option(
        "--language",
        "languages",
        multiple=True,
        metavar="CODE",
        help="Only papers in this language, such as en. Repeatable.",
    ),
    click.option(
        "--field",
        "fields",
        multiple=True,
        metavar="NAME",
        help="Only papers about this field, such as cs.LG. Repeatable.",
    ),
    click.option(
        "--years",
        callback=_years,
        metavar="FIRST-LAST",
        help="Only papers of these years, such as 2000-2010, 2000- or -2010.",
    ),
    click.option(
        "--in-arxiv/--not-in-arxiv", default=None, help="Only papers with, or without, an arXiv id."
    ),
    click.option("--has-abstract", is_flag=True, help="Only papers with an abstract."),
    click.option(
        "--min-references",
        type=click.IntRange(0),
        default=0,
        metavar="N",
        help="Only papers with at least N references.",
    ),
)


def corpus_options(command: Command) -> Command:
    """Add FORMAT, PATH... and the options of filters; the command gets the argument `corpus`."""

    @wraps(command)
    def with_corpus(
        *,
        format_name: str,
        paths: tuple[Path, ...],
        live: tuple[str, ...],
        seeds: tuple[str, ...],
        hops: int,
        direction: "Direction",
        prefix: str | None,
        full_text: bool,
        languages: tuple[str, ...],
        fields: tuple[str, ...],
        years: tuple[int | None, int | None],
        in_arxiv: bool | None,
        has_abstract: bool,
        min_references: int,
        **options: object,
    ) -> None:
        from specter_graph.loaders import open_corpus
        from specter_graph.loaders.paper_filter import PaperFilter

        filters = PaperFilter(languages, fields, years, in_arxiv, has_abstract, min_references)
        keep = None if filters == PaperFilter() else filters
        if live or seeds:
            corpus = _live(format_name, paths, live, seeds, hops, direction, prefix, keep)
        elif paths:
            corpus = open_corpus(format_name, *paths, prefix=prefix, full_text=full_text, keep=keep)
        else:
            raise click.UsageError("Missing argument 'PATH...'.")
        if format_name == "auto":
            for file in corpus.files:
                click.echo(f"{file.name}: {file.description}", err=True)
        command(corpus=corpus, **options)

    formats = f"Formats: auto, {', '.join(NAMES)}."
    text, mark, example = (command.__doc__ or "").partition("    \b\n")
    with_corpus.__doc__ = f"{text}    {formats}\n\n{mark}{example}"
    for option in reversed(_OPTIONS):
        with_corpus = option(with_corpus)
    return with_corpus  # type: ignore[return-value]


def _live(
    format_name: str,
    paths: tuple[Path, ...],
    filters: tuple[str, ...],
    seeds: tuple[str, ...],
    hops: int,
    direction: "Direction",
    prefix: str | None,
    keep: "PaperFilter | None",
) -> "Corpus":
    if format_name != "openalex" or paths or (filters and seeds):
        raise click.UsageError(
            "use either --filter or --seed-paper, with the format openalex and without PATH"
        )
    with extra("formats"):
        from specter_graph.loaders.formats.openalex_api import OpenAlexApi
        from specter_graph.loaders.formats.openalex_live import openalex_live, snowball
    from specter_graph.settings import Settings

    settings = Settings()
    api = OpenAlexApi(settings.openalex_email, settings.openalex_key)
    if seeds:
        return snowball(seeds, hops, api, direction=direction, prefix=prefix, keep=keep)
    return openalex_live(filters, api, prefix=prefix, keep=keep)


def rejects_name(corpus: "Corpus") -> Path:
    """Return the default file of rejects, named after the first file of the corpus."""
    from specter_graph.loaders.corpus_files import REJECTS

    first = corpus.files[0].name if corpus.files else "openalex"
    name = re.sub(r"[^\w.-]+", "-", Path(first).name)
    return Path(f"{name}{REJECTS}")
