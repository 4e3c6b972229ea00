# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# Traces of several hosts: of one trace, tests/lib/rehost makes the traces of other hosts.
dist_check_SCRIPTS += tests/host/clocks.sh tests/host/rehost.sh tests/host/two-hosts.sh
TESTS += tests/host/clocks.sh tests/host/rehost.sh tests/host/two-hosts.sh
EXTRA_DIST += tests/host/clocks.py tests/host/rehost.py tests/host/two-hosts.py tests/host/echo.py
