"""A saved tree is not trusted: whatever it says, loading refuses it or a search of it goes well."""

import platform
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fastmcts import (
    GRAVE,
    ISMCTS,
    MAST,
    MCTS,
    PIMC,
    Converged,
    ExpandAll,
    Game,
    Lazy,
    LoadError,
    Method,
    PerfectInformation,
    RandomRollout,
    State,
    UCB1Tuned,
    games,
)
from fastmcts.compiler.jit import JIT_ENABLED
from fastmcts.core.constants import CHANCE, NONE, ROOT, TERMINAL
from fastmcts.core.tree import information_sets
from fastmcts.core.types import Actions, Position, Rng, Utilities
from fastmcts.engine.archive import saving, soundness
from fastmcts.engine.archive.soundness import check_links
from fastmcts.kernels.soundness import UNCONFIRMED
from fastmcts.testing import check_tree
from tests.helpers.saved_edits import (
    KINDS,
    Edits,
    completed,
    header_in,
    is_said,
    searched,
    shorten,
    with_header,
    with_rules_of_today,
    wrong_in,
)
from tests.helpers.trees import copied, megabytes
from tests.subprocesses import REPOSITORY

Arrays = dict[str, np.ndarray]

#: What is compiled in the suite that compiles; all of it in the one that does not.
FEW = [kind if kind == "plain" else pytest.param(kind, marks=pytest.mark.slow_to_compile) for kind in KINDS]


def saved(kind: str, folder: Path) -> Path:
    mcts, _ = searched(kind)
    mcts.save(folder / "search")
    return folder / "search"


def forge(path: Path, change: Callable[[Arrays], Any]) -> None:
    """Change the arrays of a saved search, with a checksum that fits."""
    arrays = {name: array for name, array in dict(np.load(path)).items() if name != saving.CHECKSUM}
    change(arrays)
    saving.write(path, {**arrays, saving.CHECKSUM: saving.checksum(arrays)})


def setting(name: str, place: int | slice, value: Any) -> Callable[[Arrays], None]:
    def change(arrays: Arrays) -> None:
        arrays[name][place] = value

    return change


@pytest.mark.parametrize("kind", FEW)
def test_a_loaded_search_of_any_kind_goes_on_bit_for_bit(kind: str, tmp_path: Path) -> None:
    mcts, state = searched(kind)
    mcts.save(tmp_path / "search")
    loaded = MCTS.load(tmp_path / "search")
    if kind == "shared":
        assert loaded.search(state).reused > 0.0
        return
    compared = 0
    for position in (state, state.child(state.legal_actions()[0])):
        if not position.is_chance_node() and not position.is_terminal():
            compared += 1
            ours, theirs = mcts.search(position), loaded.search(position)
            assert ours.visits.tolist() == theirs.visits.tolist()
            np.testing.assert_array_equal(ours.values, theirs.values)
            assert ours.reused == theirs.reused
            assert ours.nodes == theirs.nodes
    assert compared > 0


