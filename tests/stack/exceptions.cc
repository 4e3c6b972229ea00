/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * C++: stacks captured in destructors while an exception passes, in handlers, in callbacks of the
 * standard library and in its threads.
 */
#include <algorithm>
#include <cstdio>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "tests/stack/oracle.h"

namespace
{

struct guard {
	~guard()
	{
		oracle_check();
	}
};

struct base {
	virtual ~base() = default;
	virtual unsigned visit(unsigned depth) = 0;
};

__attribute__((noinline)) unsigned dispatch(unsigned depth);

struct thrower : base {
	unsigned visit(unsigned depth) override
	{
		guard g;
		std::string text(depth + 20, 'x');

		if (depth == 0)
			throw std::runtime_error(text);
		unsigned rv = dispatch(depth - 1);
		oracle_check();
		return rv + static_cast<unsigned>(text.size());
	}
};

struct catcher : base {
	unsigned visit(unsigned depth) override
	{
		try {
			guard g;
			return depth ? dispatch(depth - 1) : 0;
		} catch (const std::exception &e) {
			oracle_check();
			if (depth > 3 && oracle_random() % 2)
				throw;
			return 1;
		}
	}
};

struct sorter : base {
	unsigned visit(unsigned depth) override
	{
		std::vector<unsigned> v(12);
		unsigned rv = 0;

		std::generate(v.begin(), v.end(), oracle_random);
		std::sort(v.begin(), v.end(), [&](unsigned a, unsigned b) {
			if (oracle_random() % 8 == 0)
				oracle_check();
			return a < b;
		});
		std::function<unsigned(unsigned)> f = [&](unsigned d) {
			oracle_check();
			return d ? dispatch(d - 1) : rv;
		};
		return f(depth);
	}
};

unsigned dispatch(unsigned depth)
{
	std::unique_ptr<base> b;

	switch (oracle_random() % 3) {
	case 0:
		b.reset(new thrower);
		break;
	case 1:
		b.reset(new catcher);
		break;
	default:
		b.reset(new sorter);
	}
	return b->visit(depth);
}

void run(unsigned nr)
{
	for (unsigned i = 0; i < nr; i++) {
		try {
			dispatch(oracle_random() % 12);
		} catch (const std::exception &) {
			oracle_check();
		}
	}
}

} // namespace

int main()
{
	run(2000);
	std::thread t(run, 2000u);
	std::future<void> f = std::async(std::launch::async, run, 2000u);

	t.join();
	f.get();
	std::printf("exceptions: %lu stacks compared\n", oracle_nr_checks());
	return oracle_nr_lost() != 0;
}
