# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
EXTRA_DIST += examples/demo.sh examples/follow-request.sh examples/ci/github.yml examples/ci/gitlab.yml examples/fleet/nginx.conf examples/fleet/syntrace-agent@.service examples/fleet/syntrace-load.service \
	examples/fleet/syntrace-push.service examples/fleet/syntrace-serve.service examples/fleet/clickhouse/shards.xml examples/fleet/clickhouse/users.xml

# Small programs to try the tools with; `make check` builds them.
check_PROGRAMS += examples/pipeline
examples_pipeline_SOURCES = examples/pipeline.c

# Each program has one known problem, and does not have it with the argument `healthy` (tests/report/).
check_PROGRAMS += examples/convoy examples/deadlock examples/flow-control examples/herd examples/inversion \
	examples/long-hold examples/priority examples/slow-consumer
examples_convoy_SOURCES = examples/convoy.c
examples_deadlock_SOURCES = examples/deadlock.c
examples_flow_control_SOURCES = examples/flow-control.c
examples_herd_SOURCES = examples/herd.c
examples_inversion_SOURCES = examples/inversion.c
examples_long_hold_SOURCES = examples/long-hold.c
examples_priority_SOURCES = examples/priority.c
examples_slow_consumer_SOURCES = examples/slow-consumer.c

# A program, and ten changes that a commit may make to it (tests/report/diff.sh).
check_PROGRAMS += examples/changes
examples_changes_SOURCES = examples/changes.c

# A replicated store in three processes, for the task models (doc/models.md); `healthy` does not sleep for flow control.
check_PROGRAMS += examples/replicas
examples_replicas_SOURCES = examples/replicas.c
# A model names tasks by the functions on the stack.
examples_replicas_CFLAGS = $(AM_CFLAGS) -fno-optimize-sibling-calls

# A front, a shop and a store, for the requests of a run; it can add a fault to single requests (tests/report/shop.sh).
check_PROGRAMS += examples/shop
examples_shop_SOURCES = examples/shop.c
examples_shop_LDADD = -lpthread
# A symbol of a request is the functions on the stack.
examples_shop_CFLAGS = $(AM_CFLAGS) -fno-optimize-sibling-calls
