# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# Tests of single calls: NAME.call performs them and prints the expected decode
# (tests/calls/expect.h). A new test needs its name here, and a line for its source.
TEST_EXTENSIONS = .call
CALL_LOG_COMPILER = $(SHELL) $(srcdir)/tests/calls/run.sh
calls = \
	tests/calls/mutex.call \
	tests/calls/prctl.call \
	tests/calls/rwlock.call \
	tests/calls/cond.call \
	tests/calls/oldcond.call \
	tests/calls/sem.call \
	tests/calls/limit.call \
	tests/calls/barrier.call \
	tests/calls/block.call \
	tests/calls/filelock.call \
	tests/calls/flockfile.call \
	tests/calls/mq.call \
	tests/calls/sysv-msg.call \
	tests/calls/sysv-sem.call \
	tests/calls/thread.call \
	tests/calls/fork.call \
	tests/calls/vfork.call \
	tests/calls/environ.call \
	tests/calls/clone.call \
	tests/calls/exec.call \
	tests/calls/shell.call \
	tests/calls/unnoticed.call \
	tests/calls/shared.call \
	tests/calls/futex.call \
	tests/calls/syscall.call \
	tests/calls/fd-adopt.call \
	tests/calls/fd-datagram.call \
	tests/calls/fd-exec.call \
	tests/calls/fd-libc.call \
	tests/calls/fd-odd.call \
	tests/calls/fd-pipe.call \
	tests/calls/fd-ready.call \
	tests/calls/fd-stream.call \
	tests/calls/fd-table.call \
	tests/calls/alias.call \
	tests/calls/cancel.call \
	tests/calls/small.call \
	tests/calls/early.call \
	tests/calls/errno.call \
	tests/calls/signal.call \
	tests/calls/timer.call \
	tests/calls/sleep.call \
	tests/calls/omp.call
calls_scripts = \
	tests/calls/beside.sh \
	tests/calls/blind.sh \
	tests/calls/clone.sh \
	tests/calls/dlopen.sh \
	tests/calls/exceptions.sh \
	tests/calls/fd-edges.sh \
	tests/calls/fd-untraced.sh \
	tests/calls/fork-sem.sh \
	tests/calls/futex.sh \
	tests/calls/omp-edges.sh \
	tests/calls/preload-order.sh \
	tests/calls/unreturned.sh

check_PROGRAMS += $(calls)
TESTS += $(calls) $(calls_scripts)
EXTRA_DIST += tests/calls/run.sh tests/calls/compare.py tests/calls/expect.h \
	$(calls_scripts) tests/calls/exceptions.cc tests/calls/fd-edges.c tests/calls/fork-sem.c tests/calls/omp-edges.c tests/calls/unreturned.c \
	tests/calls/waits.cc
calls_CPPFLAGS = $(AM_CPPFLAGS) -D_GNU_SOURCE

