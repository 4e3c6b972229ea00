# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# The wrappers of the intercepted functions.

noinst_LTLIBRARIES += libpreload.la
libpreload_la_CPPFLAGS = $(AM_CPPFLAGS) -D_GNU_SOURCE
libpreload_la_CFLAGS = $(AM_CFLAGS) $(SYT_TRACED_CFLAGS) -fno-plt
libpreload_la_CCASFLAGS = $(SYT_BRANCH_CFLAGS)
libpreload_la_SOURCES = \
	preload/acquire.h \
	preload/blind-spot.c \
	preload/blind-spot.h \
	preload/child-run.S \
	preload/child-run.h \
	preload/cleanup.c \
	preload/cleanup.h \
	preload/clone-entry.S \
	preload/clone.c \
	preload/cond.c \
	preload/dl-entry.S \
	preload/dl.c \
	preload/entry.h \
	preload/env.c \
	preload/env.h \
	preload/environ.c \
	preload/exec-memory.c \
	preload/exec-memory.h \
	preload/exec.c \
	preload/fast-entry.S \
	preload/fd-table.c \
	preload/fd-table.h \
	preload/fd.c \
	preload/filelock.c \
	preload/filelock.h \
	preload/fstat.c \
	preload/futex.c \
	preload/gate.h \
	preload/init.c \
	preload/io.c \
	preload/io.h \
	preload/libc.h \
	preload/memory-limit.c \
	preload/mutex.c \
	preload/omp-lock.c \
	preload/omp-real.c \
	preload/omp-real.h \
	preload/omp-task.c \
	preload/omp-team.c \
	preload/omp.h \
	preload/plain.c \
	preload/poll.c \
	preload/prctl.c \
	preload/process.c \
	preload/queue.c \
	preload/quick.c \
	preload/quick.h \
	preload/real-stub.S \
	preload/real.c \
	preload/real.h \
	preload/rwlock.c \
	preload/sem.c \
	preload/semset.c \
	preload/shared-memory.c \
	preload/shared-memory.h \
	preload/shell.c \
	preload/signal.c \
	preload/sleep.c \
	preload/slow-leave.c \
	preload/slow-leave.h \
	preload/socket.c \
	preload/spawn.c \
	preload/stdio.c \
	preload/sync-object.h \
	preload/sync.c \
	preload/syscall-entry.S \
	preload/syscall.c \
	preload/syscall.h \
	preload/target-elf.c \
	preload/target-elf.h \
	preload/target.c \
	preload/target.h \
	preload/thread.c \
	preload/thread.h \
	preload/timer.c \
	preload/version.h \
	preload/vfork-entry.S \
	preload/vfork.c \
	preload/vfork.h \
	preload/wrap.h

# The preloaded library: the wrappers and the recorder.  It contains a hidden, static copy of lz4.
# Its name has no version, so that LD_PRELOAD=libsyntrace.so finds it.
lib_LTLIBRARIES += libsyntrace.la
libsyntrace_la_SOURCES =
libsyntrace_la_LIBADD = libpreload.la libruntime.la libstring.la
EXTRA_libsyntrace_la_DEPENDENCIES = preload/versions.map $(srcdir)/preload/order.ld
libsyntrace_la_LDFLAGS = -module -avoid-version -shared -no-undefined \
	-Wl,-z,defs -Wl,-z,now -Wl,-z,relro -Wl,-z,nodelete -Wl,-z,initfirst -Wl,-Bsymbolic \
	-Wl,--exclude-libs,liblz4.a -Wl,--version-script=preload/versions.map \
	$(SYT_ORDER_LDFLAGS) \
	-Wl,--as-needed -Wl,-l:liblz4.a

EXTRA_DIST += preload/order.ld preload/versions.map.in
CLEANFILES += preload/versions.map
preload/versions.map: $(srcdir)/preload/versions.map.in $(srcdir)/format/calls.def
	$(AM_V_GEN)$(MKDIR_P) preload && $(CPP) -P -x assembler-with-cpp \
		-I$(srcdir) $(srcdir)/preload/versions.map.in >$@.tmp && mv $@.tmp $@
