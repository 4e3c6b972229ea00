# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# awk -f reports.awk reports.def SOURCE... PAGE: prints PAGE, whose line @REPORTS@ becomes the list of all reports, in the order of
# reports.def.  The name and the summary of a report come from its struct syt_report.
FILENAME ~ /\.def$/ {
	if (match($0, /^REPORT\([a-z_]+\)/))
		order[++nr] = substr($0, 8, RLENGTH - 8)
	next
}
/^const struct syt_report syt_report_[a-z_]+ = \{/ {
	report = $4
	sub(/^syt_report_/, "", report)
	text = ""
}
/^\t\.name = "/ && report != "" {
	split($0, part, "\"")
	name[report] = part[2]
}
# The summary may be several strings.
/^\t\.summary = "/ && report != "" { is_summary = 1 }
is_summary {
	line = $0
	while (match(line, /"[^"]*"/)) {
		text = text substr(line, RSTART + 1, RLENGTH - 2)
		line = substr(line, RSTART + RLENGTH)
	}
	if (/,$/) {
		summary[report] = text
		is_summary = 0
	}
}
/^};/ { report = "" }
/^@REPORTS@$/ {
	for (i = 1; i <= nr; i++)
		if (name[order[i]] == "") {
			print "no struct syt_report syt_report_" order[i] >"/dev/stderr"
			exit 1
		} else
			printf ".It Cm %s\n%s:\n.Xr syntrace-decode-%s 1 .\n", name[order[i]], summary[order[i]], name[order[i]]
	next
}
FILENAME ~ /\.in$/
