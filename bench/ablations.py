"""Measure each part of the default recipe: most ablations of the paper's Table 2, and ours.

The paper's row with another initialization and its columns CLS, USR and REC are not covered.

    specter-graph demo --corpus hepph.jsonl.gz --instance hepph
    specter-graph algorithms fastrp --no-features --instance hepph     # for SciNCL's neighbors
    python bench/ablations.py --instance hepph --json ablations.json [--seeds 3] [--only NAME]
                              [--bars ablations.svg]
    python bench/ablations.py --instance hepph --full --json full.json --seeds 1

Trains the head of recipe `head` with one thing changed at a time, once a seed (the hard negatives
of its own are of the demo's model, whose seed is 0), and scores it on the test papers. Differences
to the unchanged head of the seed are paired, with 95% bootstrap intervals; the table gives their
mean over the seeds and the ends of all seeds' intervals, marked where these leave out 0. What is
done stands in the file of --json, and is not done again. Nothing is chosen here. --bars draws the
differences, each line as long as the intervals of all seeds together.

With --full it is the whole Transformer that is trained, by recipe `contrastive` on 2,000 queries
and texts of 128 tokens (see bench/full.py): ten minutes a variant and seed on two idle cores, half
an hour on busy ones. Checkpoints and vectors are kept beside the file of --json, in the folder of
its name that ends in .made: a run that was stopped goes on there.
"""

import json
import shutil
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import click
import numpy as np
from full import CUT, fine_tuned

from specter_graph.cli.options import open_graph
from specter_graph.core.statistics import Interval
from specter_graph.core.vectors import Vectors
from specter_graph.encoder.encoder import Encoder
from specter_graph.encoder.recipe import read_recipe
from specter_graph.evaluation import Facts, evaluate
from specter_graph.evaluation.protocols.space_evaluation import citation_facts
from specter_graph.graph.embeddings.paper_texts import paper_texts
from specter_graph.graph.embeddings.spaces import read_vectors
from specter_graph.graph.split import HOLDOUT
from specter_graph.literature_graph import LiteratureGraph

EXPECTED = "default"
CHANGES: dict[str, dict[str, Any]] = {
    EXPECTED: {},
    "without abstract": {"base.parts": ["title"]},
    "with venue": {"base.parts": ["title", "abstract", "venue"]},
    "with authors": {"base.parts": ["title", "abstract", "authors"]},
    "with titles of references": {"base.parts": ["title", "abstract", "references"]},
    "title and abstract separately": {"base.separate_parts": True},
    "with hard negatives": {"triplets.hard": 8},
    "positives also cite the query": {"triplets.cited_by": True},
    "co-citation instead of citations": {"triplets.source": "co_citation"},
    "coupling instead of citations": {"triplets.source": "coupling", "triplets.weighted": True},
    "neighbors instead of citations": {
        "triplets.source": "neighbors",
        "triplets.space": "fastrp",
    },
    "hard negatives found by the model": {"triplets.hard": 8, "triplets.hard_from": "specter"},
    "symmetric": {"symmetric": True},
    "256 random negatives per batch": {"random_negatives": 256},
    "triplet loss": {"loss": "triplet", "margin": 0.3},
    "without word features": {"features": None},
    "without distillation": {"distil": None},
}
FULL_CHANGES: dict[str, dict[str, Any]] = {
    EXPECTED: {},
    "without abstract": CHANGES["without abstract"],
    # Before the abstract: behind it they would be beyond the 128 tokens of most papers.
    "with venue": {"base.parts": ["title", "venue", "abstract"]},
    "with authors": {"base.parts": ["title", "authors", "abstract"]},
    "without hard negatives": {"triplets.hard": 0},
    "positives also cite the query": CHANGES["positives also cite the query"],
    "triplet loss": {"loss": "triplet"},
}
SHOWN = {
    "cite MAP": ("cite", "map"),
    "cocite MAP": ("cocite", "map"),
    "R@10": ("retrieval", "recall@10"),
    "R@100": ("retrieval", "recall@100"),
    "MRR": ("retrieval", "mrr"),
}

Figures = dict[str, dict[str, dict[str, dict[str, float]]]]
"""By seed and variant: of each measure the value and the difference, with its interval."""


Created = tuple[list[str], Vectors]
"""The papers' ids, and their vectors (n, d)."""


def vectors_of(graph: LiteratureGraph, changes: dict[str, Any], seed: int) -> Created:
    """Vectors of all papers by a head that is trained with these changes."""
    recipe = read_recipe("head").changed({"seed": seed, **changes})
    separate = "_apart" if recipe.base.separate_parts else ""
    space = (
        f"base_{'_'.join(recipe.base.parts)}{separate}"
        if recipe.base.model_dump(exclude_defaults=True)
        else "base"
    )
    with tempfile.TemporaryDirectory() as folder:
        graph.train(Path(folder) / "model", recipe, base_space=space)
        encoder = Encoder.load(Path(folder) / "model")
        ids, base = read_vectors(graph.database, space)
        texts = {
            text.id: text for text in paper_texts(graph.database, None, encoder.parts, HOLDOUT)
        }
        return ids, encoder.encode([texts[paper] for paper in ids], base)


