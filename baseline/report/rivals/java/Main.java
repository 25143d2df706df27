import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.RecursiveTask;
import java.util.function.IntToLongFunction;
import java.util.function.LongSupplier;

/**
 * A fork-join pool: a task for each fork, but the last one, which runs in place.
 *
 * <p>PROGRAM WORKLOAD SIZE THREADS MILLISECONDS prints lines of WORKLOAD, METRIC, FIGURE.
 */
final class Main {
  private static final int MOST_QUEENS = 16;
  private static final int BLOCK = 32;

  private static final class Call extends RecursiveTask<Long> {
    private static final long serialVersionUID = 1;
    private final transient IntToLongFunction function;
    private final int number;

    Call(IntToLongFunction function, int number) {
      this.function = function;
      this.number = number;
    }

    @Override
    protected Long compute() {
      return function.applyAsLong(number);
    }
  }

  /** The sum of f(0) to f(count - 1). */
  private static long all(int count, IntToLongFunction f) {
    if (count == 0) {
      return 0;
    }
    Call[] calls = new Call[count - 1];
    for (int i = 0; i < count - 1; i++) {
      calls[i] = new Call(f, i);
      calls[i].fork();
    }
    long sum = f.applyAsLong(count - 1);
    for (int i = count - 2; i >= 0; i--) {
      sum += calls[i].join();
    }
    return sum;
  }

  private static long fib(long n) {
    return n < 2 ? n : all(2, i -> fib(n - 1 - i));
  }

  private static long skynet(long first, long leaves) {
    return leaves <= 1 ? first : all(10, i -> skynet(first + i * (leaves / 10), leaves / 10));
  }

  private static boolean isSafe(byte[] columns, int rows, int column) {
    for (int row = rows - 1, away = 1; row >= 0; row--, away++) {
      int off = columns[row] - column;
      if (off == 0 || off == away || off == -away) {
        return false;
      }
    }
    return true;
  }

  private static long queens(int side, byte[] columns, int rows) {
    if (rows == side) {
      return 1;
    }
    byte[][] next = new byte[MOST_QUEENS][];
    int count = 0;
    for (int column = 0; column < side; column++) {
      if (isSafe(columns, rows, column)) {
        byte[] board = columns.clone();
        board[rows] = (byte) column;
        next[count++] = board;
      }
    }
    return all(count, i -> queens(side, next[i], rows + 1));
  }

  private interface Element {
    int at(int row, int column);
  }

  private static void fill(float[] matrix, int from, int side, int row, int column, Element f) {
    if (side == BLOCK) {
      for (int place = 0; place < side * side; place++) {
        matrix[from + place] = f.at(row + place / side, column + place % side);
      }
      return;
    }
    int half = side / 2;
    for (int i = 0; i < 4; i++) {
      fill(matrix, from + i * half * half, half, row + i / 2 * half, column + i % 2 * half, f);
    }
  }

  private static long weigh(float[] matrix, int from, int side, int row, int column) {
    long sum = 0;
    if (side == BLOCK) {
      for (int place = 0; place < side * side; place++) {
        int weight = ((row + place / side) % 7 + 1) * ((column + place % side) % 5 + 1);
        sum += (long) matrix[from + place] * weight;
      }
      return sum;
    }
    int half = side / 2;
    for (int i = 0; i < 4; i++) {
      sum += weigh(matrix, from + i * half * half, half, row + i / 2 * half, column + i % 2 * half);
    }
    return sum;
  }

  private static void block(float[] a, int atA, float[] b, int atB, float[] c, int atC) {
    for (int i = 0; i < BLOCK; i++) {
      for (int k = 0; k < BLOCK; k++) {
        float factor = a[atA + i * BLOCK + k];
        int row = atB + k * BLOCK;
        int to = atC + i * BLOCK;
        for (int j = 0; j < BLOCK; j++) {
          c[to + j] += factor * b[row + j];
        }
      }
    }
  }

  private static long product(float[] a, int atA, float[] b, int atB, float[] c, int atC, int side) {
    if (side == BLOCK) {
      block(a, atA, b, atB, c, atC);
      return 0;
    }
    int half = side / 2;
    int size = half * half;
    for (int step = 0; step < 2; step++) {
      int inner = step;
      all(
          4,
          i -> {
            int left = atA + (i / 2 * 2 + inner) * size;
            int right = atB + (2 * inner + i % 2) * size;
            return product(a, left, b, right, c, atC + i * size, half);
          });
    }
    return 0;
  }

