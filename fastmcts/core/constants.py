"""The sentinels that games, trees and kernels share."""

#: "No such node", "no such player", "no move".
NONE = -1

#: The index of the root of every tree.
ROOT = 0

#: Why a kernel has stopped: all simulations that were asked for are added; or the value of the root is proven, so that
#: nothing is left to find out; or the next simulation might not find room in the tree.
DONE, DECIDED, FULL = 0, 1, 2

#: What `current_player` answers where a die or a deck decides (as OpenSpiel has it).
CHANCE = -1

#: What `current_player` answers when the game is over (as OpenSpiel has it).
TERMINAL = -4
