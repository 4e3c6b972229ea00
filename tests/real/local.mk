# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# Real servers and programs, recorded and decoded whole.
real_tests = tests/real/redis.sh tests/real/memcached.sh tests/real/nginx.sh tests/real/postgres.sh \
	tests/real/apache.sh tests/real/python.sh tests/real/python-server.sh tests/real/java.sh tests/real/node.sh \
	tests/real/requests-php.sh tests/real/requests-redis.sh tests/real/requests-apache.sh tests/real/requests-memcached.sh \
	tests/real/wire.sh tests/real/hosts.sh tests/real/tiers.sh tests/real/sampling.sh
TESTS += $(real_tests)
# Hosts that talk to each other
check_PROGRAMS += tests/real/talk
tests_real_talk_SOURCES = tests/real/talk.c
tests_real_talk_CFLAGS = $(AM_CFLAGS) -D_GNU_SOURCE
tests_real_talk_LDADD = -lpthread
EXTRA_DIST += $(real_tests) tests/lib.sh tests/real/hosts-lib.sh tests/real/datagrams.py tests/real/delays.py \
	tests/real/load.sh tests/real/judge.py tests/real/verify.py tests/real/apache.py \
	tests/real/workers.py tests/real/lines.py tests/real/sampling.py tests/real/tiers.py tests/real/Echo.java tests/real/Kinds.java tests/real/http.js \
	tests/real/faults.c tests/real/stack.sh tests/real/truth.py tests/real/app.py tests/real/shop.php tests/real/shop.sql