FORGERIES: list[tuple[str, Callable[[Arrays], Any], str]] = [
    ("plain", setting("0/tree/first_child", 1, 1_500_000_000), "stand at 1500000000, outside of the tree"),
    ("plain", setting("0/tree/first_child", 1, 1), "stand at 1, outside of the tree or out of order"),
    ("plain", setting("0/tree/size", 0, 2**40), "1,099,511,627,776 nodes, and there is room for"),
    ("plain", setting("0/tree/size", 0, 0), "its tree has 0 nodes"),
    ("plain", setting("0/tree/num_tried", 0, 99), "9 children, 99 of them tried"),
    ("plain", setting("0/tree/num_children", 0, -9), "says that it has -9 children"),
    ("plain", setting("0/tree/parent", 3, 5), "the parent of node 0, or of one of its children, is another"),
    ("plain", setting("0/tree/action", 1, 9), "a child of node 0 has an action that does not exist"),
    ("plain", setting("0/tree/player", 2, 100), "belongs to the wrong player"),
    ("plain", setting("0/tree/player", 2, 1), "node 0 or one of its children belongs to the wrong player"),
    ("plain", setting("0/tree/player", slice(1, 10), 1), "the moves at node 0 are not those of its position"),
    ("plain", setting("0/tree/visits", 0, 50), "do not fit those of its children"),
    ("plain", setting("0/tree/visits", 1, -1), "do not fit those of its children"),
    ("plain", setting("0/tree/value_sum", 1, np.nan), "the sums of rewards at node 1 do not fit"),
    ("plain", setting("0/tree/depth", 0, 100_000), "says that it is 100,000 moves deep"),
    ("plain", setting("0/tree/reward_range", 0, np.nan), "the rewards seen are said to be from nan"),
    ("plain", setting("0/rng", 1, 2), "random numbers are in a state in which none come"),
    ("plain", setting("0/root", 0, 2**40), "cannot be loaded|does not fit this version"),
    ("solver", setting("0/tree/lower", 4, 1.75), "the bounds of node 2 are not within 0 and 1"),
    ("solver", setting("0/tree/upper", 4, np.nan), "the bounds of node 2 are not within 0 and 1"),
    ("grave", setting("0/tree/amaf_visits", 5, -1), "the moves at node 0 are not those of its position"),
    ("grave", setting("0/tree/amaf_sum", 5, np.inf), "the moves at node 0 are not those of its position"),
    ("grave", setting("0/tree/action_visits", 5, -1), "the records of moves are not sums of rewards"),
    ("grave", setting("0/tree/played", 5, 2**60), "moves played is from another simulation"),
    ("grave", setting("0/tree/reference", 5, -7), "the table of references has nodes that cannot be"),
    ("tuned", setting("0/tree/square_sum", 1, -5.0), "the sums of rewards at node 1 do not fit"),
    ("optimism", setting("0/tree/prior", 1, np.inf), "the moves at node 0 are not those of its position"),
    ("optimism", setting("0/tree/assumed", 1, 30_000), "do not fit those of its children"),
    ("worlds", setting("0/tree/available", 1, 0), "was available more often than it, or never"),
    ("worlds", setting("0/tree/available", 1, 10_000), "was available more often than it, or never"),
    ("hidden perspective", setting("0/tree/seed", 1, -5), "a child of node 0 has replies that cannot be"),
    ("perspective", setting("0/tree/seed", 1, NONE), "the moves at node 1 are not those"),
    ("perspective", setting("0/tree/seed", 1, -(2**63)), "the moves at node 1 are not those"),
    ("observers", setting("0/tree/known", 0, 5), "does not find all information sets"),
    ("observers", setting("0/tree/after", 0, 1), "does not find all information sets"),
    ("observers", setting("0/tree/num_children", 0, 3), "belongs to|children|information sets"),
    ("vote", setting("asked", 0, 7), "cannot be loaded|does not fit this version"),
    ("vote", lambda arrays: arrays.pop("asked"), "its position, whose worlds it searches, is missing"),
    ("resampled", setting("0/root", 0, CHANCE), "player 0 is said to be to move, but it is -1"),
]


@pytest.mark.parametrize(
    ("kind", "change", "message"),
    [case if case[0] == "plain" else pytest.param(*case, marks=pytest.mark.slow_to_compile) for case in FORGERIES],
)
def test_a_forged_number_is_refused_with_a_reason(kind: str, change: Any, message: str, tmp_path: Path) -> None:
    path = saved(kind, tmp_path)
    forge(path, change)
    with pytest.raises(LoadError, match=message):
        MCTS.load(path)


@pytest.mark.slow_to_compile
def test_a_root_at_which_chance_is_to_move_is_loaded_if_nothing_was_searched_from_it(tmp_path: Path) -> None:
    mcts, state = searched("resampled")
    mcts.advance(state.string_to_action("roll"))
    loaded = again(mcts, tmp_path / "search")
    assert loaded.forest.is_planted
    assert loaded.search(state).visits.tolist() == mcts.search(state).visits.tolist()


