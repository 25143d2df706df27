// oneTBB: a task group for each set of forks; the last one runs in place.
#include <tbb/global_control.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>
#include <tbb/version.h>

#include "calls.hpp"

struct Tbb {
  tbb::global_control control;
  tbb::task_arena arena;

  explicit Tbb(unsigned threads)
      : control(tbb::global_control::max_allowed_parallelism, threads),
        arena(static_cast<int>(threads)) {}

  static std::string version() { return TBB_runtime_version(); }

  template <class F> void enter(F f) { arena.execute(f); }

  template <class F> static void all(unsigned count, F f) {
    if (count == 0) {
      return;
    }
    tbb::task_group group;
    for (unsigned i = 0; i + 1 < count; ++i) {
      group.run([&f, i] { f(i); });
    }
    f(count - 1);
    group.wait();
  }
};

int main(int argc, char **argv) { return report::Calls<Tbb>::main(argc, argv); }
