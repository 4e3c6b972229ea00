#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# check.sh suites/NAME.py: the suite NAME as a test. `make check` runs its core once; `make
# check-long` runs all of it three times, without earlier results of the same library. Skips if the
# suite is not available here.
[ -z "${SYNTRACE_SANITIZED:-}" ] || { echo "skipped: whole programs are not traced in a sanitizer build"; exit 77; }
if [ -n "${SYNTRACE_TEST_LONG:-}" ]; then
	how='--rounds 3'
else
	how='--core --fresh --rounds 1'
fi
# shellcheck disable=SC2086 # a list of options
exec python3 "$(dirname "$0")/run.py" $how "$(basename "$1" .py)"
