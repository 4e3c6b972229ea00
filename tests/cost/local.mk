# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# Tests of costs that do not depend on the load of the machine: instructions of an event, system
# calls of a file descriptor, page faults and disk space of a process. tests/bench/ measures the
# cost in time; time.sh measures it part by part.
TESTS += tests/cost/instructions.sh tests/cost/asked.sh tests/cost/memory.sh tests/cost/processes.sh
EXTRA_DIST += tests/cost/instructions.sh tests/cost/instructions.expected tests/cost/asked.sh tests/cost/memory.sh tests/cost/parts.awk \
	tests/cost/processes.sh tests/cost/time.sh
CLEANFILES += cost.md cost.jsonl
check_PROGRAMS += tests/cost/descriptors tests/cost/moves tests/cost/processes tests/cost/seal
tests_cost_descriptors_SOURCES = tests/cost/descriptors.c
tests_cost_descriptors_LDADD = -lpthread
tests_cost_moves_SOURCES = tests/cost/moves.c
tests_cost_processes_SOURCES = tests/cost/processes.c
# built like the library, with the same copy of lz4
tests_cost_seal_SOURCES = tests/cost/seal.c
tests_cost_seal_CFLAGS = $(RUNTIME_TEST_CFLAGS)
tests_cost_seal_LDADD = libruntimetest.a -l:liblz4.a

# COST_ARGS="--time [-r ROUNDS]": in nanoseconds, too.
cost: all syntrace-bench-ops$(EXEEXT)
	@top_srcdir='$(abs_top_srcdir)' top_builddir='$(abs_top_builddir)' \
		$(SHELL) $(srcdir)/tests/cost/instructions.sh -p >cost.md
	@grep -v '^<!--' cost.md
	@set -- $(COST_ARGS); test "$$1" != --time || { shift; echo; \
		top_srcdir='$(abs_top_srcdir)' top_builddir='$(abs_top_builddir)' \
		$(SHELL) $(srcdir)/tests/cost/time.sh "$$@"; }

.PHONY: cost
