"""Data sets as arrays, and arrays as problems."""

import gzip
import http.server
import socketserver
import threading

import numpy as np
import pytest

import sau


@pytest.fixture
def rows(rng):
    X = rng.normal(size=(60, 3)).round(3)
    return X, (X[:, 0] > 0).astype(int) + (X[:, 1] > 1)


def test_arrays_are_the_same_problem_as_a_file_with_the_same_rows(rows, tmp_path, monkeypatch):
    monkeypatch.setenv("SAU_CACHE_DIR", str(tmp_path))
    X, y = rows
    file = tmp_path / "rows.csv"
    text = "\n".join(",".join(map(repr, x)) + f",{label}" for x, label in zip(X.tolist(), y))
    file.write_text("a,b,c,label\n" + text + "\n")
    for scale in (False, True):
        arrays = sau.data.classification(X, y, standardise=scale)
        spec = f"csv(file={file}{'' if scale else ',scale=none'},intercept=false)"
        assert arrays.fingerprint == sau._core.problem_info(spec)["data"]
        assert (arrays.n_rows, arrays.n_actions, arrays.context_dim) == (60, 3, 3)
    # A trial visits every row once, so always playing action 0 pays as often as 0 is right.
    result = sau.run(arrays, lambda **_: Always(0), trials=2)
    assert result[0].steps == 60
    np.testing.assert_array_equal(result.reward[0, 0], [(y == 0).sum()] * 2)


def test_notes_go_to_logging_and_not_to_standard_error(rows, tmp_path, caplog, capfd):
    X, y = rows
    file = tmp_path / "noted.csv"
    text = "\n".join(",".join(map(repr, x)) + f",{label}" for x, label in zip(X.tolist(), y))
    file.write_text("a,b,c,label\n" + text + "\n")
    with caplog.at_level("INFO", logger="sau"):
        sau.Problem(f"csv(file={file})")
    assert [record.levelname for record in caplog.records] == ["INFO"]
    assert "60 rows, header, label label (3 classes)" in caplog.text
    # A file that has changed is prepared again, also in a run.
    caplog.clear()
    file.write_text("a,b,c,label\n" + text + "\n\n")
    with caplog.at_level("INFO", logger="sau"):
        sau.run(f"csv(file={file})", "uniform", trials=2, threads=2)
    assert "60 rows" in caplog.text
    assert capfd.readouterr().err == ""


class Always:
    def __init__(self, action):
        self.action = action

    def choose(self, x):
        return self.action

    def learn(self, x, action, reward):
        pass


def test_arrays_give_the_same_numbers_on_any_number_of_threads(rows):
    X, y = rows
    problem = sau.data.classification(X, y, name="signs")
    assert repr(problem) == "<ArrayProblem signs: 60 rows, 3 actions, contexts of length 3>"
    runs = [
        sau.run(problem, ["linear+sau_ucb", "uniform"], trials=6, steps=600, threads=n)
        for n in (1, 4)
    ]
    np.testing.assert_array_equal(runs[0].regret, runs[1].regret)
    assert runs[0].problems == ("signs",)
    assert (runs[0].regret[0, 0] < runs[0].regret[0, 1]).all()


def test_classes_of_any_kind_are_numbered_in_order(rows):
    X, y = rows
    names = np.array(["cat", "dog", "rabbit"])[y]
    named, numbered = sau.data.classification(X, names), sau.data.classification(X, y)
    assert named.fingerprint == numbered.fingerprint
    assert sau.data.classification(X, y, n_actions=5).n_actions == 5
    assert sau.data.classification(X, y - 1).n_actions == 3


def test_rows_with_a_reward_for_every_action(rng):
    X, R = rng.normal(size=(30, 2)), rng.normal(size=(30, 4))
    problem = sau.data.rewards(X, R, name="known")
    assert problem.reward_range == (R.min(), R.max())
    result = sau.run(problem, lambda **_: Always(2), trials=1)
    assert result.reward.item() == pytest.approx(R[:, 2].sum())
    assert result.regret.item() == pytest.approx((R.max(axis=1) - R[:, 2]).sum())


@pytest.mark.parametrize(
    "make, message",
    [
        (lambda: sau.data.classification(np.zeros((3, 2)), [0, 1]), "for each of 3 contexts"),
        (lambda: sau.data.classification(np.zeros((0, 2)), []), "no rows"),
        (lambda: sau.data.classification(np.zeros((2, 2)), [0, 4], n_actions=3), "action 4 is not"),
        (lambda: sau.data.classification([[np.nan], [1.0]], [0, 1]), "row 0: .*not finite"),
        (lambda: sau.data.classification([[1e101], [1.0]], [0, 1]), "at most 1e100 in size"),
        (lambda: sau.data.rewards(np.zeros((3, 2)), np.zeros((2, 2))), "for each of 3 contexts"),
        (lambda: sau.data.rewards([[0.0]], [[np.inf]]), "row 0 has inf"),
        (lambda: sau.data.rewards([[0.0]], [1.0]), "expected two dimensions"),
    ],
)
def test_wrong_arrays_are_refused(make, message):
    with pytest.raises(sau.UsageError, match=message):
        make()


