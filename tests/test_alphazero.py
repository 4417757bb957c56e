"""The example that learns: interrupted runs go on as if nothing had been, and foreign checkpoints are refused."""

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import fastmcts
from fastmcts import games

jax = pytest.importorskip("jax")
pytest.importorskip("optax")

from examples.alphazero import checkpoint, curve, evaluate, learn, network, replay  # noqa: E402
from examples.alphazero.__main__ import main  # noqa: E402
from examples.alphazero.settings import CONNECT_FOUR, TIC_TAC_TOE  # noqa: E402

pytestmark = [pytest.mark.peer, pytest.mark.slow_to_compile]

TINY = {
    "width": 8,
    "blocks": 1,
    "games": 3,
    "simulations": 4,
    "random_moves": 1,
    "window": 2,
    "passes": 2.0,
    "batch_size": 16,
    "gate_games": 2,
    "measured_simulations": 2,
    "uct_simulations": 2,
    "curve_games": 2,
    "evaluate_every": 2,
}
SETTINGS = replace(CONNECT_FOUR, **TINY)


def run_in(folder: Path, iterations: int, **changes: Any) -> learn.Run:
    run = learn.Run(replace(SETTINGS, **changes), folder, seed=1, tell=lambda line: None)
    run.learn(iterations, None)
    return run


def contents(progress: checkpoint.Progress) -> dict[str, list[float]]:
    return {name: array.ravel().tolist() for name, array in checkpoint.arrays_of(progress).items()}


def scores(progress: checkpoint.Progress) -> list[tuple[float, float]]:
    return [(point["iteration"], point["score"]) for point in progress.curve]


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> checkpoint.Progress:
    return run_in(tmp_path_factory.mktemp("whole"), 3).progress


def test_training_changes_the_network(undisturbed: checkpoint.Progress) -> None:
    first = contents(checkpoint.first_progress(SETTINGS, 1))
    assert undisturbed.iteration == 3
    assert contents(undisturbed)["['trained'].params['policy']['weights']"] != first["['best']['policy']['weights']"]


def test_a_run_in_two_parts_is_the_same_as_an_undisturbed_one(undisturbed: checkpoint.Progress, tmp_path: Path) -> None:
    run_in(tmp_path, 1)
    again = run_in(tmp_path, 3)
    assert contents(again.progress) == contents(undisturbed)
    assert scores(again.progress) == scores(undisturbed)
    assert [path.name for path in sorted((tmp_path / "games").iterdir())] == ["000001", "000002"], "the window"


@pytest.mark.parametrize("part", ["evaluator", "train", "play_match", "measure"])
def test_ctrl_c_anywhere_loses_nothing(
    part: str,
    undisturbed: checkpoint.Progress,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    real, calls = getattr(learn, part), 0

    def interrupted(*arguments: Any, **keywords: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls == 2 and part != "evaluator":
            raise KeyboardInterrupt
        answer = real(*arguments, **keywords)
        return stopping(answer) if calls == 2 else answer

    def stopping(judge: Any) -> Any:
        asked = 0

        def evaluate(observations: Any, legal: Any) -> Any:
            nonlocal asked
            asked += 1
            if asked > 40:  # some games are over, some are not
                raise KeyboardInterrupt
            return judge(observations, legal)

        return evaluate

    monkeypatch.setattr(learn, part, interrupted)
    options = {"game": "connect_four", "iterations": 3, "seed": 1, "final_games": 2, "out": tmp_path, **TINY}
    assert main(**options) == 130
    assert "the same command goes on" in capsys.readouterr().out
    monkeypatch.setattr(learn, part, real)
    assert main(**options) == 0
    ended = checkpoint.load(tmp_path, SETTINGS, 1)
    assert contents(ended) == contents(undisturbed)
    assert scores(ended)[:-1] == scores(undisturbed)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"game": "chess"}, "game must be one of tic_tac_toe, connect_four, not 'chess'"),
        ({"iterations": 0}, "iterations must be above 0, not 0"),
        ({"minutes": -1.0}, r"minutes must be above 0, not -1\.0"),
        ({"final_games": 0}, "final_games must be above 0, not 0"),
    ],
)
def test_what_makes_no_sense_is_refused(arguments: dict[str, Any], message: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=message):
        main(**{"out": tmp_path / "run", **arguments})
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("changes", "seed", "message"),
    [
        ({"game": "tic_tac_toe"}, 1, "is of a run with game='connect_four', not 'tic_tac_toe'; choose another folder"),
        ({"width": 16}, 1, "is of a run with width=8, not 16; choose another folder with --out"),
        ({}, 2, "is of a run with seed=1, not 2"),
    ],
)
def test_a_checkpoint_of_another_run_is_refused(
    changes: dict[str, Any], seed: int, message: str, tmp_path: Path
) -> None:
    checkpoint.save(tmp_path, SETTINGS, 1, checkpoint.first_progress(SETTINGS, 1))
    with pytest.raises(ValueError, match=message):
        learn.Run(replace(SETTINGS, **changes), tmp_path, seed)


