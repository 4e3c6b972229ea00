# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# One page per tool and verb.  tests/tool/man.sh compares their options with --help.
dist_man_MANS += man/syntrace.1 man/syntrace-record.1 man/syntrace-doctor.1 man/syntrace-pause.1 man/syntrace-resume.1 man/syntrace-snapshot.1 man/syntrace-top.1 man/syntrace-info.1 \
	man/syntrace-decode.1 \
	man/syntrace-decode-export.1 \
	man/syntrace-format.5 man/syntrace.conf.5
