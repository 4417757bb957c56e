import copy
import importlib
import json
import os
import pickle
import sys
import traceback
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import fastmcts
from fastmcts import MCTS, UCB1, Converged, Decided, LoadError, RandomRollout, games
from fastmcts.core.constants import ROOT
from fastmcts.engine import capacity
from fastmcts.engine.archive import saving
from fastmcts.testing import check_tree
from tests.helpers.trees import assert_same_subtree, megabytes
from tests.toys import OneShot

GAME = games.TicTacToe()
START = GAME.new_initial_state()


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    mcts = MCTS(GAME, simulations=200, seed=0)
    mcts.search(START)
    mcts.save(tmp_path / "search")
    return tmp_path / "search"


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"memory_mb": megabytes(100)},
        {"trees": 3, "threads": 2},
        {"selection": UCB1(c=0.7), "stop": [Decided(), Converged(1e-9)]},
    ],
    ids=["default", "recycling", "trees", "components"],
)
def test_a_loaded_search_goes_on_bit_for_bit(options: Any, tmp_path: Path) -> None:
    mcts = MCTS(GAME, simulations=300, seed=5, rollout=RandomRollout(max_length=8), **options)
    mcts.search(START)
    mcts.advance(4)
    mcts.search(START.child(4))
    mcts.save(tmp_path / "search")
    loaded = MCTS.load(tmp_path / "search")
    assert loaded.options == mcts.options
    assert loaded.game == mcts.game
    for state in (START.child(4), START.child(4).child(0)):
        ours, theirs = mcts.search(state), loaded.search(state)
        assert ours.visits.tolist() == theirs.visits.tolist()
        assert ours.reused == theirs.reused > 0.0
        assert ours.recycled == theirs.recycled
        assert ours.memory_mb == theirs.memory_mb
        for first, second in zip(ours.trees, theirs.trees, strict=True):
            assert_same_subtree(first, ROOT, second, ROOT)
            check_tree(second, recycled=theirs.recycled > 0)


def test_what_was_never_searched_can_be_saved_too(tmp_path: Path) -> None:
    MCTS(GAME, simulations=100, seed=3).save(tmp_path / "fresh")
    result = MCTS.load(tmp_path / "fresh").search(START)
    assert result.visits.tolist() == fastmcts.search(START, simulations=100, seed=3).visits.tolist()


