# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# What tracing costs: `make bench` (see run.sh).  Nothing in here is a test: a time is no verdict.  tests/cost/ counts
# the instructions of some of the operations, which is one.
check_PROGRAMS += syntrace-bench-ops
syntrace_bench_ops_SOURCES = tests/bench/ops.c tests/bench/ops.h tests/bench/op-locks.c \
	tests/bench/op-pairs.c
syntrace_bench_ops_CFLAGS = $(AM_CFLAGS) -O2 -fno-optimize-sibling-calls
syntrace_bench_ops_LDADD = -lpthread

# What one call stack costs (doc/stacks.md): make syntrace-bench-stack and run it.
EXTRA_PROGRAMS = syntrace-bench-stack
syntrace_bench_stack_SOURCES = tests/bench/stack.c
syntrace_bench_stack_CFLAGS = $(AM_CFLAGS) -O2 -fomit-frame-pointer -fno-optimize-sibling-calls
syntrace_bench_stack_LDADD = libstackoracle.la libruntime.la -lpthread
# How fast traces are decoded: `make bench-decode` (see decode.sh).
check_PROGRAMS += syntrace-bench-load
EXTRA_PROGRAMS += syntrace-bench-measure
syntrace_bench_load_SOURCES = tests/bench/load.c
syntrace_bench_load_CFLAGS = $(AM_CFLAGS) -O2
syntrace_bench_load_LDADD = -lpthread
syntrace_bench_measure_SOURCES = tests/bench/measure.c
syntrace_bench_measure_CFLAGS = $(AM_CFLAGS) -O2

CLEANFILES += $(EXTRA_PROGRAMS) bench.jsonl bench-decode.jsonl
EXTRA_DIST += tests/bench/run.sh tests/bench/tools.sh tests/bench/servers.sh tests/bench/table.awk \
	tests/bench/decode.sh

bench: all syntrace-bench-ops$(EXEEXT)
	@top_builddir='$(abs_top_builddir)' $(SHELL) $(srcdir)/tests/bench/run.sh $(BENCH_ARGS)

bench-decode: all syntrace-bench-load$(EXEEXT) syntrace-bench-measure$(EXEEXT)
	@top_builddir='$(abs_top_builddir)' $(SHELL) $(srcdir)/tests/bench/decode.sh $(BENCH_ARGS)

.PHONY: bench bench-decode
