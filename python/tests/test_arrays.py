"""What is accepted as a context, and what is refused."""

import numpy as np
import pytest

import sau


@pytest.fixture
def agent(rng):
    """An agent that predicts different values for different contexts."""
    agent = sau.Agent("linear+greedy", context_dim=3, n_actions=2)
    agent.partial_fit(rng.normal(size=(50, 3)), rng.integers(2, size=50), rng.normal(size=50))
    return agent


X = np.array([0.5, -1.0, 2.0])

SAME = {
    "list": [0.5, -1.0, 2.0],
    "tuple": (0.5, -1, 2),
    "float32": X.astype(np.float32),
    "float16": X.astype(np.float16),
    "longdouble": X.astype(np.longdouble),
    "big-endian": X.astype(">f8"),
    "strided": np.repeat(X, 2)[::2],
    "reversed": X[::-1].copy()[::-1],
    "column of a matrix": np.stack([X, X], axis=1)[:, 0],
    "read-only": np.frombuffer(X.tobytes()),
    "unaligned": np.frombuffer(b"?" + X.tobytes(), dtype=np.uint8)[1:].view(np.float64),
    "subclass": np.ma.masked_array(X),
    "memoryview": memoryview(X),
}


@pytest.mark.parametrize("form", SAME)
def test_the_form_of_a_context_does_not_matter(agent, form):
    np.testing.assert_array_equal(agent.values(SAME[form]), agent.values(X))
    choice = agent.choose(SAME[form])
    np.testing.assert_array_equal(choice.context, X)


def test_whole_numbers_and_booleans_are_numbers(agent):
    expected = agent.values([1.0, 0.0, 1.0])
    np.testing.assert_array_equal(agent.values(np.array([True, False, True])), expected)
    np.testing.assert_array_equal(agent.values(np.array([1, 0, 1], dtype=np.uint8)), expected)


REFUSED = {
    "too short": ([1.0, 2.0], "has 2 numbers, expected 3"),
    "too long": (np.zeros(4), "has 4 numbers, expected 3"),
    "none": (None, "has 0 numbers, expected 3"),
    "NaN": (np.array([0.0, np.nan, 0.0]), "number 1 is not finite"),
    "inf": ([0.0, 0.0, np.inf], "number 2 is not finite"),
    "a matrix": (np.zeros((1, 3)), "expected one dimension, found an array of shape \\(1, 3\\)"),
    "a number": (1.0, "expected one dimension, found an array of shape \\(\\)"),
    "complex": (X + 0j, "expected numbers, found dtype complex128"),
    "text": (["a", "b", "c"], "expected numbers, found dtype <U1"),
    "objects": (np.array([1, None, 2]), "expected numbers, found dtype object"),
    "dates": (np.array(["2020-01-01"] * 3, dtype="M8[D]"), "found dtype datetime64"),
    "ragged": ([[1.0], [2.0, 3.0]], "that NumPy cannot turn into an array"),
    "masked": (np.ma.masked_array(X, mask=[0, 1, 0]), "has masked elements"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_a_wrong_context_is_refused_and_changes_nothing(agent, case):
    given, message = REFUSED[case]
    state = agent._state()
    with pytest.raises(sau.UsageError, match=message):
        agent.choose(given)
    assert agent._state() == state


def test_sparse_matrices_are_refused_by_name(agent):
    sparse = pytest.importorskip("scipy.sparse")
    with pytest.raises(sau.UsageError, match="expected a dense array, found a sparse"):
        agent.predict(sparse.eye(3, format="csr"))


def test_matrices_of_any_layout_are_the_same(agent, rng):
    rows = rng.normal(size=(20, 3))
    expected = np.stack([agent.values(x) for x in rows])
    fortran, backwards = np.asfortranarray(rows), rows[::-1].copy()[::-1]
    for form in (rows, rows.tolist(), fortran, backwards, rows.astype(">f8")):
        np.testing.assert_array_equal(agent.values(form), expected)
    assert agent.values(np.empty((0, 3))).shape == (0, 2)


@pytest.mark.parametrize(
    "rows, message",
    [
        (np.zeros((2, 4)), "contexts have 4 numbers, expected 3"),
        (np.zeros((2, 3, 1)), "expected two dimensions"),
        ([[0.0, 0.0, 0.0], [0.0, np.nan, 0.0]], "row 1: the context's number 1 is not finite"),
    ],
)
def test_wrong_matrices_are_refused(agent, rows, message):
    for method in (agent.probabilities, agent.values, agent.choose_batch):
        with pytest.raises(sau.UsageError, match=message):
            method(rows)


def test_data_frames_are_matrices(agent, rng):
    pandas = pytest.importorskip("pandas")
    rows = rng.normal(size=(5, 3))
    frame = pandas.DataFrame(rows, columns=list("abc"))
    np.testing.assert_array_equal(agent.predict(frame), agent.predict(rows))


def test_returned_arrays_are_copies_or_read_only(agent):
    first = agent.values(X)
    kept = first.copy()
    agent.learn(agent.choose(X), 5.0)
    np.testing.assert_array_equal(first, kept)
    context = agent.choose(X).context
    assert not context.flags.writeable
    with pytest.raises(ValueError, match="read-only"):
        context[0] = 1.0


def test_a_choice_keeps_its_own_copy_of_the_context(agent):
    x = X.copy()
    choice = agent.choose(x)
    x[:] = 99.0
    np.testing.assert_array_equal(choice.context, X)