def test_a_result_folder_refuses_an_array_problem_whose_data_changed(rows, tmp_path):
    X, y = rows
    sau.run(sau.data.classification(X, y), "uniform", trials=2, out=tmp_path / "r")
    more = sau.run(sau.data.classification(X, y), "uniform", trials=3, out=tmp_path / "r")
    assert more[0].n_trials == 3
    with pytest.raises(sau.Error, match="data"):
        sau.run(sau.data.classification(X + 1, y), "uniform", trials=4, out=tmp_path / "r")


def test_data_sets_are_loaded_as_arrays(data_folder):
    statlog = sau.data.load("statlog")
    assert statlog.contexts.shape == (43500, 9) and statlog.n_actions == 7
    assert repr(statlog) == "<Dataset statlog: 43500 contexts of length 9, 7 classes>"
    np.testing.assert_allclose(statlog.contexts.mean(axis=0), 0.0, atol=1e-9)
    np.testing.assert_allclose(statlog.contexts.std(axis=0), 1.0, atol=1e-9)
    assert np.bincount(statlog.labels)[0] == 34108  # class 1 of the file, as its description says
    financial = sau.data.load("financial")
    assert financial.labels is None and financial.contexts.shape == (3713, 21)
    assert sau.data.folder() == data_folder


def test_the_arrays_are_the_contexts_of_the_problem(data_folder):
    mushroom = sau.data.load("mushroom")
    assert mushroom.contexts.shape == (8124, 117) and set(np.unique(mushroom.contexts)) == {0, 1}
    problem = sau.Problem("mushroom")
    x, _ = problem.reset()
    assert (mushroom.contexts == x).all(axis=1).any()


def test_unknown_and_missing_data_sets(monkeypatch, tmp_path):
    monkeypatch.setenv("SAU_DATA_DIR", str(tmp_path))
    with pytest.raises(sau.UsageError, match="unknown data set"):
        sau.data.load("iris")
    with pytest.raises(sau.UsageError, match="unknown data set"):
        sau.data.fetch("iris")
    with pytest.raises(sau.MissingData, match="statlog") as caught:
        sau.data.load("statlog")
    assert isinstance(caught.value, LookupError)
    with pytest.raises(sau.Error, match="cannot be downloaded"):
        sau.data.fetch("jester")


def test_files_are_fetched_from_a_mirror(data_folder, monkeypatch, tmp_path):
    mirror, target = data_folder, tmp_path / "data"
    monkeypatch.setenv("SAU_DATA_DIR", str(target))
    (path,) = sau.data.fetch("mushroom", mirror=mirror)
    assert path == target / "mushroom" / "agaricus-lepiota.data" and path.stat().st_size == 373704
    assert sau.data.fetch("mushroom", mirror="nowhere") == [path], "it is there already"
    assert [p.name for p in path.parent.iterdir()] == [path.name]
    with pytest.raises(sau.UsageError, match="neither a folder nor an address"):
        sau.data.fetch("statlog", mirror="nowhere")


def test_files_are_fetched_over_http(data_folder, monkeypatch, tmp_path):
    class Quiet(http.server.SimpleHTTPRequestHandler):
        def __init__(self, *args):
            super().__init__(*args, directory=str(data_folder))

        def log_message(self, *args):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Quiet)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        monkeypatch.setenv("SAU_DATA_DIR", str(tmp_path / "data"))
        address = f"http://127.0.0.1:{server.server_port}/"
        (path,) = sau.data.fetch("statlog", mirror=address)
        assert path.stat().st_size == 1153518
        with pytest.raises(sau.Error, match="fetch it elsewhere"):
            sau.data.fetch("census", mirror=address)
    finally:
        server.shutdown()
        server.server_close()


def test_an_answer_that_is_no_http_is_an_error(monkeypatch, tmp_path):
    class Nonsense(socketserver.StreamRequestHandler):
        def handle(self):
            self.rfile.readline()
            self.wfile.write(b"nonsense\r\n\r\n")

    server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Nonsense)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        monkeypatch.setenv("SAU_DATA_DIR", str(tmp_path / "data"))
        with pytest.raises(sau.Error, match="nonsense; fetch it elsewhere"):
            sau.data.fetch("statlog", mirror=f"http://127.0.0.1:{server.server_address[1]}/")
    finally:
        server.shutdown()
        server.server_close()


def test_a_wrong_file_is_not_put_in_place(monkeypatch, tmp_path):
    monkeypatch.setenv("SAU_DATA_DIR", str(tmp_path / "data"))
    mirror = tmp_path / "mirror" / "statlog"
    mirror.mkdir(parents=True)
    (mirror / "shuttle.trn.gz").write_bytes(gzip.compress(b"1 2 3\n"))
    with pytest.raises(sau.Error, match="its SHA-256 is"):
        sau.data.fetch("statlog", mirror=tmp_path / "mirror")
    assert list((tmp_path / "data" / "statlog").iterdir()) == []
