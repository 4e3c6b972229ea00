# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# The store of a fleet, on window files that window.py invents, and the agent that makes such files.
fleet_tests = tests/fleet/load.sh tests/fleet/query.sh tests/fleet/agent.sh tests/fleet/push.sh tests/fleet/full.sh tests/fleet/chain.sh tests/fleet/serve.sh tests/fleet/lines.sh tests/fleet/symbols.sh tests/fleet/try.sh tests/fleet/packages.sh tests/fleet/clickhouse.sh tests/fleet/units.sh
TESTS += $(fleet_tests)
check_PROGRAMS += tests/fleet/busy
tests_fleet_busy_SOURCES = tests/fleet/busy.c
tests_fleet_busy_LDADD = -lpthread
EXTRA_DIST += $(fleet_tests) tests/fleet/lib.sh tests/fleet/window.py tests/fleet/load.py tests/fleet/query.py tests/fleet/agent.py tests/fleet/push.py tests/fleet/full.py tests/fleet/server.py tests/fleet/chain.py tests/fleet/serve.py tests/fleet/lines.py tests/fleet/symbols.py tests/fleet/clickhouse.py
# The policy and the spool of the agent.
TESTS += tests/unit/test-agent
check_PROGRAMS += tests/unit/test-agent
tests_unit_test_agent_SOURCES = tests/unit/test-agent.c tool/agent_policy.c tool/agent_spool.c tool/options.c
tests_unit_test_agent_CFLAGS = $(SYT_OFFLINE_CFLAGS) $(XXHASH_CFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_agent_LDADD = libsettings.a libbase.a $(INIH_LIBS) $(XXHASH_LIBS) $(CMOCKA_LIBS) -lm
