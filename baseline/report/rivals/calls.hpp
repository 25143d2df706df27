// The workloads for libraries whose forks are plain calls.
//
// A `Pool` has a constructor that takes a number of threads, `enter(f)`, which runs `f` inside,
// `version()`, and `all(count, f)`, which runs `f(0)` to `f(count - 1)`, maybe in parallel, and
// waits for them.
#pragma once

#include "common.hpp"

namespace report {

template <class Pool> struct Calls {
  static std::uint64_t fib(std::uint64_t n) {
    if (n < 2) {
      return n;
    }
    std::uint64_t parts[2];
    Pool::all(2, [&parts, n](unsigned i) { parts[i] = fib(n - 1 - i); });
    return parts[0] + parts[1];
  }

  static std::uint64_t skynet(std::uint64_t first, std::uint64_t leaves) {
    if (leaves <= 1) {
      return first;
    }
    std::uint64_t parts[10], sum = 0, below = leaves / 10;
    Pool::all(10, [&parts, first, below](unsigned i) { parts[i] = skynet(first + i * below, below); });
    for (std::uint64_t part : parts) {
      sum += part;
    }
    return sum;
  }

  static std::uint64_t queens(int side, Board const &board) {
    if (board.rows == side) {
      return 1;
    }
    Board next[most_queens];
    std::uint64_t parts[most_queens], sum = 0;
    unsigned count = 0;
    for (int column = 0; column < side; ++column) {
      if (board.is_safe(column)) {
        next[count++] = board.with(column);
      }
    }
    Pool::all(count, [&next, &parts, side](unsigned i) { parts[i] = queens(side, next[i]); });
    for (unsigned i = 0; i < count; ++i) {
      sum += parts[i];
    }
    return sum;
  }

  static void product(float const *a, float const *b, float *c, std::size_t side) {
    if (side == block_side) {
      return block(a, b, c);
    }
    std::size_t half = side / 2, piece = half * half;
    for (std::size_t inner = 0; inner < 2; ++inner) {
      Pool::all(4, [=](unsigned i) {
        unsigned row = i / 2, column = i % 2;
        product(a + (2 * row + inner) * piece, b + (2 * inner + column) * piece, c + i * piece, half);
      });
    }
  }

  struct Node {
    std::uint64_t value;
    std::unique_ptr<Node> left, right;
  };

  static std::unique_ptr<Node> leaf(std::uint64_t value) {
    return std::unique_ptr<Node>(new Node{value, nullptr, nullptr});
  }

  // Level by level, from the left.
  static std::unique_ptr<Node> perfect(std::uint64_t nodes) {
    std::uint64_t count = 1;
    auto root = leaf(count);
    std::vector<Node *> level{root.get()}, next;
    while (2 * level.size() + count <= nodes) {
      next.clear();
      for (Node *node : level) {
        for (auto *child : {&node->left, &node->right}) {
          *child = leaf(++count);
          next.push_back(child->get());
        }
      }
      std::swap(level, next);
    }
    return root;
  }

  static std::uint64_t sum(Node const *node) {
    if (!node) {
      return 0;
    }
    std::uint64_t parts[2];
    Pool::all(2, [&parts, node](unsigned i) { parts[i] = sum(i ? node->right.get() : node->left.get()); });
    return node->value + parts[0] + parts[1];
  }

  static int main(int argc, char **argv) {
    Told told = read(argc, argv, Pool::version());
    std::uint64_t size = told.size;
    Pool pool(told.threads);
    auto run = [&](auto once) { pool.enter([&] { measure(told, once); }); };
    if (told.workload == "fib") {
      run([&] { return fib(size); });
    } else if (told.workload == "skynet") {
      run([&] { return skynet(0, size); });
    } else if (told.workload == "nqueens") {
      run([&] { return queens(static_cast<int>(size), Board{}); });
    } else if (told.workload == "matmul") {
      Matrices matrices(size);
      run([&] {
        matrices.clear();
        product(matrices.a.data(), matrices.b.data(), matrices.c.data(), matrices.side);
        return matrices.sum();
      });
    } else if (told.workload == "tree") {
      auto tree = perfect(size);
      run([&] { return sum(tree.get()); });
    } else {
      std::fprintf(stderr, "there is no workload %s\n", argv[1]);
      return 2;
    }
    return 0;
  }
};

} // namespace report
