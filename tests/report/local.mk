# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# Reports (each test is listed in the local.mk of its report), on the programs of examples/ that have one known disease each.
report_tests += tests/report/coverage.sh tests/report/json.sh tests/report/loss.sh tests/report/names.sh tests/report/nothing.sh tests/report/offcpu.sh \
	tests/report/scaling.sh tests/report/shop.sh tests/report/unreadable.sh tests/report/wall-clock.sh tests/report/width.sh
TESTS += $(report_tests)
EXTRA_DIST += $(report_tests) tests/report/browser.py tests/report/contention.py tests/report/critical-path.py tests/report/expect.py \
	tests/report/html-browser.py tests/report/html-page.py tests/report/json-lines.py tests/report/lib.sh tests/report/model.py \
	tests/report/model-picture.py tests/report/model-replicas.py tests/report/model-similarity.py tests/report/model-turns.py \
	tests/report/names.cc tests/report/orders.c \
	tests/report/model-picture.py tests/report/model-replicas.py tests/report/model-similarity.py tests/report/names.cc tests/report/orders.c \
	tests/report/requests_properties.py tests/report/requests_shop.py tests/report/requests_windows.py tests/report/sampling.py tests/report/servers.sh tests/report/shop.py \
	tests/report/waits.py tests/report/width.py tests/report/whole.py

check_PROGRAMS += tests/report/width
tests_report_width_SOURCES = tests/report/width.c

# A program with an allocator that takes a lock now and then.
check_PROGRAMS += tests/report/allocator
tests_report_allocator_SOURCES = tests/report/allocator.c

# Programs whose time is known, original and changed.
check_PROGRAMS += tests/report/what-if
tests_report_what_if_SOURCES = tests/report/what-if.c

# A server with known reasons for its waits.
check_PROGRAMS += tests/report/requests
tests_report_requests_SOURCES = tests/report/requests.c

# A client that does not wait for answers.
check_PROGRAMS += tests/report/pipeline
tests_report_pipeline_SOURCES = tests/report/pipeline.c

# A thread that computes, sleeps and writes while it holds a lock.
check_PROGRAMS += tests/report/offcpu
tests_report_offcpu_SOURCES = tests/report/offcpu.c
tests_report_offcpu_CFLAGS = $(AM_CFLAGS) -fno-optimize-sibling-calls

# A server with requests that occur once.
check_PROGRAMS += tests/report/sampling
tests_report_sampling_SOURCES = tests/report/sampling.c
tests_report_sampling_CFLAGS = $(AM_CFLAGS) -fno-optimize-sibling-calls
tests_report_sampling_LDADD = -lpthread

# An event loop that passes connections to workers.
check_PROGRAMS += tests/report/turns
tests_report_turns_SOURCES = tests/report/turns.c
tests_report_turns_CFLAGS = $(AM_CFLAGS) -fno-optimize-sibling-calls

# Programs that hang, each in its own way.
check_PROGRAMS += tests/report/hangs
tests_report_hangs_SOURCES = tests/report/hangs.c
tests_report_hangs_CFLAGS = $(AM_CFLAGS) -fno-optimize-sibling-calls

# Programs on which a search through all events would be slow.
check_PROGRAMS += tests/report/scaling
tests_report_scaling_SOURCES = tests/report/scaling.c

# Programs with one disease each, and the same programs without it.
check_PROGRAMS += tests/report/diseases
tests_report_diseases_SOURCES = tests/report/diseases.c
tests_report_diseases_CFLAGS = $(AM_CFLAGS) -fno-optimize-sibling-calls
