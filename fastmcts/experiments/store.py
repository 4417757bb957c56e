"""The store of experiments: one SQLite file, with a row for every game, keyed by what determines it.

Rows are written in transactions, so that a run that is killed leaves whole ones, and a row that is there is never
written again: neither a run that goes on nor two runs at a time can lose or double a game.
"""

import dataclasses
import json
import platform
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numba
import numpy as np

import fastmcts
from fastmcts.experiments.code import code_of
from fastmcts.experiments.records import GameRecord
from fastmcts.experiments.tables import Pairing

APPLICATION = 0x464D4354  # "FMCT", by which SQLite's files are told apart
FORMAT = 1
BUSY_SECONDS = 30.0  # how long to wait for another process that is writing

TABLES = """
CREATE TABLE runs (
    id INTEGER PRIMARY KEY, started TEXT NOT NULL, version TEXT NOT NULL, python TEXT NOT NULL, numpy TEXT NOT NULL,
    numba TEXT NOT NULL, machine TEXT NOT NULL, options TEXT NOT NULL
);
CREATE TABLE matches (
    id INTEGER PRIMARY KEY, game TEXT NOT NULL, first TEXT NOT NULL, second TEXT NOT NULL, seed TEXT NOT NULL,
    opening_moves INTEGER NOT NULL, code TEXT NOT NULL, counts TEXT NOT NULL,
    first_name TEXT NOT NULL, second_name TEXT NOT NULL, budget TEXT NOT NULL, parameters TEXT NOT NULL,
    UNIQUE (game, first, second, seed, opening_moves, code)
);
CREATE TABLE games (
    match INTEGER NOT NULL REFERENCES matches (id), pair INTEGER NOT NULL, seat INTEGER NOT NULL, deal TEXT NOT NULL,
    opening INTEGER NOT NULL, actions TEXT NOT NULL, returns TEXT NOT NULL, length INTEGER NOT NULL,
    first_moves INTEGER NOT NULL, second_moves INTEGER NOT NULL,
    first_simulations INTEGER NOT NULL, second_simulations INTEGER NOT NULL,
    first_seconds REAL NOT NULL, second_seconds REAL NOT NULL, run INTEGER NOT NULL REFERENCES runs (id),
    PRIMARY KEY (match, pair, seat)
) WITHOUT ROWID;
"""


GAME_COLUMNS = 15


class StoreError(Exception):
    """A store cannot be read or written; what was stored stays."""


@dataclass(frozen=True)
class StoredMatch:
    """What a match of a store is about, in texts.

    Attributes:
        id: Its number in the store.
        game: The game, as it prints.
        first: The first agent, as it prints.
        second: The other one.
        seed: From which each pair gets one of its own.
        opening_moves: How many random moves both games of a pair start with.
        code: The fingerprint of what has played.
        counts: What a point is won by, "games" or "deals".
        first_name: What the plan calls the first agent.
        second_name: What it calls the other one.
        budget: What each agent that names no budget has for a move, such as "simulations=100"; may be empty.
        parameters: The values from the grid of the plan.
    """

    id: int
    game: str
    first: str
    second: str
    seed: int
    opening_moves: int
    code: str
    counts: str = "games"
    first_name: str = ""
    second_name: str = ""
    budget: str = ""
    parameters: dict[str, Any] = field(default_factory=dict)


