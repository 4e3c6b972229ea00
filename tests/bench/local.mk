# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# What tracing costs: `make bench` (see run.sh).  A time is no verdict: works.sh only tests that figures come of it, and
# that they are judged right.  tests/cost/ counts the instructions of some of the operations.
TESTS += tests/bench/works.sh
check_PROGRAMS += syntrace-bench-ops
syntrace_bench_ops_SOURCES = tests/bench/ops.c tests/bench/ops.h tests/bench/op-locks.c \
	tests/bench/op-pairs.c tests/bench/op-processes.c tests/bench/sample.c tests/bench/sample.h
syntrace_bench_ops_CFLAGS = $(AM_CFLAGS) -O2 -fno-optimize-sibling-calls
syntrace_bench_ops_LDADD = -ldl -lrt -lpthread

# Single calls, memory, and what they need: libraries that are loaded.
check_PROGRAMS += syntrace-bench-worst syntrace-bench-memory
syntrace_bench_worst_SOURCES = tests/bench/worst.c tests/bench/worst.h
syntrace_bench_worst_CFLAGS = $(AM_CFLAGS) -O2 -fno-optimize-sibling-calls
syntrace_bench_worst_LDADD = -ldl -lpthread
syntrace_bench_memory_SOURCES = tests/bench/memory.c
syntrace_bench_memory_CFLAGS = $(AM_CFLAGS) -O2
syntrace_bench_memory_LDADD = -lpthread
check_LTLIBRARIES += bench-bare.la bench-module.la
bench_ldflags = -module -avoid-version -shared -rpath /nonexistent
bench_bare_la_SOURCES = tests/bench/bare.c
bench_bare_la_CFLAGS = $(AM_CFLAGS) -O2
bench_bare_la_LDFLAGS = $(bench_ldflags)
bench_module_la_SOURCES = tests/bench/module.c tests/bench/worst.h
bench_module_la_CFLAGS = $(AM_CFLAGS) -O2
bench_module_la_LDFLAGS = $(bench_ldflags)
bench_programs = syntrace-bench-ops$(EXEEXT) syntrace-bench-worst$(EXEEXT) syntrace-bench-memory$(EXEEXT) \
	syntrace-bench-load$(EXEEXT) bench-bare.la bench-module.la

# What one call stack costs (doc/stacks.md): make syntrace-bench-stack and run it.
EXTRA_PROGRAMS = syntrace-bench-stack
syntrace_bench_stack_SOURCES = tests/bench/stack.c
syntrace_bench_stack_CFLAGS = $(AM_CFLAGS) -O2 -fomit-frame-pointer -fno-optimize-sibling-calls
syntrace_bench_stack_LDADD = libstackoracle.la libruntime.la -lpthread
# How fast traces are decoded: `make bench-decode` (see decode.sh).
check_PROGRAMS += syntrace-bench-load
EXTRA_PROGRAMS += syntrace-bench-measure syntrace-bench-model syntrace-bench-hosts
syntrace_bench_load_SOURCES = tests/bench/load.c
syntrace_bench_load_CFLAGS = $(AM_CFLAGS) -O2
syntrace_bench_load_LDADD = -lpthread
syntrace_bench_model_SOURCES = tests/bench/model.c tests/lib/random.h
syntrace_bench_model_CFLAGS = $(SYT_OFFLINE_CFLAGS) -D_GNU_SOURCE -O2
syntrace_bench_model_LDADD = $(decoder_libs)
# The clocks of 1,000 hosts from 10^8 messages: make syntrace-bench-hosts and run it.
syntrace_bench_hosts_SOURCES = tests/bench/hosts.c tests/unit/host-simulation.h tests/lib/random.h
syntrace_bench_hosts_CFLAGS = $(SYT_OFFLINE_CFLAGS) -D_GNU_SOURCE -O2
syntrace_bench_hosts_LDADD = $(decoder_libs) -lm
syntrace_bench_measure_SOURCES = tests/bench/measure.c
syntrace_bench_measure_CFLAGS = $(AM_CFLAGS) -O2

CLEANFILES += $(EXTRA_PROGRAMS) bench.jsonl bench-decode.jsonl
EXTRA_DIST += tests/bench/works.sh tests/bench/run.sh \
	tests/bench/tools.sh tests/bench/servers.sh tests/bench/budgets \
	tests/bench/rows.awk tests/bench/json.awk tests/bench/budgets.awk tests/bench/report.awk \
	tests/bench/markdown.awk tests/bench/markdown.sh \
	tests/bench/decode.awk tests/bench/decode.sh

bench: all $(bench_programs)
	@top_builddir='$(abs_top_builddir)' $(SHELL) $(srcdir)/tests/bench/run.sh $(BENCH_ARGS)

bench-decode: all examples/shop$(EXEEXT) syntrace-bench-load$(EXEEXT) syntrace-bench-measure$(EXEEXT) syntrace-bench-model$(EXEEXT)
	@top_builddir='$(abs_top_builddir)' $(SHELL) $(srcdir)/tests/bench/decode.sh $(BENCH_ARGS)

.PHONY: bench bench-decode