  private static LongSupplier matmul(long told) {
    int side = BLOCK;
    while (side < told) {
      side *= 2;
    }
    int full = side;
    float[] a = new float[side * side];
    float[] b = new float[side * side];
    float[] c = new float[side * side];
    fill(a, 0, side, 0, 0, (i, j) -> (i + 2 * j) % 3);
    fill(b, 0, side, 0, 0, (i, j) -> (3 * i + j) % 4);
    return () -> {
      java.util.Arrays.fill(c, 0);
      product(a, 0, b, 0, c, 0, full);
      return weigh(c, 0, full, 0, 0);
    };
  }

  private static final class Node {
    final long value;
    Node left;
    Node right;

    Node(long value) {
      this.value = value;
    }
  }

  private static Node perfect(long nodes) {
    long count = 1;
    Node root = new Node(count);
    List<Node> level = List.of(root);
    while (2L * level.size() + count <= nodes) {
      List<Node> next = new ArrayList<>(2 * level.size());
      for (Node node : level) {
        node.left = new Node(++count);
        node.right = new Node(++count);
        next.add(node.left);
        next.add(node.right);
      }
      level = next;
    }
    return root;
  }

  private static long sum(Node node) {
    return node == null ? 0 : node.value + all(2, i -> sum(i == 0 ? node.left : node.right));
  }

  private static LongSupplier workload(String name, long size) {
    switch (name) {
      case "fib":
        return () -> fib(size);
      case "skynet":
        return () -> skynet(0, size);
      case "nqueens":
        return () -> queens((int) size, new byte[MOST_QUEENS], 0);
      case "matmul":
        return matmul(size);
      case "tree":
        Node tree = perfect(size);
        return () -> sum(tree);
      case "channel":
        return Messages.channel(size);
      case "tcp":
        return Messages.tcp(size);
      default:
        throw new IllegalArgumentException("there is no workload " + name);
    }
  }

  private static double cpuSeconds() {
    var system = ManagementFactory.getOperatingSystemMXBean();
    if (system instanceof com.sun.management.OperatingSystemMXBean process) {
      return process.getProcessCpuTime() * 1e-9;
    }
    return 0;
  }

  private static long answer;
  private static boolean first = true;

  private static double time(ForkJoinPool pool, long iterations, LongSupplier once) {
    long start = System.nanoTime();
    for (long i = 0; i < iterations; i++) {
      long got = pool.submit(once::getAsLong).join();
      if (!first && got != answer) {
        throw new IllegalStateException("not every run gave the same answer");
      }
      first = false;
      answer = got;
    }
    return (System.nanoTime() - start) * 1e-9;
  }

  private static void measure(String name, ForkJoinPool pool, double limit, LongSupplier once)
      throws IOException {
    double cpu = cpuSeconds();
    double wall = time(pool, 1, once);
    double median = wall;
    if (wall >= limit) {
      cpu = (cpuSeconds() - cpu) / wall;
    } else {
      long iterations = 1;
      while (wall * 8 < limit) {
        iterations *= 2;
        wall = time(pool, iterations, once);
      }
      List<Double> times = new ArrayList<>();
      long start = System.nanoTime();
      cpu = cpuSeconds();
      while (times.isEmpty() || (System.nanoTime() - start) * 1e-9 < limit) {
        times.add(time(pool, iterations, once) / iterations);
      }
      cpu = (cpuSeconds() - cpu) / ((System.nanoTime() - start) * 1e-9);
      Collections.sort(times);
      median = (times.get((times.size() - 1) / 2) + times.get(times.size() / 2)) / 2;
    }
    System.out.printf("%s\ttime\t%s%n", name, median);
    System.out.printf("%s\tcpu\t%s%n", name, cpu);
    System.out.printf("%s\tanswer\t%d%n", name, answer);
    for (String line : Files.readAllLines(Path.of("/proc/self/status"))) {
      if (line.startsWith("VmHWM:")) {
        System.out.printf("%s\tpeak\t%s%n", name, line.replaceAll("\\D", ""));
      }
    }
  }

  public static void main(String[] words) throws IOException {
    if (words.length == 1 && words[0].equals("version")) {
      System.out.println(System.getProperty("java.vm.name") + " " + Runtime.version());
      return;
    }
    if (words.length != 4) {
      throw new IllegalArgumentException("usage: WORKLOAD SIZE THREADS MILLISECONDS");
    }
    ForkJoinPool pool = new ForkJoinPool(Integer.parseInt(words[2]));
    LongSupplier once = workload(words[0], Long.parseLong(words[1]));
    measure(words[0], pool, Double.parseDouble(words[3]) / 1000, once);
    // Threads that wait for more work don't keep the process.
    System.exit(0);
  }
}