class Store:
    """A file of results.

    Args:
        path: The file.
        create: Whether to make it if there is none; else that is an error.
        is_read_only: Whether nothing will be written.
    """

    def __init__(self, path: str | Path, create: bool = True, is_read_only: bool = False) -> None:
        self.path = Path(path)
        if not self.path.exists() and (is_read_only or not create):
            raise StoreError(f"there is no file {self.path}: fastmcts experiment run makes one")
        if self.path.is_dir():
            raise StoreError(f"{self.path} is a folder: name a file, such as {self.path / 'results.sqlite'}")
        if not self.path.parent.is_dir():
            raise StoreError(f"there is no folder {self.path.parent} for {self.path.name}: make it first")
        mode = "ro" if is_read_only else "rwc"
        with self.explained():
            address = f"{self.path.absolute().as_uri()}?mode={mode}"
            self.connection = sqlite3.connect(address, timeout=BUSY_SECONDS, uri=True, isolation_level=None)
        try:
            with self.explained():
                self.check(is_read_only)
        except BaseException:
            self.connection.close()
            raise

    def __enter__(self) -> "Store":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the file."""
        self.connection.close()

    # ---- The file

    def check(self, is_read_only: bool) -> None:
        """Make the tables in a new file; StoreError if it is a file of something else."""
        application, version = (self.value(f"PRAGMA {name}") for name in ("application_id", "user_version"))
        is_empty = self.value("SELECT count(*) FROM sqlite_master") == 0
        if is_empty and not is_read_only:
            self.connection.execute("PRAGMA journal_mode = WAL")
            with self.writing():
                # Another run may have made them since.
                if self.value("SELECT count(*) FROM sqlite_master") == 0:
                    for statement in TABLES.split(";\n")[:-1]:
                        self.connection.execute(statement)
                    self.connection.execute(f"PRAGMA application_id = {APPLICATION}")
                    self.connection.execute(f"PRAGMA user_version = {FORMAT}")
        elif application != APPLICATION:
            raise StoreError(f"{self.path} is no store of experiments: use another file")
        elif version != FORMAT:
            raise StoreError(f"{self.path} has format {version}, and this version reads {FORMAT}: use another file")
        elif not is_read_only:
            with self.writing():
                pass  # so that a file that cannot be written to is noticed before anything is played
        self.connection.execute("PRAGMA synchronous = NORMAL")

    def value(self, query: str, values: tuple[Any, ...] = ()) -> Any:
        """The one value that a query asks for."""
        with closing(self.connection.execute(query, values)) as cursor:
            return cursor.fetchone()[0]

    @contextmanager
    def writing(self) -> Iterator[None]:
        """A transaction: all of it is written, or nothing."""
        self.connection.execute("BEGIN IMMEDIATE")
        try:
            yield
            self.connection.execute("COMMIT")
        except BaseException:
            if self.connection.in_transaction:
                self.connection.execute("ROLLBACK")
            raise

    @contextmanager
    def explained(self) -> Iterator[None]:
        """Say in words what is wrong with the file."""
        try:
            yield
        except sqlite3.Error as error:
            text = str(error)
            reasons = {
                "locked": "another process has it locked: wait for that, or use another file",
                "readonly": "it may not be written to: change its permissions, or use another file",
                "full": "the disk is full: make room and run the same command again",
                "disk I/O": "the disk cannot be read or written: look after it and run the same command again",
                "unable to open": "it cannot be opened: look at the permissions of the file and its folder",
                "not a database": "it is no store of experiments: use another file",
                "malformed": "it is damaged: restore it, or use another file",
            }
            reason = next((words for known, words in reasons.items() if known in text), text)
            raise StoreError(f"{self.path}: {reason}. What was stored stays.") from error

    # ---- Writing

    def start_run(self, options: Mapping[str, Any]) -> int:
        """Note by what and where games will be played; the number of the run."""
        with self.explained(), self.writing():
            cursor = self.connection.execute(
                "INSERT INTO runs (started, version, python, numpy, numba, machine, options)"
                " VALUES (?, ?, ?, ?, ?, ?, ?)",
                (
                    datetime.now(UTC).isoformat(timespec="seconds"),
                    fastmcts.__version__,
                    platform.python_version(),
                    np.__version__,
                    numba.__version__,
                    f"{platform.node()} {platform.platform()} {platform.machine()}",
                    json.dumps(dict(options), default=str),
                ),
            )
            assert cursor.lastrowid is not None
            return cursor.lastrowid

    def add_match(self, pairing: Pairing, code: str | None = None, **labels: Any) -> int:
        """The number of a match, which is added if it is not there; its names are as this plan has them.

        Args:
            pairing: Who plays what.
            code: The fingerprint of what plays; by default that of the code as it is.
            **labels: `counts`, `first_name`, `second_name`, `budget` and `parameters`, as in `StoredMatch`.
        """
        known = {"counts": "games", "first_name": "", "second_name": "", "budget": "", "parameters": {}} | labels
        names = ("first_name", "second_name", "budget", "parameters", "counts")
        known["parameters"] = json.dumps(known["parameters"])
        key = (*texts_of(pairing), code or code_of(pairing))
        with self.explained(), self.writing():
            self.connection.execute(
                "INSERT INTO matches (game, first, second, seed, opening_moves, code, first_name, second_name, budget,"
                " parameters, counts) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
                " ON CONFLICT (game, first, second, seed, opening_moves, code) DO UPDATE SET"
                " first_name = excluded.first_name, second_name = excluded.second_name,"
                " budget = excluded.budget, parameters = excluded.parameters, counts = excluded.counts",
                (*key, *(known[name] for name in names)),
            )
            return self.value(
                "SELECT id FROM matches WHERE (game, first, second, seed, opening_moves, code) = (?, ?, ?, ?, ?, ?)",
                key,
            )

    def add_games(self, match: int, records: Iterable[GameRecord], run: int) -> None:
        """Store games of a match, all or none; those that are there stay as they are."""
        rows = [
            (
                match,
                record.pair,
                record.seat,
                str(record.deal),
                record.opening,
                " ".join(map(str, record.actions)),
                json.dumps(record.returns),
                record.length,
                *record.moves,
                *record.simulations,
                *record.seconds,
                run,
            )
            for record in records
        ]
        places = ", ".join("?" * GAME_COLUMNS)
        with self.explained(), self.writing():
            self.connection.executemany(
                f"INSERT INTO games VALUES ({places}) ON CONFLICT (match, pair, seat) DO NOTHING", rows
            )

    # ---- Reading

    def matches(self) -> list[StoredMatch]:
        """All matches, in the order in which they were added."""
        names = [column.name for column in dataclasses.fields(StoredMatch)]
        with self.explained():
            rows = self.connection.execute(f"SELECT {', '.join(names)} FROM matches ORDER BY id").fetchall()
        entries = [dict(zip(names, row, strict=True)) for row in rows]
        return [
            StoredMatch(**{**entry, "seed": int(entry["seed"]), "parameters": json.loads(entry["parameters"])})
            for entry in entries
        ]

    def played(self, match: int) -> set[tuple[int, int]]:
        """The pairs and seats of a match that are stored."""
        with self.explained():
            return {*self.connection.execute("SELECT pair, seat FROM games WHERE match = ?", (match,)).fetchall()}

    def records(self, match: int) -> list[GameRecord]:
        """The games of a match, in the order of pairs and seats."""
        with self.explained():
            rows = self.connection.execute(
                "SELECT pair, seat, deal, opening, actions, returns, length, first_moves, second_moves,"
                " first_simulations, second_simulations, first_seconds, second_seconds"
                " FROM games WHERE match = ? ORDER BY pair, seat",
                (match,),
            ).fetchall()
        return [
            GameRecord(
                pair=row[0],
                seat=row[1],
                deal=int(row[2]),
                opening=row[3],
                actions=tuple(map(int, row[4].split())),
                returns=tuple(json.loads(row[5])),
                length=row[6],
                moves=(row[7], row[8]),
                simulations=(row[9], row[10]),
                seconds=(row[11], row[12]),
            )
            for row in rows
        ]

    def other_code(self, pairing: Pairing, code: str) -> list[tuple[int, str, int]]:
        """Matches of the same agents, with games, that other code has played: id, code and number of games."""
        with self.explained():
            return self.connection.execute(
                "SELECT id, code, count(*) FROM matches JOIN games ON games.match = matches.id"
                " WHERE (game, first, second, seed, opening_moves) = (?, ?, ?, ?, ?) AND code != ? GROUP BY id",
                (*texts_of(pairing), code),
            ).fetchall()

    def runs(self) -> list[dict[str, Any]]:
        """What was noted about each run."""
        names = ("id", "started", "version", "python", "numpy", "numba", "machine", "options")
        with self.explained():
            rows = self.connection.execute(f"SELECT {', '.join(names)} FROM runs ORDER BY id").fetchall()
        return [{**dict(zip(names, row, strict=True)), "options": json.loads(row[-1])} for row in rows]


def texts_of(pairing: Pairing) -> tuple[str, str, str, str, int]:
    """What determines the games of a pairing, but for the code and the number of the pair."""
    return (
        repr(pairing.game),
        repr(pairing.first),
        repr(pairing.second),
        str(pairing.seed),
        pairing.opening_moves,
    )
