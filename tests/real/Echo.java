// SPDX-License-Identifier: LGPL-2.1-or-later
// SPDX-FileCopyrightText: 2026 The syntrace authors
//
// Echo server PORT: a thread of a pool for each connection; ends when a message of no bytes comes.
// Echo client PORT THREADS MESSAGES: each thread sends so many messages and reads what comes back; then ends the server.
import java.io.*;
import java.net.*;
import java.util.*;
import java.util.concurrent.*;

public class Echo {
    static Socket connect(int port) throws IOException {
        Socket s = new Socket(InetAddress.getLoopbackAddress(), port);
        s.setTcpNoDelay(true);
        return s;
    }

    static void serve(int port) throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(8);
        BlockingQueue<Integer> sizes = new LinkedBlockingQueue<>(100);
        Thread sum = new Thread(() -> {
            long bytes = 0, messages = 0;
            try {
                for (int n; (n = sizes.take()) > 0; messages++)
                    bytes += n;
            } catch (InterruptedException e) {
                e.printStackTrace();
            }
            System.out.println(messages + " messages, " + bytes + " bytes");
        });
        sum.start();
        try (ServerSocket listener = new ServerSocket(port, 50, InetAddress.getLoopbackAddress())) {
            CountDownLatch end = new CountDownLatch(1);
            Thread closer = new Thread(() -> {
                try {
                    end.await();
                    listener.close();
                } catch (InterruptedException | IOException e) {
                    e.printStackTrace();
                }
            });
            closer.start();
            try {
                while (true) {
                    Socket s = listener.accept();
                    s.setTcpNoDelay(true);
                    pool.execute(() -> {
                        try (s; DataInputStream in = new DataInputStream(new BufferedInputStream(s.getInputStream()));
                             DataOutputStream out = new DataOutputStream(new BufferedOutputStream(s.getOutputStream()))) {
                            while (true) {
                                int n = in.readInt();
                                if (n == 0) {
                                    end.countDown();
                                    return;
                                }
                                byte[] message = in.readNBytes(n);
                                sizes.put(n);
                                out.writeInt(n);
                                out.write(message);
                                out.flush();
                            }
                        } catch (EOFException e) {
                            // that was all
                        } catch (IOException | InterruptedException e) {
                            e.printStackTrace();
                        }
                    });
                }
            } catch (SocketException e) {
                // closed
            }
            closer.join();
        }
        pool.shutdown();
        pool.awaitTermination(1, TimeUnit.MINUTES);
        sizes.put(0);
        sum.join();
    }

    static long talk(int port, int messages, int seed) throws IOException {
        Random random = new Random(seed);
        long bytes = 0;
        try (Socket s = connect(port);
             DataInputStream in = new DataInputStream(new BufferedInputStream(s.getInputStream()));
             DataOutputStream out = new DataOutputStream(new BufferedOutputStream(s.getOutputStream()))) {
            for (int i = 0; i < messages; i++) {
                byte[] message = new byte[1 + random.nextInt(20000)];
                random.nextBytes(message);
                out.writeInt(message.length);
                out.write(message);
                out.flush();
                if (!Arrays.equals(message, in.readNBytes(in.readInt())))
                    throw new IOException("another message came back");
                bytes += message.length;
            }
        }
        return bytes;
    }

    public static void main(String[] a) throws Exception {
        int port = Integer.parseInt(a[1]);
        if (a[0].equals("server")) {
            serve(port);
            return;
        }
        ExecutorService pool = Executors.newFixedThreadPool(Integer.parseInt(a[2]));
        List<Future<Long>> talks = new ArrayList<>();
        for (int t = 0; t < Integer.parseInt(a[2]); t++) {
            final int seed = t;
            talks.add(pool.submit(() -> talk(port, Integer.parseInt(a[3]), seed)));
        }
        long bytes = 0;
        for (Future<Long> f : talks)
            bytes += f.get();
        pool.shutdown();
        try (Socket s = connect(port)) {
            s.getOutputStream().write(new byte[4]);
        }
        System.out.println(bytes + " bytes");
    }
}