@pytest.mark.slow_to_compile
@pytest.mark.parametrize("kind", ["trees", "vote"])
def test_trees_of_which_only_some_have_a_position_are_refused(kind: str, tmp_path: Path) -> None:
    path = saved(kind, tmp_path)

    def change(arrays: Arrays) -> None:
        header = header_in(arrays)
        header["searchers"][1]["is_planted"] = False
        with_header(arrays, header)

    forge(path, change)
    with pytest.raises(LoadError, match=r"1 of its 2 trees have a position|2 of its 3 trees have a position"):
        MCTS.load(path)


@pytest.mark.slow_to_compile
def test_trees_that_start_from_different_positions_are_refused(tmp_path: Path) -> None:
    mcts, state = searched("trees")
    mcts.forest.searchers[1].plant(state.child(4).array)
    mcts.save(tmp_path / "search")
    assert not MCTS.load(tmp_path / "search").forest.is_planted, "saved after a failure in the middle of a change"

    def change(arrays: Arrays) -> None:
        header = header_in(arrays)
        for tree in header["searchers"]:
            tree["is_planted"] = True
        with_header(arrays, header)

    forge(tmp_path / "search", change)
    with pytest.raises(LoadError, match="its trees, which grow side by side, start from different positions"):
        MCTS.load(tmp_path / "search")


@pytest.mark.parametrize("option", saving.ALWAYS_SAID)
def test_a_file_that_leaves_open_how_its_search_went_is_refused(option: str, tmp_path: Path) -> None:
    path = saved("plain", tmp_path)

    def change(arrays: Arrays) -> None:
        header = header_in(arrays)
        header["options"][option] = None
        with_header(arrays, header)

    forge(path, change)
    with pytest.raises(LoadError, match=f"does not say what its search had for {option}"):
        MCTS.load(path)


def test_a_move_that_exists_but_is_not_legal_is_refused(tmp_path: Path) -> None:
    path = saved("plain", tmp_path)

    def change(arrays: Arrays) -> None:
        first = int(arrays["0/tree/first_child"][1])  # below a move, which cannot be made again
        arrays["0/tree/action"][first] = arrays["0/tree/action"][1]

    forge(path, change)
    with pytest.raises(LoadError, match=r"two children of node 1|the moves at node 1 are not those of its position"):
        MCTS.load(path)


@pytest.mark.jit
def test_compiled_rules_play_through_a_large_tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = saved("plain", tmp_path)
    monkeypatch.setattr(soundness, "PLAYED_IN_PYTHON", 0)
    assert MCTS.load(path).forest.root_visits == 60
    forge(path, setting("0/tree/player", slice(1, 10), 1))
    with pytest.raises(LoadError, match="the moves at node 0 are not those of its position"):
        MCTS.load(path)


@pytest.mark.slow_to_compile
def test_a_chance_node_without_one_of_its_outcomes_is_refused(tmp_path: Path) -> None:
    path = saved("chance", tmp_path)

    def change(arrays: Arrays) -> None:
        first = int(arrays["0/tree/first_child"][0])
        roll = next(n for n in range(first, first + 2) if arrays["0/tree/num_children"][n] == 6)
        outcomes = int(arrays["0/tree/first_child"][roll])
        arrays["0/tree/action"][outcomes] = 7

    forge(path, change)
    with pytest.raises(LoadError, match=r"has an action that does not exist|are not those of its position"):
        MCTS.load(path)


