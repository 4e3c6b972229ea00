# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# tests/unit/test-MODULE.c mirrors MODULE; cmocka.  Without cmocka all of them are skipped:
# tests/lib/no-cmocka/cmocka.h.
EXTRA_DIST += tests/lib/no-cmocka/cmocka.h

# ---- runtime/: against the recording core without stacks, modules and endpoints ----
runtime_tests = \
	tests/unit/test-description \
	tests/unit/test-peek \
	tests/unit/test-endpoint \
	tests/unit/test-env \
	tests/unit/test-frame \
	tests/unit/test-object \
	tests/unit/test-ring \
	tests/unit/test-confine \
	tests/unit/test-seccomp \
	tests/unit/test-string \
	tests/unit/test-watch
RUNTIME_TEST_CFLAGS = $(AM_CFLAGS) -O2 -fno-omit-frame-pointer $(XXHASH_CFLAGS) $(CMOCKA_CFLAGS)
RUNTIME_TEST_LIBS = libruntimetest.a $(LZ4_LIBS) $(CMOCKA_LIBS)
# Compiled once for all tests, each of which links only what it uses.
check_LIBRARIES += libruntimetest.a
libruntimetest_a_SOURCES = runtime/arena.c runtime/cache.c runtime/clock.c runtime/cloned.c runtime/confine.c runtime/control.c runtime/deadline.c \
	runtime/budget.c runtime/description.c runtime/env.c runtime/frame.c runtime/image.c runtime/libc.c runtime/map.c runtime/mark.c \
	runtime/meta.c runtime/object.c \
	runtime/old-trace.c runtime/own.c runtime/peek.c runtime/place.c runtime/ring.c runtime/sample.c runtime/seccomp.c runtime/session.c \
	runtime/shared.c runtime/sys.c runtime/thread.c runtime/trace-file.c runtime/watch.c tests/unit/doubles-runtime.c
libruntimetest_a_CFLAGS = $(RUNTIME_TEST_CFLAGS)

tests_unit_test_description_SOURCES = tests/unit/test-description.c
tests_unit_test_description_CFLAGS = $(RUNTIME_TEST_CFLAGS)
tests_unit_test_description_LDADD = $(RUNTIME_TEST_LIBS)
tests_unit_test_peek_SOURCES = tests/unit/test-peek.c
tests_unit_test_peek_CFLAGS = $(RUNTIME_TEST_CFLAGS)
tests_unit_test_peek_LDADD = $(RUNTIME_TEST_LIBS)
tests_unit_test_endpoint_SOURCES = tests/unit/test-endpoint.c runtime/endpoint.c runtime/cache.c \
	runtime/endpoint_probe.c runtime/endpoint_record.c runtime/endpoint_slot.c \
	runtime/endpoint_inherit.c runtime/endpoint_holder.c runtime/endpoint_tcp.c runtime/request.c
tests_unit_test_endpoint_CFLAGS = $(RUNTIME_TEST_CFLAGS)
tests_unit_test_endpoint_LDADD = $(RUNTIME_TEST_LIBS)
tests_unit_test_watch_SOURCES = tests/unit/test-watch.c
tests_unit_test_watch_CFLAGS = $(RUNTIME_TEST_CFLAGS)
tests_unit_test_watch_LDADD = $(RUNTIME_TEST_LIBS)
tests_unit_test_confine_SOURCES = tests/unit/test-confine.c
tests_unit_test_confine_CFLAGS = $(RUNTIME_TEST_CFLAGS)
tests_unit_test_confine_LDADD = $(RUNTIME_TEST_LIBS)
tests_unit_test_seccomp_SOURCES = tests/unit/test-seccomp.c
tests_unit_test_seccomp_CFLAGS = $(RUNTIME_TEST_CFLAGS)
tests_unit_test_seccomp_LDADD = $(RUNTIME_TEST_LIBS)
tests_unit_test_string_SOURCES = tests/unit/test-string.c
tests_unit_test_string_CFLAGS = $(RUNTIME_TEST_CFLAGS) -fno-builtin $(SYT_LOOP_CFLAGS)
tests_unit_test_string_LDADD = $(RUNTIME_TEST_LIBS)
tests_unit_test_env_SOURCES = tests/unit/test-env.c
tests_unit_test_env_CFLAGS = $(RUNTIME_TEST_CFLAGS)
tests_unit_test_env_LDADD = $(RUNTIME_TEST_LIBS)
tests_unit_test_object_SOURCES = tests/unit/test-object.c
tests_unit_test_object_CFLAGS = $(RUNTIME_TEST_CFLAGS)
tests_unit_test_object_LDADD = $(RUNTIME_TEST_LIBS)
tests_unit_test_ring_SOURCES = tests/unit/test-ring.c
tests_unit_test_ring_CFLAGS = $(RUNTIME_TEST_CFLAGS)
tests_unit_test_ring_LDADD = $(RUNTIME_TEST_LIBS)
tests_unit_test_frame_SOURCES = tests/unit/test-frame.c
tests_unit_test_frame_CFLAGS = $(RUNTIME_TEST_CFLAGS)
tests_unit_test_frame_LDADD = $(RUNTIME_TEST_LIBS)

# ---- runtime/: call stacks; the dump's stand-in and the reference are in tests/stack/ ----
runtime_tests += tests/unit/test-module tests/unit/test-stack
tests_unit_test_module_SOURCES = tests/unit/test-module.c runtime/module.c runtime/module-file.c
tests_unit_test_module_CFLAGS = $(RUNTIME_TEST_CFLAGS)
tests_unit_test_module_LDADD = $(RUNTIME_TEST_LIBS)
tests_unit_test_stack_CFLAGS = $(RUNTIME_TEST_CFLAGS)
tests_unit_test_stack_LDADD = libstackoracle.la libruntime.la $(RUNTIME_TEST_LIBS)

check_PROGRAMS += $(runtime_tests)
TESTS += $(runtime_tests)
