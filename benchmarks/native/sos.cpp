// SOS 8x8 on bitboards; an action is cell * 2 + letter, S or O.

#include "program.h"

namespace {

constexpr int kSide = 8, kCells = kSide * kSide, kS = 0;

// Where the other two letters of an SOS through a cell stand, in two sets of cells in the same order of directions: for
// an S, the O next to it and the S behind; for an O, the S before it and, on the board turned around, the S after it.
struct Lines {
  uint64_t near[2][kCells] = {}, far[2][kCells] = {};

  constexpr Lines() {
    for (int cell = 0; cell < kCells; ++cell)
      for (int row_step = -1; row_step <= 1; ++row_step)
        for (int column_step = -1; column_step <= 1; ++column_step) add(cell, row_step, column_step);
  }
  constexpr void add(int cell, int row_step, int column_step) {
    const int row = cell / kSide, column = cell % kSide, step = row_step * kSide + column_step;
    if (step == 0) return;
    if (is_on_board(row + 2 * row_step, column + 2 * column_step)) {
      near[0][cell] |= bit(cell + step);
      far[0][cell] |= bit(cell + 2 * step);
    }
    const bool has_before = is_on_board(row + row_step, column + column_step);
    const bool has_after = is_on_board(row - row_step, column - column_step);
    if (step < 0 && has_before && has_after) {
      near[1][cell] |= bit(cell + step);
      far[1][cell] |= bit(kCells - 1 - (cell - step));
    }
  }
  static constexpr bool is_on_board(int row, int column) {
    return 0 <= row && row < kSide && 0 <= column && column < kSide;
  }
};

constexpr Lines kLines;

struct Sos {
  static constexpr int kActions = 2 * kCells;

  uint64_t boards[3] = {};  // cells with O, with S, and with S on the board turned around
  uint64_t empty = ~uint64_t{0};
  int scores[2] = {};
  int player = 0;

  int legal_actions(int32_t* actions) const {
    int count = 0;
    for (uint64_t rest = empty; rest; rest &= rest - 1) {
      const int cell = lowest_bit(rest);
      actions[count++] = 2 * cell;
      actions[count++] = 2 * cell + 1;
    }
    return count;
  }
  int random_action(Rng& rng) const {
    const int index = rng.below(2 * count_bits(empty));
    return 2 * nth_bit(empty, index >> 1) + (index & 1);
  }
  void apply(int action) {
    const int cell = action >> 1, letter = action & 1;
    // Without a branch on the letter, which no processor could predict.
    const uint64_t near = extract_bits(boards[letter], kLines.near[letter][cell]);
    const uint64_t far = extract_bits(boards[1 + letter], kLines.far[letter][cell]);
    const int score = count_bits(near & far);
    boards[1 - letter] |= bit(cell);
    boards[2] |= static_cast<uint64_t>(letter == kS) << (kCells - 1 - cell);
    empty ^= bit(cell);
    scores[player] += score;
    player = empty == 0 ? kTerminal : player ^ (score == 0);
  }
  void rewards(double* out) const {
    out[0] = scores[0] == scores[1] ? 0.5 : scores[0] > scores[1];
    out[1] = 1.0 - out[0];
  }
};

}  // namespace

int main(int count, char** arguments) { return run_program<Sos>(count, arguments); }
