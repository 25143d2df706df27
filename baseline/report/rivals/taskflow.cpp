// Taskflow: a task group for each set of forks; the last one runs in place.
#include <taskflow/taskflow.hpp>

#include "calls.hpp"

struct Taskflow {
  static inline tf::Executor *executor = nullptr;
  tf::Executor own;

  explicit Taskflow(unsigned threads) : own(threads) { executor = &own; }

  static std::string version() { return tf::version(); }

  template <class F> void enter(F f) { own.async(f).get(); }

  template <class F> static void all(unsigned count, F f) {
    if (count == 0) {
      return;
    }
    tf::TaskGroup group = executor->task_group();
    for (unsigned i = 0; i + 1 < count; ++i) {
      group.silent_async([&f, i] { f(i); });
    }
    f(count - 1);
    group.corun();
  }
};

int main(int argc, char **argv) { return report::Calls<Taskflow>::main(argc, argv); }
