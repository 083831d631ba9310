// Java's virtual machine takes SIGSEGV for null checks and safepoints, and its own for a fault in native code ("dies").
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

public class NullChecks {
  static class Node {
    int value = 1;
  }

  static int read(Node node) {
    return node.value;
  }

  static long work(int seed) {
    long caught = 0;
    byte[][] kept = new byte[64][];
    for (int i = 0; i < 20_000; i++) {
      try {
        caught -= read((i * 31 + seed) % 3 == 0 ? null : new Node()) - 1;
      } catch (NullPointerException none) {
        caught++;
      }
      kept[i & 63] = new byte[4096];
      if (i % 5000 == 0) System.gc();
    }
    return caught;
  }

  static int deep(int n) {
    return deep(n + 1) + 1;
  }

  public static void main(String[] arguments) throws Exception {
    if (arguments.length > 0) {
      var field = sun.misc.Unsafe.class.getDeclaredField("theUnsafe");
      field.setAccessible(true);
      ((sun.misc.Unsafe) field.get(null)).putAddress(0, 1);
    }
    var pool = Executors.newFixedThreadPool(4);
    List<Future<Long>> all = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      final int seed = i;
      all.add(pool.submit(() -> work(seed)));
    }
    long caught = 0;
    for (var one : all) caught += one.get();
    pool.shutdown();
    try {
      deep(0);
    } catch (StackOverflowError full) {
      System.out.println("the stack was full");
    }
    System.out.println("caught " + caught);
    System.exit(7);
  }
}
