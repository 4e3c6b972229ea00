#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# The JVM: javac, then threads, locks, executors, channels, processes, timers, signals, and its end by System.exit.
. "$(dirname "$0")/common.sh"
cat >Main.java <<'JAVA'
import java.io.*; import java.net.*; import java.nio.*; import java.nio.channels.*; import java.nio.file.*; import java.util.*;
import java.util.concurrent.*; import java.util.concurrent.atomic.*; import java.util.concurrent.locks.*; import java.util.stream.*;
public class Main {
    static int shared; static final Object monitor = new Object();
    public static void main(String[] a) throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(8);
        ReentrantLock lock = new ReentrantLock(); Condition full = lock.newCondition(); Deque<Integer> q = new ArrayDeque<>();
        List<Future<Long>> parts = new ArrayList<>();
        for (int t = 0; t < 4; t++) { final int me = t; pool.submit(() -> { for (int i = 0; i < 5000; i++) { lock.lock(); try { q.add(me * 5000 + i); full.signal(); } finally { lock.unlock(); } } }); }
        for (int t = 0; t < 4; t++) parts.add(pool.submit(() -> { long s = 0; for (int i = 0; i < 5000; i++) { lock.lock(); try { while (q.isEmpty()) full.await(); s += q.poll(); } finally { lock.unlock(); } } return s; }));
        long sum = 0; for (Future<Long> p : parts) sum += p.get(); System.out.println("queue " + sum);
        CyclicBarrier barrier = new CyclicBarrier(8); AtomicInteger rounds = new AtomicInteger();
        List<Future<?>> fs = new ArrayList<>();
        for (int t = 0; t < 8; t++) fs.add(pool.submit(() -> { for (int i = 0; i < 50; i++) { barrier.await(); synchronized (monitor) { shared++; } rounds.incrementAndGet(); } return null; }));
        for (Future<?> f : fs) f.get(); System.out.println("monitor " + shared + " rounds " + rounds);
        System.out.println("stream " + IntStream.range(0, 1000000).parallel().mapToLong(i -> i * (long) i % 7).sum());
        System.out.println("forkjoin " + new ForkJoinPool(4).submit(() -> LongStream.rangeClosed(1, 100000).parallel().sum()).get());
        ServerSocketChannel server = ServerSocketChannel.open().bind(new InetSocketAddress("127.0.0.1", 0));
        int port = ((InetSocketAddress) server.getLocalAddress()).getPort();
        Thread echo = new Thread(() -> { try (Selector s = Selector.open()) {
            server.configureBlocking(false); server.register(s, SelectionKey.OP_ACCEPT); int open = 0, seen = 0;
            while (seen < 20 || open > 0) { s.select(); for (Iterator<SelectionKey> i = s.selectedKeys().iterator(); i.hasNext();) { SelectionKey k = i.next(); i.remove();
                if (k.isAcceptable()) { SocketChannel c = server.accept(); if (c == null) continue; c.configureBlocking(false); c.register(s, SelectionKey.OP_READ); open++; seen++; }
                else { ByteBuffer b = ByteBuffer.allocate(4096); SocketChannel c = (SocketChannel) k.channel(); if (c.read(b) < 0) { c.close(); open--; } else { b.flip(); while (b.hasRemaining()) c.write(b); } } } }
        } catch (IOException e) { e.printStackTrace(); } });
        echo.start(); List<Future<String>> answers = new ArrayList<>();
        for (int i = 0; i < 20; i++) { final int me = i; answers.add(pool.submit(() -> { try (Socket s = new Socket("127.0.0.1", port)) { s.getOutputStream().write(("hello " + me + "\n").getBytes()); return new BufferedReader(new InputStreamReader(s.getInputStream())).readLine(); } })); }
        for (Future<String> f : answers) System.out.println(f.get()); echo.join();
        Process p = new ProcessBuilder("sh", "-c", "cat; exit 5").redirectErrorStream(true).start(); p.getOutputStream().write("to child\n".getBytes()); p.getOutputStream().close();
        System.out.println(new String(p.getInputStream().readAllBytes()).trim() + " " + p.waitFor());
        Process victim = new ProcessBuilder("sleep", "100").start(); victim.destroyForcibly(); System.out.println("killed " + victim.waitFor());
        Pipe pipe = Pipe.open(); pipe.sink().write(ByteBuffer.wrap(new byte[]{1, 2, 3})); ByteBuffer got = ByteBuffer.allocate(3); pipe.source().read(got); System.out.println("pipe " + Arrays.toString(got.array()));
        ScheduledExecutorService timer = Executors.newScheduledThreadPool(2); CountDownLatch ticks = new CountDownLatch(5); timer.scheduleAtFixedRate(ticks::countDown, 1, 5, TimeUnit.MILLISECONDS); ticks.await(); timer.shutdown(); System.out.println("ticks " + timer.awaitTermination(10, TimeUnit.SECONDS));
        Thread sleeper = new Thread(() -> { try { Thread.sleep(100000); } catch (InterruptedException e) { System.out.println("interrupted"); } }); sleeper.start(); sleeper.interrupt(); sleeper.join();
        Thread parked = new Thread(LockSupport::park); parked.start(); LockSupport.unpark(parked); parked.join();
        try (FileChannel f = FileChannel.open(Path.of("f"), StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE)) { try (FileLock l = f.lock()) { MappedByteBuffer m = f.map(FileChannel.MapMode.READ_WRITE, 0, 4096); m.putInt(0, 42); m.force(); System.out.println("mapped " + m.getInt(0) + " " + l.isValid()); } }
        try { deep(0); } catch (StackOverflowError e) { System.out.println("overflow caught"); }
        int[] none = null; try { System.out.println(none[0]); } catch (NullPointerException e) { System.out.println("null caught"); }
        for (int i = 0; i < 200; i++) { byte[][] garbage = new byte[100][]; for (int j = 0; j < 100; j++) garbage[j] = new byte[2000]; } System.gc();
        Thread[] many = new Thread[200]; AtomicLong total = new AtomicLong(); for (int i = 0; i < many.length; i++) { final int me = i; many[i] = new Thread(() -> total.addAndGet(me)); many[i].start(); } for (Thread t : many) t.join(); System.out.println("threads " + total);
        Runtime.getRuntime().addShutdownHook(new Thread(() -> System.out.println("hook"))); pool.shutdown(); System.exit(9);
    }
    static int deep(int n) { return deep(n + 1) + 1; }
}
JAVA
status $RECORD javac Main.java
status $RECORD java -cp . Main
status $RECORD java -XX:+UseSerialGC -Xint -cp . Main | md5sum
status $RECORD java -XX:+UseParallelGC -Xss512k -cp . Main | md5sum
status $RECORD java -cp . Nothing 2>&1
cat >Wait.java <<'JAVA'
public class Wait { public static void main(String[] a) throws Exception { System.out.println("waiting"); Thread.sleep(100000); } }
JAVA
javac Wait.java
$RECORD java -cp . Wait >waiting &
idle=$!
until_ok test -s waiting
sleep 1
# How many threads compile is the JVM's decision.
holds java $idle | sed 's/has [0-9]* threads/has threads/'
kill -QUIT $idle
until_ok grep -q '"main"' waiting
kill -TERM $idle
ended java $idle
