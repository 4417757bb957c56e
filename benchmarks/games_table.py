"""Print the table of games that the README shows, and the one of docs/games.md; `--write` puts them there."""

import argparse
from collections.abc import Iterator
from pathlib import Path

import page_tables

import fastmcts
from fastmcts import Game

README = Path(__file__).parent.parent / "README.md"
PAGE = README.parent / "docs" / "games.md"
MARKERS = ("<!-- games -->", "<!-- end of games -->")


def short_table() -> Iterator[str]:
    """One row for each game: what it is, in one sentence."""
    yield "| game | players | what it is |"
    yield "|---|---:|---|"
    for game in all_games():
        what = [summary(game)]
        what += ["Dice or draws decide."] if game.has_chance else []
        what += ["Some of it is hidden."] if game.has_hidden_information else []
        yield f"| `{type(game).__name__}` | {game.num_players} | {' '.join(what)} |"


def long_table() -> Iterator[str]:
    """One row for each game: its options with their defaults, and its sizes."""
    rows = (
        (
            f"`{game.name}`",
            f"`{game!r}`",
            f"{game.num_actions}",
            f"{game.max_game_length:,}",
            f"{game.min_utility:g} to {game.max_utility:g}",
        )
        for game in all_games()
    )
    return page_tables.table(("id", "class and options", "actions", "most moves", "utilities"), rows)


def all_games() -> Iterator[Game]:
    """The games in the box, with their default options."""
    return map(fastmcts.load_game, fastmcts.registered_games())


def summary(game: Game) -> str:
    """The first sentence of a game's description."""
    sentence = (type(game).__doc__ or "").partition("\n")[0].partition(". ")[0]
    return sentence if sentence.endswith(".") else f"{sentence}."


def main() -> None:
    """Print or write the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="put the tables into README.md and docs/games.md")
    is_written = parser.parse_args().write
    for page, table in ((README, short_table()), (PAGE, long_table())):
        text = "\n".join(table)
        print(f"{text}\n")
        if is_written:
            page_tables.rewrite(page, MARKERS, text)


if __name__ == "__main__":
    main()
