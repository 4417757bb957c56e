"""Games of tricks in words: positions as text, and positions from the cards that were played."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING

from fastmcts.core.types import Position
from fastmcts.core.validate import whole_number
from fastmcts.games._cards import CARDS, card_number, card_set, card_text, cards_text
from fastmcts.games._hidden_hands import field as packed

if TYPE_CHECKING:
    from fastmcts.games._trick_state import TrickState
    from fastmcts.games._tricks import TrickGame

#: A trick, or the part of one that is on the table: a text such as `"QC TD"` or numbers and names of cards, in the
#: order in which they were played. A text may begin with who led: `"2: QC TD"`.
Trick = str | Iterable[int | str]

NO_CARDS = "-"
VIEWER_LINE = re.compile(r"seen by player (\d+)")
TRUMP_LINE = re.compile(r"no trump|trump: (\w+)", re.IGNORECASE)
PLAYER_LINE = re.compile(r"(>?) ?(\d+): (.+) \((\d+) won(?:, bid (\d+|-))?\)")
TRICK_LINE = re.compile(r"trick (\d+), led by (\d+): (.+)")
TABLE_LINE = re.compile(r"table: (.+)")
UNKNOWN_HAND = re.compile(r"(\d+) unknown")


@dataclass
class Drawing:
    """What the lines of a drawn position say."""

    viewer: int | None = None
    trump: str | None = None
    hands: dict[int, int | str] = field(default_factory=dict)  # a set of cards, or how many are unknown
    won: dict[int, int] = field(default_factory=dict)
    bids: dict[int, int | None] = field(default_factory=dict)
    mover: int | None = None
    tricks: list[tuple[int, list[int]]] = field(default_factory=list)  # who led, and the cards
    table: list[int] = field(default_factory=list)


def draw_position(game: "TrickGame", state: Position, viewer: int | None) -> str:
    """Draw a position, or what one player knows of it: hands, the tricks so far, and the table."""
    sizes = int(game.hand_sizes(state))
    lines = [] if viewer is None else [f"seen by player {viewer}"]
    lines.append(game.trump_text(state))
    for player in range(game.num_players):
        hand = cards_text(state[game.hands + player]) or NO_CARDS
        if viewer not in (None, player) and packed(sizes, player) > 0:
            hand = f"{packed(sizes, player)} unknown"
        marker = ">" if player == game.current_player(state) else " "
        lines.append(f"{marker}{player}: {hand} ({game.score_text(state, player)})")
    cards = [card_text(card) for card in game.cards_so_far(state)]
    complete = len(cards) // game.num_players
    for number, leader in enumerate(leaders(game, state)[:complete]):
        trick = cards[number * game.num_players :][: game.num_players]
        lines.append(f"trick {number + 1}, led by {leader}: {' '.join(trick)}")
    lines.append(f"table: {' '.join(cards[complete * game.num_players :]) or NO_CARDS}")
    return "\n".join(lines)


def leaders(game: "TrickGame", state: Position) -> list[int]:
    """Who led to each trick that was begun."""
    position, found = game.undealt(state), []
    for number, card in enumerate(game.cards_so_far(state)):
        if number % game.num_players == 0:
            found.append(int(game.current_player(position)))
        game.play(position, card)
    return found


def read_drawing(text: str) -> Drawing:
    """Read the lines that `draw_position` writes."""
    drawing = Drawing()
    for line in filter(None, (" ".join(line.split()) for line in text.splitlines())):
        if found := VIEWER_LINE.fullmatch(line):
            drawing.viewer = int(found[1])
        elif found := TRUMP_LINE.fullmatch(line):
            drawing.trump = (found[1] or NO_CARDS).upper()
        elif found := TRICK_LINE.fullmatch(line):
            if int(found[1]) != len(drawing.tricks) + 1:
                raise ValueError(f"{line!r} should be trick {len(drawing.tricks) + 1}")
            drawing.tricks.append((int(found[2]), [card_number(card) for card in found[3].split()]))
        elif found := TABLE_LINE.fullmatch(line):
            drawing.table = [] if found[1] == NO_CARDS else [card_number(card) for card in found[1].split()]
        elif found := PLAYER_LINE.fullmatch(line):
            read_player(drawing, line, found)
        else:
            raise ValueError(
                f"{line!r} cannot be read; lines are such as 'seen by player 0', 'trump: 2H', '>0: QC TD (1 won)',"
                " ' 1: 2 unknown (0 won)', 'trick 1, led by 0: AC KC 2D 3C' and 'table: 4H'"
            )
    return drawing


def read_player(drawing: Drawing, line: str, found: re.Match[str]) -> None:
    """Note what a player's line says."""
    player, hand = int(found[2]), found[3]
    if player in drawing.hands:
        raise ValueError(f"{line!r} is a second line for player {player}")
    if found[1]:
        if drawing.mover is not None:
            raise ValueError(f"only one player is to move, not both {drawing.mover} and {player}")
        drawing.mover = player
    unknown = UNKNOWN_HAND.fullmatch(hand)
    drawing.hands[player] = hand if unknown else card_set("" if hand == NO_CARDS else hand)
    drawing.won[player] = int(found[4])
    drawing.bids[player] = int(found[5]) if found[5] not in (None, NO_CARDS) else None


