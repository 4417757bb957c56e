// The native limit: the same UCT on the same arrays as fastmcts, written by hand for Connect Four 7x6.
// It draws the same random numbers in the same order, so that its tree is the same to the last visit.
//
//   connect_four SIMULATIONS SEED C   ->   {"seconds": ..., "visits": [...], "nodes": ...}

#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <utility>

namespace {

constexpr int32_t kNone = -1, kRoot = 0;
constexpr int64_t kTerminal = -4;
constexpr int kRows = 6, kColumns = 7, kHeight = kRows + 1;

uint64_t mix(uint64_t number) {
  number = (number ^ (number >> 30)) * 0xBF58476D1CE4E5B9u;
  number = (number ^ (number >> 27)) * 0x94D049BB133111EBu;
  return number ^ (number >> 31);
}

struct Rng {
  uint64_t counter, step;
  explicit Rng(uint64_t seed) {
    counter = mix(seed + 0x9E3779B97F4A7C15u);
    step = mix(counter ^ 0x9E3779B97F4A7C15u) | 1;
  }
  int64_t below(int64_t bound) {
    counter += step;
    return ((mix(counter) >> 32) * static_cast<uint64_t>(bound)) >> 32;
  }
};

constexpr int64_t full_board() {
  int64_t full = 0;
  for (int column = 0; column < kColumns; ++column) full |= ((int64_t{1} << kRows) - 1) << (column * kHeight);
  return full;
}

struct ConnectFour {
  int64_t own = 0, other = 0, player = 0, winner = kNone;

  int legal_actions(int64_t* actions) const {
    const int64_t occupied = own | other;
    int count = 0;
    for (int column = 0; column < kColumns; ++column)
      if (((occupied >> (column * kHeight + kRows - 1)) & 1) == 0) actions[count++] = column;
    return count;
  }
  void apply(int64_t action) {
    const int64_t occupied = own | other;
    const int64_t column = ((int64_t{1} << kRows) - 1) << (action * kHeight);
    const int64_t stones = own | ((occupied + (int64_t{1} << (action * kHeight))) & column & ~occupied);
    own = other;
    other = stones;
    if (four_in_line(stones)) {
      winner = player;
      player = kTerminal;
    } else if ((own | other) == full_board()) {
      player = kTerminal;
    } else {
      player = 1 - player;
    }
  }
  static bool four_in_line(int64_t stones) {
    for (int step : {1, kHeight, kHeight - 1, kHeight + 1}) {
      const int64_t pairs = stones & (stones >> step);
      if (pairs & (pairs >> (2 * step))) return true;
    }
    return false;
  }
  void rewards(double* out) const {
    if (winner == kNone) {
      out[0] = out[1] = 0.5;
    } else {
      out[winner] = 1.0;
      out[1 - winner] = 0.0;
    }
  }
};

struct Tree {
  std::unique_ptr<int32_t[]> visits, parent, first_child, action;
  std::unique_ptr<double[]> value_sum;
  std::unique_ptr<int16_t[]> num_children, num_tried;
  std::unique_ptr<int8_t[]> player;
  int64_t size = 1;

  explicit Tree(int64_t capacity)
      : visits(new int32_t[capacity]), parent(new int32_t[capacity]), first_child(new int32_t[capacity]),
        action(new int32_t[capacity]), value_sum(new double[capacity]), num_children(new int16_t[capacity]),
        num_tried(new int16_t[capacity]), player(new int8_t[capacity]) {
    reset(kRoot, kNone, 0);
  }
  void reset(int32_t node, int32_t above, int64_t mover) {
    visits[node] = 0;
    value_sum[node] = 0.0;
    parent[node] = above;
    first_child[node] = kNone;
    num_children[node] = num_tried[node] = 0;
    player[node] = static_cast<int8_t>(mover);
  }
};

int32_t try_child(Tree& tree, int32_t node, int64_t player, Rng& rng) {
  const int32_t child = tree.first_child[node] + tree.num_tried[node];
  const int32_t chosen = child + rng.below(tree.num_children[node] - tree.num_tried[node]);
  std::swap(tree.action[child], tree.action[chosen]);
  ++tree.num_tried[node];
  tree.reset(child, node, player);
  return child;
}

int32_t best_child(const Tree& tree, int32_t node, double c) {
  const int32_t first = tree.first_child[node], last = first + tree.num_children[node];
  const double log_visits = std::log(static_cast<double>(tree.visits[node]));
  int32_t best = first;
  double best_score = -1.0;
  for (int32_t child = first; child < last; ++child) {
    const double visits = tree.visits[child];
    const double score = tree.value_sum[child] / visits + c * std::sqrt(log_visits / visits);
    if (score > best_score) best = child, best_score = score;
  }
  return best;
}

int32_t descend(Tree& tree, ConnectFour& state, double c, Rng& rng) {
  int64_t actions[kColumns];
  int32_t node = kRoot;
  while (state.player != kTerminal) {
    if (tree.first_child[node] == kNone) {
      const int count = state.legal_actions(actions);
      tree.first_child[node] = static_cast<int32_t>(tree.size);
      tree.num_children[node] = static_cast<int16_t>(count);
      for (int index = 0; index < count; ++index) tree.action[tree.size++] = static_cast<int32_t>(actions[index]);
    }
    const bool fresh = tree.num_tried[node] < tree.num_children[node];
    node = fresh ? try_child(tree, node, state.player, rng) : best_child(tree, node, c);
    state.apply(tree.action[node]);
    if (fresh) break;
  }
  return node;
}

void search(Tree& tree, int64_t simulations, double c, Rng& rng) {
  int64_t actions[kColumns];
  double rewards[2];
  for (int64_t simulation = 0; simulation < simulations; ++simulation) {
    ConnectFour state;
    int32_t node = descend(tree, state, c, rng);
    while (state.player != kTerminal) state.apply(actions[rng.below(state.legal_actions(actions))]);
    state.rewards(rewards);
    for (; node != kNone; node = tree.parent[node]) {
      ++tree.visits[node];
      tree.value_sum[node] += rewards[tree.player[node]];
    }
  }
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 4) {
    std::fprintf(stderr, "usage: %s SIMULATIONS SEED C\n", arguments[0]);
    return 2;
  }
  const int64_t simulations = std::atoll(arguments[1]);
  Rng rng(std::strtoull(arguments[2], nullptr, 10));
  Tree tree(simulations * kColumns + kColumns + 1);
  const auto start = std::chrono::steady_clock::now();
  search(tree, simulations, std::atof(arguments[3]), rng);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  int32_t visits[kColumns] = {};
  for (int index = 0; index < tree.num_tried[kRoot]; ++index)
    visits[tree.action[tree.first_child[kRoot] + index]] = tree.visits[tree.first_child[kRoot] + index];
  std::printf("{\"seconds\": %.9f, \"nodes\": %lld, \"visits\": [", seconds.count(), static_cast<long long>(tree.size));
  for (int column = 0; column < kColumns; ++column) std::printf(column ? ", %d" : "%d", visits[column]);
  std::printf("]}\n");
}
