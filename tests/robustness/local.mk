# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# Robustness: programs that a recorder could break, and programs that could break the recorder. Each
# test runs a program untraced and traced. The output and the exit status must be equal, and the
# trace must be complete or count its missing events. doc/pitfalls.md names the test of each danger.
#   churn            many forks, threads, signals, small stacks, cancellations
#   closing          the program closes or reuses file descriptors
#   confine          seccomp and PR_SET_TSC forbid system calls or the clock
#   descriptors      results, errno and positions of calls on file descriptors
#   directory        the trace directory: files of the user, of other users, a rename, a small disk
#   everyday         everyday commands; the number of system calls
#   forks            forks while other threads record
#   jumps            longjmp, cancellation and coroutines leave a call
#   kill             sudden ends of the process lose no completed call
#   libraries        a malloc that locks, libraries with static thread-local memory, late destructors
#   lifetime         an object is freed as soon as it is released
#   many             very many threads and events
#   openmp-plugin    plug-ins with private copies of the OpenMP runtime
#   places           chroot, user change, limits, locked memory
#   recording-fails  no space, no permission, no memory for the dump
#   sanitizers       programs built with sanitizers
#   stack            calls on very small stacks
robustness_programs = \
	tests/robustness/churn \
	tests/robustness/closing \
	tests/robustness/confine \
	tests/robustness/descriptors \
	tests/robustness/directory \
	tests/robustness/forks \
	tests/robustness/jumps \
	tests/robustness/killed \
	tests/robustness/lifetime \
	tests/robustness/many \
	tests/robustness/places \
	tests/robustness/stack
robustness_tests = \
	tests/robustness/churn.sh \
	tests/robustness/closing.sh \
	tests/robustness/confine.sh \
	tests/robustness/descriptors.sh \
	tests/robustness/directory.sh \
	tests/robustness/everyday.sh \
	tests/robustness/forks.sh \
	tests/robustness/jumps.sh \
	tests/robustness/kill.sh \
	tests/robustness/libraries.sh \
	tests/robustness/lifetime.sh \
	tests/robustness/many.sh \
	tests/robustness/openmp-plugin.sh \
	tests/robustness/places.sh \
	tests/robustness/recording-fails.sh \
	tests/robustness/sanitizers.sh \
	tests/robustness/stack.sh
check_PROGRAMS += $(robustness_programs)
TESTS += $(robustness_tests)
EXTRA_DIST += $(robustness_tests) tests/robustness/lib.sh tests/robustness/sanitizers.c tests/robustness/sanitizers.cc
robustness_cflags = $(AM_CFLAGS) -O1 -fno-omit-frame-pointer -fno-optimize-sibling-calls -Wno-unused-result

tests_robustness_churn_LDADD = -lpthread
tests_robustness_descriptors_LDADD = -lpthread
tests_robustness_killed_LDADD = -lpthread
tests_robustness_confine_CFLAGS = $(robustness_cflags)
tests_robustness_closing_SOURCES = tests/robustness/closing.c tests/robustness/need.h
tests_robustness_closing_CFLAGS = $(robustness_cflags)
tests_robustness_directory_SOURCES = tests/robustness/directory.c tests/robustness/need.h
tests_robustness_directory_CFLAGS = $(robustness_cflags)
tests_robustness_forks_SOURCES = tests/robustness/forks.c tests/robustness/need.h
tests_robustness_forks_CFLAGS = $(robustness_cflags)
tests_robustness_jumps_SOURCES = tests/robustness/jumps.c tests/robustness/need.h
tests_robustness_jumps_CFLAGS = $(robustness_cflags)
tests_robustness_lifetime_SOURCES = tests/robustness/lifetime.c tests/robustness/need.h
tests_robustness_lifetime_CFLAGS = $(robustness_cflags)
tests_robustness_many_SOURCES = tests/robustness/many.c tests/robustness/need.h
tests_robustness_many_CFLAGS = $(robustness_cflags)
tests_robustness_places_SOURCES = tests/robustness/places.c tests/robustness/need.h
tests_robustness_places_CFLAGS = $(robustness_cflags)
# bound at once: the lazy binding of the dynamic linker uses more stack than is measured
tests_robustness_stack_SOURCES = tests/robustness/stack.c tests/robustness/need.h
tests_robustness_stack_CFLAGS = $(robustness_cflags)
tests_robustness_stack_LDFLAGS = -Wl,-z,now
