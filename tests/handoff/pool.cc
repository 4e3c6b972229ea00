// SPDX-License-Identifier: LGPL-2.1-or-later
// SPDX-FileCopyrightText: 2026 The syntrace authors
//
// A pool of the C++ library's means: std::queue of std::function, std::condition_variable, three threads.
#include <condition_variable>
#include <functional>
#include <mutex>
#include <queue>
#include <thread>
#include <vector>

#include "mark.h"

namespace
{

class Pool
{
    public:
	explicit Pool(int nr)
	{
		for (int i = 0; i < nr; i++)
			threads.emplace_back([this] { run(); });
	}

	~Pool()
	{
		{
			std::lock_guard<std::mutex> hold(mutex);
			is_over = true;
		}
		is_there.notify_all();
		for (auto &t : threads)
			t.join();
	}

	// Whether a worker has found nothing to do, and so waits, or has waited.
	bool has_waited()
	{
		std::lock_guard<std::mutex> hold(mutex);
		return nr_found_empty > 0;
	}

	void submit(std::function<void()> job)
	{
		{
			std::unique_lock<std::mutex> hold(mutex);
			jobs.push(std::move(job));
		}
		is_there.notify_one();
	}

    private:
	void run()
	{
		for (;;) {
			std::function<void()> job;
			{
				std::unique_lock<std::mutex> hold(mutex);
				is_there.wait(hold, [this] {
					nr_found_empty += jobs.empty();
					return is_over || !jobs.empty();
				});
				if (jobs.empty())
					return;
				job = std::move(jobs.front());
				jobs.pop();
			}
			job();
		}
	}

	std::mutex mutex;
	std::condition_variable is_there;
	std::queue<std::function<void()>> jobs;
	bool is_over = false;
	unsigned nr_found_empty = 0;
	std::vector<std::thread> threads;
};

} // namespace

int main()
{
	mark_open();
	Pool pool(3);

	while (!pool.has_waited())
		usleep(500);
	for (unsigned i = 0; i < 300; i++) {
		mark_put(i);
		pool.submit([i] {
			mark_taken(i);
			for (volatile unsigned k = 0; k < i * 104729 % 5000;)
				k = k + 1;
		});
		if (i % 16 == 15)
			usleep(1500);
	}
	return 0;
}
