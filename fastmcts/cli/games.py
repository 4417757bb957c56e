"""`fastmcts games`: what there is to play."""

import dataclasses

import fastmcts
from fastmcts.cli.app import app, console
from fastmcts.games import class_in_file


@app.command("games")
def list_games() -> None:
    """List the games, their options and what each is about."""
    for name in fastmcts.registered_games():
        game_class = class_in_file(name)
        fields = dataclasses.fields(game_class)  # pyright: ignore[reportArgumentType]
        options = "  ".join(f"{field.name}={field.default}" for field in fields)
        summary = (game_class.__doc__ or "").splitlines()[0]
        console.print(f"[bold]{name}[/bold]  {options}\n    {summary}", soft_wrap=True)
