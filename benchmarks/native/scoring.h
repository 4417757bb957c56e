// UCT: which child to go on to, where all were tried. Two ways to score children; the first among equals is taken.

#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#ifdef __AVX2__
#include <immintrin.h>
#endif

#include "tree.h"

// One child after the other, in float64.
struct OneByOne {
  static int32_t best_child(const Tree& tree, int32_t node, double c) {
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
};

using Floats = float __attribute__((vector_size(4 * kLanes)));
using Ints = int32_t __attribute__((vector_size(4 * kLanes)));
using Doubles = double __attribute__((vector_size(8 * kLanes)));

template <class Vector, class Entry>
Vector load(const Entry& first) {
  Vector vector;
  std::memcpy(&vector, &first, sizeof vector);
  return vector;
}

inline Floats square_root(Floats numbers) {
#ifdef __AVX2__
  return _mm256_sqrt_ps(numbers);
#else
  for (int lane = 0; lane < kLanes; ++lane) numbers[lane] = std::sqrt(numbers[lane]);
  return numbers;
#endif
}

// A bit for each lane that holds true.
inline unsigned lanes_of(Ints truths) {
#ifdef __AVX2__
  return static_cast<unsigned>(_mm256_movemask_ps(reinterpret_cast<__m256>(truths)));
#else
  unsigned bits = 0;
  for (int lane = 0; lane < kLanes; ++lane) bits |= (truths[lane] & 1u) << lane;
  return bits;
#endif
}

inline Floats maximum(Floats one, Floats other) { return one > other ? one : other; }

// The highest of all lanes, in all lanes.
inline Floats highest(Floats numbers) {
  numbers = maximum(numbers, __builtin_shufflevector(numbers, numbers, 4, 5, 6, 7, 0, 1, 2, 3));
  numbers = maximum(numbers, __builtin_shufflevector(numbers, numbers, 2, 3, 0, 1, 6, 7, 4, 5));
  return maximum(numbers, __builtin_shufflevector(numbers, numbers, 1, 0, 3, 2, 5, 4, 7, 6));
}

// Eight children at a time, in float32. Their sums stay float64.
struct EightAtOnce {
  static int32_t best_child(const Tree& tree, int32_t node, double c) {
    const int32_t first = tree.first_child[node], count = tree.num_children[node];
    const float scale = static_cast<float>(c * c * std::log(static_cast<double>(tree.visits[node])));
    Floats best_scores = Floats{} - 1.0f;
    Ints best = {}, indices = {0, 1, 2, 3, 4, 5, 6, 7};
    for (int32_t start = 0; start < count; start += kLanes, indices += kLanes) {
      const Ints visits = load<Ints>(tree.visits[first + start]);
      const Doubles sums = load<Doubles>(tree.value_sum[first + start]);
      const Floats inverse = 1.0f / __builtin_convertvector(visits, Floats);
      const Floats scores = __builtin_convertvector(sums, Floats) * inverse + square_root(scale * inverse);
      const Ints better = (scores > best_scores) & (indices < count);
      best_scores = better ? scores : best_scores;
      best = better ? indices : best;
    }
    unsigned lanes = lanes_of(best_scores == highest(best_scores));
    int32_t chosen = best[__builtin_ctz(lanes)];
    while (lanes &= lanes - 1) chosen = std::min(chosen, best[__builtin_ctz(lanes)]);
    return first + chosen;
  }
};
