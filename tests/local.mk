# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
include tests/unit/local.mk
include tests/unit/order.mk
include tests/stack/local.mk
include tests/bench/local.mk
include tests/cost/local.mk
include tests/handoff/local.mk
include tests/oracle/local.mk
include tests/report/local.mk
include tests/export/local.mk
include tests/fleet/local.mk
include tests/real/local.mk
include tests/lib/local.mk
include tests/unit/reading.mk
include tests/calls/local.mk
include tests/bad-input/local.mk
include tests/fuzz/local.mk
include tests/golden/local.mk
include tests/transparency/local.mk
include tests/robustness/local.mk
include tests/sample/local.mk
include tests/host/local.mk
