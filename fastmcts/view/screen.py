"""Where a game in the terminal is shown and moves are read: with rich on a terminal, as plain text in a pipe."""

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.text import Text

#: What is coloured in a drawn position: red cards, backs and empty places, and the pieces of both sides.
STYLES = {
    r"\b(10|[2-9TJQKA])[DH]\b": "red",
    r"##|(?<=\s)\.(?=\s|$)|^\.": "dim",
    r"(?<=\s)[xXwS](?=\s|$)|^[xX]": "bold yellow",
    r"(?<=\s)[oOb](?=\s|$)|^[oO]": "bold cyan",
}


class Screen:
    """Shows positions and asks for lines.

    Args:
        console: Rich's console; by default one for standard output.
    """

    def __init__(self, console: Any = None) -> None:
        from rich.console import Console

        self.console = console or Console(highlight=False)

    @property
    def is_terminal(self) -> bool:
        """Whether a person looks at it and types."""
        return self.console.is_terminal and sys.stdin.isatty()

    def say(self, text: str = "", style: str | None = None) -> None:
        """Print a line; the style is for terminals."""
        self.console.print(text, style=style, markup=False, soft_wrap=True)

    def complain(self, text: str) -> None:
        """Say what was wrong with what was typed."""
        self.say(text, style="yellow")

    def draw(self, board: str, title: str) -> None:
        """Show a position."""
        if not self.console.is_terminal:
            self.say(f"\n{title}\n{board}")
            return
        self.console.print(self.panel(board, title))

    def panel(self, board: str, title: str) -> Any:
        """A position in a frame."""
        from rich.panel import Panel

        return Panel(coloured(board), title=title, title_align="left", expand=False, padding=(0, 2))

    def list_moves(self, moves: Sequence[str]) -> None:
        """Show moves side by side."""
        if not self.console.is_terminal:
            self.say(", ".join(moves))
            return
        from rich.columns import Columns

        self.console.print(Columns(moves, padding=(0, 2), equal=True))

    @contextmanager
    def thinking(self, text: str) -> Iterator[Callable[[str], None]]:
        """Show that something goes on, where somebody looks; yields a function that changes the text."""
        if not self.console.is_terminal:
            yield lambda text: None
            return
        with self.console.status(text) as status:
            yield status.update

    @contextmanager
    def moving_picture(self) -> Iterator[Callable[[str, str], None]]:
        """Yields a function that draws a position over the last one, or, in a pipe, does nothing."""
        if not self.console.is_terminal:
            yield lambda board, title: None
            return
        from rich.live import Live

        with Live(console=self.console, auto_refresh=False) as live:
            yield lambda board, title: live.update(self.panel(board, title), refresh=True)

    def hand_over(self, player: int) -> None:
        """Let another person come to the screen, who must not see what was on it."""
        if self.is_terminal:
            self.console.clear()
            self.ask(f"player {player}, press Enter when only you look at the screen ", ())
            self.console.clear()

    def ask(self, prompt: str, completions: Sequence[str]) -> str:
        """Read a line; on a terminal the tab key completes it. EOFError at the end of input."""
        if self.is_terminal:
            with completing(completions):
                return input(prompt)
        self.console.print(prompt, end="", markup=False, soft_wrap=True)
        line = sys.stdin.readline()
        if not line:
            self.say()
            raise EOFError
        self.say(line.rstrip("\n"))  # so that what was shown reads as a conversation
        return line


def coloured(board: str) -> "Text":
    """A drawn position with colours."""
    from rich.text import Text

    lines = [Text(line) for line in board.split("\n")]
    for line in lines:
        if line.plain.split()[:2] != ["a", "b"]:  # the names of columns are no pieces
            for pattern, style in STYLES.items():
                line.highlight_regex(pattern, style)
    return Text("\n").join(lines)


@contextmanager
def completing(completions: Sequence[str]) -> Iterator[None]:
    """Let the tab key complete whole lines, where there is readline."""
    try:
        import readline
    except ImportError:  # not on Windows
        yield
        return

    def complete(text: str, index: int) -> str | None:
        found = [one for one in completions if one.lower().startswith(text.lower())]
        return found[index] if index < len(found) else None

    before, delimiters = readline.get_completer(), readline.get_completer_delims()
    readline.set_completer(complete)
    readline.set_completer_delims("\n")  # moves may have spaces in them
    is_editline = "libedit" in (readline.__doc__ or "")
    readline.parse_and_bind("bind ^I rl_complete" if is_editline else "tab: complete")
    try:
        yield
    finally:
        readline.set_completer(before)
        with suppress(ValueError):
            readline.set_completer_delims(delimiters)