def changed(path: Path, **arrays: Any) -> None:
    with np.load(path, allow_pickle=False) as file:
        kept = {name: file[name] for name in file.files}
    np.savez(path, **{**kept, **arrays})


PLACE = "['best']['policy']['bias']"


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda path: path.write_bytes(path.read_bytes()[:1000]), "is damaged, or no checkpoint"),
        (lambda path: path.write_bytes(b""), "is damaged, or no checkpoint"),
        (lambda path: np.savez(path, other=np.zeros(3)), "is damaged, or no checkpoint: 'about'"),
        (lambda path: changed(path, **{PLACE: np.array([print], object)}), "is damaged, or no checkpoint: .*pickle"),
        (lambda path: changed(path, **{PLACE: np.zeros(9, np.float32)}), r"must be float32 \[7\], not float32 \[9\]"),
        (lambda path: changed(path, **{PLACE: np.full(7, np.nan, np.float32)}), "numbers that are not finite"),
        (lambda path: changed(path, about=np.array("[]")), "is damaged, or no checkpoint"),
    ],
    ids=["cut off", "empty", "another archive", "an object", "another shape", "NaN", "another text"],
)
def test_a_damaged_checkpoint_is_refused(damage: Any, message: str, tmp_path: Path) -> None:
    checkpoint.save(tmp_path, SETTINGS, 1, checkpoint.first_progress(SETTINGS, 1))
    damage(tmp_path / checkpoint.NAME)
    with pytest.raises(ValueError, match=message):
        learn.Run(SETTINGS, tmp_path, 1)


def test_lost_games_are_told(tmp_path: Path) -> None:
    run_in(tmp_path, 1)
    for path in (tmp_path / "games" / "000000").iterdir():
        path.unlink()
    with pytest.raises(ValueError, match="000000 has no games any more"):
        learn.Run(SETTINGS, tmp_path, 1)


def test_batches_of_any_length_have_few_sizes_and_the_same_answers() -> None:
    sizes = [network.bucket(count) for count in range(1, 513)]
    assert sorted(set(sizes)) == [16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512]
    assert all(size >= count for count, size in enumerate(sizes, 1))
    evaluate_some = network.evaluator(network.first_params(SETTINGS, 0))
    rng = np.random.default_rng(0)
    seen, legal = rng.random((16, 3, 6, 7), np.float32), rng.random((16, 7)) < 0.7
    legal[:, 0] = True
    policy, values = evaluate_some(seen, legal)
    judge: Any = network.judge
    compiled = judge._cache_size()
    for count in (1, 5, 15):
        some_policy, some_values = evaluate_some(seen[:count], legal[:count])
        assert np.array_equal(some_policy, policy[:count])
        assert np.array_equal(some_values, values[:count])
    network.evaluator(network.first_params(SETTINGS, 1))(seen, legal)
    assert judge._cache_size() == compiled, "neither lengths nor parameters compile anything"
    assert np.allclose(policy.sum(axis=1), 1.0)
    assert not policy[~legal].any()


