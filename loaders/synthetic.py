"""A synthetic corpus for trials: readable papers with a plausible citation graph.

A paper belongs to a subtopic of a topic and is written by one of the subtopic's groups. Its words
reveal the topic, but much less the subtopic: most words are shared with sibling subtopics, siblings
are mentioned, and each group has its own names for the subtopic's concepts. Citations cross the
groups. They therefore contain information that the words lack: which names mean the same.

Papers cite only earlier papers: about 7 of 10 citations are to the same subtopic (preferably with
the same focus), 2 to its siblings, 1 to any paper. Half of them are to frequently cited papers
(preferential attachment), half to recent ones.
"""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from random import Random
from typing import Any

import yaml

from specter_graph.loaders.records import Author, Field, Paper, Venue

_FIRST_YEAR, _LAST_YEAR = 1995, 2024
_GROUPS = 4
_RECENT = 25
_SAME_SUBTOPIC, _SAME_TOPIC = 0.7, 0.9  # cumulative probabilities
_MIN_WORDS, _MAX_WORDS = 45, 80
_SENTENCES = "openings", "approaches", "results", "contrasts", "closings"


@dataclass(frozen=True, slots=True)
class _Topic:
    """A field of study; `subtopics` maps a name to its own concepts."""

    name: str
    subtopics: dict[str, list[str]]
    shared: list[str]
    methods: list[str]
    places: list[str]
    venue: str


@cache
def vocabulary() -> dict[str, Any]:
    """Return the contents of synthetic_vocabulary.yaml, with a list of topics in `topics`."""
    text = files("specter_graph.loaders").joinpath("synthetic_vocabulary.yaml").read_text("utf-8")
    words: dict[str, Any] = yaml.safe_load(text)
    return words | {"topics": [_Topic(**topic) for topic in words["topics"]]}


@dataclass(frozen=True, slots=True)
class _Group:
    """Authors who work on one subtopic and use the same names for its concepts."""

    topic: _Topic
    subtopic: str
    authors: tuple[Author, ...]
    names: tuple[str, ...]
    """Their names of the concepts of the subtopic."""


@dataclass(slots=True)
class _Shelf:
    """The papers of a subtopic, of a topic or of all topics that can be cited."""

    papers: list[int] = field(default_factory=list)
    popular: list[int] = field(default_factory=list)
    """Each paper once, and once more for each of its citations."""

    def pick(self, rng: Random) -> int:
        """Return a frequently cited paper or a recent one."""
        if rng.random() < 0.5:
            return rng.choice(self.popular)
        return self.papers[-rng.randint(1, min(_RECENT, len(self.papers)))]


