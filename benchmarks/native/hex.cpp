// Hex 11x11 on bitboards: the first player connects top and bottom, the second left and right.

#include "program.h"

namespace {

constexpr int kSide = 11, kCells = kSide * kSide;

using Board = unsigned __int128;

constexpr Board cell_bit(int cell) { return Board{1} << cell; }
constexpr uint64_t low_word(Board board) { return static_cast<uint64_t>(board); }
constexpr uint64_t high_word(Board board) { return static_cast<uint64_t>(board >> 64); }

inline int lowest_cell(Board board) {
  return low_word(board) ? lowest_bit(low_word(board)) : 64 + lowest_bit(high_word(board));
}

struct Geometry {
  Board cell[kCells] = {}, neighbours[kCells] = {}, first_side[2] = {}, last_side[2] = {};

  constexpr Geometry() {
    for (int row = 0; row < kSide; ++row) {
      for (int column = 0; column < kSide; ++column) {
        const int index = row * kSide + column;
        cell[index] = cell_bit(index);
        for (int row_step = -1; row_step <= 1; ++row_step)
          for (int column_step = -1; column_step <= 1; ++column_step)
            if (row_step != column_step && is_on_board(row + row_step, column + column_step))
              neighbours[index] |= cell_bit(index + row_step * kSide + column_step);
      }
    }
    for (int index = 0; index < kSide; ++index) {
      first_side[0] |= cell_bit(index);
      last_side[0] |= cell_bit(kCells - 1 - index);
      first_side[1] |= cell_bit(index * kSide);
      last_side[1] |= cell_bit(index * kSide + kSide - 1);
    }
  }
  static constexpr bool is_on_board(int row, int column) {
    return 0 <= row && row < kSide && 0 <= column && column < kSide;
  }
};

constexpr Geometry kGeometry;

struct Hex {
  static constexpr int kActions = kCells;

  struct Side {
    Board loose;    // stones that are not joined to the player's first side
    Board reached;  // cells on that side, or beside joined stones
  };
  Board empty = cell_bit(kCells) - 1;
  Side sides[2] = {{0, kGeometry.first_side[0]}, {0, kGeometry.first_side[1]}};
  int player = 0, winner = kNone;

  int legal_actions(int32_t* actions) const {
    int count = 0;
    for (Board rest = empty; rest != 0; rest &= rest - 1) actions[count++] = lowest_cell(rest);
    return count;
  }
  int random_action(Rng& rng) const {
    const uint64_t low = low_word(empty), high = high_word(empty);
    const int low_count = count_bits(low), n = rng.below(low_count + count_bits(high));
    // Masks instead of a branch on n, which no processor could predict.
    const int64_t if_high = -static_cast<int64_t>(n >= low_count);
    return (64 & if_high) + nth_bit(low ^ ((low ^ high) & if_high), n - (low_count & if_high));
  }
  void apply(int action) {
    Side& own = sides[player];
    const Board stone = kGeometry.cell[action];
    bool is_won = false;
    empty ^= stone;
    if ((own.reached & stone) != 0) {
      const Board near = kGeometry.neighbours[action], hanging = near & own.loose;
      own.reached |= near;
      is_won = (stone & kGeometry.last_side[player]) != 0;
      if (hanging != 0) is_won |= join(hanging);
    } else {
      own.loose |= stone;
    }
    if (is_won) {
      winner = player;
      player = kTerminal;
    } else {
      player = 1 - player;
    }
  }
  // Join loose stones and all that hang together with them; whether they reach the last side.
  bool join(Board pending) {
    Side& own = sides[player];
    Board joined = pending, loose = own.loose & ~pending, reached = own.reached;
    while (pending != 0) {
      const Board near = kGeometry.neighbours[lowest_cell(pending)], hanging = near & loose;
      reached |= near;
      loose ^= hanging;
      joined |= hanging;
      pending = (pending & (pending - 1)) | hanging;
    }
    own = {loose, reached};
    return (joined & kGeometry.last_side[player]) != 0;
  }
  void rewards(double* out) const {
    out[0] = winner == 0;
    out[1] = 1.0 - out[0];
  }
};

}  // namespace

int main(int count, char** arguments) { return run_program<Hex>(count, arguments); }
