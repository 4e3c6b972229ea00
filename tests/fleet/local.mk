# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# The store of a fleet, on window files that window.py invents.
fleet_tests = tests/fleet/load.sh tests/fleet/query.sh
TESTS += $(fleet_tests)
EXTRA_DIST += $(fleet_tests) tests/fleet/lib.sh tests/fleet/window.py tests/fleet/load.py tests/fleet/query.py
