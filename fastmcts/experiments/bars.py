"""Progress bars for experiments, drawn on standard error with rich."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext

from fastmcts.compiler.notice import Heeding

#: Called with how many games are over and the score so far, which is printed.
Show = Callable[[float, object], object]

#: True for a bar, or a function of one's own; False to see nothing at all, None only that something is being compiled.
ProgressOption = bool | Show | None


@contextmanager
def bars() -> Iterator[Callable[[str, int], Show]]:
    """Draw bars: yields a function that adds one, given its name and the number of games, and returns its `show`."""
    try:
        from rich import progress
    except ImportError as error:
        raise ImportError(
            'progress=True draws with rich, which is not installed: pip install "fastmcts-numba[progress]",'
            " or pass a function of your own"
        ) from error
    from rich.console import Console

    columns = (
        progress.TextColumn("{task.description}"),
        progress.BarColumn(),
        progress.MofNCompleteColumn(),
        progress.TimeElapsedColumn(),
        progress.TextColumn("{task.fields[score]}"),
    )
    console = Console(stderr=True)
    with progress.Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:

        def add(name: str, games: int) -> Show:
            task = bar.add_task(name, total=games, score="")

            def show(over: float, score: object) -> None:
                bar.update(task, completed=over, score=str(score), visible=over < games)

            return show

        yield add


@contextmanager
def shown_progress(option: ProgressOption, name: str, games: int) -> Iterator[Show]:
    """What an option says about progress, as a function to call; a bar is taken away at the end."""
    if not (option is None or isinstance(option, bool) or callable(option)):
        raise TypeError(f"progress must be True, False, None or a function, not {option!r}")
    with Heeding(option), bars() if option is True else nullcontext() as add:
        if add is not None:
            yield add(name, games)
        else:
            yield option if callable(option) else lambda over, score: None