tests_calls_mutex_call_SOURCES = tests/calls/mutex.c
tests_calls_mutex_call_CPPFLAGS = $(calls_CPPFLAGS)
tests_calls_rwlock_call_SOURCES = tests/calls/rwlock.c
tests_calls_rwlock_call_CPPFLAGS = $(calls_CPPFLAGS)
tests_calls_cond_call_SOURCES = tests/calls/cond.c
tests_calls_cond_call_CPPFLAGS = $(calls_CPPFLAGS)
tests_calls_oldcond_call_SOURCES = tests/calls/cond.c
tests_calls_oldcond_call_CPPFLAGS = $(calls_CPPFLAGS) -DOLD_ABI
tests_calls_limit_call_SOURCES = tests/calls/limit.c
tests_calls_limit_call_CPPFLAGS = $(calls_CPPFLAGS)
tests_calls_sem_call_SOURCES = tests/calls/sem.c
tests_calls_sem_call_CPPFLAGS = $(calls_CPPFLAGS)
tests_calls_barrier_call_SOURCES = tests/calls/barrier.c
tests_calls_barrier_call_CPPFLAGS = $(calls_CPPFLAGS)
tests_calls_block_call_SOURCES = tests/calls/block.c
tests_calls_block_call_CPPFLAGS = $(calls_CPPFLAGS)
tests_calls_mq_call_SOURCES = tests/calls/mq.c
tests_calls_mq_call_CPPFLAGS = $(calls_CPPFLAGS)
tests_calls_sysv_msg_call_SOURCES = tests/calls/sysv-msg.c
tests_calls_sysv_msg_call_CPPFLAGS = $(calls_CPPFLAGS)
tests_calls_sysv_sem_call_SOURCES = tests/calls/sysv-sem.c
tests_calls_sysv_sem_call_CPPFLAGS = $(calls_CPPFLAGS)
tests_calls_filelock_call_SOURCES = tests/calls/filelock.c
tests_calls_filelock_call_CPPFLAGS = $(calls_CPPFLAGS)
tests_calls_flockfile_call_SOURCES = tests/calls/flockfile.c
tests_calls_flockfile_call_CPPFLAGS = $(calls_CPPFLAGS)
tests_calls_thread_call_SOURCES = tests/calls/thread.c
tests_calls_thread_call_CPPFLAGS = $(calls_CPPFLAGS)
tests_calls_fork_call_SOURCES = tests/calls/fork.c
tests_calls_fork_call_CPPFLAGS = $(calls_CPPFLAGS)
tests_calls_vfork_call_SOURCES = tests/calls/vfork.c
tests_calls_vfork_call_CPPFLAGS = $(calls_CPPFLAGS)
tests_calls_environ_call_SOURCES = tests/calls/environ.c
tests_calls_environ_call_CPPFLAGS = $(calls_CPPFLAGS)
tests_calls_environ_call_LDADD = -lpthread
tests_calls_clone_call_SOURCES = tests/calls/clone.c
tests_calls_clone_call_CPPFLAGS = $(calls_CPPFLAGS)
tests_calls_exec_call_SOURCES = tests/calls/exec.c
tests_calls_exec_call_CPPFLAGS = $(calls_CPPFLAGS)
tests_calls_unnoticed_call_SOURCES = tests/calls/unnoticed.c
tests_calls_unnoticed_call_CPPFLAGS = $(calls_CPPFLAGS)
tests_calls_shell_call_SOURCES = tests/calls/shell.c
tests_calls_shell_call_CPPFLAGS = $(calls_CPPFLAGS)
tests_calls_shared_call_SOURCES = tests/calls/shared.c
tests_calls_shared_call_CPPFLAGS = $(calls_CPPFLAGS)
tests_calls_fd_adopt_call_SOURCES = tests/calls/fd-adopt.c
tests_calls_fd_adopt_call_CPPFLAGS = $(calls_CPPFLAGS)
tests_calls_fd_datagram_call_SOURCES = tests/calls/fd-datagram.c
tests_calls_fd_datagram_call_CPPFLAGS = $(calls_CPPFLAGS)
tests_calls_fd_exec_call_SOURCES = tests/calls/fd-exec.c
tests_calls_fd_exec_call_CPPFLAGS = $(calls_CPPFLAGS)
tests_calls_fd_libc_call_SOURCES = tests/calls/fd-libc.c
tests_calls_fd_libc_call_CPPFLAGS = $(calls_CPPFLAGS)
tests_calls_fd_odd_call_SOURCES = tests/calls/fd-odd.c
tests_calls_fd_odd_call_CPPFLAGS = $(calls_CPPFLAGS)
tests_calls_fd_pipe_call_SOURCES = tests/calls/fd-pipe.c
tests_calls_fd_pipe_call_CPPFLAGS = $(calls_CPPFLAGS)
tests_calls_fd_ready_call_SOURCES = tests/calls/fd-ready.c
tests_calls_fd_ready_call_CPPFLAGS = $(calls_CPPFLAGS)
tests_calls_fd_stream_call_SOURCES = tests/calls/fd-stream.c
tests_calls_fd_stream_call_CPPFLAGS = $(calls_CPPFLAGS)
tests_calls_fd_table_call_SOURCES = tests/calls/fd-table.c
tests_calls_fd_table_call_CPPFLAGS = $(calls_CPPFLAGS)
tests_calls_syscall_call_SOURCES = tests/calls/syscall.c
tests_calls_syscall_call_CPPFLAGS = $(calls_CPPFLAGS)
tests_calls_futex_call_SOURCES = tests/calls/futex.c
tests_calls_futex_call_CPPFLAGS = $(calls_CPPFLAGS)
tests_calls_alias_call_SOURCES = tests/calls/alias.c
tests_calls_alias_call_CPPFLAGS = $(calls_CPPFLAGS)
tests_calls_cancel_call_SOURCES = tests/calls/cancel.c
tests_calls_cancel_call_CPPFLAGS = $(calls_CPPFLAGS)
tests_calls_small_call_SOURCES = tests/calls/small.c
tests_calls_small_call_CPPFLAGS = $(calls_CPPFLAGS)
tests_calls_prctl_call_SOURCES = tests/calls/prctl.c
tests_calls_prctl_call_CPPFLAGS = $(calls_CPPFLAGS)
tests_calls_errno_call_SOURCES = tests/calls/errno.c
tests_calls_errno_call_CPPFLAGS = $(calls_CPPFLAGS)
tests_calls_signal_call_SOURCES = tests/calls/signal.c
tests_calls_signal_call_CPPFLAGS = $(calls_CPPFLAGS)
tests_calls_timer_call_SOURCES = tests/calls/timer.c
tests_calls_timer_call_CPPFLAGS = $(calls_CPPFLAGS)
tests_calls_sleep_call_SOURCES = tests/calls/sleep.c
tests_calls_sleep_call_CPPFLAGS = $(calls_CPPFLAGS)
if HAVE_GOMP
omp_call_source = tests/calls/omp.c
else
omp_call_source = tests/lib/not-built.c
endif
tests_calls_omp_call_SOURCES = $(omp_call_source)
tests_calls_omp_call_CPPFLAGS = $(calls_CPPFLAGS) -DNOT_BUILT_FOR='"libgomp"'
EXTRA_tests_calls_omp_call_DEPENDENCIES = config.h
tests_calls_omp_call_CFLAGS = $(AM_CFLAGS) $(OPENMP_CFLAGS)
tests_calls_early_call_SOURCES = tests/calls/early.c
tests_calls_early_call_CPPFLAGS = $(calls_CPPFLAGS)

check_PROGRAMS += tests/calls/omp-edges
if HAVE_GOMP
omp_edges_source = tests/calls/omp-edges.c
else
omp_edges_source = tests/lib/not-built.c
endif
tests_calls_omp_edges_SOURCES = $(omp_edges_source)
tests_calls_omp_edges_CPPFLAGS = $(AM_CPPFLAGS) -DNOT_BUILT_FOR='"libgomp"'
tests_calls_omp_edges_CFLAGS = $(AM_CFLAGS) $(OPENMP_CFLAGS)
EXTRA_tests_calls_omp_edges_DEPENDENCIES = config.h

# A library that is at work before the recorder; bound at once, so that its resolvers run early.
check_LTLIBRARIES += tests/calls/libearly.la
tests_calls_libearly_la_SOURCES = tests/calls/early-lib.c
tests_calls_libearly_la_LDFLAGS = -shared -avoid-version -rpath $(abs_builddir)/tests/calls -Wl,-z,now
tests_calls_early_call_LDFLAGS = -no-install
tests_calls_early_call_LDADD = tests/calls/libearly.la