class _Library:
    """The papers generated so far, and the choice of the papers that a new one cites."""

    def __init__(self) -> None:
        self._shelves: dict[str, _Shelf] = defaultdict(_Shelf)
        self._papers: list[tuple[_Group, frozenset[int]]] = []

    def add(self, rng: Random, group: _Group, focus: frozenset[int]) -> list[int]:
        """Add a paper to its shelves, and return the sorted numbers of the papers that it cites."""
        wanted = min(rng.randint(5, 15), len(self._papers) // 2)
        cited: set[int] = set()
        for _ in range(4 * wanted):  # a pick may fail or repeat an earlier one
            if len(cited) == wanted:
                break
            number = self._pick(rng, group, focus)
            if number is not None:
                cited.add(number)
        for shelf in self._find_shelves(group):
            shelf.papers.append(len(self._papers))
            shelf.popular.append(len(self._papers))
        self._papers.append((group, focus))
        for number in sorted(cited):
            for shelf in self._find_shelves(self._papers[number][0]):
                shelf.popular.append(number)
        return sorted(cited)

    def _find_shelves(self, group: _Group) -> list[_Shelf]:
        return [self._shelves[name] for name in (group.subtopic, group.topic.name, "")]

    def _pick(self, rng: Random, group: _Group, focus: frozenset[int]) -> int | None:
        chance = rng.random()
        shelf = self._find_shelves(group)[(chance > _SAME_SUBTOPIC) + (chance > _SAME_TOPIC)]
        if not shelf.papers:
            return None
        number = shelf.pick(rng)
        other, other_focus = self._papers[number]
        # Half of the papers of the same subtopic with another focus are skipped.
        if other.subtopic == group.subtopic and other_focus != focus and rng.random() < 0.5:
            return None
        return number


def synthetic_papers(papers: int = 2_000, seed: int = 0) -> Iterator[Paper]:
    """Yield papers `demo:0001`, `demo:0002`, ... in order of time, determined by the arguments."""
    rng = Random(seed)  # noqa: S311 - not for cryptography
    groups = [group for topic in vocabulary()["topics"] for group in _make_groups(topic, rng)]
    library = _Library()
    width = max(4, len(str(papers)))
    for number in range(papers):
        group = rng.choice(groups)
        focus = rng.sample(range(len(group.names)), 2)
        cited = library.add(rng, group, frozenset(focus))
        title, abstract = _write_text(rng, group, [group.names[i] for i in focus])
        topic = group.topic
        authors = tuple(rng.sample(group.authors, rng.randint(1, 4)))
        venue = rng.choice((topic.venue, topic.venue, topic.venue, *vocabulary()["general_venues"]))
        yield Paper(
            id=f"demo:{number + 1:0{width}}",
            title=title,
            abstract=abstract,
            year=_FIRST_YEAR + round((_LAST_YEAR - _FIRST_YEAR) * (number / papers) ** 0.6),
            authors=authors,
            venue=Venue(venue, venue),
            fields=tuple(Field("keyword", name, name) for name in (topic.name, group.subtopic)),
            references=tuple(f"demo:{c + 1:0{width}}" for c in cited),
        )


def _make_groups(topic: _Topic, rng: Random) -> Iterator[_Group]:
    given, family = vocabulary()["given_names"], vocabulary()["family_names"]
    for subtopic, concepts in topic.subtopics.items():
        for _ in range(_GROUPS):
            names = (f"{rng.choice(given)} {rng.choice(family)}" for _ in range(7))
            yield _Group(
                topic,
                subtopic,
                tuple(Author(name, name) for name in dict.fromkeys(names)),
                tuple(rng.choice(concept.split("|")) for concept in concepts),
            )


def _write_text(rng: Random, group: _Group, own: list[str]) -> tuple[str, str]:
    """Return a title about the first of the concepts, and an abstract of 45 to 80 words."""
    topic, words = group.topic, vocabulary()
    method, place = rng.choice(topic.methods), rng.choice(topic.places)
    shared = [rng.choice(concept.split("|")) for concept in rng.sample(topic.shared, 2)]
    others = [name for name in topic.subtopics if name != group.subtopic]
    siblings = topic.subtopics[rng.choice(others)]

    def fill(template: str) -> str:
        first, second = rng.sample(shared, 2)
        text = template.format(
            own=own[0],
            own2=own[1],
            Own=_capitalize(own[0]),
            shared=first,
            shared2=second,
            Shared=_capitalize(first),
            sibling=rng.choice(rng.choice(siblings).split("|")),
            method=method,
            place=place,
            years=rng.randint(3, 30),
            months=rng.randint(2, 18),
            count=rng.randint(40, 900),
            percent=rng.randint(8, 70),
        )
        return _capitalize(text)

    title = fill(rng.choice(words["titles"]))
    while True:
        counts = (1, 1, rng.randint(1, 2), rng.randint(0, 1), 1)
        templates = (
            template
            for kind, count in zip(_SENTENCES, counts, strict=True)
            for template in rng.sample(words[kind], count)
        )
        abstract = " ".join(map(fill, templates))
        if _MIN_WORDS <= len(abstract.split()) <= _MAX_WORDS:
            return title, abstract


def _capitalize(text: str) -> str:
    return text[0].upper() + text[1:]
