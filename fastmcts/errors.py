"""The package's own exceptions."""


class GameError(Exception):
    """A game breaks the contract that `fastmcts.Game` describes; the message says how."""


class CompileError(GameError):
    """A method of a component cannot be compiled; the message shows the author's line."""


class LoadError(ValueError):
    """A file cannot be loaded; the message says why."""


#: What a kernel says about a game that does not come to its end.
TOO_LONG = "a game went on for more than max_game_length moves"

#: What a kernel says about a game that pays more, or less, than it declares.
OUT_OF_RANGE = (
    "what a player was paid from a position on, with the utility at the end, is not from min_utility to max_utility:"
    " declare a range that holds all that can be paid"
)
