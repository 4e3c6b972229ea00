# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# Compares every captured stack with the reference unwinder. The programs are compiled like traced
# programs: optimized, without frame pointers; the oracle's entry is compiled like a wrapper.
stack_tests = tests/stack/coroutines tests/stack/fuzz tests/stack/rows tests/stack/shapes \
	tests/stack/signals tests/stack/threads tests/stack/unload tests/stack/exceptions
stack_cflags = $(AM_CFLAGS) -O2 -fomit-frame-pointer
stack_libs = libstackoracle.la libruntime.la

check_LTLIBRARIES += libstackoracle.la unload-small.la unload-large.la
libstackoracle_la_SOURCES = tests/stack/oracle.c tests/stack/oracle.h
libstackoracle_la_CFLAGS = $(AM_CFLAGS) -O2 -fno-omit-frame-pointer

# -rpath: libtool makes a shared module of a library that is not installed only with one.
unload_ldflags = -module -avoid-version -shared -rpath /nonexistent
unload_small_la_SOURCES = tests/stack/unload-module.c tests/stack/unload.h
unload_small_la_CFLAGS = $(stack_cflags) -DUNLOAD_BYTES=64
unload_small_la_LDFLAGS = $(unload_ldflags)
unload_large_la_SOURCES = tests/stack/unload-module.c tests/stack/unload.h
unload_large_la_CFLAGS = $(stack_cflags) -DUNLOAD_BYTES=120
unload_large_la_LDFLAGS = $(unload_ldflags)

check_LTLIBRARIES += stackpreload.la
# not by libruntime.la: a library takes a convenience library whole, with the real dump
stackpreload_la_SOURCES = tests/stack/preload.c tests/stack/oracle.c tests/stack/oracle.h \
	runtime/clock.c runtime/image.c runtime/map.c runtime/module.c runtime/module-file.c \
	runtime/peek.c runtime/stack.c runtime/stack-cfi.c runtime/stack-fast.c runtime/stack-node.c \
	runtime/stack-plain.c runtime/stack-row.c runtime/stack-step.c runtime/stack-stitch.c \
	runtime/sys.c
stackpreload_la_CFLAGS = $(AM_CFLAGS) $(SYT_TRACED_CFLAGS) $(XXHASH_CFLAGS)
stackpreload_la_LDFLAGS = $(unload_ldflags) -Wl,-z,now

check_PROGRAMS += $(stack_tests)
dist_check_SCRIPTS += tests/stack/real.sh
TESTS += $(stack_tests) tests/stack/real.sh

tests_stack_coroutines_CFLAGS = $(stack_cflags)
tests_stack_coroutines_LDADD = $(stack_libs)
# CXXLINK is for a C++ source, LINK for a C source.
if HAVE_CXX
stack_exceptions_source = tests/stack/exceptions.cc
tests_stack_exceptions_LINK = $(CXXLINK)
else
stack_exceptions_source = tests/lib/not-built.c
tests_stack_exceptions_LINK = $(LINK)
endif
tests_stack_exceptions_SOURCES = $(stack_exceptions_source)
tests_stack_exceptions_CPPFLAGS = $(AM_CPPFLAGS) -DNOT_BUILT_FOR='"C++ compiler"'
tests_stack_exceptions_CXXFLAGS = -Wall -Wextra -O2 -fomit-frame-pointer
tests_stack_exceptions_LDADD = $(stack_libs)
EXTRA_tests_stack_exceptions_DEPENDENCIES = config.h
tests_stack_fuzz_CFLAGS = $(stack_cflags)
tests_stack_fuzz_LDADD = $(stack_libs)
tests_stack_rows_CFLAGS = $(stack_cflags) $(LIBDW_CFLAGS)
tests_stack_rows_LDADD = $(stack_libs) $(LIBDW_LIBS)
tests_stack_shapes_CFLAGS = $(stack_cflags)
tests_stack_shapes_LDADD = $(stack_libs)
tests_stack_signals_CFLAGS = $(stack_cflags)
tests_stack_signals_LDADD = $(stack_libs)
tests_stack_threads_CFLAGS = $(stack_cflags)
tests_stack_threads_LDADD = $(stack_libs)
tests_stack_unload_CFLAGS = $(stack_cflags) -DUNLOAD_DIR='"$(abs_top_builddir)/.libs/"'
tests_stack_unload_LDADD = $(stack_libs)