def full_vectors_of(
    graph: LiteratureGraph, changes: dict[str, Any], seed: int, model: Path
) -> Created:
    """Vectors of all papers by a Transformer that is trained with these changes, on a sample.

    They are kept in the file `model`.npz, and beside it what has been trained so far.
    """
    recipe = read_recipe("contrastive").changed({**CUT, "seed": seed, **changes})
    created = model.with_suffix(".npz")
    if not created.exists():
        model.parent.mkdir(parents=True, exist_ok=True)
        _, ids, vectors = fine_tuned(graph, recipe, model)
        begun = model.with_suffix(".begun.npz")
        np.savez(begun, ids=ids, vectors=vectors)
        begun.replace(created)
        shutil.rmtree(model)
    stored = np.load(created)
    return stored["ids"].tolist(), stored["vectors"]


def scored(spaces: dict[str, Created], facts: Facts) -> dict[str, dict[str, dict[str, float]]]:
    """The measures of each variant, and the differences to the unchanged head."""
    report = evaluate(spaces, facts, compare_to=EXPECTED).as_json()
    return {
        name: {
            title: {
                "value": report["spaces"][name][task][metric]["value"],
                **(
                    {
                        key: report["differences"][name][task][metric][part]
                        for key, part in (("difference", "value"), ("low", "low"), ("high", "high"))
                    }
                    if name != EXPECTED
                    else {}
                ),
            }
            for title, (task, metric) in SHOWN.items()
        }
        for name in spaces
    }


def markdown(names: Iterable[str], figures: Figures) -> str:
    """The table: the unchanged head's means, and below it what each change adds to them."""
    seeds = list(figures.values())
    lines = [["variant", *SHOWN], ["---", *("---:" for _ in SHOWN)]]
    for name in names:
        of = [each[name] for each in seeds if name in each]
        if of and name == EXPECTED:
            means = [100 * np.mean([each[title]["value"] for each in of]) for title in SHOWN]
            lines.append([name, *(f"{mean:.1f}" for mean in means)])
        elif of:
            lines.append([name, *(_cell(difference(of, title)) for title in SHOWN)])
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def difference(of: list[dict[str, dict[str, float]]], title: str) -> Interval:
    """The mean difference over seeds, and the ends of all their intervals, in points."""
    return Interval(
        float(100 * np.mean([each[title]["difference"] for each in of])),
        100 * min(each[title]["low"] for each in of),
        100 * max(each[title]["high"] for each in of),
    )


def _cell(shown: Interval) -> str:
    mark = (" ▲" if shown.low > 0 else " ▼") if shown.excludes_zero() else ""
    return f"{shown.value:+.1f}{mark} ({shown.low:.1f} to {shown.high:.1f})"


def draw_bars(names: Iterable[str], figures: Figures, output: Path) -> None:
    """Draw what each change adds to each measure, as bars with lines for the intervals."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    seeds = list(figures.values())
    changed = [name for name in names if name != EXPECTED and any(name in seed for seed in seeds)]
    figure, axes = pyplot.subplots(
        1, len(SHOWN), figsize=(3 * len(SHOWN), 0.3 * len(changed) + 1), sharey=True
    )
    for axis, title in zip(axes, SHOWN, strict=True):
        shown = [difference([seed[n] for seed in seeds if n in seed], title) for n in changed]
        axis.barh(changed, [each.value for each in shown], color="#3b6ea5")
        axis.hlines(
            changed, [each.low for each in shown], [each.high for each in shown], color="black"
        )
        axis.axvline(0, color="grey", linewidth=1)
        axis.set_title(title)
    axes[0].invert_yaxis()
    figure.savefig(output, bbox_inches="tight")


@click.command()
@click.option("--instance", default="hepph", show_default=True)
@click.option("--seeds", default=3, show_default=True)
@click.option("--only", multiple=True, help="This variant alone; again for more.")
@click.option("--full", is_flag=True, help="Train the whole Transformer, on a sample.")
@click.option("--json", "output", type=click.Path(path_type=Path), required=True)
@click.option("--bars", type=click.Path(path_type=Path), help="The SVG or PNG to draw.")
def main(
    instance: str,
    seeds: int,
    only: tuple[str, ...],
    full: bool,
    output: Path,
    bars: Path | None,
) -> None:
    """Train and score all variants, seed by seed."""
    changes = FULL_CHANGES if full else CHANGES
    figures: Figures = json.loads(output.read_text()) if output.exists() else {}
    wanted = [name for name in changes if not only or name in (*only, EXPECTED)]
    with open_graph(instance) as graph:
        db = graph.database

        def make(name: str, seed: str) -> Created:
            if not full:
                return vectors_of(graph, changes[name], int(seed))
            model = output.with_suffix(".made") / f"{seed}-{name.replace(' ', '-')}"
            return full_vectors_of(graph, changes[name], int(seed), model)

        facts = citation_facts(db, "test", HOLDOUT)
        for seed in map(str, range(seeds)):
            missing = [name for name in wanted if name not in figures.get(seed, {})]
            expected: dict[str, Created] = {}
            for name in missing:
                expected = expected or {EXPECTED: make(EXPECTED, seed)}
                changed = expected.get(name) or make(name, seed)
                figures.setdefault(seed, {}).update(scored(expected | {name: changed}, facts))
                output.write_text(json.dumps(figures, indent=2) + "\n")
                click.echo(f"seed {seed}: {name}", err=True)
    click.echo(markdown(changes, figures))
    if bars:
        draw_bars(changes, figures, bars)


if __name__ == "__main__":
    main()
