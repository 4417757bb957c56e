"""Keep the last answers of a network by position: those that were used least recently go first."""

import numpy as np

from fastmcts.compiler.jit import compiled
from fastmcts.core.constants import NONE
from fastmcts.core.wave import COUNT, NEWEST, OLDEST
from fastmcts.rng import GOLDEN, mix


@compiled
def hash_known(known, player):
    """Hash what a player knows to 64 bits."""
    total = mix(np.uint64(player) + GOLDEN)
    for index in range(known.size):
        total = mix(total ^ np.uint64(known[index]))
    return total


@compiled
def is_known(keys, place, known):
    """Whether an entry of a table of positions is what a player knows."""
    for index in range(known.size):
        if keys[place * known.size + index] != known[index]:
            return False
    return True


@compiled
def find_answer(answers, hashed, player, known):
    """Where the answer for what a player knows stands, which is now the newest; NONE if it is not kept."""
    place = np.int64(answers.heads[np.int64(hashed & np.uint64(answers.heads.size - 1))])
    while place != NONE:
        if (
            answers.hashes[place] == hashed
            and answers.players[place] == player
            and is_known(answers.keys, place, known)
        ):
            leave_list(answers, place)
            join_list(answers, place)
            return place
        place = np.int64(answers.following[place])
    return np.int64(NONE)


@compiled
def keep_answer(answers, wave, row, num_actions, num_players):
    """Keep what a row of a wave was answered, in place of the oldest answer if there is no room."""
    if answers.state[COUNT] < answers.players.size:
        place = answers.state[COUNT]
        answers.state[COUNT] += 1
    else:
        place = answers.state[OLDEST]
        leave_list(answers, place)
        leave_bucket(answers, place)
    size = wave.known.size
    answers.hashes[place] = wave.hashes[row]
    answers.players[place] = wave.players[row]
    for index in range(size):
        answers.keys[place * size + index] = wave.keys[row * size + index]
    for index in range(num_actions):
        answers.priors[place * num_actions + index] = wave.policy[row * num_actions + index]
    for index in range(num_players):
        answers.rewards[place * num_players + index] = wave.values[row * num_players + index]
    bucket = np.int64(answers.hashes[place] & np.uint64(answers.heads.size - 1))
    answers.following[place] = answers.heads[bucket]
    answers.heads[bucket] = place
    join_list(answers, place)


@compiled
def leave_list(answers, place):
    """Take an answer out of the list from the newest to the oldest."""
    newer, older = np.int64(answers.newer[place]), np.int64(answers.older[place])
    if newer == NONE:
        answers.state[NEWEST] = older
    else:
        answers.older[newer] = older
    if older == NONE:
        answers.state[OLDEST] = newer
    else:
        answers.newer[older] = newer


@compiled
def join_list(answers, place):
    """Put an answer at the head of the list."""
    newest = answers.state[NEWEST]
    answers.newer[place] = NONE
    answers.older[place] = newest
    if newest == NONE:
        answers.state[OLDEST] = place
    else:
        answers.newer[newest] = place
    answers.state[NEWEST] = place


@compiled
def leave_bucket(answers, place):
    """Take an answer out of the hash table."""
    bucket = np.int64(answers.hashes[place] & np.uint64(answers.heads.size - 1))
    following = answers.following[place]
    other = np.int64(answers.heads[bucket])
    if other == place:
        answers.heads[bucket] = following
        return
    while answers.following[other] != place:
        other = np.int64(answers.following[other])
    answers.following[other] = following
