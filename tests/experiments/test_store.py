import os
import re
import sqlite3
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier
from typing import Any

import numpy as np
import pytest

from fastmcts import games
from fastmcts.experiments import Random, Search
from fastmcts.experiments.code import code_of
from fastmcts.experiments.records import GameRecord
from fastmcts.experiments.store import Store, StoreError
from fastmcts.experiments.tables import Pairing, play_games
from fastmcts.experiments.tally import Tally
from tests.helpers.picking import HighestPick, Pick

PAIRING = Pairing(games.TicTacToe(), Search(simulations=3), Random(), seed=2**63 + 5, opening_moves=1)


@pytest.fixture
def played() -> list[GameRecord]:
    entries = [(pair, seat) for pair in range(3) for seat in range(2)]
    return [record for ended in play_games(PAIRING, entries) for record in ended]


def test_games_come_back_as_they_were_stored(tmp_path: Path, played: list[GameRecord]) -> None:
    with Store(tmp_path / "a.sqlite") as store:
        run = store.start_run({"processes": 2})
        match = store.add_match(PAIRING, first_name="search", second_name="dice", parameters={"c": 0.5})
        store.add_games(match, played, run)
    with Store(tmp_path / "a.sqlite", is_read_only=True) as store:
        assert store.records(match) == sorted(played, key=lambda record: (record.pair, record.seat))
        assert store.played(match) == {(pair, seat) for pair in range(3) for seat in range(2)}
        stored = store.matches()[0]
        assert (stored.seed, stored.first, stored.first_name) == (2**63 + 5, "mcts(simulations=3)", "search")
        assert stored.parameters == {"c": 0.5}
        noted = store.runs()[0]
        assert noted["options"] == {"processes": 2}
        assert noted["machine"]


def test_what_is_stored_is_not_written_again(tmp_path: Path, played: list[GameRecord]) -> None:
    with Store(tmp_path / "a.sqlite") as store:
        run = store.start_run({})
        match = store.add_match(PAIRING)
        store.add_games(match, played[:3], run)
        before = store.records(match)
        store.add_games(match, [*played, *played], store.start_run({}))
        after = store.records(match)
        assert len(after) == 6
        assert [record for record in after if record in before] == before
        assert store.add_match(PAIRING, first_name="another name") == match
        assert store.matches()[0].first_name == "another name"


def test_two_runs_on_one_file_do_not_harm_it(tmp_path: Path, played: list[GameRecord]) -> None:
    with Store(tmp_path / "a.sqlite") as one, Store(tmp_path / "a.sqlite") as other:
        match = one.add_match(PAIRING)
        assert other.add_match(PAIRING) == match
        one.add_games(match, played[:4], one.start_run({}))
        other.add_games(match, played[2:], other.start_run({}))
        assert len(one.records(match)) == len(other.records(match)) == 6


def test_runs_that_make_a_file_at_the_same_moment_all_open_it(tmp_path: Path) -> None:
    def open_together(path: Path, everybody: Barrier) -> None:
        everybody.wait()
        Store(path).close()

    with ThreadPoolExecutor(3) as runs:
        for number in range(30):
            path, everybody = tmp_path / str(number), Barrier(3)
            for opened in [runs.submit(open_together, path, everybody) for _ in range(3)]:
                opened.result()
            with Store(path, is_read_only=True) as store:
                assert store.matches() == []


def test_a_transaction_that_fails_leaves_nothing(tmp_path: Path, played: list[GameRecord]) -> None:
    with Store(tmp_path / "a.sqlite") as store:
        match = store.add_match(PAIRING)
        broken = GameRecord(**{**vars(played[1]), "length": None})
        with pytest.raises(StoreError, match="What was stored stays"):
            store.add_games(match, [played[0], broken], store.start_run({}))
        assert store.records(match) == []


def test_matches_of_other_code_are_found(tmp_path: Path, played: list[GameRecord]) -> None:
    with Store(tmp_path / "a.sqlite") as store:
        old = store.add_match(PAIRING, code="old")
        assert store.other_code(PAIRING, "new") == []
        store.add_games(old, played, store.start_run({}))
        assert store.other_code(PAIRING, "new") == [(old, "old", 6)]
        assert store.other_code(PAIRING, "old") == []
        assert store.add_match(PAIRING, code="new") != old


def test_the_code_of_a_game_and_its_agents_counts() -> None:
    game = HighestPick(2)
    code = code_of(Pairing(game, Pick(0), Pick(1), 0, 0))
    assert code == code_of(Pairing(HighestPick(2), Pick(0), Pick(1), 5, 0))

    class Edited(Pick):
        def choose(self, state, seed: int = 0) -> int:
            return self.action + 1 - 1

    assert code != code_of(Pairing(game, Edited(0), Pick(1), 0, 0))
    assert code != code_of(Pairing(HighestPick(3), Pick(0), Pick(1), 0, 0))


