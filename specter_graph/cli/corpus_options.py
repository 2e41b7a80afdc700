"""Arguments and options that select a corpus; commands get it open."""

import re
from dataclasses import fields
from functools import wraps
from pathlib import Path
from typing import Any

import click

import specter_graph as sg
from specter_graph.cli.options import PATH, Command, add_options, flag, option, rejects_option
from specter_graph.core.errors import extra
from specter_graph.loaders.corpus import NAMES
from specter_graph.loaders.corpus_files import REJECTS
from specter_graph.loaders.paper_filter import PaperFilter


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


class _FormatName(click.Choice[str]):
    """The name of a format, or an existing path, whose format is detected."""

    def convert(
        self, value: Any, param: click.Parameter | None, context: click.Context | None
    ) -> str:
        is_path = value not in self.choices and Path(value).exists()
        return value if is_path else super().convert(value, param, context)


_OPTIONS = (
    click.argument("format", metavar="FORMAT", type=_FormatName(["auto", *NAMES])),
    click.argument("paths", metavar="[PATH...]", nargs=-1, type=PATH),
    option(
        "--filter filters",
        "openalex: load works from its API that match this filter.",
        "KEY:VALUE",
        multiple=True,
    ),
    option(
        "--seed-paper seeds",
        "openalex: load this paper (OpenAlex id or DOI) and papers around it from its API.",
        "ID",
        multiple=True,
    ),
    option("--hops", "Number of citations to follow.", click.IntRange(0), 1),
    option(
        "--direction",
        "Follow references of the seed papers, citations of them, or both.",
        ("both", "references", "citations"),
        "both",
    ),
    option(
        "--prefix",
        "Put NAME: before ids of papers, authors, venues and readers, to keep corpora separate.",
        "NAME",
    ),
    flag("--full-text", "Store full texts of papers."),
    option(
        "--language languages", "Only papers in this language, such as en.", "CODE", multiple=True
    ),
    option("--field fields", "Only papers about this field, such as cs.LG.", "NAME", multiple=True),
    option(
        "--years",
        "Only papers of these years, such as 2000-2010, 2000- or -2010.",
        "FIRST-LAST",
        callback=_years,
    ),
    option("--in-arxiv/--not-in-arxiv", "Only papers with, or without, an arXiv id."),
    flag("--has-abstract", "Only papers with an abstract."),
    option(
        "--min-references",
        "Only papers with at least N references.",
        click.IntRange(0),
        0,
        metavar="N",
    ),
    rejects_option,
)


def corpus_options(command: Command) -> Command:
    """Add FORMAT, PATH..., the options of filters and --rejects; the command gets `corpus`."""

    @wraps(command)
    def with_corpus(
        format: str, paths: tuple[Path, ...], prefix: str | None, full_text: bool, **options: Any
    ) -> None:
        filters = PaperFilter(
            **{field.name: options.pop(field.name) for field in fields(PaperFilter)}
        )
        keep = None if filters == PaperFilter() else filters
        live = {name: options.pop(name) for name in ("filters", "seeds", "hops", "direction")}
        if live["filters"] or live["seeds"]:
            if format != "openalex" or paths or (live["filters"] and live["seeds"]):
                raise click.UsageError(
                    "use either --filter or --seed-paper, with the format openalex and without PATH"
                )
            corpus = _open_live(**live, prefix=prefix, keep=keep)
        elif paths or format not in ("auto", *NAMES):
            corpus = sg.open_corpus(format, *paths, prefix=prefix, full_text=full_text, keep=keep)
        else:
            raise click.UsageError("Missing argument 'PATH...'.")
        if format not in NAMES:
            for file in corpus.files:
                click.echo(f"{file.name}: {file.description}", err=True)
            for message in corpus.skipped:
                click.echo(f"skipped: {message}", err=True)
        options["rejects"] = options["rejects"] or rejects_name(corpus)
        command(corpus=corpus, **options)

    formats = f"Formats: auto, {', '.join(NAMES)}."
    text, mark, example = (command.__doc__ or "").partition("    \b\n")
    with_corpus.__doc__ = f"{text}    {formats}\n\n{mark}{example}"
    added: Command = add_options(with_corpus, *_OPTIONS)
    return added


def _open_live(
    filters: tuple[str, ...], seeds: tuple[str, ...], hops: int, direction: Any, **options: Any
) -> "sg.Corpus":
    with extra("formats"):
        from specter_graph.loaders.formats.openalex_live import openalex_live, snowball

    api = sg.Settings().web_access().openalex()
    if seeds:
        return snowball(seeds, hops, api, direction=direction, **options)
    return openalex_live(filters, api, **options)


def rejects_name(corpus: "sg.Corpus") -> Path:
    """Return the default file of rejects, named after the first file of the corpus."""
    first = corpus.files[0].name if corpus.files else "openalex"
    name = re.sub(r"[^\w.-]+", "-", Path(first).name)
    return Path(f"{name}{REJECTS}")
