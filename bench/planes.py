"""Draw spaces on a plane, colored by topic, as in figure 2 of the SPECTER paper.

    specter-graph demo --corpus hepph.jsonl.gz --instance hepph
    python bench/planes.py --instance hepph --space base --space specter -o planes.png

Projects up to 2,000 labeled papers by t-SNE, clusters them by DBSCAN, and prints the homogeneity
and completeness of the clusters as `evaluate geometry` does: the mean and the range over seeds. A
seed selects the papers and initializes t-SNE. The image shows seed 0.
"""

from collections import Counter
from pathlib import Path

import click
import numpy as np

from specter_graph.cli.options import open_graph
from specter_graph.evaluation.protocols.dataset import PaperVectors
from specter_graph.evaluation.protocols.geometry import draw_classes, project_and_cluster
from specter_graph.graph.embeddings.spaces import read_vectors

COLORS = 10


@click.command()
@click.option("--instance", default="hepph", show_default=True, help="Local instance.")
@click.option("--space", "spaces", multiple=True, required=True, help="Space to draw; repeatable.")
@click.option("--label-scheme", help="Scheme of fields, or `venue`.")
@click.option("--seeds", default=5, show_default=True, help="Number of seeds.")
@click.option("-o", "--output", type=click.Path(path_type=Path), required=True, help="Image file.")
def main(
    instance: str, spaces: tuple[str, ...], label_scheme: str | None, seeds: int, output: Path
) -> None:
    """Draw the spaces, and print homogeneity and completeness."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(1, len(spaces), figsize=(5 * len(spaces), 5), squeeze=False)
    with open_graph(instance) as graph:
        db = graph.database
        samples = [draw_classes(db, label_scheme, seed) for seed in range(seeds)]
        vectors = {name: PaperVectors.build(*read_vectors(db, name), name) for name in spaces}
    click.echo("| space | homogeneity | completeness |\n| --- | ---: | ---: |")
    for axis, name in zip(axes[0], spaces, strict=True):
        figures = []
        for seed, classes in enumerate(samples):
            labels = list(classes.values())
            plane = project_and_cluster(vectors[name].get(list(classes)), labels, seed=seed)
            figures.append((plane.homogeneity or 0.0, plane.completeness or 0.0))
            if seed == 0:
                for label, _ in Counter(labels).most_common(COLORS):
                    places = plane.places[np.array(labels) == label]
                    axis.scatter(*places.T, s=4, label=label[:30], linewidths=0)
        means, low, high = (statistic(figures, axis=0) for statistic in (np.mean, np.min, np.max))
        cells = [
            f"{mean:.2f} ({first:.2f}-{last:.2f})"
            for mean, first, last in zip(means, low, high, strict=True)
        ]
        click.echo(f"| {name} | {' | '.join(cells)} |")
        axis.set(title=f"{name}: homogeneity {cells[0]}", xticks=[], yticks=[])
    handles, names = axes[0][0].get_legend_handles_labels()
    figure.legend(handles, names, loc="lower center", ncols=5, markerscale=3, fontsize="small")
    figure.subplots_adjust(bottom=0.14, left=0.01, right=0.99, top=0.94, wspace=0.02)
    figure.savefig(output, dpi=80)


if __name__ == "__main__":
    main()
