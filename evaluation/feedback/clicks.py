"""Click logs, and the propensity of each position: the probability that users look at it.

Agarwal et al. (2019), "Estimating Position Bias without Intrusive Interventions": a paper that the
log shows for the same query at two positions is a swap. A click happens if the user looks at the
position, with probability p_k, and the paper is relevant.
"""

from codecs import BOM_UTF8
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

import numpy as np
import orjson

from specter_graph.core.errors import InputError
from specter_graph.evaluation.metrics.ranking import Floats


@dataclass(frozen=True, slots=True)
class Impression:
    """A list that was shown for `query`, and its clicked papers."""

    query: str
    shown: tuple[str, ...]
    clicked: frozenset[str]


def read_click_log(path: Path | str) -> list[Impression]:
    """Read the impressions of a JSON Lines file, oldest first.

    A line is {"query": "a", "shown": ["b", "c"], "clicked": ["c"]}. Lists without clicks are needed
    for the propensities. Blank lines are ignored. Raises InputError for any other line.
    """
    log = []
    for number, line in log_lines(path):
        try:
            record = orjson.loads(line)
            query, shown = str(record["query"]), tuple(map(str, record["shown"]))
            impression = Impression(query, shown, frozenset(map(str, record["clicked"])))
        except (ValueError, KeyError, TypeError) as error:
            raise InputError(
                f"{path}, line {number}: not an impression",
                'a line is {"query": "a", "shown": ["b", "c"], "clicked": ["c"]}',
            ) from error
        if not impression.clicked <= set(shown):
            raise InputError(f"{path}, line {number}: a clicked paper was not shown")
        log.append(impression)
    return log


def log_lines(path: Path | str) -> Iterator[tuple[int, bytes]]:
    """Yield the lines of a log with their numbers, without blank lines and a byte order mark.

    Each line has its line end. Raises InputError for a file that cannot be read.
    """
    try:
        content = Path(path).read_bytes().removeprefix(BOM_UTF8)
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror or error}") from error
    for number, line in enumerate(content.splitlines(keepends=True), 1):
        if line.strip():
            yield number, line


def propensities(log: Iterable[Impression]) -> Floats:
    """Estimate p_k / p_1 of each position k, (positions,) float64, by AllPairs (section 4.2).

    For each pair of positions, the query-paper pairs that were shown at both have mean click rates
    c_k and c_k'. The propensities, and a mean relevance r_kk' for each pair, maximize the sum over
    the pairs of c_k log(p_k r_kk') + (1 - c_k) log(1 - p_k r_kk'), weighted by their number.

    Raises:
        InputError: Swaps do not connect all positions, or a position has no clicks: its propensity
            would be 0, and the weight of a click infinite.
    """
    rates = _rates(log)
    places = max((place for pair in rates for place in pair), default=0) + 1
    if places < 2 or not _are_connected(rates, places):
        raise InputError(
            "the log shows too few papers at several positions to compare the positions",
            "shuffle or swap results for some users and log these lists",
        )
    clicks = np.zeros(places)
    for pair, sums in rates.items():
        clicks[list(pair)] += sums[:2]
    if not clicks.all():
        named = ", ".join(str(place + 1) for place in np.flatnonzero(clicks == 0))
        raise InputError(
            f"no swapped paper was clicked at position {named}",
            "log more lists, or shorter ones: the position looks as if users never see it",
        )
    return _fit(rates, places)


def position_preferences(log: Iterable[Impression]) -> tuple[int, int]:
    """Count the queries whose papers got more clicks at their higher, and at their lower positions.

    Only papers that were shown for one query at several positions are compared, so relevance does
    not matter. Without position bias, both counts are equal on average (`statistics.sign_test`).
    """
    by_query: dict[str, list[Impression]] = defaultdict(list)
    for impression in log:
        by_query[impression.query].append(impression)
    differences = np.array([
        sum(rates[0] - rates[1] for rates in _rates(lists).values()) for lists in by_query.values()
    ])  # fmt: skip
    return int((differences > 0).sum()), int((differences < 0).sum())


def _rates(log: Iterable[Impression]) -> dict[tuple[int, int], Floats]:
    """Return for each pair of positions the summed click rates at both, and the pair count."""
    shown: dict[tuple[str, str], Counter[int]] = defaultdict(Counter)
    clicked: dict[tuple[str, str], Counter[int]] = defaultdict(Counter)
    for impression in log:
        for place, paper in enumerate(impression.shown):
            shown[impression.query, paper][place] += 1
            clicked[impression.query, paper][place] += paper in impression.clicked
    rates: dict[tuple[int, int], Floats] = defaultdict(lambda: np.zeros(3))
    for pair, times in shown.items():
        for one, other in combinations(sorted(times), 2):
            rate, other_rate = (clicked[pair][place] / times[place] for place in (one, other))
            rates[one, other] += (rate, other_rate, 1)
    return dict(rates)


def _are_connected(pairs: Iterable[tuple[int, int]], places: int) -> bool:
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    one, other = np.array([*pairs]).T
    graph = coo_array((np.ones(len(one)), (one, other)), shape=(places, places))
    return int(connected_components(graph, directed=False, return_labels=False)) == 1


def _fit(rates: dict[tuple[int, int], Floats], places: int) -> Floats:
    """Maximize the likelihood; p and r are logistic functions of unconstrained variables."""
    from scipy.optimize import minimize
    from scipy.special import expit

    pairs = np.array(sorted(rates))
    sums = np.array([rates[one, other] for one, other in pairs])
    clicks, passes = sums[:, :2], sums[:, 2:] - sums[:, :2]

    def loss(free: Floats) -> tuple[float, Floats]:
        p, r = expit(free[:places]), expit(free[places:])[:, None]
        product = np.clip(p[pairs] * r, 1e-12, 1 - 1e-12)
        value = -(clicks * np.log(product) + passes * np.log1p(-product)).sum()
        # d/dx of log(p r) is 1 - p, and of log(1 - p r) is -(1 - p) p r / (1 - p r)
        common = clicks - passes * product / (1 - product)
        slope = np.zeros_like(free)
        np.add.at(slope, pairs, -common * (1 - p[pairs]))
        slope[places:] = (-common * (1 - r)).sum(axis=1)
        return value / sums[:, 2].sum(), slope / sums[:, 2].sum()

    start = np.zeros(places + len(pairs))
    options = {"maxiter": 10_000, "ftol": 1e-14, "gtol": 1e-10}
    fitted = minimize(loss, start, jac=True, method="L-BFGS-B", options=options)
    p = expit(fitted.x[:places])
    relative: Floats = p / p[0]
    return relative