def test_a_tree_above_the_limit_of_now_is_loaded_and_made_smaller(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mcts = MCTS(GAME, simulations=400, seconds=60.0, seed=0)
    nodes = mcts.search(START).nodes
    mcts.save(tmp_path / "search")
    monkeypatch.setattr(capacity, "SHARE_OF_CLOCK", 0.0)
    monkeypatch.setattr(capacity, "LEAST_SECONDS", capacity.SECONDS_PER_NODE * nodes / 2)
    loaded = MCTS.load(tmp_path / "search")
    assert loaded.forest.searchers[0].limit < nodes == loaded.forest.trees[0].size[0]
    result = loaded.search(START)
    assert result.reused == 0.5
    assert result.recycled > 0
    check_tree(result.tree, recycled=True)


def test_a_copy_goes_on_as_the_original() -> None:
    mcts = MCTS(GAME, simulations=100, seed=0, trees=2, threads=2)
    mcts.search(START)
    copied = copy.deepcopy(mcts)
    assert copied.search(START).visits.tolist() == mcts.search(START).visits.tolist()


def test_saving_replaces_the_file_and_leaves_nothing_else(saved: Path) -> None:
    saved.write_text("something old")
    mcts = MCTS(GAME, simulations=10, seed=0, progress=lambda look: None)
    mcts.search(START)
    mcts.save(str(saved))
    assert [path.name for path in saved.parent.iterdir()] == ["search"]
    assert MCTS.load(str(saved)).options.progress is None


def test_a_saved_file_can_be_read_by_whom_other_new_files_can(saved: Path) -> None:
    other = saved.with_name("other")
    other.touch()
    assert saved.stat().st_mode == other.stat().st_mode


def test_a_file_that_cannot_be_written_leaves_the_old_one(saved: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = saved.read_bytes()

    def full(*arguments: Any, **keywords: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(np, "savez", full)
    with pytest.raises(OSError, match=r"cannot save to .*search: No space left on device"):
        MCTS(GAME, simulations=10, seed=0).save(saved)
    assert saved.read_bytes() == before
    assert len(list(saved.parent.iterdir())) == 1


def test_an_unwritable_path_is_refused_and_the_tree_untouched(tmp_path: Path) -> None:
    mcts = MCTS(GAME, simulations=100, seed=0)
    visits = mcts.search(START).visits.tolist()
    for path in (tmp_path / "no such folder" / "search", tmp_path):
        with pytest.raises(OSError, match="cannot save to"):
            mcts.save(path)
    assert sum(visits) == mcts.forest.root_visits == 100


def test_every_damaged_file_is_refused_with_a_reason(saved: Path) -> None:
    content = saved.read_bytes()
    rng = np.random.default_rng(0)
    damaged = [content[: len(content) // 2], b"", content[:-40], b"PK\x03\x04 rubbish"]
    encrypted = content.index(b"PK\x01\x02") + 8  # a flag of the archive's first entry
    damaged.append(content[:encrypted] + bytes([content[encrypted] | 1]) + content[encrypted + 1 :])
    for place in rng.integers(0, len(content), 150):
        damaged.append(content[:place] + bytes([content[place] ^ (1 << int(rng.integers(8)))]) + content[place + 1 :])
    whole = contents(saved)
    reasons, accepted = [], []
    for number, bytes_ in enumerate(damaged):
        saved.write_bytes(bytes_)
        try:
            loaded = MCTS.load(saved)
        except LoadError as error:
            reasons.append(str(error))
        else:  # a bit that carries no content, such as a date in the archive
            accepted.append(number)
            loaded.save(saved)
            assert contents(saved) == whole
    assert not {*accepted} & {*range(5)}, "what is cut off, empty, rubbish or encrypted"
    assert len(accepted) < len(damaged) / 10
    assert all(saved.name in reason for reason in reasons), "it says which file, and what is wrong with it"
    assert min(map(len, reasons)) > len(str(saved)) + 10


def contents(path: Path) -> dict[str, bytes]:
    """All arrays in a file."""
    return {name: array.tobytes() for name, array in dict(np.load(path)).items()}


def rewrite(path: Path, change: Any) -> None:
    """Change the header of a saved search, with a checksum that fits."""
    arrays = dict(np.load(path))
    header = json.loads(arrays[saving.HEADER].tobytes())
    change(header)
    arrays[saving.HEADER] = np.frombuffer(json.dumps(header).encode(), np.uint8)
    del arrays[saving.CHECKSUM]
    saving.write(path, {**arrays, saving.CHECKSUM: saving.checksum(arrays)})


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda header: header.update(version=99), "has format 99; this version of fastmcts reads up to 2"),
        (lambda header: header.update(format="another"), "is not a saved search of fastmcts"),
        (lambda header: header.update(rules="0123"), r"TicTacToe\(\), whose rules have been edited since"),
        (
            lambda header: header["game"].update({"class": ["os", "system"]}),
            "os.system as a class to load, which it is not",
        ),
        (lambda header: header["game"].update({"class": ["nowhere", "Game"]}), "import nowhere first if you trust"),
        (
            lambda header: header["game"].update(fields={"rows": 3}),
            "does not fit fastmcts.games.TicTacToe as it is now",
        ),
        (lambda header: header["options"].update(colour=1), "options that this version does not know: colour"),
        (lambda header: header["options"].update(trees=2), "holds 1 trees, not 2"),
        (lambda header: header["options"].update(simulations=0), "does not fit this version: simulations must be"),
        (lambda header: header["options"].update(memory_mb=megabytes(80)), "nodes, and there is room for 1 to 80"),
    ],
)
def test_a_foreign_file_is_refused_with_a_reason(saved: Path, change: Any, message: str) -> None:
    rewrite(saved, change)
    with pytest.raises(LoadError, match=message):
        MCTS.load(saved)


def test_a_file_of_another_python_cannot_be_compared_and_is_taken(saved: Path) -> None:
    rewrite(saved, lambda header: header.update(python=["2", "7"], rules="0123"))
    assert MCTS.load(saved).forest.root_visits == 200


def test_files_of_other_programs_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "other"
    with pytest.raises(LoadError, match="there is no file"):
        MCTS.load(path)
    with path.open("wb") as file:
        np.savez(file, weights=np.zeros(3))
    with pytest.raises(LoadError, match="is not a saved search of fastmcts"):
        MCTS.load(path)
    path.write_text("hello")
    with pytest.raises(LoadError, match="is damaged or not a saved search"):
        MCTS.load(path)
    with pytest.raises(LoadError, match="is not a saved search: Is a directory"):
        MCTS.load(tmp_path)


MODULE = """
from dataclasses import dataclass
from pathlib import Path
from fastmcts import Decided, UCT
from fastmcts.games.tic_tac_toe import TicTacToe

Path({marker!r}).touch()

@dataclass(frozen=True)
class Noughts(TicTacToe):
    level: int = 0

@dataclass(frozen=True)
class Patient(Decided):
    seconds: float = 1.0

class Plain(UCT):
    pass
"""


@pytest.fixture
def foreign(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Path, Path, Any]]:
    """A search whose classes are of a module that is not imported any more; the module's mark, and the module."""
    name, marker = "noughts_of_another", tmp_path / "imported"
    (tmp_path / f"{name}.py").write_text(MODULE.format(marker=str(marker)))
    monkeypatch.syspath_prepend(tmp_path)
    module = importlib.import_module(name)
    MCTS(module.Noughts(level=3), simulations=100, seed=0, stop=module.Patient()).save(tmp_path / "foreign")
    del sys.modules[name]
    marker.unlink()
    yield tmp_path / "foreign", marker, module
    sys.modules.pop(name, None)


def test_loading_imports_nothing_that_a_file_names(foreign: tuple[Path, Path, Any]) -> None:
    path, marker, module = foreign
    before = set(sys.modules)
    with pytest.raises(LoadError, match=r"must not decide what is imported: import noughts_of_another first if you"):
        MCTS.load(path)
    with pytest.raises(LoadError, match=r"hand the class over: MCTS.load\(path, classes=\[Patient\]\)"):
        MCTS.load(path, game=module.Noughts(level=3))
    assert not marker.exists()
    assert set(sys.modules) == before


def test_a_class_of_a_module_that_is_imported_is_found(foreign: tuple[Path, Path, Any]) -> None:
    path, marker, _ = foreign
    module = importlib.import_module("noughts_of_another")
    marker.unlink()
    loaded = MCTS.load(path)
    assert type(loaded.game) is module.Noughts
    assert not marker.exists()


def test_classes_and_the_game_can_be_handed_over(foreign: tuple[Path, Path, Any]) -> None:
    path, marker, module = foreign
    for classes, game in [([module.Noughts, module.Patient], None), ([module.Patient], module.Noughts(level=3))]:
        loaded = MCTS.load(path, game=game, classes=classes)
        assert loaded.game == module.Noughts(level=3)
        assert loaded.options.stop == (module.Patient(),)
        assert game is None or loaded.game is game
    assert not marker.exists()


def test_a_game_that_is_not_the_saved_one_is_refused(foreign: tuple[Path, Path, Any], saved: Path) -> None:
    path, _, module = foreign
    with pytest.raises(
        LoadError, match=r"a search of Noughts\(level=3\), and the game handed over is Noughts\(level=2\)"
    ):
        MCTS.load(path, game=module.Noughts(level=2), classes=[module.Patient])
    with pytest.raises(LoadError, match=r"search of TicTacToe\(\), and the game handed over is ConnectFour"):
        MCTS.load(saved, game=games.ConnectFour())
    with pytest.raises(TypeError, match="game must be a Game, such as"):
        MCTS.load(saved, game=games.ConnectFour)  # pyright: ignore[reportArgumentType]
    with pytest.raises(TypeError, match="classes are those of games, strategies and stoppers, not"):
        MCTS.load(saved, classes=[dict])
    assert MCTS.load(saved, game=GAME).game is GAME


#: Why something is not made.
NO_CLASS = "as a class to load, which it is not|it needs the class"


def test_only_dataclasses_of_the_right_kind_are_made(saved: Path) -> None:
    content = saved.read_bytes()
    classes = [
        ("subprocess", "Popen"),
        ("fastmcts.mcts", "MCTS"),
        ("fastmcts", "MCTS"),
        ("fastmcts", "games"),
        ("fastmcts", "spawn_seed"),
        ("fastmcts.method", "AllObservers"),
        ("fastmcts.strategies.methods", "AllObservers"),
        ("fastmcts.selection", "UCT"),
        ("fastmcts", "UCT"),
        ("fastmcts", "TicTacToe"),
        ("fastmcts.games", "UCT"),
        ("fastmcts.games", "Tricks"),
        ("fastmcts.games", "load_game"),
        ("fastmcts.games._tricks", "Tricks"),
        ("builtins", "dict"),
        ("tests.engine.archive.test_saving", "GAME"),
        ("tests.engine.archive.test_saving", "OneShot.num_players"),
        ("tests.engine.archive.test_saving", "GAME.__class__"),
        ("", ""),
    ]
    for module, name in classes:
        saved.write_bytes(content)
        rewrite(saved, lambda header, named=[module, name]: header["game"].update({"class": named}))
        with pytest.raises(LoadError, match=NO_CLASS):
            MCTS.load(saved)
        saved.write_bytes(content)
        if name != "UCT":
            rewrite(saved, lambda header, named=[module, name]: header["options"]["selection"].update({"class": named}))
            with pytest.raises(LoadError, match=NO_CLASS):
                MCTS.load(saved)


@pytest.mark.parametrize(
    "array",
    [
        {"bytes": "00" * 8, "shape": [1], "dtype": "|O"},
        {"bytes": "00" * 8, "shape": [-1], "dtype": "<i8"},
        {"bytes": "00" * 8, "shape": [2**62], "dtype": "<i8"},
        {"bytes": "00" * 8, "shape": [1], "dtype": "nonsense"},
        {"bytes": "00" * 8, "shape": "1", "dtype": "<i8"},
        {"bytes": "0", "shape": [1], "dtype": "<i8"},
        {"bytes": 8, "shape": [1], "dtype": "<i8"},
        {"bytes": "00" * 8, "shape": [1], "dtype": ["<i8"]},
        {"bytes": "00" * 8, "shape": [True], "dtype": "<i8"},
    ],
)
def test_an_array_in_the_header_that_is_none_is_refused(array: Any, saved: Path) -> None:
    rewrite(saved, lambda header: header["options"].update(seed=array))
    with pytest.raises(LoadError, match="it holds an array of"):
        MCTS.load(saved)


def test_the_advice_of_numpy_reaches_nobody(tmp_path: Path) -> None:
    path = tmp_path / "other"
    objects, numbers = np.array([{}, None], object), np.zeros(3)
    for write in (
        lambda file: pickle.dump([1, 2], file),
        lambda file: np.save(file, objects, allow_pickle=True),
        lambda file: np.save(file, numbers),
        lambda file: np.savez(file, header=objects),
        lambda file: np.savez_compressed(file, header=numbers),
    ):
        with path.open("wb") as file:
            write(file)
        with pytest.raises(LoadError, match=r"other is damaged or not a saved search of fastmcts$") as caught:
            MCTS.load(path)
        assert "pickle" not in "".join(traceback.format_exception(caught.value))


def test_a_class_that_could_not_be_found_again_is_not_saved(tmp_path: Path) -> None:
    @dataclass(frozen=True)
    class Local(OneShot):
        pass

    with pytest.raises(TypeError, match="Local cannot be saved: move the class to the top of its module"):
        MCTS(Local(), simulations=10, seed=0).save(tmp_path / "search")
    assert os.listdir(tmp_path) == []  # noqa: PTH208
