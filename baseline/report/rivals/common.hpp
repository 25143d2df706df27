// What the programs in C++ share: the measuring and what they print.
//
// PROGRAM WORKLOAD SIZE THREADS MILLISECONDS prints lines of WORKLOAD<TAB>METRIC<TAB>FIGURE.
#pragma once

#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace report {

struct Told {
  std::string workload;
  std::uint64_t size;
  unsigned threads;
  double limit;
};

// What a version says after the library's own.
#ifdef __clang__
constexpr char const *compiler = ", " __VERSION__;
#else
constexpr char const *compiler = ", g++ " __VERSION__;
#endif

inline Told read(int argc, char **argv, std::string const &version) {
  if (argc == 2 && std::string(argv[1]) == "version") {
    std::printf("%s%s\n", version.c_str(), compiler);
    std::exit(0);
  }
  if (argc != 5) {
    std::fprintf(stderr, "usage: %s WORKLOAD SIZE THREADS MILLISECONDS\n", argv[0]);
    std::exit(2);
  }
  return {argv[1], std::stoull(argv[2]), static_cast<unsigned>(std::stoul(argv[3])),
          std::stod(argv[4]) / 1000.0};
}

inline double seconds() {
  using namespace std::chrono;
  return duration<double>(steady_clock::now().time_since_epoch()).count();
}

inline double cpu_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  auto of = [](timeval time) { return time.tv_sec + time.tv_usec * 1e-6; };
  return of(usage.ru_utime) + of(usage.ru_stime);
}

inline void print(Told const &told, char const *metric, double figure) {
  std::printf("%s\t%s\t%.17g\n", told.workload.c_str(), metric, figure);
}

inline void print_peak(Told const &told) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.rfind("VmHWM:", 0) == 0) {
      print(told, "peak", std::stod(line.substr(6)));
    }
  }
}

// Runs `once` as often as the limit allows, at least once. Every run must give the same answer.
template <class Once> void measure(Told const &told, Once once) {
  std::uint64_t answer = 0;
  bool differs = false, first = true;
  auto time = [&](std::uint64_t iterations) {
    double start = seconds();
    for (std::uint64_t i = 0; i < iterations; ++i) {
      std::uint64_t got = once();
      differs |= !first && got != answer;
      first = false;
      answer = got;
    }
    return seconds() - start;
  };
  double cpu = cpu_seconds(), wall = time(1), median = wall;
  if (wall >= told.limit) {
    cpu = (cpu_seconds() - cpu) / wall;
  } else {
    std::uint64_t iterations = 1;
    while (wall * 8 < told.limit) {
      iterations *= 2;
      wall = time(iterations);
    }
    std::vector<double> times;
    double start = seconds();
    cpu = cpu_seconds();
    while (times.empty() || seconds() - start < told.limit) {
      times.push_back(time(iterations) / static_cast<double>(iterations));
    }
    cpu = (cpu_seconds() - cpu) / (seconds() - start);
    std::sort(times.begin(), times.end());
    median = (times[(times.size() - 1) / 2] + times[times.size() / 2]) / 2;
  }
  if (differs) {
    std::fprintf(stderr, "not every run gave the same answer\n");
    std::exit(3);
  }
  print(told, "time", median);
  print(told, "cpu", cpu);
  print(told, "answer", static_cast<double>(answer));
  print_peak(told);
}

// --- a board of queens ---------------------------------------------------------------------------

constexpr int most_queens = 16;

struct Board {
  int rows = 0;
  std::array<std::int8_t, most_queens> columns{};

  bool is_safe(int column) const {
    for (int row = rows - 1, away = 1; row >= 0; --row, ++away) {
      int other = columns[row];
      if (other == column || std::abs(other - column) == away) {
        return false;
      }
    }
    return true;
  }

  Board with(int column) const {
    Board board = *this;
    board.columns[board.rows++] = static_cast<std::int8_t>(column);
    return board;
  }
};

// --- matrices that lie quadrant by quadrant ------------------------------------------------------

constexpr std::size_t block_side = 32;

template <class F>
void fill(float *piece, std::size_t side, std::size_t row, std::size_t column, F f) {
  if (side == block_side) {
    for (std::size_t place = 0; place < side * side; ++place) {
      piece[place] = static_cast<float>(f(row + place / side, column + place % side));
    }
    return;
  }
  std::size_t half = side / 2;
  for (std::size_t i = 0; i < 4; ++i) {
    fill(piece + i * half * half, half, row + i / 2 * half, column + i % 2 * half, f);
  }
}

inline std::uint64_t weigh(float const *piece, std::size_t side, std::size_t row,
                           std::size_t column) {
  std::uint64_t sum = 0;
  if (side == block_side) {
    for (std::size_t place = 0; place < side * side; ++place) {
      std::size_t weight = ((row + place / side) % 7 + 1) * ((column + place % side) % 5 + 1);
      sum += static_cast<std::uint64_t>(piece[place]) * weight;
    }
    return sum;
  }
  std::size_t half = side / 2;
  for (std::size_t i = 0; i < 4; ++i) {
    sum += weigh(piece + i * half * half, half, row + i / 2 * half, column + i % 2 * half);
  }
  return sum;
}

inline void block(float const *__restrict a, float const *__restrict b, float *__restrict c) {
  for (std::size_t i = 0; i < block_side; ++i) {
    for (std::size_t k = 0; k < block_side; ++k) {
      float factor = a[i * block_side + k];
      for (std::size_t j = 0; j < block_side; ++j) {
        c[i * block_side + j] += factor * b[k * block_side + j];
      }
    }
  }
}

struct Matrices {
  std::size_t side;
  std::vector<float> a, b, c;

  explicit Matrices(std::uint64_t told) : side(block_side) {
    while (side < told) {
      side *= 2;
    }
    for (auto *matrix : {&a, &b, &c}) {
      matrix->resize(side * side);
    }
    fill(a.data(), side, 0, 0, [](std::size_t i, std::size_t j) { return (i + 2 * j) % 3; });
    fill(b.data(), side, 0, 0, [](std::size_t i, std::size_t j) { return (3 * i + j) % 4; });
  }

  void clear() { std::fill(c.begin(), c.end(), 0.0f); }
  std::uint64_t sum() const { return weigh(c.data(), side, 0, 0); }
};

} // namespace report
