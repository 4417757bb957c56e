// Random numbers, and sets of small numbers as the bits of a word.

#pragma once

#include <cstdint>
#ifdef __BMI2__
#include <immintrin.h>
#endif

inline uint64_t mix(uint64_t number) {
  number = (number ^ (number >> 30)) * 0xBF58476D1CE4E5B9u;
  number = (number ^ (number >> 27)) * 0x94D049BB133111EBu;
  return number ^ (number >> 31);
}

// The generator of fastmcts: the same seed gives the same numbers.
class Rng {
 public:
  explicit Rng(uint64_t seed) {
    counter_ = mix(seed + 0x9E3779B97F4A7C15u);
    step_ = mix(counter_ ^ 0x9E3779B97F4A7C15u) | 1;
  }
  int below(int bound) {
    counter_ += step_;
    return static_cast<int>(((mix(counter_) >> 32) * static_cast<uint64_t>(bound)) >> 32);
  }

 private:
  uint64_t counter_, step_;
};

constexpr uint64_t bit(int index) { return uint64_t{1} << index; }

inline int count_bits(uint64_t word) { return __builtin_popcountll(word); }

// The index of the lowest bit of a word that has one.
inline int lowest_bit(uint64_t word) { return __builtin_ctzll(word); }

// The bits of `word` at the places of `mask`, moved together to the lowest places.
inline uint64_t extract_bits(uint64_t word, uint64_t mask) {
#ifdef __BMI2__
  return _pext_u64(word, mask);
#else
  uint64_t found = 0;
  for (int place = 0; mask; ++place, mask &= mask - 1)
    if (word >> lowest_bit(mask) & 1) found |= bit(place);
  return found;
#endif
}

// The index of the n-th lowest bit, counted from 0, of a word that has more than n.
inline int nth_bit(uint64_t word, int n) {
#ifdef __BMI2__
  return lowest_bit(_pdep_u64(bit(n), word));
#else
  for (; n > 0; --n) word &= word - 1;
  return lowest_bit(word);
#endif
}
