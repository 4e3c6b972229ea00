#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# check.sh suites/NAME.py: the suite NAME as a test. In `make check` its core, once; in `make check-long` all of it, three
# times. Skips when the suite cannot be had here.
set -u
[ -z "${SYNTRACE_SANITIZED:-}" ] || { echo "skipped: whole programs are not traced in a sanitizer build"; exit 77; }
here=$(dirname "$0")
name=$(basename "$1" .py)
work=${top_builddir:-.}/transparency
if [ -n "${SYNTRACE_TEST_LONG:-}" ]; then
	set -- --rounds 3
else
	set -- --core --rounds 1 --fresh --work "$work/core"
	# Sources and builds are shared with the long form.
	mkdir -p "$work/core" "$work/$name"
	ln -sfn "../$name" "$work/core/$name"
fi
exec python3 "$here/run.py" "$@" "$name"
