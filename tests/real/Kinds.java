// SPDX-License-Identifier: LGPL-2.1-or-later
// SPDX-FileCopyrightText: 2026 The syntrace authors
//
// Kinds PORT DIRECTORY: a server with a thread for each connection. A request is its length (4 bytes), one byte with its kind, and data. The
// kinds use locks, queues, pools, pipes, files, datagrams and processes of the JVM. The answer has its length and data. A file in
// DIRECTORY is appended to.
import java.io.*;
import java.net.*;
import java.nio.file.*;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.locks.*;
import java.util.stream.*;

public class Kinds {
    static final ExecutorService pool = Executors.newFixedThreadPool(4);
    static final ScheduledExecutorService timer = Executors.newScheduledThreadPool(1);
    static final BlockingQueue<byte[]> log = new LinkedBlockingQueue<>();
    static final Map<Integer, byte[]> map = new ConcurrentHashMap<>();
    static final Lock lock = new ReentrantLock();
    static final Semaphore slots = new Semaphore(2);
    static Path directory;
    static long logged;

    static byte[] answer(int kind, byte[] data) throws Exception {
        switch (kind) {
        case 1: {
            byte[] found = map.get(data.length);
            return found == null ? new byte[1] : found;
        }
        case 2:
            lock.lock();
            try {
                map.put(data.length, data);
            } finally {
                lock.unlock();
            }
            return new byte[1];
        case 3:
            return pool.submit(() -> new byte[data.length]).get();
        case 4:
            log.put(data);
            return new byte[1];
        case 5: {
            CountDownLatch both = new CountDownLatch(2);
            for (int i = 0; i < 2; i++)
                pool.execute(both::countDown);
            both.await();
            return new byte[1];
        }
        case 6:
            Thread.sleep(1);
            return new byte[1];
        case 7:
            Files.write(directory.resolve("log"), data, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
            return new byte[1];
        case 8: {
            Thread t = new Thread(() -> map.remove(data.length));
            t.start();
            t.join();
            return new byte[1];
        }
        case 9:
            slots.acquire();
            Thread.yield();
            slots.release();
            return new byte[1];
        case 10: {
            CyclicBarrier barrier = new CyclicBarrier(2);
            Future<Integer> other = pool.submit(() -> barrier.await());
            barrier.await();
            return new byte[1 + other.get()];
        }
        case 11:
            return timer.schedule(() -> new byte[2], 1, TimeUnit.MILLISECONDS).get();
        case 12:
            try (PipedInputStream in = new PipedInputStream(); PipedOutputStream out = new PipedOutputStream(in)) {
                out.write(data, 0, Math.min(data.length, 500));
                out.close();
                return in.readAllBytes();
            }
        case 13:
            try (Stream<Path> files = Files.list(directory)) {
                return new byte[1 + (int)files.count() % 100];
            }
        case 14:
            System.gc();
            return new byte[1];
        case 15:
            try (DatagramSocket a = new DatagramSocket(0, InetAddress.getLoopbackAddress())) {
                a.send(new DatagramPacket(new byte[8], 8, a.getLocalSocketAddress()));
                a.receive(new DatagramPacket(new byte[8], 8));
            }
            return new byte[1];
        case 16:
            return new byte[1 + new ProcessBuilder("true").start().waitFor()];
        case 17:
            return new byte[1 + (int)(IntStream.range(0, 100000).parallel().sum() & 1)];
        case 18:
            return new byte[500000];
        default:
            return data;
        }
    }

    static void serve(Socket s) {
        try (s; DataInputStream in = new DataInputStream(new BufferedInputStream(s.getInputStream()));
             DataOutputStream out = new DataOutputStream(new BufferedOutputStream(s.getOutputStream()))) {
            while (true) {
                byte[] data = new byte[in.readInt() - 1];
                int kind = in.readByte();
                in.readFully(data);
                byte[] answer = answer(kind, data);
                out.writeInt(answer.length);
                out.write(answer);
                out.flush();
            }
        } catch (EOFException e) {
            // that was all
        } catch (Exception e) {
            e.printStackTrace();
        }
    }

    public static void main(String[] a) throws Exception {
        directory = Path.of(a[1]);
        Thread logger = new Thread(() -> {
            try {
                while (true)
                    logged += log.take().length;
            } catch (InterruptedException e) {
                e.printStackTrace();
            }
        });
        logger.setDaemon(true);
        logger.start();
        try (ServerSocket listener = new ServerSocket(Integer.parseInt(a[0]), 50, InetAddress.getLoopbackAddress())) {
            while (true) {
                Socket s = listener.accept();
                s.setTcpNoDelay(true);
                new Thread(() -> serve(s)).start();
            }
        }
    }
}
