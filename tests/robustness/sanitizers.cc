// SPDX-License-Identifier: LGPL-2.1-or-later
// SPDX-FileCopyrightText: 2026 The syntrace authors
//
// The correct program of sanitizers.c with the means of C++: std::thread, a queue with a mutex and a condition
// variable, a future, call_once, an exception, a pipe and fork.
#include <condition_variable>
#include <cstdio>
#include <future>
#include <mutex>
#include <queue>
#include <stdexcept>
#include <thread>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

static std::mutex mutex;
static std::condition_variable filled;
static std::queue<int> items;
static std::once_flag once;
static bool is_done;
static long sum, nr_once;

static void consume()
{
	std::call_once(once, [] { nr_once++; });
	for (;;) {
		std::unique_lock<std::mutex> lock(mutex);
		filled.wait(lock, [] { return is_done || !items.empty(); });
		if (items.empty())
			return;
		sum += items.front();
		items.pop();
	}
}

int main()
{
	std::vector<std::thread> threads;
	for (int i = 0; i < 3; i++)
		threads.emplace_back(consume);
	for (int i = 1; i <= 100; i++) {
		std::lock_guard<std::mutex> lock(mutex);
		items.push(i);
		filled.notify_one();
	}
	{
		std::lock_guard<std::mutex> lock(mutex);
		is_done = true;
	}
	filled.notify_all();
	for (auto &t : threads)
		t.join();

	std::promise<int> promise;
	std::future<int> future = promise.get_future();
	std::thread answer([&promise] { promise.set_value(42); });
	int value = future.get();
	answer.join();
	try {
		throw std::runtime_error("thrown");
	} catch (const std::exception &e) {
		value += e.what()[0] == 't';
	}

	int ends[2], status;
	char text[6] = "";
	if (pipe(ends))
		return 1;
	pid_t pid = fork();
	if (pid == 0)
		_exit(write(ends[1], "child", 6) == 6 ? 5 : 6);
	if (read(ends[0], text, 6) != 6 || waitpid(pid, &status, 0) != pid)
		return 2;
	printf("%ld %ld %d %s %d\n", sum, nr_once, value, text, WEXITSTATUS(status));
	return 3;
}
