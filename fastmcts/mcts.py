"""A search whose tree is kept from move to move."""

import copy
import dataclasses
import weakref
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Unpack

from fastmcts.engine.driver import Driver
from fastmcts.engine.forest import Forest
from fastmcts.engine.plan import plan_for
from fastmcts.engine.turns import Turn, one_at_a_time
from fastmcts.game import Game
from fastmcts.options import Options, SearchOptions, without_callback
from fastmcts.result import SearchResult
from fastmcts.state import State

#: What a copy or a pickle of a search makes anew.
MADE_ANEW = frozenset({"driver", "results", "turns"})


class MCTS:
    """Searches positions of one game and keeps what it has learnt.

    A search of the position that was searched last, or of one up to three moves below it, goes on from the
    statistics there; any other position starts anew, exactly as `fastmcts.search` would, and so does one after the
    rules were edited. After Ctrl-C the tree is whole, and the next search goes on from it.

    It is for one thread: while it is busy, calls from other threads, and from what it calls itself, are refused by
    RuntimeError. It can be copied (`copy.deepcopy`) and pickled, without a progress callback, with all it knows.

    Args:
        game: The game.
        options: How to search.
        **keywords: `simulations=` or `seconds=` for each search, and any others of `fastmcts.Options`; they count more
            than `options`.
    """

    def __init__(self, game: Game, options: Options | None = None, **keywords: Unpack[SearchOptions]) -> None:
        if not isinstance(game, Game):
            raise TypeError(f"MCTS takes a Game, such as games.ConnectFour(), not {game!r}")
        self.driver = Driver(*plan_for(game, options, dict(keywords)))
        self.results: list[weakref.ref[SearchResult]] = []  # those that show the trees as they are now
        self.turns: list[Turn] = []

    @property
    def game(self) -> Game:
        """The game."""
        return self.driver.plan.game

    @property
    def options(self) -> Options:
        """The options, with everything that the caller has left open."""
        return self.driver.options

    @property
    def forest(self) -> Forest:
        """The trees."""
        return self.driver.forest

    @one_at_a_time
    def search(self, state: State, simulations: int | None = None, seconds: float | None = None) -> SearchResult:
        """Search for the best move in a position.

        Args:
            state: The position, or what the player to move knows of it (`State.view`), which is searched alike if the
                method draws worlds; it is not modified. Where chance decides, apply an outcome first.
            simulations: The budget of this search alone, with `seconds` or without; None and None: that of the options.
            seconds: As `simulations`.

        Returns:
            The statistics of the legal moves and the move to make, None if the game is over.
        """
        request = self.driver.request(state, simulations, seconds)
        self.leave_results()
        self.driver.notice_edits()
        return self.shown(self.driver.search(request))

    @one_at_a_time
    def result(self) -> SearchResult:
        """What is known about the position that was searched last, or advanced to, without searching on.

        After Ctrl-C this is what the search had found. All visits count as reused, since none is new.
        """
        if not self.forest.is_planted:
            raise ValueError("nothing is known: search(state) comes first")
        return self.shown(self.driver.result())

    def choose(self, state: State, simulations: int | None = None, seconds: float | None = None) -> str | None:
        """The text of the move to make in a position, None if the game is over.

        The next call, for the position after that move or a few moves later, goes on from what is known.

        Args:
            state: The position; it is not modified.
            simulations: As in `search`.
            seconds: As in `search`.
        """
        action = self.search(state, simulations, seconds).action
        return None if action is None else state.action_to_string(action)

    @one_at_a_time
    def advance(self, action: int) -> None:
        """Follow a move that was played: the position after it becomes the root, with its statistics.

        Where a move reveals something hidden (`Game.reveals`), what was learnt about other worlds is dropped. What
        was revealed to a view, the position of the next search tells.

        Args:
            action: A legal action at the root.
        """
        after = self.driver.after(action)
        self.leave_results()
        self.driver.advance(action, after)

    @one_at_a_time
    def reset(self) -> None:
        """Forget everything, the state of the random numbers too."""
        self.leave_results()
        self.forest.forget()

    @one_at_a_time
    def save(self, path: str | Path) -> None:
        """Write everything to a file, at once or not at all; `MCTS.load` goes on from there.

        A progress callback is not saved. A class of your own is saved by its name.

        Args:
            path: Where to write; an existing file is replaced.
        """
        from fastmcts.engine.archive.saving import save

        save(self, Path(path))

    @classmethod
    def load(cls, path: str | Path, game: Game | None = None, classes: Iterable[type] = ()) -> "MCTS":
        """Read what `save` has written; its searches go on bit for bit as those of the saved one would.

        A file is not trusted: everything in it is checked before it is used, and it cannot have anything imported. The
        classes that it names are those of this package and of modules that were imported before, or handed over.

        Args:
            path: The file.
            game: The game, which must be the one that was saved; its class may be in another module now.
            classes: Further classes of games, strategies and stoppers that the file may name.

        Raises:
            LoadError: If it is damaged, of something else, of a later version, or not what a search can have written.
        """
        from fastmcts.engine.archive.saving import load

        return load(cls, Path(path), game, classes)

    @one_at_a_time
    def __getstate__(self) -> dict[str, Any]:
        """What pickle writes: the same as `save`, but classes by pickle's own rules."""
        from fastmcts.engine.archive.saving import forest_arrays, forest_header

        return {
            **{name: value for name, value in self.__dict__.items() if name not in MADE_ANEW},
            "game": self.game,
            "options": dataclasses.replace(self.options, progress=without_callback(self.options.progress)),
            "header": forest_header(self.forest),
            "arrays": {name: array.copy() for name, array in forest_arrays(self.forest).items()},
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        from fastmcts.engine.archive.saving import restore_forest

        state = dict(state)
        header, arrays = state.pop("header"), state.pop("arrays")
        MCTS.__init__(self, state.pop("game"), state.pop("options"))
        restore_forest(self.forest, header, arrays, trusted=True)
        self.__dict__.update(state)

    def __deepcopy__(self, memo: dict[int, Any]) -> "MCTS":
        """A search that goes on by itself, with a progress callback too."""
        copied = type(self).__new__(type(self))
        memo[id(self)] = copied
        state = self.__getstate__() | {"options": self.options}
        game, arrays = state.pop("game"), state.pop("arrays")
        copied.__setstate__({**copy.deepcopy(state, memo), "game": game, "arrays": arrays})
        return copied

    def shown(self, result: SearchResult) -> SearchResult:
        """Remember a result that shows the trees as they are."""
        self.results = [known for known in self.results if known() is not None]
        self.results.append(weakref.ref(result))
        return result

    def leave_results(self) -> None:
        """Let results read from the trees what they may be asked for, before they change and do not fit any more."""
        while self.results:
            result = self.results[-1]()
            if result is not None:
                result.leave_trees()
            self.results.pop()
