# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# Programs made from seeds that know their own order, and the judge that compares the decoder with
# them.
check_PROGRAMS += tests/oracle/oracle tests/oracle/judge tests/oracle/hurt tests/oracle/moved
tests_oracle_oracle_SOURCES = \
	tests/oracle/carry.c \
	tests/oracle/carry.h \
	tests/oracle/channels.c \
	tests/oracle/locks.c \
	tests/oracle/log.h \
	tests/oracle/oracle.c \
	tests/oracle/plan.c \
	tests/oracle/plan.h \
	tests/oracle/tokens.c \
	tests/oracle/world.c \
	tests/oracle/world.h \
	tests/oracle/write.c \
	tests/oracle/write.h
tests_oracle_oracle_CFLAGS = -O1 -g -D_GNU_SOURCE
tests_oracle_oracle_LDADD = -lpthread
tests_oracle_judge_SOURCES = \
	tests/oracle/judge.c \
	tests/oracle/judge.h \
	tests/oracle/judge_edges.c \
	tests/oracle/judge_knowledge.c \
	tests/oracle/judge_map.c \
	tests/oracle/judge_tokens.c
tests_oracle_judge_CFLAGS = $(DECODER_CFLAGS)
tests_oracle_judge_LDADD = $(decoder_libs)
# Judges traces of several hosts by the clock that timed them.
tests_oracle_moved_SOURCES = tests/oracle/moved.c tests/lib/random.h
tests_oracle_moved_CFLAGS = $(DECODER_CFLAGS)
tests_oracle_moved_LDADD = $(decoder_libs) -lm
# Compares sampled traces with full ones.
check_PROGRAMS += tests/oracle/sampled
tests_oracle_sampled_SOURCES = tests/oracle/sampled.c tests/oracle/mark.c tests/oracle/mark.h tests/lib/random.h
tests_oracle_sampled_CFLAGS = $(DECODER_CFLAGS)
tests_oracle_sampled_LDADD = $(decoder_libs)
check_PROGRAMS += tests/oracle/crossing
tests_oracle_crossing_SOURCES = tests/oracle/crossing.c
tests_oracle_crossing_CFLAGS = -O1 -g -D_GNU_SOURCE
tests_oracle_crossing_LDADD = -lpthread
tests_oracle_hurt_SOURCES = tests/oracle/hurt.c
tests_oracle_hurt_CFLAGS = -D_GNU_SOURCE
# Programs with planted tasks, and the judge of their models. Schedules of one program, and the judge of its requests.
TESTS += tests/oracle/oracle.sh tests/oracle/sampled.sh tests/oracle/hosts.sh tests/oracle/planted.sh tests/oracle/schedules.sh
EXTRA_DIST += tests/oracle/oracle.sh tests/oracle/sampled.sh tests/oracle/hosts.sh tests/oracle/planted.py tests/oracle/planted.sh tests/oracle/schedules.c \
	tests/oracle/schedules.py tests/oracle/schedules.sh tests/oracle/schedules_truth.py tests/oracle/seeds
