// Two Java threads wait for each other's monitor for ever.
import java.util.concurrent.CountDownLatch;

public class Monitors {
  static final CountDownLatch bothHold = new CountDownLatch(2);

  static void take(Object first, Object second) {
    synchronized (first) {
      bothHold.countDown();
      try {
        bothHold.await();
      } catch (InterruptedException never) {
        return;
      }
      synchronized (second) {
        System.out.println("never");
      }
    }
  }

  public static void main(String[] arguments) throws Exception {
    Object left = new Object(), right = new Object();
    new Thread(() -> take(left, right), "left").start();
    new Thread(() -> take(right, left), "right").start();
    bothHold.await();
    System.out.println("begun");
  }
}
