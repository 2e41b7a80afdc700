"""Compare the linear SVM with scikit-learn's F1 and grid search."""

import numpy as np
import pytest
from sklearn.metrics import f1_score
from sklearn.model_selection import GridSearchCV
from sklearn.svm import LinearSVC

from specter_graph.core.errors import InputError
from specter_graph.evaluation.metrics.task_results import MacroF1
from specter_graph.evaluation.protocols.classification import GRID, classify
from specter_graph.evaluation.protocols.dataset import PaperVectors


@pytest.fixture
def data():
    rng = np.random.default_rng(0)
    parts = {}
    vectors = {}
    for part, size in (("train", 90), ("validation", 45), ("test", 60)):
        parts[part] = [(f"{part}{i}", "abc"[i % 3]) for i in range(size)]
        for paper, label in parts[part]:
            vectors[paper] = rng.normal(size=8) + np.eye(8)["abc".index(label)]
    return parts, PaperVectors.build(list(vectors), np.array(list(vectors.values())))


def arrays(labeled, embeddings):
    return embeddings.get(p for p, _ in labeled), [label for _, label in labeled]


def svm(c=1.0):
    return LinearSVC(loss="squared_hinge", C=c, fit_intercept=False, dual=False, random_state=42)


def test_c_is_selected_by_the_grid_search_of_scidocs(data):
    labels, vectors = data
    search = GridSearchCV(svm(), {"C": np.logspace(-4, 2, 7)}, cv=3)
    search.fit(*arrays(labels["train"], vectors))
    tested, truth = arrays(labels["test"], vectors)
    golden = f1_score(truth, search.predict(tested), average="macro")
    result = classify(labels, vectors)
    assert result.metrics["f1"].value() == pytest.approx(golden, abs=1e-6)
    assert result.notes == (f"C = {search.best_params_['C']:g}",)
    assert 0.5 < golden < 1


def test_c_may_be_chosen_on_the_validation_papers(data):
    labels, vectors = data
    tuned, expected = arrays(labels["validation"], vectors)
    fitted = {c: svm(c).fit(*arrays(labels["train"], vectors)) for c in GRID}
    best = max(GRID, key=lambda c: f1_score(expected, fitted[c].predict(tuned), average="macro"))
    tested, truth = arrays(labels["test"], vectors)
    golden = f1_score(truth, fitted[best].predict(tested), average="macro")
    result = classify(labels, vectors, tune_on="validation")
    assert result.metrics["f1"].value() == pytest.approx(golden, abs=1e-6)
    with pytest.raises(InputError, match="cannot be chosen on the validation papers"):
        classify(labels, vectors, tune_on="validation", split="validation")


def dual_coordinate_descent(features, targets, c, rng, rounds=100, tolerance=1e-3):
    """Solve as `lightning` does, which SciDocs uses (Hsieh et al. 2008, algorithm 1, L2 loss)."""
    alpha, weights = np.zeros(len(features)), np.zeros(features.shape[1])
    curvature = (features**2).sum(axis=1) + 0.5 / c
    for _ in range(rounds):
        largest = 0.0
        for i in rng.permutation(len(features)):
            gradient = targets[i] * (weights @ features[i]) - 1 + alpha[i] * 0.5 / c
            new = max(alpha[i] - gradient / curvature[i], 0.0)
            largest = max(largest, abs(gradient) if new > 0 or gradient < 0 else 0.0)
            weights += (new - alpha[i]) * targets[i] * features[i]
            alpha[i] = new
        if largest < tolerance:
            break
    return weights


@pytest.mark.parametrize("c", [1e-2, 1.0])
def test_the_solver_of_scidocs_predicts_the_same_classes(c):
    rng = np.random.default_rng(3)
    centers = rng.normal(size=(11, 24))  # classes as in the MeSH task of SciDocs
    classes = rng.integers(11, size=400)
    features = 0.35 * (centers[classes] + 1.8 * rng.normal(size=(400, 24)))
    train, test = slice(150), slice(150, None)
    columns = [
        dual_coordinate_descent(features[train], np.where(classes[train] == k, 1, -1), c, rng)
        for k in range(11)
    ]
    theirs = (features[test] @ np.array(columns).T).argmax(axis=1)
    ours = svm(c).fit(features[train], classes[train]).predict(features[test])
    assert np.mean(ours == theirs) > 0.99
    scores = [f1_score(classes[test], each, average="macro") for each in (ours, theirs)]
    assert scores[0] == pytest.approx(scores[1], abs=0.01)
    assert 0.4 < scores[0] < 0.95


@pytest.mark.parametrize("tune_on", ["folds", "validation"])
def test_labels_of_the_test_papers_do_not_change_the_predictions(data, tune_on):
    labels, vectors = data
    turned = labels | {"test": [(p, "b") for p, _ in labels["test"]]}
    before, after = (classify(each, vectors, tune_on=tune_on) for each in (labels, turned))
    predicted = (each.metrics["f1"].predicted for each in (before, after))
    assert np.array_equal(*predicted)


def test_papers_without_vectors_get_zeros_and_are_reported(data):
    labels, vectors = data
    known = [paper for paper in vectors.rows if paper not in {"train0", "test3", "test4"}]
    thin = PaperVectors.build(known, vectors.get(known))
    result = classify(labels, thin)
    assert (result.total, len(result.items)) == (60, 60)
    assert (result.papers, result.missing) == (150, 3)
    assert "3 papers without a vector got zeros" in result.notes
    with pytest.raises(InputError, match=r"none of the 150 labeled .* such as 'test0'"):
        classify(labels, PaperVectors.build(["s2:test0"], np.ones((1, 8))))


def test_macro_f1_is_scikit_learns_on_any_choice_of_items():
    rng = np.random.default_rng(0)
    for _ in range(20):
        truth, predicted = rng.integers(0, 6, (2, 40))
        chosen = rng.integers(0, 40, 25)
        ours = MacroF1(truth, predicted[None])
        golden = f1_score(truth[chosen], predicted[chosen], average="macro")
        assert ours.value(chosen) == pytest.approx(golden, abs=1e-6)


def test_a_single_class_is_refused(data):
    labels, vectors = data
    one = labels | {"train": [(p, "a") for p, _ in labels["train"]]}
    with pytest.raises(InputError, match="needs two classes"):
        classify(one, vectors)
