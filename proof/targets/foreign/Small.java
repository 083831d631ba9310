/** Threads, exceptions, null checks by fault, a stack that overflows, the collector. */
public class Small {
    static int deep(int n) { return n == 0 ? 0 : 1 + deep(n - 1); }
    static int overflow(int n) { return overflow(n + 1) + 1; }

    public static void main(String[] words) throws Exception {
        long sum = 0;
        for (int i = 0; i < 300_000; i++) sum += Integer.toString(i).hashCode() % 7;
        System.out.println(sum + " " + deep(1000));
        try { overflow(0); } catch (StackOverflowError error) { System.out.println("overflowed"); }
        int caught = 0;
        String nothing = words.length == 0 ? null : words[0];
        for (int i = 0; i < 20_000; i++) try { caught += nothing.length(); } catch (NullPointerException error) { caught++; }
        System.out.println(caught);
        Thread[] threads = new Thread[4];
        long[] sums = new long[4];
        for (int t = 0; t < 4; t++) { int n = t; threads[t] = new Thread(() -> { for (int i = 0; i < 100_000; i++) sums[n] += new int[i % 40].length; }); threads[t].start(); }
        for (Thread thread : threads) thread.join();
        System.gc();
        System.out.println(java.util.Arrays.toString(sums));
        System.exit(6);
    }
}
