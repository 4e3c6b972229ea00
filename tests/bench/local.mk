# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# What tracing costs: `make bench` (see run.sh).  Nothing in here is a test: a number is no verdict.
EXTRA_PROGRAMS = syntrace-bench-ops
syntrace_bench_ops_SOURCES = tests/bench/ops.c tests/bench/ops.h tests/bench/op-locks.c \
	tests/bench/op-pairs.c
syntrace_bench_ops_CFLAGS = $(AM_CFLAGS) -O2 -fno-optimize-sibling-calls
syntrace_bench_ops_LDADD = -lpthread
CLEANFILES += $(EXTRA_PROGRAMS) bench.jsonl
EXTRA_DIST += tests/bench/run.sh tests/bench/tools.sh tests/bench/servers.sh tests/bench/table.awk

bench: all syntrace-bench-ops$(EXEEXT)
	@top_builddir='$(abs_top_builddir)' $(SHELL) $(srcdir)/tests/bench/run.sh $(BENCH_ARGS)

.PHONY: bench
