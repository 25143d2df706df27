// OpenMP: a task for each fork; the last one runs in place.
#include <omp.h>

#include "calls.hpp"

struct OpenMp {
  unsigned threads;

  explicit OpenMp(unsigned told) : threads(told) {}

  static std::string version() { return "OpenMP " + std::to_string(_OPENMP); }

  template <class F> void enter(F f) {
#pragma omp parallel num_threads(threads)
#pragma omp single
    f();
  }

  template <class F> static void all(unsigned count, F f) {
    if (count == 0) {
      return;
    }
    for (unsigned i = 0; i + 1 < count; ++i) {
#pragma omp task shared(f) firstprivate(i)
      f(i);
    }
    f(count - 1);
#pragma omp taskwait
  }
};

int main(int argc, char **argv) { return report::Calls<OpenMp>::main(argc, argv); }