def test_a_file_that_is_no_store_is_refused_and_left_alone(tmp_path: Path) -> None:
    text = tmp_path / "notes.sqlite"
    text.write_text("these are my notes, and they are longer than a header of a hundred bytes would be, so look\n" * 3)
    with pytest.raises(StoreError, match="no store of experiments"):
        Store(text)
    assert text.read_text().startswith("these are my notes")
    other = tmp_path / "other.sqlite"
    with sqlite3.connect(other) as connection:
        connection.execute("CREATE TABLE mine (x)")
    connection.close()
    with pytest.raises(StoreError, match="no store of experiments"):
        Store(other)
    newer = tmp_path / "newer.sqlite"
    Store(newer).close()
    with sqlite3.connect(newer) as connection:
        connection.execute("PRAGMA user_version = 99")
    connection.close()
    with pytest.raises(StoreError, match="has format 99"):
        Store(newer)


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="permissions do not bind an administrator")
def test_a_read_only_file_is_refused_before_anything_is_played(tmp_path: Path) -> None:
    path = tmp_path / "a.sqlite"
    Store(path).close()
    path.chmod(stat.S_IRUSR)
    with pytest.raises(StoreError, match="may not be written to"):
        Store(path)


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="permissions do not bind an administrator")
def test_a_store_in_a_folder_that_may_only_be_read_can_be_read(tmp_path: Path, played: list[GameRecord]) -> None:
    folder = tmp_path / "archive"
    folder.mkdir()
    with Store(folder / "r.sqlite") as store:
        store.add_games(store.add_match(PAIRING), played, store.start_run({}))
    folder.chmod(0o555)
    try:
        with Store(folder / "r.sqlite", is_read_only=True) as store:
            assert len(store.records(1)) == len(played)
        with pytest.raises(StoreError, match="look at the permissions"):
            Store(folder / "new.sqlite")
    finally:
        folder.chmod(0o755)


def test_writing_to_what_may_only_be_read_is_told(tmp_path: Path) -> None:
    Store(tmp_path / "a.sqlite").close()
    with (
        Store(tmp_path / "a.sqlite", is_read_only=True) as store,
        pytest.raises(StoreError, match="may not be written"),
    ):
        store.start_run({})


def test_a_locked_file_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fastmcts.experiments.store.BUSY_SECONDS", 0.05)
    path = tmp_path / "a.sqlite"
    Store(path).close()
    blocker = sqlite3.connect(path, isolation_level=None)
    blocker.execute("BEGIN EXCLUSIVE")
    with pytest.raises(StoreError, match="another process has it locked"):
        Store(path)
    blocker.execute("ROLLBACK")
    blocker.close()
    Store(path).close()


def test_a_full_disk_is_named_and_what_was_stored_stays(tmp_path: Path, played: list[GameRecord]) -> None:
    with Store(tmp_path / "a.sqlite") as store:
        match, run = store.add_match(PAIRING), store.start_run({})
        store.add_games(match, played, run)
        pages = store.value("PRAGMA page_count")
        store.connection.execute(f"PRAGMA max_page_count = {pages}")
        many = [GameRecord(**{**vars(played[0]), "pair": pair}) for pair in range(100, 2000)]
        with pytest.raises(StoreError, match="the disk is full"):
            store.add_games(match, many, run)
        assert len(store.records(match)) == 6


@pytest.mark.parametrize("place", ["missing/a.sqlite", "."])
def test_a_place_where_no_file_can_be_is_named(tmp_path: Path, place: str) -> None:
    with pytest.raises(StoreError, match=r"there is no folder|is a folder"):
        Store(tmp_path / place)
    with pytest.raises(StoreError, match="there is no file"):
        Store(tmp_path / "none.sqlite", is_read_only=True)


#: A column of `games`, what somebody has written there, and what is said about it.
EDITED_GAMES: list[tuple[str, Any, str]] = [
    ("actions", "4 x 2", "actions are whole numbers with spaces between them, not '4 x 2'"),
    ("actions", "4 -1", "actions are whole numbers with spaces between them, not '4 -1'"),
    ("actions", b"4 2", "actions is a text, not b'4 2'"),
    ("seat", 7, "seat must be from 0 to 1, not 7"),
    ("pair", "first", "pair must be a whole number, not 'first'"),
    ("pair", -1, "pair must be at least 0, not -1"),
    ("deal", "heads", "deal is a whole number, not 'heads'"),
    ("deal", str(10**30), "deal must be from"),
    ("opening", 99, "opening must be from 0 to"),
    ("returns", "[]", "returns has a number for each player, not none"),
    ("returns", "[1.0, NaN]", "what a player gets must be finite, not nan"),
    ("returns", '["won", "lost"]', "what a player gets must be a number, not 'won'"),
    ("returns", "[" * 100_000, "returns is a JSON list"),
    ("length", 1.5, "length must be a whole number, not 1.5"),
    ("first_moves", -3, "first_moves must be at least 0, not -3"),
    ("second_simulations", "many", "second_simulations must be a whole number, not 'many'"),
    ("first_seconds", float("inf"), "first_seconds must be finite, not inf"),
]


