"""Stand-ins for rated expertise: no leaks, grades by what was written and cited, and they judge."""

from dataclasses import replace

import numpy as np
import pytest

from specter_graph.loaders.records import Author, Paper
from specter_graph.matching.expertise import evaluate_expertise
from specter_graph.matching.prediction import predict
from specter_graph.matching.proxy import (
    LONGEST,
    SHORTEST,
    Literature,
    graded,
    read,
    reviewers,
    transposed,
)

GROUPS, PAPERS = 6, 300


def literature(seed=0):
    """Groups of authors who write within a subject and cite it, mostly; and the subjects."""
    rng = np.random.default_rng(seed)
    papers, subject = [], rng.integers(GROUPS, size=PAPERS)
    for n in range(PAPERS):
        near = [m for m in range(n) if subject[m] == subject[n]]
        cited = rng.choice(near, min(len(near), 8), replace=False).tolist() if near else []
        cited += rng.choice(n, min(n, 3), replace=False).tolist()
        names = {f"{subject[n]}-{k}" for k in rng.choice(4, 2, replace=False)}
        papers.append(
            Paper(
                f"p{n:03}",
                "",
                year=1990 + n // 20,
                published=f"{1990 + n // 20}-01-{n % 20 + 1:02}",
                authors=tuple(Author(name, name) for name in sorted(names)),
                references=tuple(f"p{m:03}" for m in dict.fromkeys(cited)),
            )
        )
    return papers, subject


PAPERS_OF, SUBJECT = literature()
LITERATURE = Literature(PAPERS_OF)
AUTHORS = {paper.id: {author.id for author in paper.authors} for paper in PAPERS_OF}
CITED = {paper.id: set(paper.references) for paper in PAPERS_OF}


@pytest.mark.parametrize("made", [graded, read])
def test_profiles_are_older_than_the_rest_of_an_authors_papers_and_hold_nothing_graded(made):
    proxy = made(LITERATURE)
    assert len(proxy.grades) > 10
    for author, profile in proxy.profiles.items():
        assert SHORTEST <= len(profile) <= LONGEST
        assert not {*profile} & {*proxy.grades[author]}
        own = [paper for paper, authors in AUTHORS.items() if author in authors]
        assert {*profile} <= {*own}
        assert max(profile) < min(paper for paper in own if paper > max(profile))
        assert len([paper for paper in own if paper > max(profile)]) >= 4


def test_grades_follow_from_who_wrote_and_cited_what():
    proxy = graded(LITERATURE)
    for author, grades in proxy.grades.items():
        own = {paper for paper, authors in AUTHORS.items() if author in authors}
        later = {paper for paper in own if paper > max(proxy.profiles[author])}
        new = {cited for paper in later for cited in CITED[paper]} - own
        for paper, grade in grades.items():
            assert (paper in own) == (grade == 5)
            assert paper in new or grade != 4
            assert grade > 1 or paper not in new
        assert {5.0, 4.0, 1.0} <= {*grades.values()}


def test_a_cited_paper_is_graded_by_the_share_of_its_references_that_the_author_knows():
    proxy = read(LITERATURE)
    for author, grades in proxy.grades.items():
        own = {paper for paper, authors in AUTHORS.items() if author in authors}
        known = own | {cited for paper in own for cited in CITED[paper]}
        for paper, grade in grades.items():
            assert paper not in own
            assert (grade == 1) <= (len(CITED[paper] & known) <= 0.2 * len(CITED[paper]))
    assert len({grade for own in proxy.grades.values() for grade in own.values()}) >= 4


def test_new_papers_grade_their_authors_above_the_cited_and_these_above_others():
    proxy = reviewers(LITERATURE)
    assert len(proxy.grades) > 20
    latest = max(max(profile) for profile in proxy.profiles.values())
    for paper, grades in proxy.grades.items():
        assert paper > latest
        assert {who for who, grade in grades.items() if grade == 5} <= AUTHORS[paper]
        cited = {who for other in CITED[paper] for who in AUTHORS[other]}
        assert {who for who, grade in grades.items() if grade == 4} <= cited
        assert {*grades} <= {*proxy.profiles}


def loss(proxy, informed, seed):
    """The loss of vectors that are noise, and by so much their paper's subject."""
    rng = np.random.default_rng(seed)
    subjects, noise = rng.normal(size=(GROUPS, 16)), rng.normal(size=(PAPERS, 16))
    turned = not {*proxy.grades} <= {*proxy.profiles}
    asked = proxy.grades if turned else [p for own in proxy.grades.values() for p in own]
    scores = predict(
        {paper: LITERATURE.place[paper] for paper in asked},
        {who: [LITERATURE.place[p] for p in own] for who, own in proxy.profiles.items()},
        (subjects[SUBJECT] * informed + noise).astype(np.float32),
    )
    found = evaluate_expertise(proxy.grades, transposed(scores) if turned else scores)
    assert found.coverage.ratings == found.coverage.ratings_scored
    return found.loss.value


@pytest.mark.parametrize("made", [graded, read, reviewers])
def test_vectors_that_know_the_subject_lose_less_than_noise_which_is_at_chance(made):
    proxy = made(LITERATURE)
    informed, noise = ([loss(proxy, known, seed) for seed in range(8)] for known in (1, 0))
    assert max(informed) < min(noise)
    assert np.mean(noise) == pytest.approx(0.5, abs=0.05)


def test_the_same_seed_gives_the_same_proxy_and_papers_without_a_year_are_left_out():
    again = Literature([*reversed(PAPERS_OF), replace(PAPERS_OF[0], id="x", year=None)])
    for made in (graded, read, reviewers):
        assert made(again) == made(LITERATURE)
        assert made(again, seed=1) != made(LITERATURE)
