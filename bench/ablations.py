"""Measure the effect of each part of the default recipe, as in Table 2 of the SPECTER paper.

    specter-graph demo --corpus hepph.jsonl.gz --instance hepph
    specter-graph algorithms fastrp --no-features --instance hepph     # for SciNCL's neighbors
    python bench/ablations.py --instance hepph --json ablations.json [--seeds 3] [--only NAME]
                              [--bars ablations.svg]

The variants are most ablations of the paper and some of our own, without its columns CLS, USR and
REC. For those of the whole Transformer, and another initialization, see bench/full.py.

For each variant and seed, the script trains the head of recipe `head` with one setting changed and
scores it on the test papers. (The variant "hard negatives found by the model" takes hard negatives
from the demo's model, whose seed is 0.) Differences from the unchanged head of the same seed are
paired, with 95% bootstrap intervals. The table shows the mean difference over the seeds and the
range of all seeds' intervals; a mark shows that this range excludes 0. Results in the --json file
are reused, so an interrupted run continues. No setting is selected by these scores. --bars draws
the differences, with lines for the range of the intervals.
"""

import json
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import click
import numpy as np
from full import METRICS

from specter_graph.cli.options import open_graph
from specter_graph.core.statistics import Interval
from specter_graph.core.vectors import Vectors
from specter_graph.encoder.encoder import Encoder
from specter_graph.encoder.recipe import read_recipe
from specter_graph.evaluation import HeldOutData, evaluate
from specter_graph.evaluation.protocols.space_evaluation import citation_data
from specter_graph.graph.embeddings.paper_texts import paper_texts
from specter_graph.graph.embeddings.spaces import read_vectors
from specter_graph.graph.split import HOLDOUT
from specter_graph.literature_graph import LiteratureGraph

UNCHANGED = "default"
CHANGES: dict[str, dict[str, Any]] = {
    UNCHANGED: {},
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
    "without random negatives": {"random_negatives": 0},
    "triplet loss": {"loss": "triplet", "margin": 0.3},
    "without word features": {"features": None},
    "without distillation": {"distillation": None},
}

Figures = dict[str, dict[str, dict[str, dict[str, float]]]]
"""Values and differences with intervals, by seed, variant and metric."""

SpaceVectors = tuple[list[str], Vectors]
"""Paper ids and their vectors (n, d)."""


def head_vectors(graph: LiteratureGraph, changes: dict[str, Any], seed: int) -> SpaceVectors:
    """Train a head with these changes, and return the vectors of all papers."""
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
        return ids, encoder.apply_head([texts[paper] for paper in ids], base)


def score_variants(
    spaces: dict[str, SpaceVectors], data: HeldOutData
) -> dict[str, dict[str, dict[str, float]]]:
    """Return the metrics of each variant and the differences from the unchanged head."""
    report = evaluate(spaces, data, compare_to=UNCHANGED).as_json()
    return {
        name: {
            title: {
                "value": report["spaces"][name][task][metric]["value"],
                **(
                    {
                        key: report["differences"][name][task][metric][part]
                        for key, part in (("difference", "value"), ("low", "low"), ("high", "high"))
                    }
                    if name != UNCHANGED
                    else {}
                ),
            }
            for title, (task, metric) in METRICS.items()
        }
        for name in spaces
    }


def markdown_table(names: Iterable[str], figures: Figures) -> str:
    """Return a table: the means of the unchanged head, then the difference of each variant."""
    seeds = list(figures.values())
    lines = [["variant", *METRICS], ["---", *("---:" for _ in METRICS)]]
    for name in names:
        runs = [each[name] for each in seeds if name in each]
        if runs and name == UNCHANGED:
            means = [100 * np.mean([each[title]["value"] for each in runs]) for title in METRICS]
            lines.append([name, *(f"{mean:.1f}" for mean in means)])
        elif runs:
            lines.append([name, *(_cell(difference(runs, title)) for title in METRICS)])
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def difference(runs: list[dict[str, dict[str, float]]], title: str) -> Interval:
    """Return the mean difference over seeds and the range of their intervals, in points."""
    return Interval(
        float(100 * np.mean([each[title]["difference"] for each in runs])),
        100 * min(each[title]["low"] for each in runs),
        100 * max(each[title]["high"] for each in runs),
    )


def _cell(shown: Interval) -> str:
    mark = (" ▲" if shown.low > 0 else " ▼") if shown.excludes_zero() else ""
    return f"{shown.value:+.1f}{mark} ({shown.low:.1f} to {shown.high:.1f})"


def draw_bars(names: Iterable[str], figures: Figures, output: Path) -> None:
    """Draw the differences of each metric as bars, with lines for the intervals."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    seeds = list(figures.values())
    changed = [name for name in names if name != UNCHANGED and any(name in seed for seed in seeds)]
    figure, axes = pyplot.subplots(
        1, len(METRICS), figsize=(3 * len(METRICS), 0.3 * len(changed) + 1), sharey=True
    )
    for axis, title in zip(axes, METRICS, strict=True):
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
@click.option("--instance", default="hepph", show_default=True, help="Local instance.")
@click.option("--seeds", default=3, show_default=True, help="Number of seeds.")
@click.option("--only", multiple=True, help="Run only this variant; repeatable.")
@click.option(
    "--json", "output", type=click.Path(path_type=Path), required=True, help="File for the figures."
)
@click.option("--bars", type=click.Path(path_type=Path), help="SVG or PNG file for the chart.")
def main(instance: str, seeds: int, only: tuple[str, ...], output: Path, bars: Path | None) -> None:
    """Train and score all variants, seed by seed."""
    figures: Figures = json.loads(output.read_text()) if output.exists() else {}
    selected = [name for name in CHANGES if not only or name in (*only, UNCHANGED)]
    with open_graph(instance) as graph:
        data = citation_data(graph.database, "test", HOLDOUT)
        for seed in map(str, range(seeds)):
            missing = [name for name in selected if name not in figures.get(seed, {})]
            unchanged: dict[str, SpaceVectors] = {}
            for name in missing:
                unchanged = unchanged or {UNCHANGED: head_vectors(graph, {}, int(seed))}
                changed = unchanged.get(name) or head_vectors(graph, CHANGES[name], int(seed))
                figures.setdefault(seed, {}).update(
                    score_variants(unchanged | {name: changed}, data)
                )
                output.write_text(json.dumps(figures, indent=2) + "\n")
                click.echo(f"seed {seed}: {name}", err=True)
    click.echo(markdown_table(CHANGES, figures))
    if bars:
        draw_bars(CHANGES, figures, bars)


if __name__ == "__main__":
    main()