@pytest.mark.parametrize(("column", "value", "message"), EDITED_GAMES)
def test_a_game_that_somebody_has_edited_is_named(
    column: str, value: Any, message: str, tmp_path: Path, played: list[GameRecord]
) -> None:
    with Store(tmp_path / "a.sqlite") as store:
        match = store.add_match(PAIRING)
        store.add_games(match, played, store.start_run({}))
        store.connection.execute(f"UPDATE games SET {column} = ? WHERE pair = 1 AND seat = 0", (value,))
        with pytest.raises(StoreError, match=re.escape(message)) as refused:
            store.records(match)
    assert "in the game of pair" in str(refused.value)
    assert "in match 1" in str(refused.value)


@pytest.mark.parametrize(
    ("column", "value", "message"),
    [
        ("seed", "five", "seed is a whole number, not 'five'"),
        ("counts", "goals", "counts is one of games, deals, alone, not 'goals'"),
        ("most", -9.0, "most must be above"),
        ("parameters", "[1", "parameters is a JSON dict, not '[1'"),
        ("opening_moves", -1, "opening_moves must be at least 0, not -1"),
        ("first", b"\x00", "first is a text"),
    ],
)
def test_a_match_that_somebody_has_edited_is_named(column: str, value: Any, message: str, tmp_path: Path) -> None:
    with Store(tmp_path / "a.sqlite") as store:
        store.add_match(PAIRING)
        store.connection.execute(f"UPDATE matches SET {column} = ?", (value,))
        with pytest.raises(StoreError, match=re.escape(f"in match 1, {message}")):
            store.matches()


def test_notes_about_a_run_that_somebody_has_edited_are_named(tmp_path: Path) -> None:
    with Store(tmp_path / "a.sqlite") as store:
        store.start_run({})
        store.connection.execute("UPDATE runs SET options = 'all'")
        with pytest.raises(StoreError, match="in run 1, options is a JSON dict, not 'all'"):
            store.runs()


@pytest.mark.parametrize(
    ("actions", "message"),
    [
        ((4, 4), "action 1 of pair 0, seat 1: action 4 is not legal here; legal are"),
        ((2**70,), "action 0 of pair 0, seat 1: action 1180591620717411303424 is not legal here"),
        ((0, 3, 1, 4, 2, 5), "action 5 of pair 0, seat 1: the game is over"),
    ],
)
def test_a_game_with_a_move_that_is_not_legal_is_not_replayed(actions: tuple[int, ...], message: str) -> None:
    numbers = {"opening": 0, "length": 5, "moves": (3, 2), "simulations": (0, 0), "seconds": (0.0, 0.0)}
    record = GameRecord(pair=0, seat=1, deal=5, actions=actions, returns=(1.0, -1.0), **numbers)
    with pytest.raises(ValueError, match=re.escape(message)):
        list(record.replay(games.TicTacToe()))


def test_random_edits_of_rows_are_refused_in_words_or_hold(tmp_path: Path, played: list[GameRecord]) -> None:
    anything = [-(2**63), -1, 0, 1, 2**63 - 1, 0.5, float("inf"), "", "1", "x", "[]", "{}", "[1, 2]", b"", b"\xff"]
    rng = np.random.default_rng(0)
    refused = 0
    with Store(tmp_path / "a.sqlite") as store:
        match = store.add_match(PAIRING)
        store.add_games(match, played, store.start_run({}))
        columns = [row[1] for row in store.connection.execute("PRAGMA table_info(games)")][1:-1]
        for _ in range(400):
            store.connection.execute("BEGIN")
            value = anything[rng.integers(len(anything))]
            column = columns[rng.integers(len(columns))]
            store.connection.execute(f"UPDATE OR IGNORE games SET {column} = ? WHERE pair = 1 AND seat = 1", (value,))
            try:
                records = store.records(match)
            except StoreError:
                refused += 1
            else:
                tally = Tally("games")
                tally.add(records)
                assert 0.0 <= tally.mean <= 1.0
                assert tally.score
            store.connection.execute("ROLLBACK")
    assert 100 < refused < 400, "there were edits of both kinds"
