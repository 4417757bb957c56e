// The search, and a program around it for one game:
//
//   PROGRAM one_by_one SIMULATIONS SEED C    ->  {"seconds": ..., "nodes": ..., "value": ..., "visits": [...]}
//   PROGRAM eight_at_once SIMULATIONS SEED C     the same, with vectors
//   PROGRAM games COUNT SEED                 ->  a line for each random game: its moves, its choices, its rewards
//
// Seconds are those of the processor, from before the first byte of the tree is asked for.
//
// A game has kActions and `player`, who is to move; `legal_actions`, which writes the moves in ascending order and
// returns how many; `random_action`, `apply` and `rewards`.

#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <utility>
#include <vector>

#include "bits.h"
#include "scoring.h"
#include "tree.h"

template <class Game>
void lay_out_children(Tree& tree, int32_t node, const Game& state) {
  int32_t* actions = &tree.action[tree.size];
  const int count = state.legal_actions(actions);
  tree.first_child[node] = static_cast<int32_t>(tree.size);
  tree.num_children[node] = static_cast<int16_t>(count);
  tree.size += count;
}

inline int32_t try_child(Tree& tree, int32_t node, int player, Rng& rng) {
  const int32_t child = tree.first_child[node] + tree.num_tried[node];
  const int32_t chosen = child + rng.below(tree.num_children[node] - tree.num_tried[node]);
  std::swap(tree.action[child], tree.action[chosen]);
  ++tree.num_tried[node];
  tree.start(child, node, player);
  return child;
}

template <class Scoring, class Game>
int32_t descend(Tree& tree, Game& state, double c, Rng& rng) {
  int32_t node = kRoot;
  while (state.player != kTerminal) {
    if (tree.first_child[node] == kNone) lay_out_children(tree, node, state);
    const bool fresh = tree.num_tried[node] < tree.num_children[node];
    node = fresh ? try_child(tree, node, state.player, rng) : Scoring::best_child(tree, node, c);
    if (!fresh) tree.prefetch_children(node);
    state.apply(tree.action[node]);
    if (fresh) break;
  }
  return node;
}

template <class Scoring, class Game>
void search(Tree& tree, int64_t simulations, double c, Rng& rng) {
  const Game root;
  double rewards[2];
  for (int64_t simulation = 0; simulation < simulations; ++simulation) {
    Game state = root;
    int32_t node = descend<Scoring>(tree, state, c, rng);
    while (state.player != kTerminal) state.apply(state.random_action(rng));
    state.rewards(rewards);
    for (; node != kNone; node = tree.parent[node]) {
      ++tree.visits[node];
      tree.value_sum[node] += rewards[tree.player[node]];
    }
  }
}

inline double processor_seconds() {
  timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

template <class Scoring, class Game>
void run_search(int64_t simulations, uint64_t seed, double c) {
  const double start = processor_seconds();
  Rng rng(seed);
  Tree tree(simulations * Game::kActions + Game::kActions + 1);
  search<Scoring, Game>(tree, simulations, c, rng);
  const double seconds = processor_seconds() - start;
  std::vector<int32_t> visits(Game::kActions, 0);
  for (int index = 0; index < tree.num_tried[kRoot]; ++index) {
    const int32_t child = tree.first_child[kRoot] + index;
    visits[tree.action[child]] = tree.visits[child];
  }
  const double value = tree.value_sum[kRoot] / tree.visits[kRoot];
  std::printf("{\"seconds\": %.9f, \"nodes\": %lld, \"value\": %.17g, \"visits\": [", seconds,
              static_cast<long long>(tree.size), value);
  for (int action = 0; action < Game::kActions; ++action) std::printf(action ? ", %d" : "%d", visits[action]);
  std::printf("]}\n");
}

template <class Game>
void play_games(int64_t count, uint64_t seed) {
  Rng rng(seed);
  int32_t actions[Game::kActions];
  double rewards[2];
  for (int64_t game = 0; game < count; ++game) {
    Game state;
    std::printf("{\"moves\": [");
    for (bool is_first = true; state.player != kTerminal; is_first = false) {
      const int choices = state.legal_actions(actions), player = state.player, action = state.random_action(rng);
      std::printf("%s[%d, %d, %d]", is_first ? "" : ", ", player, choices, action);
      state.apply(action);
    }
    state.rewards(rewards);
    std::printf("], \"rewards\": [%g, %g]}\n", rewards[0], rewards[1]);
  }
}

template <class Game>
int run_program(int count, char** arguments) {
  const auto whole = [&](int index) { return std::strtoull(arguments[index], nullptr, 10); };
  if (count == 5 && std::strcmp(arguments[1], "one_by_one") == 0)
    run_search<OneByOne, Game>(whole(2), whole(3), std::atof(arguments[4]));
  else if (count == 5 && std::strcmp(arguments[1], "eight_at_once") == 0)
    run_search<EightAtOnce, Game>(whole(2), whole(3), std::atof(arguments[4]));
  else if (count == 4 && std::strcmp(arguments[1], "games") == 0)
    play_games<Game>(whole(2), whole(3));
  else {
    std::fprintf(stderr, "usage: %s one_by_one|eight_at_once SIMULATIONS SEED C, or games COUNT SEED\n", arguments[0]);
    return 2;
  }
  return 0;
}
