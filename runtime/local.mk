# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# The recorder: linked into libsyntrace.so only. It makes no libc call that allocates, locks or sets
# errno (tests/lint/).
# It needs no frame pointers: a stack walk begins at the frame of a wrapper.
noinst_LTLIBRARIES += libruntime.la
libruntime_la_CFLAGS = $(AM_CFLAGS) $(SYT_TRACED_CFLAGS) -fomit-frame-pointer $(XXHASH_CFLAGS)
libruntime_la_SOURCES = \
	runtime/alive.h \
	runtime/arena.c \
	runtime/arena.h \
	runtime/cache.c \
	runtime/cache.h \
	runtime/clock.c \
	runtime/clock.h \
	runtime/cloned.c \
	runtime/confine.c \
	runtime/confine.h \
	runtime/control.c \
	runtime/control.h \
	runtime/deadline.c \
	runtime/deadline.h \
	runtime/description.c \
	runtime/description.h \
	runtime/dump.h \
	runtime/endpoint.c \
	runtime/endpoint.h \
	runtime/endpoint_inherit.c \
	runtime/endpoint_inherit.h \
	runtime/endpoint_holder.c \
	runtime/endpoint_holder.h \
	runtime/endpoint_probe.c \
	runtime/endpoint_peek.h \
	runtime/endpoint_probe.h \
	runtime/endpoint_record.c \
	runtime/endpoint_record.h \
	runtime/endpoint_slot.c \
	runtime/endpoint_slot.h \
	runtime/endpoint_tcp.c \
	runtime/env.c \
	runtime/env.h \
	runtime/fd-words.h \
	runtime/forked.h \
	runtime/frame.c \
	runtime/frame.h \
	runtime/image.c \
	runtime/image.h \
	runtime/in-flight.c \
	runtime/in-flight.h \
	runtime/libc.c \
	runtime/libc.h \
	runtime/lz4-alloc.c \
	runtime/map.c \
	runtime/map.h \
	runtime/meta.c \
	runtime/meta.h \
	runtime/move-body.h \
	runtime/move.c \
	runtime/move.h \
	runtime/module-file.c \
	runtime/module-file.h \
	runtime/module.c \
	runtime/module.h \
	runtime/object.c \
	runtime/object.h \
	runtime/old-trace.c \
	runtime/old-trace.h \
	runtime/own.c \
	runtime/own.h \
	runtime/peek.c \
	runtime/peek.h \
	runtime/place.c \
	runtime/place.h \
	runtime/plain-body.h \
	runtime/plain.h \
	runtime/quick-site.h \
	runtime/request.c \
	runtime/request.h \
	runtime/ring.c \
	runtime/ring.h \
	runtime/budget.c \
	runtime/budget.h \
	runtime/mark.c \
	runtime/mark.h \
	runtime/sample.c \
	runtime/sample.h \
	runtime/seccomp.c \
	runtime/seccomp.h \
	runtime/self.h \
	runtime/session.c \
	runtime/session.h \
	runtime/shared.c \
	runtime/skip.c \
	runtime/skip.h \
	runtime/stack-cfi.c \
	runtime/stack-cfi.h \
	runtime/stack-fast.c \
	runtime/stack-node.c \
	runtime/stack-node.h \
	runtime/stack-plain.c \
	runtime/stack-row.c \
	runtime/stack-row.h \
	runtime/stack-state.h \
	runtime/stack-step.c \
	runtime/stack-step.h \
	runtime/stack-stitch.c \
	runtime/stack.c \
	runtime/stack.h \
	runtime/sys.c \
	runtime/sys.h \
	runtime/sysv.c \
	runtime/sysv.h \
	runtime/text.h \
	runtime/thread.c \
	runtime/thread.h \
	runtime/trace-file.c \
	runtime/trace-file.h \
	runtime/watch.c \
	runtime/watch.h

# The memory and string functions of libsyntrace.so. A library of their own: they are compiled without builtins and
# link-time optimization, which would drop or call them as it likes, and a test that links libruntime.la keeps libc's.
noinst_LTLIBRARIES += libstring.la
libstring_la_CFLAGS = $(AM_CFLAGS) $(SYT_TRACED_CFLAGS) -fomit-frame-pointer -ffreestanding -fno-builtin -fno-lto \
	$(SYT_LOOP_CFLAGS)
libstring_la_SOURCES = runtime/string.c
