# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# A page per tool and verb.  tests/tool/man.sh holds them against --help.
dist_man_MANS += man/syntrace.1 man/syntrace-record.1 man/syntrace-doctor.1 man/syntrace-pause.1 man/syntrace-resume.1 man/syntrace-snapshot.1 man/syntrace-top.1 man/syntrace-info.1 \
	man/syntrace-decode.1 man/syntrace-decode-stat.1 man/syntrace-decode-info.1 man/syntrace-decode-events.1 \
	man/syntrace-decode-edges.1 man/syntrace-decode-tasks.1 \
	man/syntrace-decode-graph.1 \
	man/syntrace-decode-export.1 \
	man/syntrace-decode-report.1 \
	man/syntrace-decode-check.1 \
	man/syntrace-decode-contention.1 \
	man/syntrace-decode-lock-order.1 \
	man/syntrace-decode-critical-path.1 \
	man/syntrace-decode-why.1 \
	man/syntrace-decode-waits.1 \
	man/syntrace-decode-watch.1 \
	man/syntrace-decode-what-if.1 \
	man/syntrace-decode-diagnose.1 \
	man/syntrace-decode-diff.1 \
	man/syntrace-decode-baseline.1 \
	man/syntrace-format.5 man/syntrace.conf.5
