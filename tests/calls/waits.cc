/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Waiting as C++20 has it, which its library builds on futexes.  A thread waits on each of them, until the main
 * thread, which has seen it sleep, lets it go on; then many threads use them at once.
 */
#include <atomic>
#include <barrier>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <functional>
#include <latch>
#include <semaphore>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>
#include <vector>

static std::atomic<int> tid;

/* Futexes are the only thing that these threads sleep in. */
static void until_asleep()
{
	char path[64], text[256] = "";
	const char *p;

	while (!tid.load())
		std::this_thread::yield();
	std::snprintf(path, sizeof(path), "/proc/%d/stat", tid.load());
	do {
		int fd = open(path, O_RDONLY);

		if (fd < 0 || read(fd, text, sizeof(text) - 1) <= 0 || close(fd))
			std::abort();
		p = std::strrchr(text, ')');
		std::this_thread::yield();
	} while (!p || p[2] != 'S');
}

static void one(const char *name, const std::function<void()> &waits, const std::function<void()> &wakes)
{
	tid = 0;
	std::thread t([&] {
		tid = static_cast<int>(syscall(SYS_gettid));
		waits();
	});

	until_asleep();
	wakes();
	t.join();
	std::puts(name);
}

/* A lock and a condition variable as Rust's library has them: a word each. */
class Lock {
	std::atomic<uint32_t> word{0}; /* 1: held, 2: and somebody may wait */

public:
	void lock()
	{
		uint32_t free = 0;

		if (word.compare_exchange_strong(free, 1))
			return;
		while (word.exchange(2))
			syscall(SYS_futex, &word, 128 /* FUTEX_WAIT | FUTEX_PRIVATE_FLAG */, 2, nullptr);
	}
	void unlock()
	{
		if (word.exchange(0) == 2)
			syscall(SYS_futex, &word, 129 /* FUTEX_WAKE */, 1);
	}
};

class Condition {
	std::atomic<uint32_t> word{0};

public:
	void wait(Lock &lock)
	{
		uint32_t seen = word;

		lock.unlock();
		syscall(SYS_futex, &word, 128, seen, nullptr);
		lock.lock();
	}
	void notify(int nr)
	{
		word++;
		syscall(SYS_futex, &word, 129, nr);
	}
};

static constexpr int nr_threads = 4, nr_rounds = 2000;

static void many()
{
	std::counting_semaphore<nr_threads> slots(2);
	std::barrier<> all(nr_threads);
	std::atomic<int> turn{0};
	std::vector<std::thread> threads;
	Lock lock;
	Condition filled, emptied;
	int sum = 0, held = 0;
	long taken = 0;

	for (int n = 0; n < nr_threads; n++)
		threads.emplace_back([&, n] {
			for (int i = 0; i < nr_rounds; i++) {
				slots.acquire();
				lock.lock();
				sum++;
				lock.unlock();
				slots.release();
				if (i % 100 == 0) {
					all.arrive_and_wait();
					for (int now = turn; now % nr_threads != n; now = turn)
						turn.wait(now);
					turn++;
					turn.notify_all();
				}
			}
			for (int i = 0; i < nr_rounds; i++) { /* half of them give, half of them take */
				lock.lock();
				while (n % 2 ? held == 0 : held == 3)
					(n % 2 ? filled : emptied).wait(lock);
				held += n % 2 ? -1 : 1;
				taken += n % 2;
				(n % 2 ? emptied : filled).notify(1);
				lock.unlock();
			}
		});
	for (auto &t : threads)
		t.join();
	std::printf("%d %d %ld\n", sum, held, taken);
}

int main()
{
	std::atomic<int> word{0};
	std::atomic<int64_t> wide{0};
	std::binary_semaphore binary(0);
	std::counting_semaphore<5> counting(0);
	std::latch latch(1);
	std::barrier<> barrier(2);
	Lock lock;
	Condition condition;
	int flag = 0;

	one("atomic", [&] { word.wait(0); }, [&] { word = 1; word.notify_one(); });
	one("atomic, wide", [&] { wide.wait(0); }, [&] { wide = 1; wide.notify_all(); });
	one("binary_semaphore", [&] { binary.acquire(); }, [&] { binary.release(); });
	one("counting_semaphore", [&] { counting.acquire(); }, [&] { counting.release(); });
	one("latch", [&] { latch.wait(); }, [&] { latch.count_down(); });
	one("barrier", [&] { barrier.arrive_and_wait(); }, [&] { barrier.arrive_and_wait(); });
	lock.lock();
	one("lock", [&] { lock.lock(); lock.unlock(); }, [&] { lock.unlock(); });
	one("condition",
	    [&] {
		    lock.lock();
		    while (!flag)
			    condition.wait(lock);
		    lock.unlock();
	    },
	    [&] {
		    lock.lock();
		    flag = 1;
		    lock.unlock();
		    condition.notify(1);
	    });
	many();
	return 0;
}
