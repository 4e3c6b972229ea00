/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * C++ on top of the wrapped calls: exceptions through a once, destructors when a thread is cancelled, thread-local
 * destructors that lock, and the classes of the standard library.  Says what it did; traced it says the same.
 */
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <future>
#include <mutex>
#include <pthread.h>
#include <shared_mutex>
#include <stdexcept>
#include <thread>
#include <unistd.h>
#include <vector>

static std::mutex lock;

struct Local {
	~Local()
	{
		std::lock_guard<std::mutex> guard(lock);
		std::puts("thread-local destructor");
	}
	void touch() {}
};

static thread_local Local local;

struct Guard {
	~Guard() { std::puts("destructor on cancellation"); }
};

static void *waits(void *)
{
	Guard guard;

	for (;;)
		pause();
	return nullptr;
}

static void throws_once()
{
	std::once_flag flag;
	int tries = 0;

	for (int i = 0; i < 3; i++) {
		try {
			std::call_once(flag, [&] {
				if (++tries < 3)
					throw std::runtime_error("not yet");
			});
			std::puts("once done");
		} catch (const std::exception &e) {
			std::printf("once: %s\n", e.what());
		}
	}
}

static pthread_once_t posix_once = PTHREAD_ONCE_INIT;
static int posix_tries;

static void posix_initializer()
{
	if (++posix_tries < 2)
		throw 7;
}

static void throws_posix_once()
{
	for (int i = 0; i < 2; i++) {
		try {
			pthread_once(&posix_once, posix_initializer);
			std::puts("posix once done");
		} catch (int e) {
			std::printf("posix once: %d\n", e);
		}
	}
}

static void classes()
{
	std::condition_variable c;
	std::timed_mutex timed;
	std::shared_mutex shared;
	bool go = false;
	std::thread t([&] {
		local.touch();
		std::unique_lock<std::mutex> u(lock);
		go = true;
		c.notify_one();
	});

	{
		std::unique_lock<std::mutex> u(lock);
		while (!go)
			c.wait_for(u, std::chrono::seconds(5));
	}
	t.join();
	std::printf("timed %d\n", timed.try_lock_for(std::chrono::milliseconds(1)));
	timed.unlock();
	shared.lock_shared();
	std::printf("shared %d\n", shared.try_lock());
	shared.unlock_shared();
	auto f = std::async(std::launch::async, [] { throw std::runtime_error("in a thread"); });
	try {
		f.get();
	} catch (const std::exception &e) {
		std::printf("future: %s\n", e.what());
	}
}

int main()
{
	pthread_t t;
	void *rv;

	throws_once();
	throws_posix_once();
	classes();
	pthread_create(&t, nullptr, waits, nullptr);
	usleep(30000);
	pthread_cancel(t);
	pthread_join(t, &rv);
	std::printf("cancelled %d\n", rv == PTHREAD_CANCELED);
	return 0;
}