@pytest.mark.parametrize(
    ("game", "moves", "mirrored"), [("connect_four", "abfa", "gfbg"), ("tic_tac_toe", ["a1", "b3"], ["c1", "b3"])]
)
def test_mirrored_positions_are_those_of_mirrored_moves(
    game: str, moves: Sequence[str], mirrored: Sequence[str]
) -> None:
    def batch_after(line: Sequence[str]) -> replay.Batch:
        state = fastmcts.load_game(game).new_initial_state()
        for move in line[:-1]:
            state.apply_action(state.string_to_action(move))
        policy = np.zeros((2, state.game.num_actions), np.float32)
        policy[:, state.string_to_action(line[-1])] = 1.0
        seen, legal = state.observation_tensor(), state.legal_actions_mask()
        return replay.Batch(np.stack([seen] * 2), np.stack([legal] * 2), policy, np.zeros(2, np.float32))

    batch, other = batch_after(moves), batch_after(mirrored)
    replay.mirror(batch, np.array([True, False]))
    for part, expected, as_it_was in zip(batch, other, batch_after(moves), strict=True):
        assert np.array_equal(part[0], expected[0])
        assert np.array_equal(part[1], as_it_was[1])


def test_how_a_game_ended_says_nothing_of_its_random_moves() -> None:
    zeros = np.zeros(3, np.float32)
    played: Any = type("Played", (), {"values": zeros + 0.5, "outcomes": np.array([1.0, -1.0, 1.0], np.float32)})
    values = replay.values_to_learn(played, replace(SETTINGS, search_weight=0.5), opening=1)
    assert values.tolist() == [0.5, -0.25, 0.75]


class Exact:
    """Plays perfectly, or whatever is legal first."""

    simulations = 0

    def __init__(self, blunders: bool) -> None:
        self.blunders = blunders

    def choose_many(self, states: Sequence[fastmcts.State]) -> list[int]:
        return [state.legal_actions()[0] if self.blunders else self.best(state) for state in states]

    without_search = choose_many

    def best(self, state: fastmcts.State) -> int:
        value = evaluate.solve(state)
        return next(action for action in state.legal_actions() if evaluate.solve(state.child(action)) == value)


def test_exact_play_keeps_all_values_and_cannot_be_beaten() -> None:
    perfect: Any = Exact(blunders=False)
    score = evaluate.against_exact_play(games.TicTacToe(), perfect)
    assert score.score == 1.0
    assert score.text.startswith("4,520 of 4,520 positions keep their value")
    assert score.text.endswith(" 0 ways to beat it from the start")
    careless: Any = Exact(blunders=True)
    worse = evaluate.against_exact_play(games.TicTacToe(), careless)
    assert worse.low == worse.score == worse.high < 0.9, "it is exact"
    assert not worse.text.endswith(" 0 ways to beat it from the start")


def test_the_curve_is_written_as_lines_and_drawn(tmp_path: Path) -> None:
    points = [
        {"iteration": number, "games": 10, "minutes": number, "score": 0.5, "low": 0.4, "high": 0.6, "text": ""}
        for number in range(3)
    ]
    curve.write_curve(tmp_path, points, "a label", even=0.5)
    assert [json.loads(line) for line in (tmp_path / curve.LINES).read_text().splitlines()] == points
    picture = (tmp_path / curve.PICTURE).read_text()
    assert "a label (%)" in picture
    assert "minutes of training" in picture
    curve.write_curve(tmp_path, points, "a label", even=0.5)
    assert (tmp_path / curve.PICTURE).read_text() == picture
    curve.write_curve(tmp_path, points, "a label")
    assert (tmp_path / curve.PICTURE).read_text().count("stroke-dasharray") < picture.count("stroke-dasharray")


def test_the_defaults_suit_their_games() -> None:
    for settings in (TIC_TAC_TOE, CONNECT_FOUR):
        game = settings.load_game()
        assert len(game.observation_shape) == 3
        assert game.num_actions % game.observation_shape[-1] == 0, "for the mirror"
