#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# Each verb shows its progress on a terminal after a second.
. "$(dirname "$0")/lib.sh"
tool_need_library
[ -z "${SYNTRACE_SANITIZED-}" ] || { echo "skipped: whole programs are not traced in a sanitizer build"; exit 77; }
command -v python3 >/dev/null || { echo "skipped: no python3 for a pseudo-terminal"; exit 77; }
status 0 "$tool" record -q -o t "$top_builddir/syntrace-many-locks" 100
timeout 120 python3 "$top_srcdir/tests/tool/progress.py" "$top_builddir/syntrace-decode" t/*.dump || tool_failed=1
# no terminal, no progress
{ head -c 5000 t/*.dump; sleep 1.5; tail -c +5001 t/*.dump; } | "$top_builddir/syntrace-decode" stat - >out 2>err
[ ! -s err ] || bad 'progress is not on a terminal'
tool_end
