"""The interface of web services that are asked about papers; `web_sources` has the services.

A question is the scheme and the value of an identifier (`doi:10.1/x`), `title:` and the words of a
title, or `citing:` and an id. Answers are stored in a cache, one for each question. The parsers of
`loaders.formats` read the answers.
"""

import re
from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

from specter_graph.core.errors import InputError
from specter_graph.core.progress import batches
from specter_graph.loaders.format_api import RecordError, RecordIssue
from specter_graph.loaders.http_client import AnswerCache, HttpClient
from specter_graph.loaders.identifiers import is_distinctive
from specter_graph.loaders.records import Citation, Field, Item, Paper
from specter_graph.loaders.validation import validate

IDENTIFIERS = frozenset({"doi", "arxiv", "pmid", "openalex", "s2"})
"""Schemes of the identifiers that are looked up."""

Answer = list[Any]
"""The records of an answer as JSON values; empty if the source does not know the paper."""


@dataclass(frozen=True, slots=True)
class IncompletePaper:
    """A paper that is looked up.

    Attributes:
        identifiers: The first identifier of each scheme.
        missing: Its missing parts: "abstract", "references", "citing" or one of IDENTIFIERS.
    """

    id: str
    title: str
    year: int | None = None
    author: str | None = None
    identifiers: Mapping[str, str] = field(default_factory=dict)
    missing: frozenset[str] = frozenset()


class PaperSource(ABC):
    """A web service that knows papers.

    A request that still fails after retries raises an InputError.
    """

    name: ClassVar[str]
    gives: ClassVar[frozenset[str]]
    schemes: ClassVar[tuple[str, ...]]
    """Schemes of identifiers that it knows, in the order in which they are used."""
    own: ClassVar[str] = ""
    """The scheme of which each paper of the source has an identifier."""
    sizes: ClassVar[Mapping[str, int]] = {}
    """Questions in a request, by kind; 1 for all others."""

    def __init__(self, http: HttpClient, url: str, cache: AnswerCache) -> None:
        self.http = http
        self.url = url.rstrip("/")
        self.cache = cache

    def questions(self, paper: IncompletePaper) -> list[str]:
        """Return the questions by which a paper is looked up: the first that is answered counts.

        Only a paper without an identifier that the source knows is looked up by its title.
        """
        missing = self.gives & paper.missing
        if not missing or (missing <= IDENTIFIERS and self.own in paper.identifiers):
            return []
        known = [
            f"{scheme}:{value}"
            for scheme in self.schemes
            if (value := self.value_of(paper, scheme))
        ]
        if known or not self.own or (missing <= IDENTIFIERS and "doi" in paper.identifiers):
            return known
        words = " ".join(re.findall(r"\w+", paper.title))
        is_complete = is_distinctive(words) and paper.year and paper.author
        return [f"title:{words}"] if is_complete else []

    def first_question(self, paper: IncompletePaper) -> str | None:
        """Return the first question that is asked about a paper, None if none is asked."""
        return next(iter(self.questions(paper)), None)

    def value_of(self, paper: IncompletePaper, scheme: str) -> str | None:
        """Return the identifier of a paper in the form in which the source knows it."""
        return paper.identifiers.get(scheme)

    def unanswered(self, questions: Iterable[str]) -> int:
        """Return the number of requests that these questions need beyond the stored answers."""
        distinct = dict.fromkeys(questions)
        stored = self.cache.get(self.url, distinct)
        return sum(1 for _ in self._split_requests(q for q in distinct if q not in stored))

    def ask(self, questions: Iterable[str]) -> dict[str, Answer]:
        """Return the answers to questions, from the cache as far as it has them."""
        distinct = dict.fromkeys(questions)
        answers = self.cache.get(self.url, distinct)
        for kind, values in self._split_requests(q for q in distinct if q not in answers):
            try:
                new = self.request(kind, values)
            except (AttributeError, KeyError, TypeError, ValueError, RecordError) as error:
                raise InputError(
                    f"the answer of {self.http.service} has an unknown structure",
                    "run the same command again later to continue",
                ) from error
            complete = {f"{kind}:{value}": new.get(value, []) for value in values}
            self.cache.store(self.url, complete)
            answers |= complete
        return answers

    def _split_requests(self, questions: Iterable[str]) -> Iterator[tuple[str, list[str]]]:
        by_kind: dict[str, list[str]] = defaultdict(list)
        for question in questions:
            kind, _, value = question.partition(":")
            by_kind[kind].append(value)
        for kind, values in by_kind.items():
            for batch in batches(values, self.sizes.get(kind, 1)):
                yield kind, [*batch]

    def papers(self, answer: Answer, paper: IncompletePaper) -> list[tuple[Paper, list[Field]]]:
        """Return the papers of an answer, each with the labels above its labels."""
        results: list[tuple[Paper, list[Field]]] = []
        for record in answer:
            labels: list[Field] = []
            for item in convert_items(self.convert, record, paper):
                if isinstance(item, Field):
                    labels.append(item)
                elif isinstance(item, Paper):
                    results.append((item, labels))
        return results

    @abstractmethod
    def request(self, kind: str, values: Sequence[str]) -> dict[str, Answer]:
        """Send a request, and return the answers by value."""

    @abstractmethod
    def convert(self, record: Any, paper: IncompletePaper) -> Iterable[object]:  # noqa: ANN401
        """Yield the items of a record; raise RecordError if it cannot be used."""

    def blank(self, paper: IncompletePaper) -> Paper | None:
        """Return the record to which citations lead if no record was found; None for no record."""
        return None

    def citing_question(self, record: Paper) -> str | None:
        """Return the question for the papers that cite a paper, if the source can be asked."""
        if "citing" not in self.gives:
            return None
        return f"citing:{record.id.removeprefix(f'{self.name}:')}"

    def citing(self, answer: Answer, cited: Paper) -> Iterator[Paper | Field | Citation]:
        """Yield the papers that cite a paper, as far as they are known, and their citations."""
        yield from ()


def omit_parts(paper: Paper, *parts: str) -> Paper:
    """Return a record that says nothing about these parts ("abstract", "references")."""
    changes: dict[str, Any] = {"elsewhere": tuple(sorted({*paper.elsewhere, *parts}))}
    if "abstract" in parts:
        changes["abstract"] = None
    if "references" in parts:
        changes |= {"references": (), "citations": ()}
    return replace(paper, **changes)


def convert_items(convert: Callable[..., Iterable[object]], *values: object) -> Iterator[Item]:
    """Yield the valid items of a record; none if the record cannot be used."""
    try:
        results = [*convert(*values)]
    except (RecordError, AttributeError, KeyError, TypeError):
        return
    for result in results:
        if isinstance(result, Paper | Field | Citation):
            valid = validate(result)
            yield from (item for item in valid if not isinstance(item, RecordIssue))