def state_from_drawing(game: "TrickGame", text: str) -> "TrickState":
    """Make the position that a drawing shows, and check that all its lines fit."""
    drawing = read_drawing(text)
    players = range(game.num_players)
    if sorted(drawing.hands) != list(players):
        raise ValueError(
            f"a line is needed for each player from 0 to {game.num_players - 1}, not {list(drawing.hands)}"
        )
    if drawing.viewer is not None and drawing.viewer not in players:
        raise ValueError(f"player {drawing.viewer} sees it, but there are only 0 to {game.num_players - 1}")
    known = {player: hand for player, hand in drawing.hands.items() if isinstance(hand, int)}
    if drawing.viewer is not None:
        if drawing.viewer not in known:
            raise ValueError(f"the hand of player {drawing.viewer}, who sees this, must be named")
        known = {drawing.viewer: known[drawing.viewer]}
    elif len(known) < game.num_players:
        raise ValueError("a hand is unknown, but no line says whose view this is: add 'seen by player 0'")
    tricks = [[f"{leader}:", *cards] for leader, cards in drawing.tricks] + ([drawing.table] if drawing.table else [])
    opener = first_leader(game, drawing)
    bids = [drawing.bids[(opener + turn) % game.num_players] for turn in players]
    made = bids[: bids.index(None)] if None in bids else bids
    start = game.undealt_start(opener, drawing.trump or NO_CARDS)
    state = replayed(game, start, known, drawing.viewer, [bid for bid in made if bid is not None], tricks)
    read_again = read_drawing(str(state))
    for entry in fields(Drawing):
        told, led_to = getattr(drawing, entry.name), getattr(read_again, entry.name)
        if told != led_to:
            raise ValueError(
                f"the lines do not fit each other in {entry.name}: {told} is told, but it must be {led_to}"
            )
    return state


def first_leader(game: "TrickGame", drawing: Drawing) -> int:
    """Who led, or will lead, to the first trick."""
    if drawing.tricks:
        return whole_number("the leader of trick 1", drawing.tricks[0][0], low=0, high=game.num_players - 1)
    if drawing.mover is None:
        raise ValueError("no line begins with '>', which marks the player to move")
    bids = sum(bid is not None for bid in drawing.bids.values())
    return (drawing.mover - len(drawing.table) - bids) % game.num_players


def replayed(
    game: "TrickGame",
    start: Position,
    held: Mapping[int, int],
    viewer: int | None,
    bids: Sequence[int],
    tricks: Sequence[Trick],
) -> "TrickState":
    """Play a game again from what is known about the hands at its end.

    Args:
        game: The game.
        start: The position before the deal, changed in place.
        held: The sets of cards that the known players hold at the end.
        viewer: The known player, or None if all are known.
        bids: In the order in which they were made.
        tricks: The tricks so far; the last may be on the table.

    Returns:
        The position, or the viewer's view of it; ValueError says what cannot be.
    """
    plays = [(f"trick {n + 1}", *one) for n, trick in enumerate(tricks) for one in [read_trick(trick)]]
    dealt = add_played(game, start.copy(), held, plays)
    taken = int(game.open_cards(start))
    for player, hand in dealt.items():
        if hand.bit_count() != game.hand_size:
            played = hand.bit_count() - held[player].bit_count()
            raise ValueError(
                f"player {player} was dealt {game.hand_size} cards and played {played}, so that it holds"
                f" {game.hand_size - played}, not {held[player].bit_count()}"
            )
        if taken & hand:
            raise ValueError(f"dealt twice: {cards_text(taken & hand)}")
        taken |= hand
        start[game.hands + player] = hand
    state = game.new_state(start, viewer)
    for bid in bids:
        apply(state, "bids", CARDS + bid)
    for label, _, cards in plays:
        for card in cards:
            apply(state, label, card)
    return state


def read_trick(trick: Trick) -> tuple[int | None, list[int]]:
    """Who led to a trick, if that is told, and its cards."""
    words = trick.split() if isinstance(trick, str) else list(trick)
    leader = None
    if words and isinstance(words[0], str) and words[0].endswith(":"):
        number = words.pop(0)
        if not str(number)[:-1].isdigit():
            raise ValueError(f"a trick begins with its leader, such as '0:', or a card, not {number!r}")
        leader = int(str(number)[:-1])
    return leader, [card_number(card) if isinstance(card, str) else whole_number("a card", card) for card in words]


def add_played(
    game: "TrickGame", position: Position, held: Mapping[int, int], plays: Sequence[tuple[str, int | None, list[int]]]
) -> dict[int, int]:
    """The hands that known players were dealt: those that they hold and the cards that they played."""
    dealt = dict(held)
    seen = 0
    for number, (label, leader, cards) in enumerate(plays):
        last = number == len(plays) - 1
        if len(cards) > game.num_players or (len(cards) < game.num_players and not last) or number >= game.hand_size:
            raise ValueError(
                f"{label} has {len(cards)} cards: there are {game.hand_size} tricks of {game.num_players} cards,"
                " and only the last that is given may be unfinished"
            )
        if leader not in (None, game.current_player(position)):
            raise ValueError(f"{label} was led by player {game.current_player(position)}, not {leader}")
        for card in cards:
            if not 0 <= card < CARDS:
                raise ValueError(f"{label}: a card is a number from 0 to {CARDS - 1}, not {card}")
            if seen >> card & 1:
                raise ValueError(f"{label}: {card_text(card)} was played already")
            seen |= 1 << card
            player = int(game.current_player(position))
            if player in dealt:
                if dealt[player] >> card & 1:
                    raise ValueError(
                        f"{label}: player {player} played {card_text(card)}, and does not hold it any more"
                    )
                dealt[player] |= 1 << card
            game.play(position, card)
    return dealt


def apply(state: "TrickState", label: str, action: int) -> None:
    """Play a bid or a card; say where in the story it is if it cannot be."""
    try:
        state.apply_action(action)
    except ValueError as error:
        raise ValueError(f"{label}: {error}") from None
