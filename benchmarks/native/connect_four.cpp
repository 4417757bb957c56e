// Connect Four 7x6 on two bitboards: a column takes seven bits from the bottom up, the highest always empty.

#include "program.h"

namespace {

constexpr int kRows = 6, kColumns = 7, kHeight = kRows + 1;

constexpr uint64_t in_every_column(uint64_t cells) {
  uint64_t board = 0;
  for (int column = 0; column < kColumns; ++column) board |= cells << (column * kHeight);
  return board;
}

constexpr uint64_t kColumn = bit(kRows) - 1, kBoard = in_every_column(kColumn), kTop = in_every_column(bit(kRows - 1));

struct ConnectFour {
  static constexpr int kActions = kColumns;

  uint64_t own = 0, other = 0;  // stones of the player to move, and of the one who moved
  int player = 0, winner = kNone;

  uint64_t free_tops() const { return kTop & ~(own | other); }

  int legal_actions(int32_t* actions) const {
    int count = 0;
    for (uint64_t rest = free_tops(); rest; rest &= rest - 1) actions[count++] = lowest_bit(rest) / kHeight;
    return count;
  }
  int random_action(Rng& rng) const {
    const uint64_t tops = free_tops();
    return nth_bit(tops, rng.below(count_bits(tops))) / kHeight;
  }
  void apply(int action) {
    const uint64_t occupied = own | other, bottom = bit(action * kHeight);
    const uint64_t stones = own | ((occupied + bottom) & (kColumn * bottom));
    own = other;
    other = stones;
    if (four_in_line(stones)) {
      winner = player;
      player = kTerminal;
    } else {
      player = (own | other) == kBoard ? kTerminal : 1 - player;
    }
  }
  static bool four_in_line(uint64_t stones) {
    uint64_t lines = 0;
    for (int step : {1, kHeight - 1, kHeight, kHeight + 1}) {
      const uint64_t pairs = stones & (stones >> step);
      lines |= pairs & (pairs >> (2 * step));
    }
    return lines != 0;
  }
  void rewards(double* out) const {
    out[0] = winner == kNone ? 0.5 : winner == 0;
    out[1] = 1.0 - out[0];
  }
};

}  // namespace

int main(int count, char** arguments) { return run_program<ConnectFour>(count, arguments); }
