# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# One page per tool and verb.  tests/tool/man.sh compares their options with --help.
dist_man_MANS += man/syntrace.1 man/syntrace-record.1 man/syntrace-doctor.1 man/syntrace-pause.1 man/syntrace-resume.1 man/syntrace-snapshot.1 man/syntrace-agent.1 man/syntrace-top.1 man/syntrace-info.1 \
	man/syntrace-decode-export.1 \
	man/syntrace-format.5 man/syntrace.conf.5

# The list of reports in the page comes from the table of reports.
nodist_man_MANS = man/syntrace-decode.1
EXTRA_DIST += man/syntrace-decode.1.in man/reports.awk
CLEANFILES += man/syntrace-decode.1
man/syntrace-decode.1: man/syntrace-decode.1.in man/reports.awk decoder/command/reports.def $(report_commands)
	$(AM_V_GEN)$(MKDIR_P) man && cd $(srcdir) && LC_ALL=C $(AWK) -f man/reports.awk decoder/command/reports.def \
		$(report_commands) man/syntrace-decode.1.in >$(abs_builddir)/man/syntrace-decode.1.tmp && \
		mv $(abs_builddir)/man/syntrace-decode.1.tmp $(abs_builddir)/$@
