#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# Objects whose memory is unmapped as soon as they are released: no wrapper looks at them
# afterwards.
. "$(dirname "$0")/lib.sh"

rounds=1000
[ -z "${SYNTRACE_TEST_LONG:-}" ] || rounds=10000
for what in sem sem-blocked mutex cond broadcast c11 spin barrier; do
	alike $what "$top_builddir/tests/robustness/lifetime" $what $rounds && decoded $what --fail-on-loss
done
finish