@pytest.mark.slow_to_compile
def test_a_move_of_an_information_set_that_is_not_legal_is_noticed_when_a_simulation_comes_to_it(
    tmp_path: Path,
) -> None:
    game = games.OhHell(num_players=3, hand_size=2)
    state = game.new_initial_state(seed=0)
    mcts = MCTS(game, simulations=100, seed=0, strategy="plain", method=ISMCTS(observers="all"))
    mcts.search(state)
    mcts.save(tmp_path / "search")
    tree = mcts.forest.trees[0]

    def change(arrays: Arrays) -> None:
        for node in list(information_sets(tree))[1:]:
            block = slice(node + 1, node + 1 + int(tree.num_children[node]))
            others = sorted(set(range(game.num_actions)) - set(tree.action[block].tolist()))
            arrays["0/tree/action"][node + 1] = others[0]

    forge(tmp_path / "search", change)
    loaded = MCTS.load(tmp_path / "search")
    with pytest.raises(LoadError, match="does not fit the rules of the game"):
        loaded.search(state)
    assert loaded.search(state).reused == 0.0, "it starts anew"


@pytest.mark.slow_to_compile
def test_information_sets_from_a_file_are_compared_with_the_rules_once(tmp_path: Path) -> None:
    mcts, state = searched("observers")
    mcts.save(tmp_path / "search")
    loaded = MCTS.load(tmp_path / "search")
    tree = loaded.forest.trees[0]
    sets = list(information_sets(tree))
    assert len(sets) > 2
    assert set(tree.action[sets[1:]].tolist()) == {UNCONFIRMED}
    loaded.search(state)
    assert NONE in loaded.forest.trees[0].action[sets[1:]].tolist()


STEPS = np.array([2, 1, 2, 1, 2, 1])


@dataclass(frozen=True)
class Track(Game):
    """Walk along a track, step by step; whoever comes to its end wins.  State: [place, player to move]."""

    num_players = 2
    num_actions = 2
    state_size = 2

    def initial(self, state: Position, rng: Rng) -> None:
        pass

    def current_player(self, state: Position) -> int:
        return TERMINAL if state[0] >= 5 else state[1]

    def legal_actions(self, state: Position, actions: Actions) -> int:
        count = int(STEPS[state[0]])
        for action in range(count):
            actions[action] = action
        return count

    def apply(self, state: Position, action: int) -> None:
        state[0] += 1 + action
        state[1] = 1 - state[1]

    def returns(self, state: Position, out: Utilities) -> None:
        out[state[1]], out[1 - state[1]] = -1.0, 1.0


@pytest.mark.slow_to_compile
def test_a_root_that_only_the_rules_can_judge_is_tried_out(tmp_path: Path) -> None:
    game, path = Track(), tmp_path / "search"
    mcts = MCTS(game, simulations=20, seed=0)
    mcts.search(game.new_initial_state(seed=0))
    mcts.save(path)
    assert MCTS.load(path).result().visits.sum() == 20
    for place in (-(2**40), -9):
        forge(path, setting("0/root", 0, place))
        with pytest.raises(LoadError, match="its root is no position of Track"):
            MCTS.load(path)


def test_what_nobody_has_written_is_cleared_on_loading(tmp_path: Path) -> None:
    path = saved("plain", tmp_path)
    waiting: list[int] = []

    def change(arrays: Arrays) -> None:
        waiting.extend(np.flatnonzero(arrays["0/tree/visits"] == 0).tolist())
        arrays["0/tree/visits"][waiting] = -12345

    forge(path, change)
    tree = MCTS.load(path).forest.trees[0]
    assert waiting
    assert (tree.visits[waiting] == 0).all()


@pytest.mark.slow_to_compile
def test_every_sound_tree_is_sound_and_every_cycle_is_not() -> None:
    tree = copied(searched("worlds")[0].forest.trees[0])
    game = KINDS["worlds"][0]
    check_links(tree, game.num_players, game.num_actions, game.max_game_length)
    inner = next(int(node) for node in np.flatnonzero(tree.num_children[: tree.size[0]] > 0) if tree.parent[node] >= 0)
    loop = copied(tree)
    loop.first_child[inner] = tree.first_child[ROOT]
    with pytest.raises(LoadError, match=f"the children of node {inner} belong to another node too"):
        check_links(loop, game.num_players, game.num_actions, game.max_game_length)


