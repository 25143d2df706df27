// citor: fork-join by halves on its pool.
#include <citor/thread_pool.h>
#include <citor/version.h>

#include "calls.hpp"

struct Citor {
  static inline citor::ThreadPool *pool = nullptr;
  citor::ThreadPool own;

  explicit Citor(unsigned threads) : own(threads) { pool = &own; }

  static std::string version() { return CITOR_VERSION_STRING; }

  template <class F> void enter(F f) { f(); }

  template <class F> static void halves(unsigned first, unsigned end, F &f) {
    if (end - first == 1) {
      return f(first);
    }
    unsigned middle = first + (end - first) / 2;
    pool->forkJoin<citor::CcdLocalForkJoinHints>([&f, first, middle] { halves(first, middle, f); },
                                                   [&f, middle, end] { halves(middle, end, f); });
  }

  template <class F> static void all(unsigned count, F f) {
    if (count > 0) {
      halves(0, count, f);
    }
  }
};

int main(int argc, char **argv) { return report::Calls<Citor>::main(argc, argv); }
