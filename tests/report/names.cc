/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Static and allocated locks, in structs, arrays and classes, for names.sh. Two threads wait for each lock. The
 * addresses of all objects differ between runs. */
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <pthread.h>
#include <thread>
#include <unistd.h>
#include <vector>

#define NR_ROUNDS 5

struct side {
	int number;
	pthread_mutex_t lock;
};

static struct {
	long uses;
	pthread_mutex_t lock;
	pthread_cond_t ready;
	struct side sides[2][3];
} server = {0, PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, {}};

static pthread_mutex_t plain = PTHREAD_MUTEX_INITIALIZER;

namespace app
{
class Pool
{
public:
	void use()
	{
		std::lock_guard<std::mutex> guard(mutex_);
		usleep(2000);
	}
	void wait()
	{
		std::unique_lock<std::mutex> guard(mutex_);
		ready_.wait(guard, [this] { return is_ready_; });
	}
	void wake()
	{
		std::lock_guard<std::mutex> guard(mutex_);
		is_ready_ = true;
		ready_.notify_all();
	}

private:
	bool is_ready_ = false;
	std::mutex mutex_;
	std::condition_variable ready_;
};

static Pool pool;
} // namespace app

struct queue {
	pthread_mutex_t lock;
	pthread_cond_t filled;
};

static __attribute__((noinline)) struct queue *queue_create(void)
{
	/* a random size, so that the address differs between runs even without address space randomization */
	struct queue *q = (struct queue *)malloc(sizeof(*q) + (unsigned)getpid() % 1000);

	pthread_mutex_init(&q->lock, NULL);
	pthread_cond_init(&q->filled, NULL);
	return q;
}

static void hold(pthread_mutex_t *lock)
{
	pthread_mutex_lock(lock);
	usleep(2000);
	pthread_mutex_unlock(lock);
}

static void work(struct queue *first, struct queue *second)
{
	for (int i = 0; i < NR_ROUNDS; i++) {
		hold(&server.lock);
		hold(&server.sides[1][2].lock);
		hold(&plain);
		hold(&first->lock);
		hold(&second->lock);
		app::pool.use();
	}
	app::pool.wait();
}

int main(int argc, char **)
{
	struct queue *first = queue_create(), *second = queue_create();
	std::vector<std::thread> threads;
	app::Pool *heap = new app::Pool;

	pthread_mutex_init(&server.sides[1][2].lock, NULL);
	heap->use();
	pthread_mutex_lock(&server.lock);
	pthread_mutex_lock(&plain);
	pthread_mutex_unlock(&plain);
	pthread_mutex_unlock(&server.lock);
	/* more events than a small ring keeps */
	for (int i = 0; argc > 1 && i < 1000000; i++) {
		pthread_mutex_lock(&plain);
		pthread_mutex_unlock(&plain);
	}
	for (int i = 0; i < 2; i++)
		threads.emplace_back(work, first, second);
	usleep(50000);
	app::pool.wake();
	for (std::thread &t : threads)
		t.join();
	pthread_mutex_lock(&plain);
	pthread_mutex_lock(&server.lock);
	pthread_mutex_unlock(&server.lock);
	pthread_mutex_unlock(&plain);
	pthread_cond_signal(&server.ready);
	pthread_cond_signal(&first->filled);
	return 0;
}
