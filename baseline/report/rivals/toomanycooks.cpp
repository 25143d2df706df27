// TooManyCooks: coroutines on its executor for computations.
#define TMC_IMPL
#include "tmc/all_headers.hpp"

#include <atomic>

#include "common.hpp"

using report::Board;
using u64 = std::uint64_t;

static tmc::task<u64> fib(u64 n) {
  if (n < 2) {
    co_return n;
  }
  auto [a, b] = co_await tmc::spawn_tuple(fib(n - 1), fib(n - 2));
  co_return a + b;
}

static tmc::task<u64> skynet(u64 first, u64 leaves) {
  if (leaves <= 1) {
    co_return first;
  }
  u64 below = leaves / 10, sum = 0;
  std::array<tmc::task<u64>, 10> children;
  for (u64 i = 0; i < 10; ++i) {
    children[i] = skynet(first + i * below, below);
  }
  std::array<u64, 10> parts = co_await tmc::spawn_many<10>(children.data());
  for (u64 part : parts) {
    sum += part;
  }
  co_return sum;
}

static tmc::task<u64> queens(int side, Board board) {
  if (board.rows == side) {
    co_return 1;
  }
  std::array<tmc::task<u64>, report::most_queens> children;
  std::size_t count = 0;
  u64 sum = 0;
  for (int column = 0; column < side; ++column) {
    if (board.is_safe(column)) {
      children[count++] = queens(side, board.with(column));
    }
  }
  std::vector<u64> parts = co_await tmc::spawn_many(children.data(), count);
  for (u64 part : parts) {
    sum += part;
  }
  co_return sum;
}

static tmc::task<void> product(float const *a, float const *b, float *c, std::size_t side) {
  if (side == report::block_side) {
    report::block(a, b, c);
    co_return;
  }
  std::size_t half = side / 2, piece = half * half;
  for (std::size_t inner = 0; inner < 2; ++inner) {
    std::array<tmc::task<void>, 4> children;
    for (std::size_t i = 0; i < 4; ++i) {
      children[i] = product(a + (i / 2 * 2 + inner) * piece, b + (inner * 2 + i % 2) * piece,
                            c + i * piece, half);
    }
    co_await tmc::spawn_many<4>(children.data());
  }
}

using Channel = tmc::chan_tok<u64>;

// The last one to end closes the channel.
static tmc::task<u64> sends(Channel channel, u64 messages, std::atomic<int> &senders) {
  for (u64 message = 0; message < messages; ++message) {
    co_await channel.push(message);
  }
  if (--senders == 0) {
    channel.close();
  }
  co_return 0;
}

static tmc::task<u64> receives(Channel channel) {
  u64 received = 0;
  while (co_await channel.pull()) {
    ++received;
  }
  co_return received;
}

// Four senders and four receivers share one channel, which has no bound.
static tmc::task<u64> channel(u64 messages) {
  constexpr int ends = 4;
  Channel shared = tmc::make_channel<u64>();
  std::atomic<int> senders = ends;
  std::array<tmc::task<u64>, 2 * ends> tasks;
  for (int i = 0; i < ends; ++i) {
    tasks[2 * i] = receives(shared);
    tasks[2 * i + 1] = sends(shared, messages / ends, senders);
  }
  std::array<u64, 2 * ends> parts = co_await tmc::spawn_many<2 * ends>(tasks.data());
  u64 sum = 0;
  for (u64 part : parts) {
    sum += part;
  }
  co_return sum;
}

int main(int argc, char **argv) {
  auto number = [](int part) { return std::to_string(part); };
  std::string version = number(TMC_VERSION_MAJOR) + "." + number(TMC_VERSION_MINOR) + "." +
                        number(TMC_VERSION_PATCH);
  report::Told told = report::read(argc, argv, version);
  u64 size = told.size;
  auto &pool = tmc::cpu_executor();
  pool.set_thread_count(told.threads).init();
  auto run = [&](auto task) { return tmc::post_waitable(pool, std::move(task)).get(); };
  if (told.workload == "fib") {
    report::measure(told, [&] { return run(fib(size)); });
  } else if (told.workload == "skynet") {
    report::measure(told, [&] { return run(skynet(0, size)); });
  } else if (told.workload == "nqueens") {
    report::measure(told, [&] { return run(queens(static_cast<int>(size), Board{})); });
  } else if (told.workload == "channel") {
    report::measure(told, [&] { return run(channel(size)); });
  } else if (told.workload == "matmul") {
    report::Matrices matrices(size);
    report::measure(told, [&] {
      matrices.clear();
      run(product(matrices.a.data(), matrices.b.data(), matrices.c.data(), matrices.side));
      return matrices.sum();
    });
  } else {
    std::fprintf(stderr, "there is no workload %s\n", argv[1]);
    return 2;
  }
}
