// libfork: coroutines whose continuations are stolen, on its pool whose idle workers sleep.
#include <libfork.hpp>

#include "common.hpp"

using report::Board;
using u64 = std::uint64_t;

inline constexpr auto fib = [](auto fib, u64 n) -> lf::task<u64> {
  if (n < 2) {
    co_return n;
  }
  u64 a = 0, b = 0;
  co_await lf::fork(&a, fib)(n - 1);
  co_await lf::call(&b, fib)(n - 2);
  co_await lf::join;
  co_return a + b;
};

inline constexpr auto skynet = [](auto skynet, u64 first, u64 leaves) -> lf::task<u64> {
  if (leaves <= 1) {
    co_return first;
  }
  u64 parts[10], below = leaves / 10, sum = 0;
  for (u64 i = 0; i < 9; ++i) {
    co_await lf::fork(&parts[i], skynet)(first + i * below, below);
  }
  co_await lf::call(&parts[9], skynet)(first + 9 * below, below);
  co_await lf::join;
  for (u64 part : parts) {
    sum += part;
  }
  co_return sum;
};

inline constexpr auto queens = [](auto queens, int side, Board board) -> lf::task<u64> {
  if (board.rows == side) {
    co_return 1;
  }
  u64 parts[report::most_queens], sum = 0;
  unsigned count = 0;
  for (int column = 0; column < side; ++column) {
    if (board.is_safe(column)) {
      co_await lf::fork(&parts[count++], queens)(side, board.with(column));
    }
  }
  co_await lf::join;
  for (unsigned i = 0; i < count; ++i) {
    sum += parts[i];
  }
  co_return sum;
};

inline constexpr auto product = [](auto product, float const *a, float const *b, float *c,
                                   std::size_t side) -> lf::task<void> {
  if (side == report::block_side) {
    report::block(a, b, c);
    co_return;
  }
  std::size_t half = side / 2, piece = half * half;
  for (std::size_t inner = 0; inner < 2; ++inner) {
    auto left = [=](std::size_t i) { return a + (i / 2 * 2 + inner) * piece; };
    auto right = [=](std::size_t i) { return b + (inner * 2 + i % 2) * piece; };
    for (std::size_t i = 0; i < 3; ++i) {
      co_await lf::fork(product)(left(i), right(i), c + i * piece, half);
    }
    co_await lf::call(product)(left(3), right(3), c + 3 * piece, half);
    co_await lf::join;
  }
};

int main(int argc, char **argv) {
  auto number = [](int part) { return std::to_string(part); };
  std::string version = number(LF_VERSION_MAJOR) + "." + number(LF_VERSION_MINOR) + "." +
                        number(LF_VERSION_PATCH);
  report::Told told = report::read(argc, argv, version);
  u64 size = told.size;
  lf::lazy_pool pool(told.threads);
  if (told.workload == "fib") {
    report::measure(told, [&] { return lf::sync_wait(pool, fib, size); });
  } else if (told.workload == "skynet") {
    report::measure(told, [&] { return lf::sync_wait(pool, skynet, u64{0}, size); });
  } else if (told.workload == "nqueens") {
    int side = static_cast<int>(size);
    report::measure(told, [&] { return lf::sync_wait(pool, queens, side, Board{}); });
  } else if (told.workload == "matmul") {
    report::Matrices matrices(size);
    report::measure(told, [&] {
      matrices.clear();
      float const *a = matrices.a.data(), *b = matrices.b.data();
      lf::sync_wait(pool, product, a, b, matrices.c.data(), matrices.side);
      return matrices.sum();
    });
  } else {
    std::fprintf(stderr, "there is no workload %s\n", argv[1]);
    return 2;
  }
}
