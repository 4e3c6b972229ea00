# Every captured stack against the reference unwinder.  The programs are compiled as those that are
# traced: optimized, without frame pointers; the oracle's entry as a wrapper is.
stack_cflags = $(AM_CFLAGS) -O2 -fomit-frame-pointer
stack_libs = libstackoracle.la libruntime.la
stack_tests = tests/stack/shapes

check_LTLIBRARIES += libstackoracle.la
libstackoracle_la_SOURCES = tests/stack/oracle.c tests/stack/oracle.h
libstackoracle_la_CFLAGS = $(AM_CFLAGS) -O2 -fno-omit-frame-pointer

check_PROGRAMS += $(stack_tests)
TESTS += $(stack_tests)

tests_stack_shapes_CFLAGS = $(stack_cflags)
tests_stack_shapes_LDADD = $(stack_libs)
