"""The store of experiments: one SQLite file, with a row for every game, keyed by what determines it.

Rows are written in transactions, so that a run that is killed leaves whole ones, and a row that is there is never
written again: neither a run that goes on nor two runs at a time can lose or double a game.
"""

import dataclasses
import json
import platform
import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

import numba
import numpy as np

import fastmcts
from fastmcts.core.validate import real_number, whole_number
from fastmcts.experiments.code import code_of
from fastmcts.experiments.records import ALONE, COUNTS, GameRecord
from fastmcts.experiments.tables import Pairing
from fastmcts.experiments.tally import Tally

APPLICATION = 0x464D4354  # "FMCT", by which SQLite's files are told apart
FORMAT = 2
BUSY_SECONDS = 30.0  # how long to wait for another process that is writing
RETRY_SECONDS = 0.01  # between tries, where SQLite does not wait by itself

TABLES = """
CREATE TABLE runs (
    id INTEGER PRIMARY KEY, started TEXT NOT NULL, version TEXT NOT NULL, python TEXT NOT NULL, numpy TEXT NOT NULL,
    numba TEXT NOT NULL, machine TEXT NOT NULL, options TEXT NOT NULL
);
CREATE TABLE matches (
    id INTEGER PRIMARY KEY, game TEXT NOT NULL, first TEXT NOT NULL, second TEXT NOT NULL, seed TEXT NOT NULL,
    opening_moves INTEGER NOT NULL, code TEXT NOT NULL, counts TEXT NOT NULL,
    first_name TEXT NOT NULL, second_name TEXT NOT NULL, budget TEXT NOT NULL, parameters TEXT NOT NULL,
    least REAL NOT NULL, most REAL NOT NULL,
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
COUNTED = ("pair", "length", "first_moves", "second_moves", "first_simulations", "second_simulations")
RECORD_COLUMNS = (*COUNTED, "seat", "deal", "opening", "actions", "returns", "first_seconds", "second_seconds")

Made = TypeVar("Made")


class StoreError(Exception):
    """A store cannot be read or written; what was stored stays."""


@dataclass(frozen=True)
class StoredMatch:
    """What a match of a store is about, in texts.

    Attributes:
        id: Its number in the store.
        game: The game, as it prints.
        first: The first agent, as it prints.
        second: The other one; empty if the first one plays alone.
        seed: From which each pair gets one of its own.
        opening_moves: How many random moves both games of a pair start with.
        code: The fingerprint of what has played.
        counts: What a point is won by, as in `Tally`.
        first_name: What the plan calls the first agent.
        second_name: What it calls the other one.
        budget: What each agent that names no budget has for a move, such as "simulations=100"; may be empty.
        parameters: The values from the grid of the plan.
        least: The least utility of a game.
        most: The most.
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
    least: float = 0.0
    most: float = 1.0

    @property
    def key(self) -> tuple[str, str, str, str, int]:
        """What determines its games, as `texts_of` a pairing."""
        return self.game, self.first, self.second, str(self.seed), self.opening_moves

    @property
    def tally(self) -> Tally:
        """A count of nothing, for its games."""
        return Tally(self.counts, (self.least, self.most))


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
        self.connection = self.connect("mode=ro" if is_read_only else "mode=rwc")
        try:
            try:
                with self.explained():
                    self.check(is_read_only)
            except StoreError as error:
                # To read, SQLite writes notes beside the file about who else does; where it cannot, nobody writes.
                if not is_read_only or "unable to open" not in str(error.__cause__) or not self.is_at_rest:
                    raise
                self.connection.close()
                self.connection = self.connect("mode=ro&immutable=1")
                with self.explained():
                    self.check(is_read_only)
        except BaseException:
            self.connection.close()
            raise

    def connect(self, options: str) -> sqlite3.Connection:
        """Open the file."""
        with self.explained():
            address = f"{self.path.absolute().as_uri()}?{options}"
            return sqlite3.connect(address, timeout=BUSY_SECONDS, uri=True, isolation_level=None)

    @property
    def is_at_rest(self) -> bool:
        """Whether all rows stand in the file itself, and none in the log of somebody who is writing, or was killed."""
        log = self.path.with_name(f"{self.path.name}-wal")
        return not log.exists() or log.stat().st_size == 0

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
        # In this order: another run may be making the tables, and marks the file in the same transaction.
        is_empty = self.value("SELECT count(*) FROM sqlite_master") == 0
        application, version = (self.value(f"PRAGMA {name}") for name in ("application_id", "user_version"))
        if is_empty and not is_read_only:
            self.keep_log()
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

    def keep_log(self) -> None:
        """Have changes written to a log first; SQLite itself does not wait for another run that asks for the same."""
        deadline = time.monotonic() + BUSY_SECONDS
        while True:
            try:
                self.connection.execute("PRAGMA journal_mode = WAL")
                return
            except sqlite3.OperationalError as error:
                if "locked" not in str(error) or time.monotonic() > deadline:
                    raise
                time.sleep(RETRY_SECONDS)

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
                " parameters, counts, least, most) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
                " ON CONFLICT (game, first, second, seed, opening_moves, code) DO UPDATE SET"
                " first_name = excluded.first_name, second_name = excluded.second_name,"
                " budget = excluded.budget, parameters = excluded.parameters, counts = excluded.counts",
                (*key, *(known[name] for name in names), pairing.game.min_utility, pairing.game.max_utility),
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
        return [self.read(f"match {row[0]}", match_from, dict(zip(names, row, strict=True))) for row in rows]

    def played(self, match: int) -> set[tuple[int, int]]:
        """The pairs and seats of a match that are stored."""
        with self.explained():
            return {*self.connection.execute("SELECT pair, seat FROM games WHERE match = ?", (match,)).fetchall()}

    def records(self, match: int) -> list[GameRecord]:
        """The games of a match, in the order of pairs and seats."""
        names = ", ".join(RECORD_COLUMNS)
        with self.explained():
            rows = self.connection.execute(
                f"SELECT {names} FROM games WHERE match = ? ORDER BY pair, seat", (match,)
            ).fetchall()
        return [
            self.read(
                f"the game of pair {row[0]!r} and seat {row[len(COUNTED)]!r} in match {match}",
                record_from,
                dict(zip(RECORD_COLUMNS, row, strict=True)),
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
        return [self.read(f"run {row[0]}", run_from, dict(zip(names, row, strict=True))) for row in rows]

    def read(self, what: str, make: Callable[[dict[str, Any]], Made], columns: dict[str, Any]) -> Made:
        """Make something of a row, which is not trusted: SQLite lets anything stand in any column.

        Args:
            what: What the row is about, for a message.
            make: Makes it from the columns; ValueError or TypeError says what is wrong with one of them.
            columns: The row, by the names of the columns.
        """
        try:
            return make(columns)
        except (ValueError, TypeError) as error:
            raise StoreError(
                f"{self.path} was edited or is damaged: in {what}, {error}. Delete that row, or restore the file."
            ) from error


# ---- Rows that somebody may have edited


def match_from(columns: dict[str, Any]) -> StoredMatch:
    """A match from its columns; ValueError or TypeError names one that cannot be."""
    texts = ("game", "first", "second", "code", "first_name", "second_name", "budget")
    if text_in(columns, "counts") not in (*COUNTS, ALONE):
        raise ValueError(f"counts is one of {', '.join((*COUNTS, ALONE))}, not {columns['counts']!r}")
    least = real_number("least", columns["least"])
    return StoredMatch(
        id=whole_number("id", columns["id"]),
        seed=number_in(columns, "seed"),
        opening_moves=whole_number("opening_moves", columns["opening_moves"], low=0),
        counts=columns["counts"],
        parameters=json_in(columns, "parameters", dict),
        least=least,
        most=real_number("most", columns["most"], above=least),
        **{name: text_in(columns, name) for name in texts},
    )


def record_from(columns: dict[str, Any]) -> GameRecord:
    """A game from its columns; ValueError or TypeError names one that cannot be."""
    counted = {name: whole_number(name, columns[name], low=0) for name in COUNTED}
    seconds = [real_number(name, columns[name], low=0.0) for name in ("first_seconds", "second_seconds")]
    words = text_in(columns, "actions").split()
    if not all(word.isascii() and word.isdigit() for word in words):
        raise ValueError(f"actions are whole numbers with spaces between them, not {columns['actions']!r}")
    returns = json_in(columns, "returns", list)
    if not returns:
        raise ValueError("returns has a number for each player, not none")
    return GameRecord(
        pair=counted["pair"],
        seat=whole_number("seat", columns["seat"], low=0, high=1),
        deal=whole_number("deal", number_in(columns, "deal"), low=0, high=2**63 - 1),
        opening=whole_number("opening", columns["opening"], low=0, high=len(words)),
        actions=tuple(map(int, words)),
        returns=tuple(real_number("what a player gets", utility) for utility in returns),
        length=counted["length"],
        moves=(counted["first_moves"], counted["second_moves"]),
        simulations=(counted["first_simulations"], counted["second_simulations"]),
        seconds=(seconds[0], seconds[1]),
    )


def run_from(columns: dict[str, Any]) -> dict[str, Any]:
    """What was noted about a run; ValueError or TypeError if its options are no JSON."""
    return {**columns, "options": json_in(columns, "options", dict)}


def text_in(columns: dict[str, Any], name: str) -> str:
    """A column that is a text."""
    if not isinstance(columns[name], str):
        raise TypeError(f"{name} is a text, not {columns[name]!r}")
    return columns[name]


def number_in(columns: dict[str, Any], name: str) -> int:
    """A column that is a text with a whole number in it, which may be too large for SQLite."""
    try:
        return int(text_in(columns, name))
    except ValueError:
        raise ValueError(f"{name} is a whole number, not {columns[name]!r}") from None


def json_in(columns: dict[str, Any], name: str, kind: type) -> Any:
    """A column that is a text with JSON of a kind in it."""
    try:
        value = json.loads(text_in(columns, name))
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, kind):
        raise ValueError(f"{name} is a JSON {kind.__name__}, not {columns[name]!r}")
    return value


def texts_of(pairing: Pairing) -> tuple[str, str, str, str, int]:
    """What determines the games of a pairing, but for the code and the number of the pair."""
    return (
        repr(pairing.game),
        repr(pairing.first),
        "" if pairing.second is None else repr(pairing.second),
        str(pairing.seed),
        pairing.opening_moves,
    )
