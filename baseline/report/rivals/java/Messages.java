import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.LongSupplier;

/** Tasks that send each other messages: virtual threads where this Java has them, else threads. */
final class Messages {
  private static final int ENDS = 4;
  private static final int PLACES = 100;
  private static final long OVER = -1;

  private Messages() {}

  private static ExecutorService threads() {
    try {
      var make = Executors.class.getMethod("newVirtualThreadPerTaskExecutor");
      return (ExecutorService) make.invoke(null);
    } catch (ReflectiveOperationException before21) {
      return Executors.newCachedThreadPool();
    }
  }

  private static long sum(List<Future<Long>> calls) {
    try {
      long sum = 0;
      for (Future<Long> call : calls) {
        sum += call.get();
      }
      return sum;
    } catch (InterruptedException | ExecutionException error) {
      throw new IllegalStateException(error);
    }
  }

  /** Four senders and four receivers share one queue: how many messages were received. */
  static LongSupplier channel(long messages) {
    ExecutorService threads = threads();
    return () -> {
      var queue = new ArrayBlockingQueue<Long>(PLACES);
      List<Future<Long>> senders = new ArrayList<>();
      List<Future<Long>> receivers = new ArrayList<>();
      Callable<Long> receive =
          () -> {
            long received = 0;
            while (queue.take() != OVER) {
              received++;
            }
            return received;
          };
      Callable<Long> send =
          () -> {
            for (long message = 0; message < messages / ENDS; message++) {
              queue.put(message);
            }
            return 0L;
          };
      for (int i = 0; i < ENDS; i++) {
        receivers.add(threads.submit(receive));
        senders.add(threads.submit(send));
      }
      sum(senders);
      List<Future<Long>> ends = new ArrayList<>();
      for (int i = 0; i < ENDS; i++) {
        ends.add(
            threads.submit(
                () -> {
                  queue.put(OVER);
                  return 0L;
                }));
      }
      sum(ends);
      return sum(receivers);
    };
  }

  private record End(DataInputStream in, DataOutputStream out) {
    static End of(Socket socket) throws IOException {
      socket.setTcpNoDelay(true);
      return new End(
          new DataInputStream(socket.getInputStream()),
          new DataOutputStream(socket.getOutputStream()));
    }
  }

  /** Both ends of a connection, over which each call sends so many messages: right answers. */
  static LongSupplier tcp(long messages) {
    ExecutorService threads = threads();
    End one;
    End other;
    try (ServerSocket listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      one = End.of(new Socket(listener.getInetAddress(), listener.getLocalPort()));
      other = End.of(listener.accept());
    } catch (IOException error) {
      throw new UncheckedIOException(error);
    }
    Callable<Long> ping =
        () -> {
          long right = 0;
          for (long message = 0; message < messages; message++) {
            one.out().writeLong(message);
            right += one.in().readLong() == message + 1 ? 1 : 0;
          }
          return right;
        };
    Callable<Long> pong =
        () -> {
          for (long message = 0; message < messages; message++) {
            other.out().writeLong(other.in().readLong() + 1);
          }
          return 0L;
        };
    return () -> sum(List.of(threads.submit(pong), threads.submit(ping)));
  }
}