@pytest.mark.slow_to_compile
@pytest.mark.parametrize("kind", KINDS)
def test_edited_arrays_are_refused_exactly_if_an_invariant_is_broken(kind: str, tmp_path: Path) -> None:
    edit_arrays(kind, tmp_path, edits=16, seed=0)


@pytest.mark.thorough
@pytest.mark.parametrize("kind", KINDS)
def test_edited_arrays_are_refused_exactly_if_an_invariant_is_broken_however_many(kind: str, tmp_path: Path) -> None:
    edit_arrays(kind, tmp_path, edits=2_000, seed=1)


OLD_FILES = ["version_1_tic_tac_toe", "version_1_kuhn_poker", "version_2_tic_tac_toe", "version_2_kuhn_poker"]


@pytest.mark.slow_to_compile
@pytest.mark.parametrize("name", OLD_FILES)
def test_edited_arrays_of_older_files_are_refused_exactly_if_an_invariant_is_broken(name: str, tmp_path: Path) -> None:
    edit_old_arrays(name, tmp_path, edits=16, seed=0)


@pytest.mark.thorough
@pytest.mark.parametrize("name", OLD_FILES)
def test_edited_arrays_of_older_files_are_refused_exactly_however_many(name: str, tmp_path: Path) -> None:
    edit_old_arrays(name, tmp_path, edits=1_000, seed=1)


def edit_arrays(kind: str, folder: Path, edits: int, seed: int) -> None:
    """Edit the arrays of a search of a kind."""
    mcts, state = searched(kind)
    mcts.save(folder / "search")
    compare_edits(mcts, state, folder / "search", edits, seed)


def edit_old_arrays(name: str, folder: Path, edits: int, seed: int) -> None:
    """Edit the arrays of a file that an older version has written."""
    game = games.load_game(name.split("_", 2)[2])
    path = with_rules_of_today(REPOSITORY / "tests" / "files" / f"{name}.npz", game, folder / "search")
    mcts = MCTS.load(path)
    compare_edits(mcts, mcts.result().state, path, edits, seed)


def compare_edits(mcts: MCTS, state: State, path: Path, edits: int, seed: int) -> None:
    """Edit the arrays of a file at random, and compare what loading says with a slow and obvious check."""
    editor = Edits(path, seed)
    refused = 0
    for _ in range(edits):
        what, arrays = editor.edit_arrays()
        wrong = wrong_in(mcts, arrays, editor.arrays)
        loaded = loaded_or_none(path)
        assert (loaded is None) == (wrong is not None), f"{what}: {wrong}"
        if loaded is None:
            refused += 1
        else:
            search_on(loaded, state, what)
    assert edits / 4 < refused < edits, "there were edits of both kinds"


@pytest.mark.slow_to_compile
@pytest.mark.parametrize("kind", KINDS)
def test_an_edited_header_is_refused_or_holds(kind: str, tmp_path: Path) -> None:
    edit_headers(kind, tmp_path, edits=12, seed=0)


@pytest.mark.thorough
@pytest.mark.parametrize("kind", KINDS)
def test_an_edited_header_is_refused_or_holds_however_many(kind: str, tmp_path: Path) -> None:
    edit_headers(kind, tmp_path, edits=500, seed=1)


def edit_headers(kind: str, folder: Path, edits: int, seed: int) -> None:
    """Edit the header of a file at random: what is loaded is saved again with what was edited, and is searched on."""
    mcts, state = searched(kind)
    path = folder / "search"
    mcts.save(path)
    editor = Edits(path, seed)
    refused = 0
    for _ in range(edits):
        what = editor.edit_header()
        edited = header_of(path)
        loaded = loaded_or_none(path)
        if loaded is None:
            refused += 1
        else:
            again(loaded, folder / "again")
            assert is_said(header_of(folder / "again"), completed(edited) | WRITTEN_ANEW), what
            search_on(loaded, state, what)
    assert edits / 4 < refused < edits, "there were edits of both kinds"


