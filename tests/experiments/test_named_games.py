from pathlib import Path

import pytest

from fastmcts import games
from fastmcts.experiments.named_games import find_game, strategies_beside
from tests.helpers.own_game import own_game
from tests.subprocesses import REPOSITORY


def test_games_in_the_box_are_found_by_their_id() -> None:
    assert find_game("connect_four", rows=4) == games.ConnectFour(rows=4)
    with pytest.raises(ValueError, match="no game is called 'chess'"):
        find_game("chess")


def test_a_game_of_ones_own_is_found_by_file_and_class(tmp_path: Path) -> None:
    path = own_game(tmp_path, "found_nim.py")
    game = find_game(f"{path}:MyNim", stones=9)
    assert repr(game) == "MyNim(stones=9)"
    assert type(find_game(f"{path}:MyNim")) is type(game)  # the file is run once
    assert [cls.__name__ for cls in strategies_beside(game)] == ["UCT", "Careful"]
    assert strategies_beside(games.TicTacToe()) == []


def test_the_example_is_found() -> None:
    assert find_game(f"{REPOSITORY / 'examples' / 'nim.py'}:Nim").num_players == 2


def test_a_mistake_is_named_with_what_would_be_right(tmp_path: Path) -> None:
    path = own_game(tmp_path, "mistaken_nim.py")
    broken = tmp_path / "broken_nim.py"
    broken.write_text("import nothing_like_this")
    empty = tmp_path / "empty_nim.py"
    empty.write_text("")
    shadow = own_game(tmp_path, "json.py")
    with pytest.raises(ValueError, match="no game called 'MyNum'; did you mean MyNim"):
        find_game(f"{path}:MyNum")
    with pytest.raises(ValueError, match=r"write .*mistaken_nim.py:ClassName"):
        find_game(str(path))
    with pytest.raises(ValueError, match="it has none"):
        find_game(f"{empty}:MyNim")
    with pytest.raises(ValueError, match="there is no file"):
        find_game("nowhere/at_all.py:MyNim")
    with pytest.raises(ValueError, match=r"broken_nim.py cannot be imported: ModuleNotFoundError"):
        find_game(f"{broken}:MyNim")
    with pytest.raises(ValueError, match="name of another module"):
        find_game(f"{shadow}:MyNim")
    with pytest.raises(TypeError, match="MyNim has no option 'size'; it has: stones"):
        find_game(f"{path}:MyNim", size=3)