#: What a file says about who has written it, and not about the search.
WRITTEN_ANEW = {"python": list(platform.python_version_tuple()[:2]), "version": saving.VERSION}


def loaded_or_none(path: Path) -> MCTS | None:
    """The search in a file, None if it is refused."""
    try:
        return MCTS.load(path)
    except LoadError:
        return None


def header_of(path: Path) -> dict[str, Any]:
    """The header of a file."""
    return header_in(dict(np.load(path)))


def search_on(mcts: MCTS, state: State, what: str) -> None:
    """Use a search in all ways: what was loaded and what was found since are sound trees."""
    if mcts.forest.is_planted:
        for tree in mcts.forest.trees:
            check_tree(tree, recycled=True)
    shorten(mcts)
    if mcts.forest.is_planted and mcts.forest.visits_left < 1_000:
        with pytest.raises(ValueError, match="can count"):
            mcts.search(mcts.result().state)
        mcts.reset()
    searches = 0
    for position in (state, state.child(state.legal_actions()[0])):
        if not position.is_chance_node() and not position.is_terminal():
            result = mcts.search(position)
            assert result.visits.sum() > 0, what
            assert result.principal_variation()[0] in result.actions, what
            for tree in mcts.forest.trees:
                check_tree(tree, recycled=True)
            searches += 1
    assert searches > 0, what
    mcts.advance(mcts.result().actions[0])


@pytest.mark.parametrize("name", ["tic_tac_toe", "kuhn_poker"])
def test_files_of_format_1_are_read(name: str) -> None:
    path = REPOSITORY / "tests" / "files" / f"version_1_{name}.npz"
    mcts = MCTS.load(path)
    assert mcts.game == games.load_game(name)
    assert mcts.result().visits.sum() == mcts.forest.root_visits == 40
    if not JIT_ENABLED:
        assert mcts.search(mcts.result().state).reused == 0.5


#: What was saved when selection rules stood in `fastmcts.selection`, and so on.
BEFORE_CLASSES_MOVED: dict[str, dict[str, Any]] = {
    "tic_tac_toe": {
        "selection": GRAVE(reference=3),
        "expansion": ExpandAll(),
        "rollout": MAST(),
        "method": PerfectInformation(),
        "stop": (Converged(),),
    },
    "kuhn_poker": {
        "selection": UCB1Tuned(),
        "expansion": Lazy(),
        "rollout": RandomRollout(max_length=5),
        "method": PIMC(worlds=2),
        "stop": (),
    },
}


@pytest.mark.parametrize("name", BEFORE_CLASSES_MOVED)
def test_files_from_before_classes_moved_are_read_and_written_with_public_names(name: str, tmp_path: Path) -> None:
    path = REPOSITORY / "tests" / "files" / f"version_2_{name}.npz"
    assert set(modules_of_classes(path)) > {"fastmcts.selection", "fastmcts.rollout", f"fastmcts.games.{name}"}
    old = MCTS.load(with_rules_of_today(path, games.load_game(name), tmp_path / "old"))
    assert old.game == games.load_game(name)
    assert {option: getattr(old.options, option) for option in BEFORE_CLASSES_MOVED[name]} == BEFORE_CLASSES_MOVED[name]
    new = again(old, tmp_path / "again")
    assert set(modules_of_classes(tmp_path / "again")) == {"fastmcts", "fastmcts.games"}
    assert new.game == old.game
    assert new.options == old.options
    assert new.result().visits.tolist() == old.result().visits.tolist()


def modules_of_classes(path: Path) -> list[str]:
    """The modules that a file names classes of."""
    header = dict(np.load(path))[saving.HEADER].tobytes().decode()
    return re.findall(r'"class": \["([\w.]+)"', header)


@pytest.mark.slow_to_compile
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "nodes", [pytest.param(None, id="roomy", marks=pytest.mark.thorough), pytest.param(60, id="recycling")]
)
def test_every_tree_of_a_whole_game_can_be_loaded(kind: str, nodes: int | None, tmp_path: Path) -> None:
    game, options = KINDS[kind]
    memory = {} if nodes is None else {"memory_mb": 3 * megabytes(nodes)}
    options = {"simulations": 100, "strategy": "plain", **options, **memory}
    recycled = play_with_files(game, tmp_path / "search", most_moves=8, **options)
    if kind in ("plain", "solver", "perspective"):
        assert (recycled > 0) == (nodes is not None)


@pytest.mark.slow_to_compile
@pytest.mark.parametrize("name", games.registered_games())
def test_every_tree_of_every_game_can_be_loaded(name: str, tmp_path: Path) -> None:
    play_with_files(games.load_game(name), tmp_path / "search", most_moves=5, simulations=24, search_forced=True)


@pytest.mark.slow_to_compile
@pytest.mark.parametrize("name", ["klondike", "kuhn_poker", "whist"])
def test_every_tree_of_a_view_can_be_loaded(name: str, tmp_path: Path) -> None:
    game = games.load_game(name)
    play_with_files(game, tmp_path / "search", most_moves=6, views=True, simulations=24, search_forced=True)


@pytest.mark.slow_to_compile
@pytest.mark.parametrize("method", [ISMCTS(), ISMCTS(observers="all"), PIMC(worlds=2)], ids=["self", "all", "vote"])
def test_a_search_that_waits_for_what_a_move_has_shown_can_be_loaded(method: Method, tmp_path: Path) -> None:
    game = games.Klondike()
    world = game.new_initial_state(seed=0)
    view = world.view(0)
    action = next(action for action in view.legal_actions() if game.reveals(view.array, action))
    mcts = MCTS(game, simulations=10, seed=0, strategy="plain", method=method)
    mcts.search(view)
    mcts.advance(action)
    loaded = again(mcts, tmp_path / "search")
    assert game.new_state(loaded.forest.root, 0).is_waiting()
    with pytest.raises(ValueError, match="reveal"):
        loaded.result()
    after = world.child(action).view(0)
    assert loaded.search(after).visits.tolist() == mcts.search(after).visits.tolist()


def play_with_files(game: Game, path: Path, most_moves: int, views: bool = False, **options: Any) -> int:
    """Play a game in which the search is saved and loaded after every search and every move.

    Returns:
        How many nodes were recycled in the search for which most were.
    """
    mcts = MCTS(game, seed=0, **options)
    state = game.new_initial_state(seed=2, draw_chance=True)
    rng = np.random.default_rng(0)
    recycled = 0
    for _ in range(most_moves):
        if state.is_terminal():
            break
        if not state.is_chance_node():
            mcts.search(state.view(state.current_player()) if views else state)
            mcts = again(mcts, path)
            recycled = max(recycled, mcts.result().recycled)
        state.apply_action(int(rng.choice(state.legal_actions())))
        if mcts.forest.is_planted and rng.random() < 0.5:
            mcts.advance(int(rng.choice(mcts.game.new_state(mcts.forest.root, mcts.forest.viewer).legal_actions())))
            mcts = again(mcts, path)
            if state.viewer is None and mcts.forest.root.tolist() != state.array.tolist():
                mcts.reset()
    return recycled


def again(mcts: MCTS, path: Path) -> MCTS:
    """A search after it was saved and loaded, which knows as much."""
    mcts.save(path)
    loaded = MCTS.load(path)
    assert loaded.forest.root_visits == mcts.forest.root_visits
    assert [int(tree.size[0]) for tree in loaded.forest.trees] == [int(tree.size[0]) for tree in mcts.forest.trees]
    return loaded
